/* gaussian.h: a Gaussian N(m, A) over n sites, for any storage of A.
 *
 *   x = m + F w,   w ~ N(0, I) in r coordinates,   F F' = A.
 *
 * Other rooms use a Gaussian only through the functions of this file: products with F, F' and A, solves,
 * marginal variances, blocks of A, and conditioning on Gaussian sites. A kind is a table of functions that
 * implements them; gaussian/dense.h is the kind that stores A and a factor of it. A block of P vectors is
 * contiguous, n x P over sites and r x P over coordinates. Functions of a const Gaussian may be called from
 * any thread.
 *
 * A kind may omit functions marked optional (NULL in its table); the function of that name then fails with a
 * message.
 */
#ifndef TALWEG_GAUSSIAN_GAUSSIAN_H
#define TALWEG_GAUSSIAN_GAUSSIAN_H

#include "base/context.h"

typedef struct tw_gaussian tw_gaussian;
typedef struct tw_curved tw_curved;           /* gaussian/curved.h */
typedef struct tw_sparse tw_sparse;           /* talweg/sparse.h */
typedef struct tw_contraction tw_contraction; /* gaussian/contract.h */

typedef struct tw_gaussian_kind {
    const char *name;                /* for messages: "a dense Gaussian" */
    bool collective;                 /* all processes call its functions together, one thread of each */
    void (*release)(tw_gaussian *g); /* frees the memory that the kind allocated */

    /* X = F W; W = F' X; the W with F W = X - mean (NULL: mean 0), if X - mean is in the range of F. */
    void (*spread)(const tw_gaussian *g, size_t columns, const double *w, double *x);
    void (*pull_back)(const tw_gaussian *g, size_t columns, const double *x, double *w);
    void (*solve)(const tw_gaussian *g, size_t columns, const double *x, const double *mean, double *w);
    /* Overwrite W with the X that solves F' X = W; called only if F is square and regular. */
    void (*solve_transposed)(const tw_gaussian *g, size_t columns, double *w);

    /* Y = A X. */
    void (*multiply)(const tw_gaussian *g, size_t columns, const double *x, double *y);
    /* Rows [row, row + rows) of columns [column, column + columns) of A, contiguous. */
    void (*block)(const tw_gaussian *g, size_t row, size_t rows, size_t column, size_t columns, double *a);

    /* What one product with F or F' takes, in flops of a dense triangular one. */
    double (*flops)(const tw_gaussian *g);

    /* Allocate a Gaussian for the results of `condition` or `mix` on g; with `products` it can multiply by
     * its A. */
    tw_status (*like)(const tw_gaussian *g, bool products, tw_gaussian **out);
    /* Set out to the covariance (A^-1 + diag(tau))^-1, with variance and log_det, and
     * *log_det = log |I + F' diag(tau) F|. False if that matrix is not finite, or if some tau are negative
     * and it is not positive definite. */
    bool (*condition)(const tw_gaussian *base, const double *tau, tw_gaussian *out, double *log_det);
    /* The same for (b A^-1 + (1 - b) S^-1)^-1, with S the covariance of `other`, of the same kind. Optional. */
    bool (*mix)(const tw_gaussian *base, const tw_gaussian *other, double b, tw_gaussian *out);
    /* A metric with memory for `sites` active sites (gaussian/curved.h). */
    tw_status (*curve)(const tw_gaussian *g, size_t sites, tw_curved **out);
    /* Write the lower triangle of A to a (n x n), for sweeps over the sites (gaussian/sweep.h). Optional. */
    void (*lower)(const tw_gaussian *g, double *a);
    /* The marginal of the sites index[0..count). Optional. */
    tw_status (*marginal)(const tw_gaussian *g, size_t count, const size_t *index, tw_gaussian **out);
    /* Derivatives of log Z without an n x n array (gaussian/contract.h); g is q, and its prior has the same
     * kind. Optional. */
    tw_status (*contract)(const tw_gaussian *g, const tw_contraction *with, double *gradient);
    /* Covariances (n x m) of the sites with x* = C* u + e, u the variables of a sparse precision, and the
     * variances of x*; `variance` holds the variances of e, and `rows` is C*', with one column for each x*.
     * Optional. */
    void (*reach)(const tw_gaussian *g, const tw_sparse *rows, const double *variance, double *cross,
                  double *diagonal);
    /* g is a Gaussian with covariance A, conditioned on sites with these nu. Returns m' A^-1 m for its mean m, which
     * it computes anew. *error: an estimate of the rounding error of log t(m) - m' A^-1 m / 2, doubled. Optional. */
    double (*energy)(const tw_gaussian *g, const double *nu, double *mean, double *error);
} tw_gaussian_kind;

