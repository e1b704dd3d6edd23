/* lobes.h: Gaussian regressions of one or two inputs whose posterior of the parameters has lobes: a ridge, two modes, or a mode in a corner.
 * Z(theta) has a closed form, so log p(y) and the moments of theta follow by quadrature. */
#ifndef TALWEG_TESTS_LOBES_H
#define TALWEG_TESTS_LOBES_H

#include "talweg/hyper.h"

enum { LOBES_CASES = 30, LOBES_PARAMETERS = 3 };

/* What the data are. */
typedef enum lobes_class {
    LOBES_NOISE,       /* plain noise: by the noise, or by a length scale below all distances */
    LOBES_ALTERNATING, /* signs in turn */
    LOBES_CORNER,      /* uniform priors, whose corner or edge has the mode */
    LOBES_TWO_MODES,   /* a short and a long length scale; the minor mode has a weight from 0.5 to 0.001 */
    LOBES_SIGNAL,      /* few observations of a weak signal */
    LOBES_KNOWN,       /* cases that were wrong without a warning */
    LOBES_CLASSES
} lobes_class;

/* Parameters are log ell, log sigma and log noise; those without a prior are fixed. */
typedef struct lobes_case {
    char name[48];
    size_t n, d, unknown;
    double x[2 * LOBES_CASES], y[LOBES_CASES];
    char prior[LOBES_PARAMETERS][48]; /* "": none */
    double fixed[LOBES_PARAMETERS];   /* their values, not logarithms */
} lobes_case;

/* Case number `number` of a class; LOBES_KNOWN has `lobes_known` cases, the other classes have any number. */
lobes_case lobes_make(lobes_class kind, size_t number);
extern const size_t lobes_known;

tw_problem *lobes_pose(const lobes_case *c, tw_context *ctx);
tw_priors *lobes_priors(const lobes_case *c, tw_problem *problem);

/* log p(y), and the means and variances of the unknown parameters. */
typedef struct lobes_truth {
    double log_z, mean[LOBES_PARAMETERS], variance[LOBES_PARAMETERS];
} lobes_truth;
lobes_truth lobes_solve(const lobes_case *c);

#endif
