/* sparse_inside.h: what the files of the sparse Gaussian share. */
#ifndef TALWEG_GAUSSIAN_SPARSE_INSIDE_H
#define TALWEG_GAUSSIAN_SPARSE_INSIDE_H

#include "gaussian/curved.h"
#include "gaussian/sparse.h"
#include "sparse/factor.h"

enum { TW_MOST_BUFFERS = 8 };

/* A buffer that one thread at a time may use. */
typedef struct tw_buffer {
    atomic_flag taken;
    double *numbers;
} tw_buffer;

/* What all Gaussians of one pattern share: Q and C, and how sums Q + C' diag(tau) C are factored. */
typedef struct tw_pattern {
    tw_context *ctx;
    atomic_size_t holders;
    size_t n, r;
    tw_analysis *analysis;
    tw_sparse *q;
    tw_sparse *sites; /* C', one column for each site; NULL: the identity */
    size_t *q_at;     /* where the entries of Q are among the numbers of L */
    /* Site i adds tau_i product[p] at pair_at[p] for its pairs of variables, pair_start[i] <= p < pair_start[i + 1]. */
    size_t *pair_start, *pair_at;
    double *product;
    bool *off_diagonal; /* such a pair stands for two entries */
    double *gram;       /* the factor of C'C; NULL: the identity */
    double log_gram;    /* log |C'C| */
    size_t buffers;     /* r x TW_SPARSE_COLUMNS each */
    tw_buffer buffer[TW_MOST_BUFFERS];
    tw_buffer selected; /* for selected inverses: as many numbers as L */
    tw_front front;     /* goes with it */
} tw_pattern;

typedef struct tw_sparse_gaussian {
    tw_gaussian g;
    tw_pattern *pattern;
    double *l;
    double *tau;          /* n: the sites that went into it; NULL: none, it is the prior */
    double log_precision; /* log |Q + C' diag(tau) C| */
} tw_sparse_gaussian;

/* ---- sparse_pattern.c ---- */

tw_status tw_pattern_new(tw_context *ctx, const tw_sparse *q, const tw_sparse *design, tw_elimination how,
                         tw_pattern **out);
tw_pattern *tw_pattern_hold(tw_pattern *pattern);
void tw_pattern_release(tw_pattern *pattern);

/* l = the factor of Q + C' diag(tau + more) C; either may be NULL. */
bool tw_pattern_factor(const tw_pattern *p, tw_front *front, const double *tau, const double *more, double *l,
                       size_t *failed);

/* variance_i = (C Z C')_ii for the selected inverse z. */
void tw_pattern_variances(const tw_pattern *p, const double *z, double *variance);

/* A buffer of r x TW_SPARSE_COLUMNS numbers, which must be given back; waits where others have them all. */
tw_buffer *tw_pattern_borrow(const tw_pattern *p);
void tw_buffer_take(tw_buffer *buffer);
static inline void tw_buffer_give_back(tw_buffer *buffer)
{
    atomic_flag_clear(&buffer->taken);
}

/* to = P C' X and X = C P' from, for a block of columns in the order of elimination (sparse/factor.h). X is n x columns with
 * leading dimension n; `minus` (n; NULL: 0) is subtracted from its columns first. */
void tw_pattern_gather(const tw_pattern *p, size_t columns, const double *x, const double *minus, double *to);
void tw_pattern_scatter(const tw_pattern *p, size_t columns, const double *from, double *x);

/* ---- sparse_curved.c ---- */

tw_status tw_sparse_curve(const tw_gaussian *g, size_t sites, tw_curved **out);

#endif
