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
#include <talweg/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Write problem and approximation to one JSON file, with numbers that read back to the bit. The likelihood
 * must be a built-in one. An existing file is refused with TW_FILE_EXISTS unless overwrite. */
TW_API tw_status tw_approximation_save(const tw_problem *problem, const tw_approximation *approximation,
                                       const char *path, bool overwrite);

/* Read both back. Every field is checked; a message names the file and the field. Free the approximation
 * before the problem. The second makes the model with the function given (NULL: as the first). */
TW_API tw_status tw_approximation_load(tw_context *ctx, const char *path, tw_problem **problem,
                                       tw_approximation **approximation);
TW_API tw_status tw_approximation_load_by(tw_context *ctx, const char *path, tw_model_maker *make_model,
                                          tw_problem **problem, tw_approximation **approximation);

#ifdef __cplusplus
}
#endif

#endif
