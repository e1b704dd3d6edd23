/* problem.h: a model together with all that it was made of: data, how they were scaled, covariance, likelihood. That
 * is what files keep, and what predictions need beside the draws.
 */
#ifndef TALWEG_PROBLEM_H
#define TALWEG_PROBLEM_H

#include <talweg/base.h>
#include <talweg/covariance.h>
#include <talweg/data.h>
#include <talweg/likelihood.h>
#include <talweg/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model together with all that it was made of. */
typedef struct tw_problem {
    tw_context *ctx;
    tw_data *data;       /* the inputs as the covariance sees them, and y */
    tw_scaling *scaling; /* how they were standardised; NULL: they were not */
    double *matrix;      /* K as given, n x n; NULL: from `covariance` and the inputs */
    tw_covariance covariance;
    double *log_ell; /* what covariance.log_ell points to; NULL with a given matrix */
    const tw_likelihood *likelihood;
    double *w; /* n constants of the observations (see likelihood.h), or NULL */
    double jitter;
    tw_model *model;
} tw_problem;

/* Make a problem and its model from *parts, whose ctx, log_ell and model are not read. What `data`, `scaling`
 * and `matrix` (from tw_covariance_read_matrix or _copy_matrix) point to belongs to the problem from then on, unless this
 * fails; covariance.log_ell and w are copied. */
TW_API tw_status tw_problem_new(tw_context *ctx, const tw_problem *parts, tw_problem **out);
TW_API void tw_problem_free(tw_problem *problem);

/* Its observations. */
TW_API tw_observations tw_problem_observed(const tw_problem *problem);

#ifdef __cplusplus
}
#endif

#endif
