/* measure.h: measure the cost of one leapfrog step on a model, for the benchmarks and for talweg bench.
 *
 * Times are medians of the processor seconds of one thread, which equal wall time on an idle machine.
 * Functions to compare alternate, so that all see the same machine.
 */
#ifndef TALWEG_BENCH_MEASURE_H
#define TALWEG_BENCH_MEASURE_H

#include <stdbool.h>

#include "support_time.h"
#include "talweg/approximate.h"
#include "talweg/dynamics.h"

/* A step of the generalised leapfrog, measured at `positions` positions. */
typedef struct bench_step {
    size_t positions,
        failed;     /* failed: steps whose equations were not solved or whose metric could not be factored */
    double seconds; /* median over positions */
    double potrf_seconds;      /* median of a dpotrf of order n, one next to each step */
    double momentum, position; /* mean iterations of the two implicit equations */
    double active;             /* mean number of active sites */
    double tolerance;          /* of the implicit equations; NaN: a fixed number of iterations */
} bench_step;

/* A step of HMC on many columns in lockstep. */
typedef struct bench_batch {
    size_t columns;
    double seconds;         /* a step in double precision */
    double single_seconds;  /* a step with forces in single precision; NaN: the Gaussian has no such factor */
    double product_seconds; /* two triangular products by BLAS (dtrmm; dtrmv for one column) */
} bench_batch;

/* Fill x (n x count) with positions from the path from q at b: every 50th draw, after the first 100, of 8
 * chains of HMC with EP's metric. */
tw_status bench_positions(const tw_model *model, const tw_approximation *ep, const tw_reference *q,
                          double beta, size_t count, double *x);

/* RMHMC with the metric hessian or smoothed (smoothing: n variances, otherwise NULL), solved to 1e-9. At each
 * position, a column of x, it draws a momentum and times one step of size eps three times. */
tw_status bench_time_step(const tw_target *target, tw_metric metric, const double *smoothing, double eps,
                          size_t count, const double *x, bench_step *out);

/* Whether this program contains the literal algorithm of the report: it links either measure_literal.c or
 * measure_no_literal.c (the option TALWEG_LITERAL of CMake). */
bool bench_has_literal(void);

/* The literal algorithm of the report (tests/reference), with five iterations for each implicit equation, for
 * a probit likelihood. The path starts at the q of ep, or at the prior if ep is NULL.
 * TW_NOT_POSITIVE_DEFINITE if K has no Cholesky factor, which the algorithm requires; TW_BAD_ARGUMENT if this
 * program does not contain the algorithm. */
tw_status bench_time_literal(const tw_model *model, const tw_approximation *ep, double beta, double eps,
                             size_t count, const double *x, bench_step *out);

/* HMC with a constant metric (q: the Gaussian of the metric ep, otherwise NULL). The time of a step is the
 * difference of trajectories of 9 and 1 steps, divided by 8. Only the metric ep has forces in single
 * precision. */
tw_status bench_time_batch(const tw_target *target, tw_metric metric, const tw_reference *q, size_t columns,
                           bench_batch *out);

/* The seconds of one dpotrf of order n, on K with its diagonal doubled, so that it succeeds. scratch: n x n. */
double bench_time_potrf(const tw_model *model, double *scratch);

#endif
