/* diagnose.h: diagnostics of draws of Markov chains and of importance weights.
 *
 * Draws: rank-normalised split R-hat, effective sample sizes (ESS) and Monte Carlo standard errors (MCSE), as
 * in Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), Rank-normalization, folding, and localization:
 * an improved R-hat. The numbers are those of R's package posterior (1.4.0), with its conventions:
 *   - a statistic that cannot be computed is NaN (R's NA): for draws with a NaN; for draws whose range is below
 *     2.2e-16, "constant"; for fewer than 6 draws per chain (an ESS) or fewer than 4 (R-hat); for infinite draws,
 *     except where ranks suffice (bulk ESS and R-hat);
 *   - chains are split in halves; if the number of draws is odd, the middle one belongs to neither half;
 *   - an ESS is at most S log10(S), where S is the number of draws in the halves.
 * Two differences: with fewer than 4 draws everything that needs halves is NaN for any number of chains, and
 * one NaN among the draws makes everything NaN.
 *
 * docs/diagnostics.md explains each number and what to do about it.
 */
#ifndef TALWEG_DIAGNOSE_H
#define TALWEG_DIAGNOSE_H

#include <stdint.h>

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- draws ---- */

/* A workspace for draws x chains of one scalar at a time. Everything is allocated here: about 100 bytes per
 * draw and chain. One per thread; the caller frees it, before the context. */
typedef struct tw_diagnose tw_diagnose;

/* Make one. */
TW_API tw_status tw_diagnose_new(tw_context *ctx, size_t draws, size_t chains, tw_diagnose **out);
TW_API void tw_diagnose_free(tw_diagnose *d);

/* Load the draws of one scalar, which are copied: draw i of chain c is x[i + c * ld], ld >= draws. The functions
 * below use the draws loaded last. */
TW_API void tw_diagnose_load(tw_diagnose *d, const double *x, size_t ld);

/* Over all draws of all chains: mean, standard deviation (n - 1), and quantile of probability p in [0, 1], by
 * linear interpolation of the order statistics (R's type 7). */
TW_API double tw_diagnose_mean(const tw_diagnose *d);
TW_API double tw_diagnose_sd(const tw_diagnose *d);
TW_API double tw_diagnose_quantile(const tw_diagnose *d, double p);

/* Rank-normalised split R-hat: the larger of that of the draws and that of |draw - median|. Infinite if every
 * half chain is constant, at different values. */
TW_API double tw_diagnose_rhat(tw_diagnose *d);

/* Effective sample sizes: of the rank-normalised draws (bulk); the smaller of those of the 5% and 95%
 * quantiles (tail); of the rank-normalised |draw - median| (fold), for the spread; for the mean; for the standard
 * deviation; for the quantile of probability p. */
TW_API double tw_diagnose_ess_bulk(tw_diagnose *d);
TW_API double tw_diagnose_ess_tail(tw_diagnose *d);
TW_API double tw_diagnose_ess_fold(tw_diagnose *d);
TW_API double tw_diagnose_ess_mean(tw_diagnose *d);
TW_API double tw_diagnose_ess_sd(tw_diagnose *d);
TW_API double tw_diagnose_ess_quantile(tw_diagnose *d, double p);

/* Monte Carlo standard errors of the three estimates above. */
TW_API double tw_diagnose_mcse_mean(tw_diagnose *d);
TW_API double tw_diagnose_mcse_sd(tw_diagnose *d);
TW_API double tw_diagnose_mcse_quantile(tw_diagnose *d, double p);

/* The usual table row of one scalar. */
typedef struct tw_summary {
    double mean, mcse_mean, sd;
    double q5, median, q95;
    double ess_bulk, ess_tail, ess_fold;
    double ess; /* the smallest of the three */
    double rhat;
    double rhat_chance; /* the probability of an R-hat this large for converged chains with the same
                           autocorrelation */
} tw_summary;

/* The smallest of the three effective sample sizes of a row that exist: few distinct draws have neither tail nor
 * fold. NaN if bulk is. */
TW_API double tw_summary_ess(const tw_summary *row);

/* An upper bound (Sidak) of the probability that the largest R-hat of n variables reaches a value whose
 * probability for one variable is `chance`, for any correlation between them. */
TW_API double tw_rhat_chance_of_many(double chance, size_t n);

/* The usual table row of the draws loaded last. */
TW_API tw_summary tw_diagnose_summary(tw_diagnose *d);

/* Draw i of chain c of variable v is x[i * draw + c * chain + v * variable]. */
typedef struct tw_strides {
    size_t draw, chain, variable;
} tw_strides;

/* A row for each of many variables: out[v], v = 0..variables-1. Allocates nothing. */
TW_API void tw_diagnose_run(tw_diagnose *d, size_t variables, const double *x, tw_strides strides,
                            tw_summary *out);

/* The energy's Bayesian fraction of missing information of one chain of n energies (Betancourt 2016):
 * sum (E_i - E_{i-1})^2 / sum (E_i - mean)^2. NaN for n < 3, constant or non-finite energies. */
TW_API double tw_ebfmi(size_t n, const double *energy);

/* ---- importance weights ---- */

/* All take n log weights, -inf being a weight of 0, and never overflow. NaN where a log weight is NaN or
 * +inf, or n is 0. */

/* Effective number of weights: (sum w)^2 / sum w^2, from 1 (one weight dominates) to n (all equal). 0 if all
 * weights are 0. */
TW_API double tw_weights_ess(size_t n, const double *log_weight);

/* log of the mean weight, and (se may be NULL) its standard error by the delta method for independent
 * weights, sd(w) / (sqrt(n) mean(w)). All weights 0: -inf, with the error NaN, as it is for n = 1. */
TW_API double tw_log_mean_exp(size_t n, const double *log_weight, double *se);

/* The standard error of the same by the bootstrap: the standard deviation, over replicates >= 2, of the log mean
 * of n weights drawn with replacement. Deterministic: replicate r draws from the stream of (seed, r). Infinite if
 * a replicate drew only weights of 0. */
TW_API double tw_log_mean_exp_bootstrap(size_t n, const double *log_weight, uint64_t seed, size_t replicates);

/* Shape k of the tail of the weights, of a generalised Pareto distribution fitted to the largest of them: above
 * 0.7 (TW_PARETO_LIMIT) do not trust standard errors from the weights, above 1 not even their mean. NaN for n <
 * 25, and if the weights differ only by rounding; infinite if most of the tail is 0. */
TW_API double tw_weights_pareto_k(size_t n, const double *log_weight);
/* Pareto smoothing: replace the weights of the tail by the quantiles of that distribution, in order, truncated at
 * the largest weight. Returns k; if k is NaN or infinite, the weights are unchanged. */
TW_API double tw_weights_smooth(size_t n, double *log_weight);
/* The same for the mean of any n numbers: the larger k of the two tails of x. 0 if no number is further than six
 * standard deviations from the mean, if x differ only by rounding, and for n < 25; infinite if a number is not
 * finite. `work` holds n numbers. */
TW_API double tw_mean_pareto_k(size_t n, const double *x, double *work);
/* Up to this k, standard errors from the weights are reliable. */
#define TW_PARETO_LIMIT 0.7
/* The limit for n weights: min(1 - 1/log10 n, 0.7) (Vehtari, Simpson, Gelman, Yao and Gabry 2024). */
TW_API double tw_pareto_limit(size_t n);

#ifdef __cplusplus
}
#endif

#endif
