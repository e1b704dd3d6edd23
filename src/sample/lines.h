/* lines.h: lines through a Gaussian along which the posterior has a longer tail than the Gaussian.
 *
 * Elliptical slice sampling proposes points of its Gaussian. Where the target falls more slowly than the
 * Gaussian, they seldom reach a tail, and leave it as seldom: a run that has not been there looks converged.
 * Slice sampling along a line reaches such a tail at once.
 */
#ifndef TALWEG_SAMPLE_LINES_H
#define TALWEG_SAMPLE_LINES_H

#include "dynamics/frame.h"

/* Lines x + t s in units of the Gaussian's standard deviations: s = F u and |u| = 1. */
typedef struct tw_lines {
    tw_context *ctx;
    size_t n, r, count;
    double *u, *s; /* r x count, n x count */
    bool too_many; /* there are so many such directions that these lines are only some of them */
} tw_lines;

/* Find them for a Gaussian frame that all columns share. The prior is wider than the posterior in most directions,
 * so it has lines only if there are few sites. */
tw_status tw_lines_find(const tw_frame *frame, tw_lines *out);
void tw_lines_release(tw_lines *lines);

#endif
