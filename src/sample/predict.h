/* predict.h: what the files that predict from draws share.
 *
 * In whitened form, with K = L L', x_s = L v_s and k = L u,
 *   k' K^-1 x_s = u' v_s,     k** - k' K^-1 k = k** - u'u,
 * which holds for an L of lower rank too. New inputs go by blocks of POINTS, draws by blocks of DRAWS of one
 * chain (fewer of both where n is large: p->points and p->block), and a product u'v by tiles of TILE new inputs: all fixed, so that no number depends on how many threads
 * there are or on whether the draws are kept.
 *
 * Where the parameters of draws differ (places), K, k and so U and the variance are those of a place: the draws are visited
 * place by place, and each adds to the series where its number says.
 */
#ifndef TALWEG_SAMPLE_PREDICT_H
#define TALWEG_SAMPLE_PREDICT_H

#include "likelihood/likelihood.h"
#include "model/model.h"
#include "talweg/predict.h"

enum {
    TW_PREDICT_POINTS = TW_PREDICT_BATCH,
    TW_PREDICT_DRAWS = 1024,
    TW_PREDICT_TILE = 64,
    TW_PREDICT_SERIES = 4096,      /* numbers of one series, over all chains */
    TW_PREDICT_LEAST_BATCHES = 16, /* but at least so many for each chain */
    TW_PREDICT_QUANTILE = 1024,    /* draws that quantiles are made of */
    TW_PREDICT_QUANTILES = 3       /* 5, 50, 95 % */
};

/* Mean and sum of squared differences from it. */
typedef struct tw_moments {
    double mean, squares;
} tw_moments;

/* A new case, and what was added up for it over the draws so far. */
typedef struct tw_new_case {
    double variance; /* of f* | x_s: k** - u'u; with places, at the one at hand */
    double given;    /* its mean over the draws so far */
    double y;
    tw_observations at;      /* the case alone */
    tw_marginal plus, label; /* the probabilities of y = +1 and of y, as functions of u'v_s */
    size_t draws;
    tw_moments latent, expected;                /* of u'v_s; of E[y* | x_s] */
    double spread;                              /* mean of var[y* | x_s]; not for two classes */
    bool failed;                                /* a probability could not be computed */
    double mcse, sd, log_score, log_score_mcse; /* in the end */
    double quantile[TW_PREDICT_QUANTILES];
    double level[TW_LEVELS]; /* sums, at the end means, of the probabilities of levels */
} tw_new_case;

/* A draw, and the place of its parameters. */
typedef struct tw_visit {
    size_t place, chain, draw;
} tw_visit;

/* The work space of a thread. */
typedef struct tw_predict_worker {
    double *means;         /* DRAWS x TILE: u'v */
    double *values;        /* DRAWS x 2 */
    tw_diagnose *diagnose; /* of a series */
} tw_predict_worker;

struct tw_draws_predictor {
    tw_context *ctx;
    const tw_model *model;
    tw_draw_source source;
    bool two_classes;
    size_t threads;
    size_t points, block; /* new cases and draws of a block */
    size_t batches;       /* of a chain; a series has batches x chains numbers, chain by chain */
    double *lengths;      /* batches: the draws in each */
    bool kept;            /* all whitened draws are in v */
    double *x;            /* n x DRAWS: draws as they were read */
    double *v;            /* rank x (chains draws), or rank x DRAWS */
    double *cross;        /* n x POINTS covariances */
    double *diagonal;     /* POINTS prior variances */
    double *u;            /* rank x POINTS */
    double *series;       /* a series for each point: sums, at the end means, of E[y* | x_s] over a batch */
    double *log_series;   /* and of p(y | x_s): logarithms of sums, at the end means in units of their mean */
    bool quantiles;       /* are asked for */
    size_t levels;        /* whose probabilities are asked for; 0: they are not */
    double *spread;       /* for each point u'v of every stride-th draw */
    double *spread_sd;    /* with places: and sd of f* | x_s */
    tw_visit *visits;     /* with places: all draws, by place; NULL: there are none */
    size_t stride, spread_draws;
    tw_new_case *cases;         /* POINTS */
    bool labelled;              /* these have a y */
    tw_predict_worker *workers; /* threads */

    tw_scores sums;       /* of labelled cases so far */
    double *score_series; /* sum over cases of p(y | x_s) / p(y) */
    double *left_out;     /* groups: sum over cases of log p(y) without the group, less log p(y) */
    double *error_series; /* sum over cases of (y - E y) E[y* | x_s] */
    double other_side;    /* variance of the number of cases on the wrong side of 1/2 */
};

/* Batch t of a chain begins at this draw. */
static inline size_t tw_batch_start(const tw_draws_predictor *p, size_t t)
{
    return t * p->source.draws / p->batches;
}

/* predict_average.c: begin a case; meet a variance of f* | x_s and the parameters of c->at; add draws first .. first + count - 1
 * of a chain, whose conditional means u'v are given; and from sums to means. */
void tw_new_case_begin(tw_draws_predictor *p, size_t point);
void tw_new_case_meet(tw_new_case *c);
void tw_new_case_add(tw_draws_predictor *p, size_t point, size_t chain, size_t first, size_t count,
                     const double *means, double *work);
void tw_new_case_finish(tw_draws_predictor *p, size_t point, tw_diagnose *diagnose);

/* predict_quantile.c: from those of the spread draws. */
void tw_new_case_quantiles(const tw_draws_predictor *p, tw_new_case *c, const double *means);

/* The Monte Carlo standard error of the mean of a series: 0 where it is constant. */
double tw_predict_mcse(const tw_draws_predictor *p, tw_diagnose *diagnose, const double *series);

/* predict_log.c: the error of the logarithm of a mean, or of a sum of such. Groups of draws; log of the mean of a series, whose mean is
 * 1, without those of group g; sums over groups, of a series with the given mean; and the error, from the first-order one. */
typedef struct tw_left_out {
    double sum, squares, first_squares;
} tw_left_out;
size_t tw_predict_groups(const tw_draws_predictor *p);
double tw_predict_without(const tw_draws_predictor *p, const double *series, size_t g);
void tw_predict_leave_out(const tw_draws_predictor *p, const double *series, double mean, size_t g,
                          double without, tw_left_out *out);
double tw_predict_log_mcse(const tw_draws_predictor *p, const tw_left_out *left, double first_order);

/* predict_scores.c: add the first m points, which are finished and labelled, to the scores. */
void tw_predict_score_block(tw_draws_predictor *p, size_t m);

/* predict_draws.c: the whitened draws first .. first + count - 1 of a chain, rank x count. */
tw_status tw_predict_whitened(tw_draws_predictor *p, size_t chain, size_t first, size_t count,
                              const double **v);

#endif