/* The common part of all kinds: the struct of a kind begins with it. */
struct tw_gaussian {
    const tw_gaussian_kind *kind;
    tw_context *ctx;
    size_t n, r;      /* sites, coordinates */
    bool full_rank;   /* F is square and regular; otherwise log_det is a pseudo-determinant, log |F'F| */
    double log_det;   /* log |A| */
    double rounding;  /* an estimate of its rounding error; not of a dense Gaussian */
    bool low_rank;    /* A is exactly of rank r < n, so that F has no more than its own rounding */
    double lost;      /* the largest entry of A - F F' */
    double off;       /* log |F F'| - log |A|, if log |A| is known better than from F */
    double *mean;     /* n; NULL: zero */
    double *variance; /* n: the diagonal of A */
    double *work;     /* n + r, if made by tw_gaussian_like; else NULL */
};

/* ---- for kinds ---- */

/* Allocate a Gaussian of n sites: `size` bytes for the kind's struct, zeros except kind, ctx and n, and the
 * variances; with `moves` also a mean, and work for r coordinates. */
tw_status tw_gaussian_allocate(tw_context *ctx, const tw_gaussian_kind *kind, size_t size, size_t n,
                               bool moves, size_t r, tw_gaussian **out);

/* ---- for users of a Gaussian ---- */

void tw_gaussian_free(tw_gaussian *g);

/* X = m + F W. */
void tw_gaussian_positions(const tw_gaussian *g, size_t columns, const double *w, double *x);

/* The W with m + F W = X. */
void tw_gaussian_whiten(const tw_gaussian *g, size_t columns, const double *x, double *w);

/* log N(x; m, A); if r < n, a density on the range of F. work holds r numbers. */
double tw_gaussian_log_density(const tw_gaussian *g, const double *x, double *work);
/* Its part that does not depend on x: -r/2 log 2 pi - 1/2 log |A|. */
double tw_gaussian_log_constant(const tw_gaussian *g);

static inline void tw_gaussian_spread(const tw_gaussian *g, size_t columns, const double *w, double *x)
{
    g->kind->spread(g, columns, w, x);
}
static inline void tw_gaussian_pull_back(const tw_gaussian *g, size_t columns, const double *x, double *w)
{
    g->kind->pull_back(g, columns, x, w);
}
static inline void tw_gaussian_solve(const tw_gaussian *g, size_t columns, const double *x, double *w)
{
    g->kind->solve(g, columns, x, NULL, w);
}
static inline void tw_gaussian_solve_transposed(const tw_gaussian *g, size_t columns, double *w)
{
    g->kind->solve_transposed(g, columns, w);
}
static inline void tw_gaussian_multiply(const tw_gaussian *g, size_t columns, const double *x, double *y)
{
    g->kind->multiply(g, columns, x, y);
}
static inline void tw_gaussian_block(const tw_gaussian *g, size_t row, size_t rows, size_t column,
                                     size_t columns, double *a)
{
    g->kind->block(g, row, rows, column, columns, a);
}

static inline double tw_gaussian_flops(const tw_gaussian *g)
{
    return g->kind->flops(g);
}

/* The marginal distribution of the sites index[0..count). */
tw_status tw_gaussian_marginal(const tw_gaussian *g, size_t count, const size_t *index, tw_gaussian **out);

/* ---- conditioning: allocate once, condition many times ---- */

/* Allocate a Gaussian for results of conditioning or mixing `base`, which must have mean 0. With `products`
 * it can multiply by its A and has metrics; the dense kind then forms A each time, n^3/3 flops. */
tw_status tw_gaussian_like(const tw_gaussian *base, bool products, tw_gaussian **out);

/* out = N(0, A) prod_n exp(nu_n x_n - tau_n x_n^2 / 2) / Z, with A of `base`; some tau may be negative:
 *   covariance S = (A^-1 + T)^-1,  mean S nu,  log Z = -1/2 log |I + F' T F| + 1/2 nu' S nu.
 * tau and nu are multiplied by `scale`. False if the factorisation fails; out must then be set again before
 * use. */
bool tw_gaussian_condition(const tw_gaussian *base, double scale, const double *tau, const double *nu,
                           tw_gaussian *out, double *log_z);

/* out = N(0, A)^b N(mu, S)^(1-b) / Z for `other` = N(mu, S), of full rank like base:
 *   covariance C = (b A^-1 + (1-b) S^-1)^-1,  mean (1-b) C S^-1 mu. */
bool tw_gaussian_mix(const tw_gaussian *base, const tw_gaussian *other, double b, tw_gaussian *out,
                     double *log_z);

/* TW_OK if the two can be mixed, otherwise an error with the reason. */
tw_status tw_gaussian_check_mix(const tw_gaussian *base, const tw_gaussian *other);

#endif
