/* gaussian.h: a Gaussian N(m, A) over n sites, whatever way A is stored.
 *
 *   x = m + F w,   w ~ N(0, I) in r coordinates,   F F' = A.
 *
 * All other rooms know a Gaussian by the functions of this file: products with F, F' and A, solves, marginal
 * variances, blocks of A, conditioning on Gaussian sites. A kind is a table of functions that says how they are
 * done; gaussian/dense.h has the kind that stores A and a factor of it. A block of P vectors is contiguous,
 * n x P over sites and r x P over coordinates. Functions of a const Gaussian may be called from any thread.
 *
 * A kind may leave out what is marked optional (NULL in its table); the function of that name then fails with a
 * message that says so.
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
    bool collective;                 /* several processes call its functions together: one thread of each */
    void (*release)(tw_gaussian *g); /* frees what the kind itself allocated */

    /* X = F W; W = F' X; the W with F W = X - mean (mean NULL: 0), for X - mean in the range of F. */
    void (*spread)(const tw_gaussian *g, size_t columns, const double *w, double *x);
    void (*pull_back)(const tw_gaussian *g, size_t columns, const double *x, double *w);
    void (*solve)(const tw_gaussian *g, size_t columns, const double *x, const double *mean, double *w);
    /* W becomes the X with F' X = W; called only where F is square and regular. */
    void (*solve_transposed)(const tw_gaussian *g, size_t columns, double *w);

    /* Y = A X. */
    void (*multiply)(const tw_gaussian *g, size_t columns, const double *x, double *y);
    /* Rows [row, row + rows) of columns [column, column + columns) of A, contiguous. */
    void (*block)(const tw_gaussian *g, size_t row, size_t rows, size_t column, size_t columns, double *a);

    /* What one product with F or F' takes, in flops of a dense triangular one. */
    double (*flops)(const tw_gaussian *g);

    /* Memory for a Gaussian that `condition` or `mix` makes of g; products: it will be asked to multiply by its A. */
    tw_status (*like)(const tw_gaussian *g, bool products, tw_gaussian **out);
    /* out gets the covariance (A^-1 + diag(tau))^-1 in that memory, with variance and log_det, and
     * *log_det = log |I + F' diag(tau) F|. False where that matrix is not finite, or where some tau are negative
     * and it is not positive definite. */
    bool (*condition)(const tw_gaussian *base, const double *tau, tw_gaussian *out, double *log_det);
    /* The same with (b A^-1 + (1 - b) S^-1)^-1, S the covariance of `other`, which is of the same kind. Optional. */
    bool (*mix)(const tw_gaussian *base, const tw_gaussian *other, double b, tw_gaussian *out);
    /* A curved metric with memory for `sites` active sites (gaussian/curved.h). */
    tw_status (*curve)(const tw_gaussian *g, size_t sites, tw_curved **out);
    /* The lower triangle of A into a (n x n), for sweeps over the sites (gaussian/sweep.h). Optional. */
    void (*lower)(const tw_gaussian *g, double *a);
    /* The Gaussian of some of the sites, index[0..count). Optional. */
    tw_status (*marginal)(const tw_gaussian *g, size_t count, const size_t *index, tw_gaussian **out);
    /* Derivatives of log Z without an n x n array (gaussian/contract.h): g is q, of a prior of the same kind. Optional. */
    tw_status (*contract)(const tw_gaussian *g, const tw_contraction *with, double *gradient);
    /* Covariances (n x m) of the sites with x* = C* u + e, u the variables of a sparse precision, and the variances of x*, where
     * those of e are given; rows: C*', a column for each x*. Optional. */
    void (*reach)(const tw_gaussian *g, const tw_sparse *rows, const double *variance, double *cross,
                  double *diagonal);
} tw_gaussian_kind;

/* What every kind has; a kind's own struct begins with it. */
struct tw_gaussian {
    const tw_gaussian_kind *kind;
    tw_context *ctx;
    size_t n, r;      /* sites, coordinates */
    bool full_rank;   /* F is square and regular; else log_det is a pseudo-determinant, log |F'F| */
    double log_det;   /* log |A| */
    double *mean;     /* n; NULL: zero */
    double *variance; /* n: the diagonal of A */
    double *work;     /* n + r, where it is made by conditioning; else NULL */
};

/* ---- to make a kind ---- */

/* A Gaussian of n sites, `size` bytes of the kind's own struct, zeroed but for kind, ctx and n, with memory for its
 * variances; with `moves` also for a mean and for work with r coordinates. */
tw_status tw_gaussian_allocate(tw_context *ctx, const tw_gaussian_kind *kind, size_t size, size_t n,
                               bool moves, size_t r, tw_gaussian **out);

/* ---- to use a Gaussian ---- */

void tw_gaussian_free(tw_gaussian *g);

/* X = m + F W. */
void tw_gaussian_positions(const tw_gaussian *g, size_t columns, const double *w, double *x);

/* The W with m + F W = X. */
void tw_gaussian_whiten(const tw_gaussian *g, size_t columns, const double *x, double *w);

/* log N(x; m, A); where r < n, a density on the range of F. work holds r numbers. */
double tw_gaussian_log_density(const tw_gaussian *g, const double *x, double *work);
/* The part of it that does not depend on x: -r/2 log 2 pi - 1/2 log |A|. */
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

/* The Gaussian of some of the sites. */
tw_status tw_gaussian_marginal(const tw_gaussian *g, size_t count, const size_t *index, tw_gaussian **out);

/* ---- conditioning: memory is made once, and used any number of times ---- */

/* Memory for Gaussians made of `base`, which must have mean 0. With `products` they can multiply by their A and have
 * curved metrics; for that the dense kind forms A, n^3/3 flops each time. */
tw_status tw_gaussian_like(const tw_gaussian *base, bool products, tw_gaussian **out);

/* out = N(0, A) prod_n exp(nu_n x_n - tau_n x_n^2 / 2) / Z, with A of `base`; some tau may be negative:
 *   covariance S = (A^-1 + T)^-1,  mean S nu,  log Z = -1/2 log |I + F' T F| + 1/2 nu' S nu.
 * tau and nu are multiplied by `scale`. False where it cannot be factored; out must then be made anew before use. */
bool tw_gaussian_condition(const tw_gaussian *base, double scale, const double *tau, const double *nu,
                           tw_gaussian *out, double *log_z);

/* out = N(0, A)^b N(mu, S)^(1-b) / Z for `other` = N(mu, S), of full rank like base:
 *   covariance C = (b A^-1 + (1-b) S^-1)^-1,  mean (1-b) C S^-1 mu. */
bool tw_gaussian_mix(const tw_gaussian *base, const tw_gaussian *other, double b, tw_gaussian *out,
                     double *log_z);

/* TW_OK where the two can be mixed, else an error that says why not. */
tw_status tw_gaussian_check_mix(const tw_gaussian *base, const tw_gaussian *other);

#endif
