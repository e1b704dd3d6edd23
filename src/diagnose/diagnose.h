/* diagnose.h: the workspace for the draws of one scalar, and the functions that the files of this room share.
 *
 * x and every series derived from it (scores of ranks, indicators, squares) have the same layout: draw i of
 * chain c is at i + c draws. Half h of chain c starts at series[c draws + h (draws - half)] and has `half`
 * draws. If the number of draws is odd, the middle draw is in neither half.
 */
#ifndef TALWEG_DIAGNOSE_DIAGNOSE_H
#define TALWEG_DIAGNOSE_DIAGNOSE_H

#include "base/context.h"
#include "diagnose/autocovariance.h"
#include "diagnose/sort.h"
#include "talweg/diagnose.h"

struct tw_diagnose {
    tw_context *ctx;
    size_t draws, chains, total; /* total = draws chains */
    size_t half;                 /* draws in a half chain */
    bool has_nan;
    double *x;       /* the draws */
    double *sorted;  /* the draws in increasing order; not set if has_nan */
    uint32_t *place; /* x[place[i]] = sorted[i] */
    double *folded;  /* |x - median| in increasing order, and their places */
    uint32_t *folded_place;
    double *score;  /* normal scores of ranks: score[2 r] for r = 1, 1.5, 2, ... */
    double *series; /* a series derived from x */
    double *rho;    /* autocorrelations */
    tw_autocovariance *autocovariance;
    tw_sort_item *items; /* for tw_sort */
    uint32_t *counts;
};

/* The start of half chain s = 0..2 chains - 1 in a series. */
static inline const double *tw_half_chain(const tw_diagnose *d, const double *series, size_t s)
{
    return series + s / 2 * d->draws + s % 2 * (d->draws - d->half);
}

/* workspace.c: sort d->x and set d->has_nan. */
void tw_diagnose_prepare(tw_diagnose *d);

/* rank.c: write normal scores of the ranks of the draws, or of |draw - median|, into d->series. */
void tw_rank_scores(tw_diagnose *d);
void tw_folded_rank_scores(tw_diagnose *d);

/* ess.c, convergence.c: the effective sample size and the plain R-hat of the half chains of a series. */
double tw_series_ess(tw_diagnose *d, const double *series);
double tw_series_rhat(const tw_diagnose *d, const double *series);

/* ess.c: an upper bound, two standard errors above the estimate, of the autocorrelation time within the half
 * chains of the series whose ESS was computed last. Differences between the means of half chains do not
 * enter. The estimate is at least 1 and at most that of `enough` effective draws in all. */
double tw_time_within(tw_diagnose *d, double enough);

/* convergence.c: ESS and R-hat of a series, and the probability of such an R-hat by chance. */
typedef struct tw_mixing {
    double ess, rhat, chance;
} tw_mixing;
tw_mixing tw_series_mixing(tw_diagnose *d, const double *series);

/* estimate.c: the Monte Carlo standard error of the mean of a series, which may be the caller's array. */
double tw_series_mcse(tw_diagnose *d, const double *series);

/* ess.c: whether all numbers in the half chains of a series are finite and not all are equal. */
bool tw_series_varies(const tw_diagnose *d, const double *series);

#endif
