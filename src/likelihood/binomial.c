/* binomial.c: y successes in n trials, p(y | x) = C(n, y) p^y (1 - p)^(n - y), y = 0, 1, ..., n, with n in
 * the column `trials`, and
 *
 *   binomial          p = 1/(1 + exp(-x))
 *   binomial_probit   p = Phi(x).
 *
 * l = log C(n, y) + y log p(+1 | x) + (n - y) log p(-1 | x), with the terms of logit or probit (pair.h),
 * which are accurate at every x. Both are log-concave. The value has an absolute error of about 1e-16 n.
 *
 * Smoothed curvature: the same combination of the smoothed curvatures of one trial. Expected information: n
 * times that of one trial. Tilted moments and predictions come from quadrature. With an offset, x means
 * x + offset.
 */
#include <math.h>

#include "likelihood/pair.h"
#include "math/gamma.h"

enum { TRIALS, OFFSET, CHUNK = TW_PAIR_SITES };

static const tw_column COLUMNS[] = {{.name = "trials",
                                     .default_value = 1.0,
                                     .range = TW_RANGE_COUNT,
                                     .required = true,
                                     .help = "the number of trials of each case, of which y succeeded"},
                                    TW_OFFSET_COLUMN};

static bool supports(const tw_observations *o, size_t i)
{
    double y = o->y[i];
    return y >= 0.0 && floor(y) == y && y <= tw_column_at(o, TRIALS, i);
}

/* The likelihood of one trial. */
static const tw_likelihood *one_trial(const tw_observations *o)
{
    return o->likelihood == &tw_likelihood_binomial_probit ? &tw_likelihood_probit : &tw_likelihood_logit;
}

/* The numbers of failures of `part`; its y are the numbers of successes. */
static void outcomes(const tw_observations *part, double *failures)
{
    for (size_t i = 0; i < part->n; i++) failures[i] = tw_column_at(part, TRIALS, i) - part->y[i];
}

/* The output of the chunk that begins at `start`; NULL if it is not requested. */
static double *at(double *array, size_t start)
{
    return array ? array + start : NULL;
}

/* Add log C(n, y). It is recomputed only if it changes from one site to the next: quadrature repeats one site
 * many times. */
static void add_coefficients(size_t n, const double *successes, const double *failures, double *value)
{
    double coefficient = 0.0;
    for (size_t i = 0; i < n; i++) {
        bool same = i > 0 && successes[i] == successes[i - 1] && failures[i] == failures[i - 1];
        if (!same) coefficient = tw_log_binomial(successes[i] + failures[i], successes[i]);
        value[i] += coefficient;
    }
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    double failures[CHUNK], room[CHUNK];
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        outcomes(&part, failures);
        tw_pair_terms(one_trial(o), part.n, part.y, failures, tw_with_offset(&part, OFFSET, x + start, room),
                      at(value, start), at(slope, start), at(lambda, start), at(dlambda, start));
        if (value) add_coefficients(part.n, part.y, failures, value + start);
    }
}

static void smoothed(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda)
{
    double failures[CHUNK], room[CHUNK];
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        outcomes(&part, failures);
        tw_pair_smoothed(one_trial(o), part.n, part.y, failures, s2 + start,
                         tw_with_offset(&part, OFFSET, x + start, room), at(lambda, start),
                         at(dlambda, start));
    }
}

static void fisher(const tw_observations *o, const double *x, double *lambda, double *dlambda)
{
    const tw_likelihood *one = one_trial(o);
    double label[CHUNK], room[CHUNK];
    for (size_t i = 0; i < CHUNK; i++) label[i] = 1.0;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        tw_observations trial = {.likelihood = one, .n = part.n, .y = label};
        one->fisher(&trial, tw_with_offset(&part, OFFSET, x + start, room), at(lambda, start),
                    at(dlambda, start));
        for (size_t i = start; i < start + trial.n; i++) {
            double n = tw_column_at(o, TRIALS, i);
            if (lambda) lambda[i] *= n;
            if (dlambda) dlambda[i] *= n;
        }
    }
}

/* n p and n p (1 - p), from log p and log(1 - p). */
static void expect(const tw_observations *o, const double *x, double *mean, double *variance)
{
    double success[CHUNK], failure[CHUNK], one[CHUNK], none[CHUNK], room[CHUNK];
    for (size_t i = 0; i < CHUNK; i++) one[i] = 1.0, none[i] = 0.0;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        const double *at_x = tw_with_offset(&part, OFFSET, x + start, room);
        tw_pair_terms(one_trial(o), part.n, one, none, at_x, success, NULL, NULL, NULL);
        tw_pair_terms(one_trial(o), part.n, none, one, at_x, failure, NULL, NULL, NULL);
        for (size_t i = 0; i < part.n; i++) {
            double n = tw_column_at(&part, TRIALS, i), p = exp(success[i]);
            if (mean) mean[start + i] = n * p;
            if (variance) variance[start + i] = n * p * exp(failure[i]);
        }
    }
}

#define BINOMIAL(title)                                                                                \
    {                                                                                                  \
        .name = (title), .support = "0, 1, ..., trials", .columns = 2, .column = COLUMNS,              \
        .supports = supports, .terms = terms, .smoothed = smoothed, .fisher = fisher, .expect = expect \
    }

const tw_likelihood tw_likelihood_binomial = BINOMIAL("binomial");
const tw_likelihood tw_likelihood_binomial_probit = BINOMIAL("binomial_probit");
