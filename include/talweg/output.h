/* output.h: what is kept in files: a problem with its approximation, to predict from or to start from later.
 *
 * Every file is written whole or not at all: under another name in the same directory, flushed to the disk,
 * then renamed. After a failure (TW_WRITE_FAILED) what was there before is still there.
 */
#ifndef TALWEG_OUTPUT_H
#define TALWEG_OUTPUT_H

#include <stdbool.h>

#include <talweg/approximate.h>
#include <talweg/base.h>
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

/* Write problem and approximation to one JSON file, with numbers that read back to the bit. The likelihood
 * must be a built-in one. An existing file is refused with TW_BAD_ARGUMENT unless overwrite. */
TW_API tw_status tw_approximation_save(const tw_problem *problem, const tw_approximation *approximation,
                                       const char *path, bool overwrite);

/* Read both back. Every field is checked; a message names the file and the field. Free the approximation
 * before the problem. */
TW_API tw_status tw_approximation_load(tw_context *ctx, const char *path, tw_problem **problem,
                                       tw_approximation **approximation);

#ifdef __cplusplus
}
#endif

#endif
