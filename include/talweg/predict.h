/* predict.h: predictions at new inputs from draws of the posterior, averaged over the draws, with the Monte
 * Carlo error of the average.
 *
 * With x_s a draw of the latent values at the training inputs, k the covariances of a new input with them and
 * k** its prior variance,
 *
 *   f* | x_s ~ N(k' K^-1 x_s, k** - k' K^-1 k),        p(y* | y) = (1/S) sum_s E[p(y* | f*) | x_s],
 *
 * where the inner expectation is exact (probit, gaussian, a Poisson mean) or accurate to 1e-10. K may be singular.
 *
 * A mean over draws is wrong, and so is its error, if it rests on a few draws: E[exp(f) | y] of a broad
 * posterior comes from a tail of f that draws seldom reach. If the contributions of the draws have a tail with a
 * Pareto k above 0.15, and a relative error above 2 % or a k above 0.7, the mean is computed from line averages
 * instead. With t = k' K^-1 x / |u|, |u|^2 = k' K^-1 k,
 * the new latent value depends on x through t alone, and w = x - k t / |u| is independent of t under the prior, so
 *
 *   E[g(f*) | w, y] = int G(t) h(t) dt / int h(t) dt,     h(t) = N(t; 0, 1) prod_n p(y_n | w_n + t k_n / |u|),
 *   G(t) = E[g(f*) | x] for f* ~ N(|u| t, k** - |u|^2),
 *
 * which quadrature gives for each draw w, with the tail of t. The mean over at most 1024 draws has less variance
 * than that of the draws themselves. All of them may still miss the lines that make the mean, and then their tail
 * does not show it. So chains look for these lines: with M the average over a line, they sample the density
 * M p(w | y) / E[M], under which the mean of M / E[M] is E[M^2] / E[M]^2 = 1 + the relative variance of M
 * (src/sample/predict_reach.c). The error of the mean is at least that of this variance. The mean of y or its standard
 * deviation is withheld, NaN, and so is its error, if fewer than 25 effective lines are left, N E[M]^2 / E[M^2] with N
 * that of independent draws, or if the k of the lines is above 0.7. Where there are no chains (draws with places, and
 * means that may have either sign), and for log scores, whose p(label) is bounded and gets lines from a k of 0.25 on,
 * it is withheld if its k is above 0.5, and its relative error above 2 % or its k above 0.7.
 * tw_draws_predictor_warn says how many.
 *
 * Memory depends neither on the number of new inputs nor, beyond `bytes` of the options, on the number of
 * draws: with n training inputs, C chains and T = max(4096, 16 C) it is at most
 *   bytes + 8 (2048 n + 512 (2 n + 3 T + 1800) + threads (20 T + 80000))  bytes,
 * 8 (512 x 12000 + threads (29 n + 8200) + 24 n) bytes more if line averages are needed, and 24 bytes more for each draw
 * if draws differ in their parameters.
 */
#ifndef TALWEG_PREDICT_H
#define TALWEG_PREDICT_H

#include <talweg/approximate.h>
#include <talweg/base.h>
#include <talweg/chains.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sources of draws ---- */

/* With unknown parameters, draws differ in their parameters: each draw belongs to a place, which has its own
 * model and kernel. */
typedef struct tw_draw_places {
    size_t count;
    double effective; /* effective number of independent draws over all draws */
    void *user;
    size_t (*of)(void *user, size_t chain, size_t draw); /* the place of a draw */
    /* Its model, and its kernel; both are valid until the next call. */
    tw_status (*go)(void *user, size_t place, const tw_model **model, const tw_kernel **kernel);
} tw_draw_places;

/* A source of draws: read gives draws first .. first + count - 1 of one chain as an n x count matrix x. */
typedef struct tw_draw_source {
    size_t n, chains, draws; /* draws per chain */
    void *user;
    tw_status (*read)(void *user, size_t chain, size_t first, size_t count, double *x);
    const tw_draw_places *places; /* NULL: all draws have the parameters of the model */
} tw_draw_source;

/* Draws in memory (they must have been kept); for a run in a file see tw_run_source in run.h. The draws must
 * outlive the source. */
TW_API tw_draw_source tw_draws_source(const tw_draws *draws);

/* ---- predictions ---- */

/* The threads and memory to use. */
typedef struct tw_draws_predictor_options {
    size_t threads; /* results are bitwise identical for any number */
    size_t bytes;   /* whitened draws are kept in memory if n x draws x chains x 8 bytes are at most this;
                       otherwise they are read again for every block of at most 512 new inputs */
    bool plain;     /* average over the draws themselves, even if few of them make the average: for draws of
                       another distribution than the posterior. Nothing is then withheld */
} tw_draws_predictor_options;
#define TW_DRAWS_PREDICTOR_DEFAULTS \
    ((tw_draws_predictor_options){.threads = 1, .bytes = (size_t)1 << 28, .plain = false})

