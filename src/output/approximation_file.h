/* approximation_file.h: the format of a saved approximation: one JSON object.
 *
 *   format, version, library     "talweg approximation", 2, and the version that wrote it
 *   n, inputs                    the number of cases, and of columns of x
 *   names                        null, or the names of the inputs
 *   levels, labels               null, or for each input null or the texts of its categories; null, or the texts of the
 *                                values of y
 *   likelihood                   {name, phi: {a parameter's name: its number, ...}, columns: {a column's name: n
 *                                numbers, ...}}; members that are absent have default values
 *   kernel, theta                the expression of the kernel, and its parameters (talweg/covariance.h); null with a
 *                                given matrix
 *   matrix                       null, or the n (n + 1) / 2 numbers of K's lower triangle, row by row
 *   jitter                       the number added to K's diagonal
 *   scaling                      null, or {inputs, columns (from 1 on), centre, scale, names}; names: null, or those of the
 *                                inputs before scaling
 *   x, y                         the inputs column by column (scaled; null with a given matrix); the labels
 *   approximation                {kind, converged, iterations, residual, log_z, tau, nu}
 *
 * Later versions may add fields; a change of meaning increases `version`. Version 1, which is still read, has
 * in place of phi, columns, kernel and theta
 *
 *   likelihood.w                 n numbers of the likelihood's first column, or null
 *   covariance                   {kernel: the shape's name, log_ell, log_sigma, constant, white}, or null
 */
#ifndef TALWEG_OUTPUT_APPROXIMATION_FILE_H
#define TALWEG_OUTPUT_APPROXIMATION_FILE_H

#include "output/fields.h"
#include "talweg/output.h"

#define TW_APPROXIMATION_FORMAT "talweg approximation"
enum { TW_APPROXIMATION_VERSION = 2 };

/* approximation_problem.c: the problem of a file of that version; make_model as in tw_problem_parts. */
tw_status tw_approximation_read_problem(const tw_fields *in, size_t version, tw_model_maker *make_model,
                                        tw_problem **problem);

#endif
