/* measure.h: what one leapfrog step costs on a model, measured: for the benchmarks and for talweg bench.
 *
 * Times are medians of processor seconds of one thread, which on a machine with nothing else to do is wall
 * time. Whatever is to be compared takes turns, so that all of it sees the same machine.
 */
#ifndef TALWEG_BENCH_MEASURE_H
#define TALWEG_BENCH_MEASURE_H

#include <stdbool.h>

#include "support_time.h"
#include "talweg/approximate.h"
#include "talweg/dynamics.h"

/* A step of the generalised leapfrog, from `positions` of them. */
typedef struct bench_step {
    size_t positions,
        failed;           /* failed: steps whose equations were not solved or whose metric had no factor */
    double seconds;       /* median over positions */
    double potrf_seconds; /* median of a dpotrf of order n, one beside each step */
    double momentum, position; /* mean iterations of the two implicit equations */
    double active;             /* mean number of active sites */
    double tolerance;          /* of the implicit equations; NaN: a fixed number of iterations */
} bench_step;

/* A step of HMC on many columns in lockstep. */
typedef struct bench_batch {
    size_t columns;
    double seconds; /* of a step in double precision */
    double
        single_seconds; /* of one whose forces are in single precision; NaN: the Gaussian has no such factor */
    double product_seconds; /* of two triangular products by BLAS (dtrmm; dtrmv for one column) */
} bench_batch;

/* Fill x (n x count) with positions of the path from q at b, from 8 chains of HMC with EP's metric: every
 * 50th draw after 100. */
tw_status bench_positions(const tw_model *model, const tw_approximation *ep, const tw_reference *q,
                          double beta, size_t count, double *x);

/* RMHMC with the metric hessian or smoothed (n variances; else NULL), solved to 1e-9. At each position, a
 * column of x, a momentum is drawn and one step of size eps is timed three times. */
tw_status bench_time_step(const tw_target *target, tw_metric metric, const double *smoothing, double eps,
                          size_t count, const double *x, bench_step *out);

/* Is the literal algorithm of the report in this program? It is where measure_literal.c is linked, not where
 * measure_no_literal.c is (the option TALWEG_LITERAL of CMake). */
bool bench_has_literal(void);

/* The literal algorithm of the report (tests/reference), five iterations for each implicit equation, for a
 * probit likelihood. ep: its q is the start of the path; NULL: the prior is. TW_NOT_POSITIVE_DEFINITE where
 * K has no Cholesky factor, without which the algorithm cannot begin; TW_BAD_ARGUMENT where it is not in this
 * program. */
tw_status bench_time_literal(const tw_model *model, const tw_approximation *ep, double beta, double eps,
                             size_t count, const double *x, bench_step *out);

/* HMC with a constant metric (q: the Gaussian of the metric ep, else NULL). A step is the difference of
 * trajectories of 9 and 1 steps, over 8. Only in the metric ep there are forces in single precision. */
tw_status bench_time_batch(const tw_target *target, tw_metric metric, const tw_reference *q, size_t columns,
                           bench_batch *out);

/* One dpotrf of order n, on K with its diagonal doubled, so that it goes through. scratch: n x n. */
double bench_time_potrf(const tw_model *model, double *scratch);

#endif
