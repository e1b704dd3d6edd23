/* summarise.h: what the output of runs shares with the summary of draws in memory: the same numbers to the
 * bit, whether the draws come from memory at once or from a file in blocks of latents. */
#ifndef TALWEG_SAMPLE_SUMMARISE_H
#define TALWEG_SAMPLE_SUMMARISE_H

#include "base/context.h"
#include "talweg/chains.h"

/* Draws of `latents` latents: where draw i of chain c of latent k stands is what strides say. */
typedef struct tw_draw_block {
    size_t draws, chains, latents;
    const double *x;
    tw_strides strides;
} tw_draw_block;

/* rows[k] for every latent of the block. */
tw_status tw_summarise_block(tw_context *ctx, const tw_draw_block *block, size_t threads, tw_summary *rows);

/* The extremes over the rows of n latents; a latent whose figures are NaN makes the extreme NaN. */
tw_status tw_summarise_rows(tw_context *ctx, size_t n, const tw_summary *rows, tw_chains_summary *out);

/* judge.c: does the worst latent have this ESS, and is R-hat in order? */
bool tw_summary_reaches(const tw_chains_summary *summary, double ess);

/* Add what is wrong with draws to the warnings (tw_chains_judge); an ESS below `enough` is. */
void tw_judge_chains(size_t chains, size_t draws, double enough, const tw_chains_summary *summary,
                     const tw_totals *sampling, tw_warnings *out);

/* Are a few of many latents enough to see that the worst one does not have this ESS? A look that fails then costs little. */
tw_status tw_draws_fall_short(const tw_draws *draws, size_t threads, double ess, bool *out);

/* The smallest E-BFMI, energy[i + draws c] being that of draw i of chain c. */
double tw_summarise_energies(size_t draws, size_t chains, const double *energy);

/* Everything NaN but the mean acceptance, where there is one: what is known without draws. */
tw_chains_summary tw_summarise_totals(const tw_totals *sampling);

/* Add an iteration of all columns to the sums of a stage. */
void tw_totals_add(tw_totals *totals, size_t columns, const tw_record *records);

#endif
