/* summarise.h: summaries of draws, in pieces that serve draws in memory and draws in a file. The results are
 * identical to the bit, whether all latents are in memory or a file is read in blocks of latents. */
#ifndef TALWEG_SAMPLE_SUMMARISE_H
#define TALWEG_SAMPLE_SUMMARISE_H

#include "base/context.h"
#include "talweg/chains.h"

/* Draws of `latents` latents; `strides` gives the position of draw i of chain c of latent k in x. */
typedef struct tw_draw_block {
    size_t draws, chains, latents;
    const double *x;
    tw_strides strides;
} tw_draw_block;

/* Fill rows[k] for every latent of the block. */
tw_status tw_summarise_block(tw_context *ctx, const tw_draw_block *block, size_t threads, tw_summary *rows);

/* The extremes over the rows of n latents; a latent whose figures are NaN makes the extreme NaN. */
tw_status tw_summarise_rows(tw_context *ctx, size_t n, const tw_summary *rows, tw_chains_summary *out);

/* judge.c: has the worst latent this ESS, and is R-hat small enough? */
bool tw_summary_reaches(const tw_chains_summary *summary, double ess);

/* Add the warnings about draws (tw_chains_judge), with one about the ESS if it is below `enough`. */
void tw_judge_chains(size_t chains, size_t draws, double enough, const tw_chains_summary *summary,
                     const tw_totals *sampling, tw_warnings *out);

/* Do a few of the latents suffice to show that the worst one has less than this ESS? This makes a failed look cheap. */
tw_status tw_draws_fall_short(const tw_draws *draws, size_t threads, double ess, bool *out);

/* The smallest E-BFMI over chains; energy[i + draws c] is the energy of draw i of chain c. */
double tw_summarise_energies(size_t draws, size_t chains, const double *energy);

/* The summary that is known without draws: the mean acceptance, if there were transitions; all else is
 * NaN. */
tw_chains_summary tw_summarise_totals(const tw_totals *sampling);

/* Add the records of one iteration of all columns to the sums of a stage. */
void tw_totals_add(tw_totals *totals, size_t columns, const tw_record *records);

#endif
