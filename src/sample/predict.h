/* predict.h: the predictor from draws, shared by the files that predict.
 *
 * In whitened form, with K = L L', x_s = L v_s and k = L u,
 *   k' K^-1 x_s = u' v_s,     k** - k' K^-1 k = k** - u'u,
 * also for an L of lower rank. New inputs are processed in blocks of TW_PREDICT_POINTS, draws in blocks of
 * TW_PREDICT_DRAWS of one chain (fewer of both if n is large: p->points and p->block), and the products u'v
 * in tiles of TW_PREDICT_TILE new inputs. The sizes depend on n alone, so that results depend neither on the
 * number of threads nor on whether the draws are kept.
 *
 * If draws differ in their parameters, every place has its own K, k, U and variance. The draws are then
 * processed place by place, and each is added to its series by its chain and number.
 */
#ifndef TALWEG_SAMPLE_PREDICT_H
#define TALWEG_SAMPLE_PREDICT_H

#include <math.h>

#include "likelihood/likelihood.h"
#include "model/model.h"
#include "talweg/predict.h"

enum {
    TW_PREDICT_POINTS = TW_PREDICT_BATCH,
    TW_PREDICT_DRAWS = 1024,
    TW_PREDICT_TILE = 64,
    TW_PREDICT_SERIES = 4096,      /* largest length of a series, over all chains, */
    TW_PREDICT_LEAST_BATCHES = 16, /* but at least this many batches for each chain */
    TW_PREDICT_QUANTILE = 1024,    /* largest number of draws used for quantiles */
    TW_PREDICT_QUANTILES = 3,      /* 5, 50, 95 % */
    TW_PREDICT_LINES = 1024        /* largest number of draws used for line averages */
};

/* Averages over draws whose contributions have a larger k are computed from lines; averages with a k above the
 * second limit are withheld; both unless their relative error is small and k is below the third. For averages whose
 * reach is known (predict_reach.c) the limit is the third. */
#define TW_PREDICT_HEAVY 0.15
#define TW_PREDICT_HEAVY_SCORE 0.25 /* of p(label), which is bounded */
#define TW_PREDICT_LIMIT 0.5
#define TW_PREDICT_SURELY_HEAVY 0.7
#define TW_PREDICT_SMALL_ERROR 0.02
/* Averages over lines of which fewer are effective are withheld. */
#define TW_PREDICT_LEAST_LINES 25.0

/* A mean, and the sum of squared deviations from it. */
typedef struct tw_moments {
    double mean, squares;
} tw_moments;

/* A mean over draws (or the logarithm of one, or the root of a variance), its error, and the shape k of the
 * heavier tail of its contributions. */
typedef struct tw_average {
    double value, mcse, k;
} tw_average;

static inline bool tw_average_is_heavy(const tw_average *a, double relative_error, double limit)
{
    return a->k > limit && (a->k > TW_PREDICT_SURELY_HEAVY || !(relative_error < TW_PREDICT_SMALL_ERROR));
}

/* The averages of a case: the mean of y, its standard deviation and the log score. */
typedef struct tw_averages {
    tw_average mean, sd, score;
} tw_averages;

static inline bool tw_mean_is_heavy(const tw_averages *a, double limit)
{
    return tw_average_is_heavy(&a->mean, a->mean.mcse / fabs(a->mean.value), limit);
}

static inline bool tw_sd_is_heavy(const tw_averages *a, double limit)
{
    return tw_average_is_heavy(&a->sd, 2.0 * a->sd.mcse / a->sd.value, limit);
}

static inline bool tw_score_is_heavy(const tw_averages *a, double limit)
{
    return tw_average_is_heavy(&a->score, a->score.mcse, limit);
}

