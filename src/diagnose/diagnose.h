/* diagnose.h: the workspace of one scalar's draws, and what the files of this room do with it.
 *
 * x and every series derived from it (ranks' scores, indicators, squares) have the same layout: draw i of
 * chain c at i + c draws. Half h of chain c is then series[c draws + h (draws - half)] and the half - 1
 * numbers after it; of an odd number of draws the middle one is in neither.
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
    double *sorted;  /* the same, increasing; not set where has_nan */
    uint32_t *place; /* x[place[i]] = sorted[i] */
    double *folded;  /* |x - median|, increasing, and where they stand */
    uint32_t *folded_place;
    double *score;  /* normal scores of ranks: score[2 r] for r = 1, 1.5, 2, ... */
    double *series; /* something derived from x */
    double *rho;    /* autocorrelations */
    tw_autocovariance *autocovariance;
    tw_sort_item *items; /* for tw_sort */
    uint32_t *counts;
};

/* Where half chain s = 0..2 chains - 1 begins in a series. */
static inline const double *tw_half_chain(const tw_diagnose *d, const double *series, size_t s)
{
    return series + s / 2 * d->draws + s % 2 * (d->draws - d->half);
}

/* workspace.c: sort d->x and see whether it has a NaN. */
void tw_diagnose_prepare(tw_diagnose *d);

/* rank.c: write normal scores of the ranks of the draws, or of |draw - median|, into d->series. */
void tw_rank_scores(tw_diagnose *d);
void tw_folded_rank_scores(tw_diagnose *d);

/* ess.c, convergence.c: the effective sample size and the plain R-hat of the half chains of a series. */
double tw_series_ess(tw_diagnose *d, const double *series);
double tw_series_rhat(const tw_diagnose *d, const double *series);

/* ess.c: a bound for the autocorrelation time within the half chains of the series whose ESS was computed last, two
 * standard errors above its estimate: differences between their means do not enter. The estimate is taken to be at least
 * 1, and at most that of `enough` effective draws in all. */
double tw_time_within(tw_diagnose *d, double enough);

/* convergence.c: ESS and R-hat of a series, and the probability of that R-hat by chance. */
typedef struct tw_mixing {
    double ess, rhat, chance;
} tw_mixing;
tw_mixing tw_series_mixing(tw_diagnose *d, const double *series);

/* estimate.c: the Monte Carlo standard error of the mean of a series, which may be the caller's own. */
double tw_series_mcse(tw_diagnose *d, const double *series);

/* ess.c: are the half chains of a series finite, and not all the same number? */
bool tw_series_varies(const tw_diagnose *d, const double *series);

#endif
