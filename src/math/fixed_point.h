/* fixed_point.h: solve x = g(x) by iteration, with a verdict that the caller must look at.
 *
 * Plain iteration, or Anderson's acceleration of it (Walker & Ni 2011, Anderson acceleration for fixed-point
 * iterations, SIAM J. Numer. Anal. 49): with f_k = g(x_k) - x_k, the next iterate is g_k - sum_i gamma_i
 * (g_{i+1} - g_i), where gamma makes |f_k - sum_i gamma_i (f_{i+1} - f_i)| smallest. The inner product is the
 * problem's own, so that "small" means what the problem wants it to mean.
 */
#ifndef TALWEG_MATH_FIXED_POINT_H
#define TALWEG_MATH_FIXED_POINT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tw_verdict { TW_CONVERGED, TW_CAP_REACHED, TW_DIVERGED } tw_verdict;

typedef struct tw_fixed_point_problem {
    size_t n; /* the problem may change this before it solves */
    void *user;
    /* gx = g(x); false when g cannot be computed there: the solve has diverged. */
    bool (*map)(void *user, const double *x, double *gx);
    /* <a, b>, for residuals. */
    double (*inner)(void *user, const double *a, const double *b);
} tw_fixed_point_problem;

typedef struct tw_fixed_point_rule {
    double tolerance; /* on |g(x) - x| in the problem's norm */
    size_t cap;       /* evaluations of g at most */
    size_t fixed;     /* > 0: exactly so many evaluations of plain iteration, whatever the residual */
    size_t depth;     /* of Anderson's acceleration; 0: plain iteration */
} tw_fixed_point_rule;

enum { TW_FIXED_POINT_MAX_DEPTH = 5 };

typedef struct tw_fixed_point_result {
    tw_verdict verdict;
    size_t evaluations;
    double residual; /* at the point returned */
} tw_fixed_point_result;

/* How many doubles of work a problem of size n needs. */
size_t tw_fixed_point_work(size_t n, size_t depth);

/* Solve from the guess in x. On return x is the last point at which g was evaluated, and gx = g(x): whatever
 * the problem computed on the way belongs to x. */
tw_fixed_point_result tw_fixed_point_solve(const tw_fixed_point_problem *problem,
                                           const tw_fixed_point_rule *rule, double *work, double *x,
                                           double *gx);

#endif
