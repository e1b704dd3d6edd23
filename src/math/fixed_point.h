/* fixed_point.h: solve x = g(x) by iteration; the caller must check the verdict.
 *
 * Plain iteration, or Anderson acceleration (Walker & Ni 2011, Anderson acceleration for fixed-point
 * iterations, SIAM J. Numer. Anal. 49): with f_k = g(x_k) - x_k, the next iterate is g_k - sum_i gamma_i
 * (g_{i+1} - g_i), where gamma minimises |f_k - sum_i gamma_i (f_{i+1} - f_i)|. The problem defines the inner
 * product, and so the norm of the residual.
 */
#ifndef TALWEG_MATH_FIXED_POINT_H
#define TALWEG_MATH_FIXED_POINT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tw_verdict { TW_CONVERGED, TW_CAP_REACHED, TW_DIVERGED } tw_verdict;

typedef struct tw_fixed_point_problem {
    size_t n; /* the caller may change it between solves */
    void *user;
    /* gx = g(x); false if g cannot be computed there, which counts as divergence. */
    bool (*map)(void *user, const double *x, double *gx);
    /* The inner product <a, b> of residuals. */
    double (*inner)(void *user, const double *a, const double *b);
} tw_fixed_point_problem;

typedef struct tw_fixed_point_rule {
    double tolerance; /* on |g(x) - x| in the problem's norm */
    size_t cap;       /* most evaluations of g */
    size_t fixed;     /* > 0: exactly this many evaluations, by plain iteration, for any residual */
    size_t depth;     /* the depth of Anderson acceleration; 0: plain iteration */
} tw_fixed_point_rule;

enum { TW_FIXED_POINT_MAX_DEPTH = 5 };

typedef struct tw_fixed_point_result {
    tw_verdict verdict;
    size_t evaluations;
    double residual; /* at the point returned */
} tw_fixed_point_result;

/* The number of doubles of work for a problem of size n. */
size_t tw_fixed_point_work(size_t n, size_t depth);

/* Solve, starting from x. On return x is the last point where g was evaluated, and gx = g(x); so whatever the
 * problem's map stored belongs to x. */
tw_fixed_point_result tw_fixed_point_solve(const tw_fixed_point_problem *problem,
                                           const tw_fixed_point_rule *rule, double *work, double *x,
                                           double *gx);

#endif
