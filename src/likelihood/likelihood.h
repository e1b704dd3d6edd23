/* likelihood.h: shared by the files of this room: the built-in tables, parts of observations, and moments by
 * quadrature. */
#ifndef TALWEG_LIKELIHOOD_LIKELIHOOD_H
#define TALWEG_LIKELIHOOD_LIKELIHOOD_H

#include "likelihood/list.h"
#include "math/chebyshev.h"
#include "talweg/likelihood.h"

/* Declares tw_likelihood_probit and so on. */
#define TW_LIKELIHOOD_EXTERN(name) extern const tw_likelihood tw_likelihood_##name;
TW_LIKELIHOOD_LIST(TW_LIKELIHOOD_EXTERN)
#undef TW_LIKELIHOOD_EXTERN

/* The largest count. With x about log y, the rounding error of y x is y log y 1e-16; at this count it is 3e-4
 * nats, and beyond it EP breaks down. */
#define TW_MOST_COUNT 1e11

/* The number of elements in the chunk that begins at `start`, of n in all. */
static inline size_t tw_chunk(size_t n, size_t start, size_t most)
{
    return n - start < most ? n - start : most;
}

/* A column with the same meaning in many likelihoods: it is added to x, so that every function is evaluated
 * at x + offset. */
#define TW_OFFSET_COLUMN                                               \
    {                                                                  \
        .name = "offset", .default_value = 0.0, .range = TW_RANGE_ANY, \
        .help = "a known number added to x of each case"               \
    }

/* x of all sites of o, plus column k, the offset. The sum is in `room`; without an offset the result is x. */
static inline const double *tw_with_offset(const tw_observations *o, size_t k, const double *x, double *room)
{
    if (!o->column[k]) return x;
    for (size_t i = 0; i < o->n; i++) room[i] = x[i] + o->column[k][i];
    return room;
}

/* Constant k of observation i. */
static inline double tw_column_at(const tw_observations *o, size_t k, size_t i)
{
    return o->column[k] ? o->column[k][i] : o->likelihood->column[k].default_value;
}

/* A copy, with its numbers in one newly allocated block. */
tw_status tw_observations_copy(tw_context *ctx, const tw_observations *from, tw_observations *to,
                               double **block);

/* Observation i, repeated `count` times; room holds (1 + TW_COLUMNS) count numbers. */
tw_observations tw_observations_repeat(const tw_observations *o, size_t i, size_t count, double *room);

/* tw_likelihood_expect for observation i at many m. */
tw_status tw_expect_many(const tw_observations *o, size_t i, double v, size_t count, const double *m,
                         double *mean, double *variance);

/* Is E[y | x] or var[y | x] of observation i constant far from x = 0, and therefore bounded? A mean between bounds is
 * never far off, even if few draws contribute to it. */
bool tw_expect_is_bounded(const tw_observations *o, size_t i);
bool tw_variance_is_bounded(const tw_observations *o, size_t i);

/* Is E[y | x] of observation i negative for some x, as that of a gaussian is and that of a count is not? */
bool tw_expect_has_either_sign(const tw_observations *o, size_t i);

/* Add the probabilities of all levels of observation i at many m to sums[levels]; see tw_likelihood_levels. */
tw_status tw_levels_sum(const tw_observations *o, size_t i, double v, size_t count, const double *m,
                        double *sums);

/* The tilted moments of any likelihood from its `terms` and, if it is not log-concave, its `peak` (tilted.c).
 * v > 0, m finite. *evaluations, if not NULL, is the number of sites for which `terms` was called. */
tw_status tw_tilted_by_quadrature(const tw_observations *o, size_t i, double m, double v, tw_tilted *out,
                                  size_t *evaluations);

/* The same for orders 1 to 8: c[0] is log Z, and c[1..orders] are the cumulants. */
tw_status tw_cumulants_by_quadrature(const tw_observations *o, size_t i, double m, double v, size_t orders,
                                     double *c, size_t *evaluations);

/* The integral of p(y | x) N(x; m, v) dx for one observation and one v >= 0, as a function of m. The arrays
 * of the observations must outlive it. */
typedef struct tw_marginal {
    tw_observations one;
    double v;
    double low, high; /* the interval where log_z is valid; empty at first */
    tw_chebyshev log_z;
} tw_marginal;
tw_marginal tw_marginal_of(const tw_observations *o, size_t i, double v);

/* The log of the integral at m[0..n), n >= 1. It may depend on the m of earlier calls, by at most 1e-11.
 * TW_NUMERICAL_FAILURE if a value cannot be computed. */
tw_status tw_marginal_log(tw_marginal *marginal, size_t n, const double *m, double *log_p);

#endif
