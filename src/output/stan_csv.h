/* stan_csv.h: draws as CmdStan writes them, a file for each chain, as they come.
 *
 * Settings in comments, a line of names, the tuning in comments, a line for each draw, the time in comments:
 * what R's posterior and cmdstanr, ArviZ and others read. Chains count from 1; treedepth__ is that of the smallest
 * tree with so many steps, ceil(log2(steps + 1)); divergent__ is 1 where the trajectory failed in any way.
 */
#ifndef TALWEG_OUTPUT_STAN_CSV_H
#define TALWEG_OUTPUT_STAN_CSV_H

#include <stdbool.h>

#include "base/context.h"
#include "talweg/chains.h"

typedef struct tw_stan_csv tw_stan_csv;

/* What the comments tell. */
typedef struct tw_stan_settings {
    size_t n, chains, draws, warmup, thin;
    uint64_t seed;
    double target_accept;
    const char *data, *method, *metric;
} tw_stan_settings;

/* Could PREFIX_1.csv, ... be written? */
tw_status tw_stan_csv_check(tw_context *ctx, const char *prefix, bool overwrite, size_t chains);

/* Begin PREFIX_1.csv, ..., PREFIX_chains.csv. */
tw_status tw_stan_csv_open(tw_context *ctx, const char *prefix, bool overwrite,
                           const tw_stan_settings *settings, tw_stan_csv **out);
tw_status tw_stan_csv_add(tw_stan_csv *csv, const tw_draw *draw);

/* The files take their names. Frees csv in any case. */
tw_status tw_stan_csv_close(tw_stan_csv *csv, double warmup_seconds, double sampling_seconds);
void tw_stan_csv_abandon(tw_stan_csv *csv); /* NULL is fine */

#endif