/* The draws in whitened form, and sums for the scores. */
typedef struct tw_draws_predictor tw_draws_predictor;

/* Prepare predictions for a model from draws of its posterior. The model must outlive the predictor, and so must
 * the source if its draws are not kept. options NULL: the defaults. TW_BAD_ARGUMENT for a likelihood that cannot
 * predict (see likelihood.h), or for draws of another number of latents. */
TW_API tw_status tw_draws_predictor_new(const tw_model *model, const tw_draw_source *draws,
                                        const tw_draws_predictor_options *options, tw_draws_predictor **out);
TW_API void tw_draws_predictor_free(tw_draws_predictor *predictor);

/* The predictions to compute, m numbers each; NULL arrays are not computed. */
typedef struct tw_predictions {
    double *mean, *variance; /* of the latent function, draws and f* | x_s together */
    double *expected;        /* the probability of +1 if observations are -1 and +1, otherwise the mean of
                                y */
    double *mcse;            /* Monte Carlo standard error of `expected`: that of tw_diagnose_mcse_mean,
                                with consecutive draws averaged first if a chain has more than 4096 / C
                                (but at least 16); 0 if all draws are equal, NaN if there are too few. For
                                draws with places: that of `effective` independent draws */
    double *sd;              /* of y; infinite where y has no variance */
    double *log_score;       /* log p(y), in nats; needs labels */
    double *log_score_mcse;  /* and its Monte Carlo standard error */
    double *q05, *q50, *q95; /* quantiles of the latent function, from at most 1024 evenly spaced draws */
    double *levels;          /* ordinal likelihoods: the probability of each level, case by case: m x
                                levels numbers */
    double *sd_mcse;         /* Monte Carlo standard error of `sd` */
} tw_predictions;

/* Predict the m = at->n cases `at`, whose y (NULL: none) are labels; likelihood and phi are the model's. With
 * cross = k(x, z) (n x m, contiguous) and prior variances diagonal[m]. It may be called for any number of
 * batches, one at a time. */
TW_API tw_status tw_draws_predictor_apply(tw_draws_predictor *predictor, const double *cross,
                                          const double *diagonal, const tw_observations *at,
                                          const tw_predictions *out);

/* The same for cases first .. first + count - 1 of `at`, which must be on the scale of `train`, the data of the
 * model; its y, if any, are the labels, and its columns the constants of the likelihood. The arrays of `out` hold
 * count numbers. */
TW_API tw_status tw_draws_predictor_at(tw_draws_predictor *predictor, const tw_kernel *kernel,
                                       const tw_data *train, const tw_data *at, size_t first, size_t count,
                                       const tw_predictions *out);

/* Warn (TW_WARN_NO_MEANS) if means, standard deviations or log scores were withheld so far. */
TW_API void tw_draws_predictor_warn(const tw_draws_predictor *predictor);

/* Scores of all labelled cases that this predictor has predicted so far, with Monte Carlo standard errors: of the
 * mean log score and the root mean square error by the delta method, including the correlation of cases that
 * share draws, and for the score what the jackknife finds beyond first order; of the error rate from the
 * probability of each case to be on the other side of 1/2, with cases treated as independent. The errors of
 * cases with line averages are added up, as if they were the same. NaN where a score does not apply,
 * and where a prediction that it needs was withheld: a score without its most doubtful cases would flatter. */
typedef struct tw_draws_scores {
    tw_scores scores;
    double log_score_mcse, error_rate_mcse, rmse_mcse;
} tw_draws_scores;
TW_API tw_draws_scores tw_draws_predictor_scores(tw_draws_predictor *predictor);

/* ---- joint draws ---- */

/* Joint draws of the latent function at m new inputs: for each draw x_s one
 *
 *   f* ~ N(k' K^-1 x_s, k** - k' K^-1 k),      k n x m, k** m x m,
 *
 * for the posterior of sums, differences and maxima over the new inputs. 1e-10 of the largest prior variance is
 * added to the diagonal of the covariance, against rounding. Memory: 2 m^2 + n m + 2048 m numbers, and m^2 more in
 * tw_joint_new. */
typedef struct tw_joint tw_joint;

/* For a model with a kernel, whose data are `train`; `at` is on the same scale. The predictor must outlive it.
 * TW_BAD_ARGUMENT if the draws differ in their parameters (`places`). */
TW_API tw_status tw_joint_new(tw_draws_predictor *predictor, const tw_kernel *kernel, const tw_data *train,
                              const tw_data *at, uint64_t seed, tw_joint **out);
TW_API void tw_joint_free(tw_joint *joint);

/* The joint draws for draws first .. first + count - 1 of a chain, as an m x count matrix; a function of seed,
 * chain and draw. */
TW_API tw_status tw_joint_draws(tw_joint *joint, size_t chain, size_t first, size_t count, double *f);

#ifdef __cplusplus
}
#endif

#endif
