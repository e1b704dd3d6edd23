/* dense_inside.h: the insides of a dense Gaussian, for the files of this room. */
#ifndef TALWEG_GAUSSIAN_DENSE_INSIDE_H
#define TALWEG_GAUSSIAN_DENSE_INSIDE_H

#include "gaussian/gaussian.h"
#include "linalg/factor.h"

typedef struct tw_dense {
    tw_gaussian g;
    tw_factor *factor; /* F */
    const double *a;   /* A, n x n, upper triangle to be read: `own` or above F's diagonal; NULL: not kept */
    double *own;       /* n x n; NULL: A is elsewhere */
    bool common;       /* `own` is memory of all members of the team on this machine */
    double *common_l;  /* and so is this, F's; NULL: F is this member's own */
} tw_dense;

/* dense_curved.c: its curved metric. */
tw_status tw_dense_curve(const tw_gaussian *g, size_t sites, tw_curved **out);

#endif
