/* exact.h: cases with a log Z known by quadrature that are hard for a path from the prior: K = a 11' + b I,
 * so that x_n = sqrt(a) t + sqrt(b) e_n, and log Z is an integral over t of products of integrals over e. */
#ifndef TALWEG_TESTS_EXACT_H
#define TALWEG_TESTS_EXACT_H

#include "support/posed.h"

enum { EXACT_MAX_KINDS = 4 };

typedef struct exact_case {
    const char *name, *likelihood; /* probit, logit or poisson */
    double a, b;
    size_t kinds;
    double y[EXACT_MAX_KINDS];     /* distinct observations, */
    size_t count[EXACT_MAX_KINDS]; /* and the number of each */
} exact_case;

/* log Z, by nested trapezoidal rules. */
double exact_log_z(const exact_case *c);

/* The model, with EP and the prior. */
posed exact_pose(const exact_case *c);

/* 15 labels +1 and 5 labels -1 with log sigma = 6, and ten counts of 0, 1, 2 with the given log sigma: on
 * these, parallel tempering from the prior needs hundreds of rounds to forget its start. */
extern const exact_case exact_labels;
exact_case exact_counts(double log_sigma);

#endif
