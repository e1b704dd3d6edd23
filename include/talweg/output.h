/* output.h: saved approximations: a problem with its approximation in a file, to predict or start from later.
 *
 * Every file is written completely or not at all: under a temporary name in the same directory, flushed to disk,
 * then renamed. After a failure (TW_WRITE_FAILED) an existing file is unchanged.
 */
#ifndef TALWEG_OUTPUT_H
#define TALWEG_OUTPUT_H

#include <stdbool.h>

#include <talweg/approximate.h>
#include <talweg/base.h>
#include <talweg/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Write the problem and the approximation to one JSON file, with numbers that are read back exactly. The
 * likelihood must be a built-in one. TW_FILE_EXISTS if the file exists, unless overwrite. */
TW_API tw_status tw_approximation_save(const tw_problem *problem, const tw_approximation *approximation,
                                       const char *path, bool overwrite);

/* Read both. Every field is checked; error messages name the file and the field. Free the approximation before
 * the problem. The second function makes the model with the given function (NULL: as the first). */
TW_API tw_status tw_approximation_load(tw_context *ctx, const char *path, tw_problem **problem,
                                       tw_approximation **approximation);
TW_API tw_status tw_approximation_load_by(tw_context *ctx, const char *path, tw_model_maker *make_model,
                                          tw_problem **problem, tw_approximation **approximation);

#ifdef __cplusplus
}
#endif

#endif
