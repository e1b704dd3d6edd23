/* sparse_inside.h: the structs and functions that the files of the sparse Gaussian share. */
#ifndef TALWEG_GAUSSIAN_SPARSE_INSIDE_H
#define TALWEG_GAUSSIAN_SPARSE_INSIDE_H

#include "gaussian/curved.h"
#include "gaussian/sparse.h"
#include "sparse/factor.h"

enum { TW_MOST_BUFFERS = 8 };

/* A buffer for one thread at a time. */
typedef struct tw_buffer {
    atomic_flag taken;
    double *numbers;
} tw_buffer;

/* Shared by all Gaussians of one pattern: Q, C and the symbolic factorisation of sums Q + C' diag(tau) C. */
typedef struct tw_pattern {
    tw_context *ctx;
    atomic_size_t holders;
    size_t n, r;
    tw_analysis *analysis;
    tw_sparse *q;
    tw_sparse *sites; /* C', one column for each site; NULL: the identity */
    size_t *q_at;     /* the positions of Q's entries in L */
    /* Site i adds tau_i product[p] at pair_at[p] for its pairs of variables,
     * pair_start[i] <= p < pair_start[i + 1]. */
    size_t *pair_start, *pair_at;
    double *product;
    bool *off_diagonal; /* such a pair counts twice, in both triangles */
    double *gram;       /* the factor of C'C; NULL: the identity */
    double log_gram;    /* log |C'C| */
    size_t constraints; /* the number of constraints V'u = 0 */
    double *v;          /* r x constraints */
    size_t pin[TW_MOST_CONSTRAINTS];
    double pinned[TW_MOST_CONSTRAINTS]; /* the numbers added to the diagonal of Q at the pins */
    size_t buffers;                     /* r x TW_SPARSE_COLUMNS each */
    tw_buffer buffer[TW_MOST_BUFFERS];
    tw_buffer selected; /* for selected inverses, as long as L */
    tw_front front;     /* used together with `selected` */
    double *diagonal;   /* r: the same */
} tw_pattern;

/* The constraints for one factor; see sparse_confine.c. */
typedef struct tw_confined {
    size_t c, k; /* the number of constraints, and twice that; if 0, the functions below do nothing */
    double *n, *reflector;                                         /* r x k, by rows: N, and the reflectors */
    double inverse[4 * TW_MOST_CONSTRAINTS * TW_MOST_CONSTRAINTS]; /* of M */
    double log_m, rounding;                                        /* log |det M|, and its rounding error */
    double e[2 * TW_MOST_CONSTRAINTS * TW_MOST_CONSTRAINTS];       /* k x c */
    double square[TW_MOST_CONSTRAINTS];                            /* e'e = diag(square) */
} tw_confined;

typedef struct tw_sparse_gaussian {
    tw_gaussian g;
    tw_pattern *pattern;
    double *l;
    tw_confined confined;
    double *tau;          /* n: the site precisions included; NULL: this is the prior */
    double log_precision; /* log |Q + C' diag(tau) C|, on the subspace of the constraints */
} tw_sparse_gaussian;

/* ---- sparse_pattern.c ---- */

tw_status tw_pattern_new(tw_context *ctx, const tw_sparse *q, const tw_sparse *design,
                         const tw_constraints *constraints, tw_elimination how, tw_pattern **out);
tw_pattern *tw_pattern_hold(tw_pattern *pattern);
void tw_pattern_release(tw_pattern *pattern);

/* l = the factor of Q + C' diag(tau + more) C; either may be NULL. */
bool tw_pattern_factor(const tw_pattern *p, tw_front *front, const double *tau, const double *more, double *l,
                       size_t *failed);

/* variance_i = (C Z C')_ii with the selected inverse z. */
void tw_pattern_variances(const tw_pattern *p, const double *z, double *variance);

/* Borrow a buffer of r x TW_SPARSE_COLUMNS numbers, and give it back after use. Waits if all are taken. */
tw_buffer *tw_pattern_borrow(const tw_pattern *p);
void tw_buffer_take(tw_buffer *buffer);
static inline void tw_buffer_give_back(tw_buffer *buffer)
{
    atomic_flag_clear(&buffer->taken);
}

/* to = P C' X and X = C P' from, for a block of columns in elimination order (sparse/factor.h). X is n x
 * columns with leading dimension n; `minus` (n, or NULL for 0) is first subtracted from its columns. */
void tw_pattern_gather(const tw_pattern *p, size_t columns, const double *x, const double *minus, double *to);
void tw_pattern_scatter(const tw_pattern *p, size_t columns, const double *from, double *x);

/* (C P' from)_i for column c of a block. */
double tw_pattern_site(const tw_pattern *p, size_t columns, const double *from, size_t c, size_t i);

/* ---- sparse_confine.c: blocks of columns in elimination order ---- */

/* Allocate; free it after a failure as well. */
tw_status tw_confined_new(const tw_pattern *p, tw_confined *q);
void tw_confined_free(tw_context *ctx, tw_confined *q);

/* Set the constraints for the factor l. False if the precision is not positive definite on the subspace. */
bool tw_confined_set(const tw_pattern *p, const double *l, tw_confined *q);

/* Z = (I - N M^-1 N') Z, between the lower and the upper solve. */
void tw_confined_project(const tw_confined *q, size_t r, size_t columns, double *z);

/* z' N M^-1 N' z for one column. */
double tw_confined_square(const tw_confined *q, size_t r, const double *z);

/* Subtract the same for each column of a block from square. */
void tw_confined_squares(const tw_confined *q, size_t r, size_t columns, const double *z, double *square);

/* take: z = H diag(e, I) w from the r - c coordinates w of each column; the caller has copied those of the
 * last rows to z. give: w = diag(e, I)' H' z or, if `solved`, the left inverse of H diag(e, I) times z. It
 * sets the first coordinates, overwrites z with H' z, and the caller copies the last rows. */
void tw_confined_take(const tw_confined *q, size_t r, size_t columns, const double *w, double *z);
void tw_confined_give(const tw_confined *q, size_t r, size_t columns, bool solved, double *z, double *w);

/* Change p->log_gram to log |W'C'C W|, its value on the subspace. */
bool tw_confined_gram(tw_pattern *p);

/* Change the variances under G~^-1 to those on the subspace. */
void tw_confined_variances(const tw_confined *q, const tw_pattern *p, const double *l, double *variance);

/* y = G~^-1 U (r x k, in elimination order), so that (G~^-1 U M^-1 U' G~^-1)_ij = y_i' M^-1 y_j. */
void tw_confined_reach(const tw_confined *q, const tw_pattern *p, const double *l, double *y);

/* ---- sparse_contract.c ---- */

tw_status tw_sparse_contract(const tw_gaussian *q, const tw_contraction *with, double *gradient);

/* ---- sparse_energy.c ---- */

double tw_sparse_energy(const tw_gaussian *g, const double *nu, double *mean, double *error);

/* ---- sparse_curved.c ---- */

tw_status tw_sparse_curve(const tw_gaussian *g, size_t sites, tw_curved **out);

#endif
