/* covariance.h: kernels, which are covariance functions with their parameters, and their matrices.
 *
 * A kernel is an expression: sums and products of leaves and positive numbers, with brackets.
 *
 *   se(age, ell=2, sigma=1.5) + matern32(x1, x2) * periodic(t, period=1) + linear(dose) + constant + white(variance=0.1)
 *
 *   se (or rbf), matern12, matern32, matern52, rq    sigma^2 g(|(a - b)/ell|^2); docs/kernels.md has each g
 *   ar1                                              that of matern12; alone on one input by its tridiagonal precision
 *   spde, spde2                                      a field on a lattice of two inputs or on a mesh, by its sparse precision
 *   rw1, rw2, icar, bym2                             intrinsic walks and autoregressions, by their sparse precisions
 *   precision                                        any sparse precision, from a file: precision(matrix="Q.mtx", design="A.mtx")
 *   periodic, cosine                                 sigma^2 times a function of (a - b)/period, a product over the inputs
 *   linear, polynomial                               sigma^2 a.b, sigma^2 (offset + a.b)^degree
 *   categorical                                      sigma^2 if a and b are of the same category, otherwise 0
 *   constant                                         variance, for all a and b
 *   white                                            variance if a and b are the same case, otherwise 0
 *
 * A leaf uses the inputs that it lists, by name ("in quotes" if the name is not a word) or by number from 1, or
 * otherwise all inputs. A parameter is given in natural units (ell=2) or as its logarithm (log_ell=0.7); the
 * default is 1. ell, and period, is one number, or one for each of the leaf's inputs: ell=(1, 2, 3), or the word
 * ard, for a 1 each. In a product the amplitudes (sigma, variance) of the factors are redundant: the first is free,
 * and that of each later factor is fixed at 1.
 *
 * All parameters are one vector theta of real numbers (parameter.h): their logarithms, in the order of the
 * expression, lengths before amplitude. Their names are ell, ell.1, ell.2, ..., sigma, variance with one leaf, and
 * se.ell, se2.ell, constant.variance with several. Several threads may use a kernel if none of them changes it.
 */
#ifndef TALWEG_COVARIANCE_H
#define TALWEG_COVARIANCE_H

#include <talweg/base.h>
#include <talweg/data.h>
#include <talweg/parameter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A covariance function with its parameters. */
typedef struct tw_kernel tw_kernel;

/* The names of leaves, with the alias rbf of se: "se, matern12, ..., bym2, rbf". */
TW_API const char *tw_kernel_names(void);

/* ---- making one ---- */

/* The kernel of an expression, for `inputs` inputs; 0: unknown, and `ard` cannot be used. The message of an error
 * has two more lines, the expression and a mark (^) under the place. */
TW_API tw_status tw_kernel_parse(tw_context *ctx, const char *expression, size_t inputs, tw_kernel **out);

/* The same for the inputs of data, whose names leaves may use. */
TW_API tw_status tw_kernel_parse_for(tw_context *ctx, const char *expression, const tw_data *data,
                                     tw_kernel **out);

/* shape(log_ell, log_sigma) + constant(variance) + white(variance), with one length scale or more; a variance of
 * 0 omits its leaf. */
TW_API tw_status tw_kernel_simple(tw_context *ctx, const char *shape, size_t scales, const double *log_ell,
                                  double log_sigma, double constant, double white, tw_kernel **out);

/* Is this the name of a shape, for tw_kernel_simple, and not an expression? */
TW_API bool tw_kernel_is_shape(const char *text);

/* A given n x n matrix, from tw_covariance_read_matrix or tw_covariance_copy_matrix: the covariances of n cases,
 * without new cases. The kernel takes ownership of the matrix, and frees it also if the call fails. */
TW_API tw_status tw_kernel_given(tw_context *ctx, size_t n, double *matrix, tw_kernel **out);

/* A kernel with the same expression and theta. */
TW_API tw_status tw_kernel_copy(const tw_kernel *kernel, tw_kernel **out);
TW_API void tw_kernel_free(tw_kernel *kernel);

/* ---- description ---- */

/* The expression with all parameters, from which tw_kernel_parse (or tw_kernel_parse_for, if the kernel has names
 * of inputs) makes the same kernel with a bitwise identical theta; "matrix" for a given matrix. Free it with
 * tw_release. */
TW_API tw_status tw_kernel_print(const tw_kernel *kernel, char **expression);

