/* approximation_file.h: the format of a saved approximation: one JSON object.
 *
 *   format, version, library     "talweg approximation", 1, who wrote it
 *   n, inputs                    cases, and columns of x
 *   names                        null, or what the inputs are called
 *   likelihood                   {name, w: null or n numbers}
 *   covariance                   {kernel, log_ell, log_sigma, constant, white}, or null with a given matrix
 *   matrix                       null, or the n (n + 1) / 2 numbers of K's lower triangle, row by row
 *   jitter                       what was added to K's diagonal
 *   scaling                      null, or {inputs, columns (from 1 on), centre, scale}
 *   x, y                         inputs one after the other (scaled; null with a given matrix); labels
 *   approximation                {kind, converged, iterations, residual, log_z, tau, nu}
 *
 * A later version may add fields; a change of meaning raises `version`.
 */
#ifndef TALWEG_OUTPUT_APPROXIMATION_FILE_H
#define TALWEG_OUTPUT_APPROXIMATION_FILE_H

#define TW_APPROXIMATION_FORMAT "talweg approximation"
enum { TW_APPROXIMATION_VERSION = 1 };

#endif
