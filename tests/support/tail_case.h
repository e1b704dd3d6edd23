/* tail_case.h: posteriors of one or two latents with the tails that trouble samplers - exponential, heavy, cut off,
 * or far out in the prior - integrated by quadrature, and the scores of runs of the sampler against them. */
#ifndef TALWEG_TESTS_TAIL_CASE_H
#define TALWEG_TESTS_TAIL_CASE_H

#include "talweg/sampling_plan.h"

enum { TAIL_PARAMETERS = 6 };

/* n = 1: x ~ N(0, sigma^2). n = 2: both have this variance, and the correlation rho. */
typedef struct tail_case {
    const char *likelihood;
    size_t n;
    double y[2], sigma, rho;
    double parameter[TAIL_PARAMETERS]; /* in natural units; 0: its initial value */
    const char *column; /* the name of a column with the same constant everywhere; NULL: none */
    double constant;
} tail_case;

/* The cases: some for each built-in likelihood. */
const tail_case *tail_cases(size_t *count);

/* Mean, standard deviation and quantiles of a latent. */
enum { TAIL_QUANTILES = 4 };
extern const double tail_probability[TAIL_QUANTILES]; /* 0.01, 0.05, 0.95, 0.99 */
typedef struct tail_truth {
    double mean, sd, quantile[TAIL_QUANTILES];
} tail_truth;
void tail_integrate(const tail_case *c, tail_truth truth[2]);

/* The sums over runs with different seeds. A score is (estimate - truth) / its standard error as reported, of mean,
 * sd, 5 % and 95 % quantile of each latent. */
typedef struct tail_tally {
    size_t runs, flagged;   /* flagged: with a warning */
    size_t right_flagged;   /* with a warning, and every score below 3 */
    size_t scores, beyond;  /* of runs without a warning: their number, and those beyond 3 */
    double square, largest; /* of those: the sum of squares, and the largest */
    double visits[2],
        square_visits[2]; /* of runs without a warning: draws below the 1 % and above the 99 % quantile over
                                           their expected number, summed over latents, and its square */
    size_t won[TW_METHOD_COUNT][TW_METRIC_COUNT]; /* by method and metric that ran */
    size_t warned[TW_WARNING_COUNT];              /* runs with this warning */
} tail_tally;

/* Run the case with a method and metric, by name, and seed, and add its scores. */
void tail_run(const tail_case *c, const tail_truth truth[2], const char *method, const char *metric,
              uint64_t seed, tail_tally *tally);

/* The same for independent draws of the posterior, `draws` of each of 32 chains: which scores a perfect sampler has. One latent
 * only. */
void tail_run_perfect(const tail_case *c, const tail_truth truth[2], size_t draws, uint64_t seed,
                      tail_tally *tally);

void tail_add(const tail_tally *from, tail_tally *to);

#endif