/* The same without the parameters that were not given (see tw_kernel_is_given), so that parsing recovers which
 * they are; for files that store theta separately. */
TW_API tw_status tw_kernel_print_given(const tw_kernel *kernel, char **expression);

/* The same for data whose inputs may be in another order, as with a model file: a leaf on all inputs with a
 * parameter for each lists their names, if they have names. */
TW_API tw_status tw_kernel_print_by_name(const tw_kernel *kernel, char **expression);

/* A description for the user: "log ell = 4.85; log sigma = 5.1; constant 0.5", with at most `most` length scales,
 * if tw_kernel_simple could make the kernel; otherwise the expression. tw_kernel_shape is the name of the shape
 * in the first case, and NULL in the second. */
TW_API tw_status tw_kernel_describe(const tw_kernel *kernel, size_t most, char **words);
TW_API const char *tw_kernel_shape(const tw_kernel *kernel);

/* Are the expression and theta bitwise identical? */
TW_API bool tw_kernel_same(const tw_kernel *a, const tw_kernel *b);

/* The number of inputs that it needs, if it has a length scale for each of them; otherwise 0. */
TW_API size_t tw_kernel_inputs(const tw_kernel *kernel);

/* The given matrix and its size, or NULL. It belongs to the kernel. */
TW_API const double *tw_kernel_matrix(const tw_kernel *kernel, size_t *n);

/* ---- theta ---- */

/* The number of parameters; the j-th parameter; and the index of a name, which is the number of parameters if the
 * name is unknown. */
TW_API size_t tw_kernel_count(const tw_kernel *kernel);
TW_API const tw_parameter *tw_kernel_parameter(const tw_kernel *kernel, size_t j);
TW_API size_t tw_kernel_find(const tw_kernel *kernel, const char *name);

/* Was the value of the j-th parameter given? False: it has the default value of its leaf. A parameter changed by
 * tw_kernel_set_theta counts as given. */
TW_API bool tw_kernel_is_given(const tw_kernel *kernel, size_t j);
TW_API void tw_kernel_set_given(tw_kernel *kernel, size_t j, bool given);

/* theta, which belongs to the kernel; and a function that sets it. A value outside its range is TW_BAD_ARGUMENT
 * and changes nothing. */
TW_API const double *tw_kernel_theta(const tw_kernel *kernel);
TW_API tw_status tw_kernel_set_theta(tw_kernel *kernel, const double *theta);

/* ---- matrices: x is n x d, column-major ---- */

/* The n x n Gram matrix, stored in full and exactly symmetric: one syrk and one elementwise pass; leaves on
 * several sets of inputs or length scales need one more product for each further set. */
TW_API tw_status tw_kernel_gram(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                                double *k, size_t ldk);

/* The n x m matrix of covariances between x (n x d) and new inputs z (m x d). White noise is independent for each
 * case: it does not enter here, even if a row of z equals one of x. */
TW_API tw_status tw_kernel_cross(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                                 size_t m, const double *z, size_t ldz, double *k, size_t ldk);

/* k(a, a), the prior variance of the latent function, at each of n inputs. */
TW_API tw_status tw_kernel_diagonal(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                                    double *diagonal);

/* gradient[j] = sum over m, n of W_mn dK_mn/dtheta_j for every parameter, where K is the Gram matrix and W is symmetric;
 * only its lower triangle is read. Works in blocks of columns, without a matrix for each parameter. */
TW_API tw_status tw_kernel_contract(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                                    const double *w, size_t ldw, double *gradient);

/* ---- given matrices ---- */

/* Check a given covariance matrix: finite, square, no negative diagonal, symmetric up to rounding (1e-10 relative
 * to sqrt(K_ii K_jj)); rounding asymmetry is averaged out. Errors name the entry.
 */
TW_API tw_status tw_covariance_check_matrix(tw_context *ctx, size_t n, double *k, size_t ldk);

/* Read such a matrix from a .npy or .csv file, or copy it from memory, and check it. *k is n x n and freed with
 * tw_covariance_free_matrix. */
TW_API tw_status tw_covariance_read_matrix(tw_context *ctx, const char *path, size_t *n, double **k);
TW_API tw_status tw_covariance_copy_matrix(tw_context *ctx, size_t n, const double *from, size_t ld,
                                           double **k);
TW_API void tw_covariance_free_matrix(tw_context *ctx, double *k);

#ifdef __cplusplus
}
#endif

#endif