/* A new case, and its sums over the draws so far. */
typedef struct tw_new_case {
    double variance;      /* of f* | x_s: k** - u'u; with places, that of the current place */
    double mean_variance; /* mean of that variance over the draws so far */
    double y;
    tw_observations at;      /* this case alone */
    tw_marginal plus, label; /* the probabilities of y = +1 and of y, as functions of u'v_s */
    size_t draws;
    tw_moments latent, expected; /* of u'v_s; of E[y* | x_s] */
    double noise;                /* mean of var[y* | x_s]; not for two classes */
    double origin;               /* of the series of squares: E[y* | x_s] of the first draw */
    bool failed;                 /* a probability could not be computed */
    bool no_mean;                /* y has no mean, for some draw */
    tw_averages averages;        /* set by tw_new_case_finish */
    bool line_mean, line_score;  /* they are averages over lines */
    double quantile[TW_PREDICT_QUANTILES];
    double level[TW_LEVELS]; /* sums of the probabilities of levels; after tw_new_case_finish means */
} tw_new_case;

/* A draw and its place. */
typedef struct tw_placed_draw {
    size_t place, chain, draw;
} tw_placed_draw;

/* The workspace of a thread. */
typedef struct tw_predict_worker {
    double *means;         /* DRAWS x TILE: u'v */
    double *values;        /* DRAWS x 2: E[y* | x_s] or log p, and var[y* | x_s] */
    tw_diagnose *diagnose; /* for the error of a series */
} tw_predict_worker;

struct tw_draws_predictor {
    tw_context *ctx;
    const tw_model *model;
    tw_draw_source source;
    bool two_classes, plain;
    size_t threads;
    size_t points, block;  /* new cases and draws in a block */
    size_t batches;        /* of a chain; a series has batches x chains numbers, chain by chain */
    double *lengths;       /* batches: the number of draws in each */
    bool kept;             /* v holds all whitened draws; otherwise a block of them */
    double *x;             /* n x DRAWS: draws as they were read */
    double *v;             /* rank x (chains draws), or rank x DRAWS */
    double *cross;         /* n x POINTS covariances */
    double *diagonal;      /* POINTS prior variances */
    double *u;             /* rank x POINTS */
    double *series;        /* a series for each point: sums of E[y* | x_s] over a batch, at the end means */
    double *square_series; /* the same of var[y* | x_s] + (E[y* | x_s] - origin)^2; not for two classes */
    double *log_series;    /* the same of p(y | x_s): logarithms of sums, at the end means divided by p(y) */
    size_t levels;         /* number of levels whose probabilities are computed; 0: none */

    bool quantiles;                         /* quantiles are computed */
    size_t quantile_draws, quantile_stride; /* from every quantile_stride-th draw */
    double *quantile_means;                 /* quantile_draws x POINTS: u'v */
    double *quantile_sds;                   /* the same, with places: the sd of f* | x_s */

    tw_placed_draw *placed;     /* with places: all draws, sorted by place; otherwise NULL */
    tw_new_case *cases;         /* POINTS */
    bool labelled;              /* the cases have a y */
    tw_predict_worker *workers; /* threads */

    tw_scores sums;       /* of labelled cases so far */
    double *score_series; /* sum over cases of p(y | x_s) / p(y) */
    double *left_out;     /* for each group: sum over cases of log p(y) without the group, minus log p(y) */
    double *error_series; /* sum over cases of (y - E y) E[y* | x_s] */
    double misclassified_variance;                  /* of the number of cases on the wrong side of 1/2 */
    double line_score_error, line_square_error;     /* sums of the errors of cases with line averages */
    size_t cases_done, no_means, no_sds, no_scores; /* predicted cases, and what was withheld, */
    size_t not_existing;                            /* of which so many do not exist */
};

/* The first draw of batch t of a chain. */
static inline size_t tw_batch_start(const tw_draws_predictor *p, size_t t)
{
    return t * p->source.draws / p->batches;
}

/* Draws of a chain that lines may use, and which of all its draws number r of them is. */
static inline size_t tw_draws_for_lines(const tw_draws_predictor *p)
{
    size_t most = TW_PREDICT_LINES / p->source.chains;
    return most == 0 ? 1 : most < p->source.draws ? most : p->source.draws;
}

static inline size_t tw_draw_for_line(const tw_draws_predictor *p, size_t r)
{
    return r * p->source.draws / tw_draws_for_lines(p);
}

/* ---- predict_average.c: one case ---- */

/* Set the sums of a case to zero. */
void tw_new_case_begin(tw_draws_predictor *p, size_t point);

