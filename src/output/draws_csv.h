/* draws_csv.h: draws as CSV, a line for each chain of each draw, written as they come. */
#ifndef TALWEG_OUTPUT_DRAWS_CSV_H
#define TALWEG_OUTPUT_DRAWS_CSV_H

#include <stdio.h>

#include "base/context.h"
#include "talweg/chains.h"

/* Did the trajectory fail, in any way? */
bool tw_record_failed(const tw_record *record);

/* Names ",x.1,...,x.n" and the end of the line; values of one chain likewise. */
void tw_draws_csv_names(size_t n, FILE *to);
void tw_draws_csv_latents(const tw_draw *draw, size_t chain, FILE *to);

/* The header: chain,draw,lp,acceptance_rate,step_size,n_steps,diverging,energy,x.1,...,x.n. */
void tw_draws_csv_header(size_t n, FILE *to);

/* One line for each chain; chains and draws are counted from 1, diverging is 1 where the trajectory failed in
 * any way. Errors of the stream are the caller's to notice. */
tw_status tw_draws_csv_add(tw_context *ctx, const tw_draw *draw, FILE *to);

#endif
