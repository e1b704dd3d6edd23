/* pair.c: combinations of the terms of a likelihood of two classes; see pair.h. */
#include "likelihood/pair.h"

/* Observations of n <= TW_PAIR_SITES labels, all equal to `label`. */
static tw_observations labels(const tw_likelihood *two, size_t n, double label, double *room)
{
    for (size_t i = 0; i < n; i++) room[i] = label;
    return (tw_observations){.likelihood = two, .n = n, .y = room};
}

/* out = a up + b down; a term with factor 0 is skipped, since it may be infinite. */
static void combine(size_t n, const double *a, const double *b, const double *up, const double *down,
                    double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (a[i] > 0.0 ? a[i] * up[i] : 0.0) + (b[i] > 0.0 ? b[i] * down[i] : 0.0);
}

void tw_pair_terms(const tw_likelihood *two, size_t n, const double *a, const double *b, const double *u,
                   double *value, double *slope, double *lambda, double *dlambda)
{
    double label[TW_PAIR_SITES], up[4][TW_PAIR_SITES], down[4][TW_PAIR_SITES];
    double *out[4] = {value, slope, lambda, dlambda};
    tw_observations all = labels(two, n, 1.0, label);
    two->terms(&all, u, up[0], up[1], up[2], up[3]);
    all = labels(two, n, -1.0, label);
    two->terms(&all, u, down[0], down[1], down[2], down[3]);
    for (size_t k = 0; k < 4; k++)
        if (out[k]) combine(n, a, b, up[k], down[k], out[k]);
}

void tw_pair_smoothed(const tw_likelihood *two, size_t n, const double *a, const double *b, const double *s2,
                      const double *u, double *lambda, double *dlambda)
{
    double label[TW_PAIR_SITES], up[2][TW_PAIR_SITES], down[2][TW_PAIR_SITES];
    tw_observations all = labels(two, n, 1.0, label);
    two->smoothed(&all, s2, u, up[0], up[1]);
    all = labels(two, n, -1.0, label);
    two->smoothed(&all, s2, u, down[0], down[1]);
    if (lambda) combine(n, a, b, up[0], down[0], lambda);
    if (dlambda) combine(n, a, b, up[1], down[1], dlambda);
}
