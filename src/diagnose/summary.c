/* summary.c: the row of a summary table, for one scalar or for many. */
#include <math.h>

#include "diagnose/diagnose.h"

static tw_summary row_of_nan(const tw_diagnose *d)
{
    tw_summary row = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    row.mean = tw_diagnose_mean(d);
    return row;
}

static double smaller(double a, double b)
{
    return isnan(a) || a <= b ? a : b;
}

double tw_summary_ess(const tw_summary *row)
{
    double ess = row->ess_bulk;
    if (row->ess_tail < ess) ess = row->ess_tail;
    return row->ess_fold < ess ? row->ess_fold : ess;
}

/* The chance of the larger R-hat treats the two as independent, which is nearly true. */
static void judge_mixing(tw_diagnose *d, tw_summary *row)
{
    tw_rank_scores(d);
    tw_mixing bulk = tw_series_mixing(d, d->series);
    row->ess_bulk = bulk.ess;
    row->ess_fold = row->rhat = row->rhat_chance = NAN;
    if (!isfinite(row->median)) return;
    tw_folded_rank_scores(d);
    tw_mixing fold = tw_series_mixing(d, d->series);
    row->ess_fold = fold.ess;
    row->rhat = isnan(bulk.rhat) || bulk.rhat > fold.rhat ? bulk.rhat : fold.rhat;
    row->rhat_chance = tw_rhat_chance_of_many(smaller(bulk.chance, fold.chance), 2);
}

tw_summary tw_diagnose_summary(tw_diagnose *d)
{
    if (d->has_nan) return row_of_nan(d);
    tw_summary row;
    row.mean = tw_diagnose_mean(d);
    row.sd = tw_diagnose_sd(d);
    row.mcse_mean = row.sd / sqrt(tw_diagnose_ess_mean(d));
    row.q5 = tw_diagnose_quantile(d, 0.05);
    row.median = tw_diagnose_quantile(d, 0.5);
    row.q95 = tw_diagnose_quantile(d, 0.95);
    row.ess_tail = tw_diagnose_ess_tail(d);
    judge_mixing(d, &row);
    row.ess = tw_summary_ess(&row);
    return row;
}

static void gather(tw_diagnose *d, const double *x, tw_strides strides)
{
    for (size_t c = 0; c < d->chains; c++) {
        const double *from = x + c * strides.chain;
        double *to = d->x + c * d->draws;
        for (size_t i = 0; i < d->draws; i++) to[i] = from[i * strides.draw];
    }
}

void tw_diagnose_run(tw_diagnose *d, size_t variables, const double *x, tw_strides strides, tw_summary *out)
{
    for (size_t v = 0; v < variables; v++) {
        gather(d, x + v * strides.variable, strides);
        tw_diagnose_prepare(d);
        out[v] = tw_diagnose_summary(d);
    }
}
