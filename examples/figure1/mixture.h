/* mixture.h: a mixture of correlated Gaussians in two dimensions, as a target for talweg's general dynamics.
 *
 *     p(x) = sum_k weight_k N(x; mean_k, C_k)
 *
 * C_k is given by two standard deviations and a correlation.
 */
#ifndef FIGURE1_MIXTURE_H
#define FIGURE1_MIXTURE_H

#include <talweg/general.h>

enum { MIXTURE_PARTS = 3 };

typedef struct mixture_part {
    double weight;
    double mean[2];
    double sd[2];
    double correlation;
} mixture_part;

typedef struct mixture {
    mixture_part part[MIXTURE_PARTS];
    double precision[MIXTURE_PARTS][4]; /* C_k^-1 */
    double log_scale[MIXTURE_PARTS];    /* log(weight_k / |2 pi C_k|^1/2) */
} mixture;

/* The mixture with these parts; weights add up to 1. */
mixture mixture_of(const mixture_part part[MIXTURE_PARTS]);

/* The mixture of figure 1. */
mixture mixture_of_figure1(void);

/* log p and its derivatives; m must outlive the target. */
tw_general_target mixture_target(mixture *m);

#endif