/* Set plus and label for the current variance of f* | x_s and the parameters of c->at. */
void tw_new_case_set_marginals(tw_new_case *c);

/* Add draws first .. first + count - 1 of a chain, with conditional means u'v. work holds 2 count numbers. */
void tw_new_case_add(tw_draws_predictor *p, size_t point, size_t chain, size_t first, size_t count,
                     const double *means, double *work);

/* Turn the sums into means, errors and scores. */
void tw_new_case_finish(tw_draws_predictor *p, size_t point, tw_diagnose *diagnose);

/* The Monte Carlo standard error of the mean of a series of the shape of `diagnose`: 0 if it is constant. */
double tw_predict_mcse(const tw_draws_predictor *p, tw_diagnose *diagnose, const double *series);

/* The standard deviation of y from a series of squares about `origin`, which becomes that of the variance of y,
 * and a series of means with mean `mean`. */
tw_average tw_predict_sd(const tw_draws_predictor *p, tw_diagnose *diagnose, double origin, double mean,
                         const double *means, double *squares);

/* ---- predict_line.c: averages over lines through draws, where those over draws rest on a few ---- */

typedef struct tw_line tw_line;

/* What the lines of a place share: the observations of all sites and the covariances k of the new case. */
typedef struct tw_line_place {
    tw_observations sites;
    const double *cross;
    double norm; /* |u| */
} tw_line_place;

/* Does a case need lines? */
bool tw_line_is_needed(const tw_new_case *c);

/* Lines for a case, through `draws` draws of each chain at most. */
tw_status tw_line_new(tw_draws_predictor *p, tw_new_case *c, size_t draws, tw_line **out);
void tw_line_free(tw_draws_predictor *p, tw_line *line);

/* Enter a place: the case has the variance and the parameters of the place. */
void tw_line_enter(tw_line *line, const tw_line_place *place);

/* The number of numbers in `work`, for n sites. */
size_t tw_line_work(size_t n);

/* Add the line through draw number `draw` of a chain, x, whose t is u'v / |u|; draws that the lines leave out are
 * ignored. */
void tw_line_add(tw_line *line, const tw_line_place *place, size_t chain, size_t draw, const double *x,
                 double t, double *work);

/* Replace the averages of the case by those over lines, where these are better. */
tw_status tw_line_finish(tw_draws_predictor *p, tw_line *line);

/* Withhold the averages of a case that rest on few draws, and those that do not exist. */
void tw_new_case_withhold(tw_draws_predictor *p, tw_new_case *c);

/* ---- predict_quantile.c ---- */

/* The quantiles of a case from its part of p->quantile_means. */
void tw_new_case_quantiles(const tw_draws_predictor *p, tw_new_case *c, const double *means);

/* ---- predict_log.c: the error of the logarithm of a mean, or of a sum of such logarithms ---- */

/* Sums over groups g of draws: of l_g - log P, of its square, and of the square of its first-order part. */
typedef struct tw_left_out {
    double sum, squares, first_squares;
} tw_left_out;

/* The number of groups. */
size_t tw_predict_groups(const tw_draws_predictor *p);

/* l_g - log P: the logarithm of the mean, without the draws of group g, of a series with mean 1. */
double tw_predict_without(const tw_draws_predictor *p, const double *series, size_t g);

/* Add group g, with `without` = l_g - log P, for a series with this mean (1, or the number of cases in a
 * sum). */
void tw_predict_leave_out(const tw_draws_predictor *p, const double *series, double mean, size_t g,
                          double without, tw_left_out *out);

/* The error of the logarithm, from the sums over all groups and the first-order error. */
double tw_predict_log_mcse(const tw_draws_predictor *p, const tw_left_out *left, double first_order);

/* ---- predict_scores.c ---- */

/* Add the first m points, which are finished and labelled, to the scores. */
void tw_predict_score_block(tw_draws_predictor *p, size_t m);

/* ---- predict_draws.c ---- */

/* The whitened draws first .. first + count - 1 of a chain, rank x count. */
tw_status tw_predict_whitened(tw_draws_predictor *p, size_t chain, size_t first, size_t count,
                              const double **v);

#endif
