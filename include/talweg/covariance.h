/* covariance.h: covariance functions and their matrices.
 *
 *   k(a, b) = sigma^2 g(|(a - b) / ell|^2) + constant + white [a is b]
 *
 * g is the kernel's shape, as a function of the scaled squared distance; there is one length scale, or one
 * per input.
 */
#ifndef TALWEG_COVARIANCE_H
#define TALWEG_COVARIANCE_H

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A covariance function with its hyperparameters. */
typedef struct tw_covariance {
    const char *kernel; /* "se": exp(-d2/2); "matern12", "matern32", "matern52": see tw_covariance_names() */
    size_t scales;      /* 1, or the number of inputs */
    const double *log_ell; /* log of each length scale; the caller keeps it alive */
    double log_sigma;
    double constant; /* variance of a constant offset, >= 0 */
    double white;    /* variance of independent noise on the latent function, >= 0 */
} tw_covariance;

/* "se, matern12, ..." */
TW_API const char *tw_covariance_names(void);

/* Check every field against data with d inputs. */
TW_API tw_status tw_covariance_check(tw_context *ctx, const tw_covariance *covariance, size_t d);

/* The n x n Gram matrix of inputs x (n x d, column-major), stored in full and symmetric to the bit: one syrk
 * and one pass of elementwise work. */
TW_API tw_status tw_covariance_gram(tw_context *ctx, const tw_covariance *covariance, size_t n, size_t d,
                                    const double *x, size_t ldx, double *k, size_t ldk);

/* The n x m matrix of covariances between x (n x d) and new inputs z (m x d). White noise of a new input is
 * its own: it does not enter here, also where a row of z equals one of x. */
TW_API tw_status tw_covariance_cross(tw_context *ctx, const tw_covariance *covariance, size_t n, size_t d,
                                     const double *x, size_t ldx, size_t m, const double *z, size_t ldz,
                                     double *k, size_t ldk);

/* k(a, a): the prior variance of the latent function at any one input. */
TW_API double tw_covariance_variance(const tw_covariance *covariance);

/* A covariance matrix that somebody else computed: finite, square, no negative diagonal, symmetric up to
 * rounding (1e-10 relative to sqrt(K_ii K_jj)); rounding asymmetry is averaged away. Errors name the entry.
 */
TW_API tw_status tw_covariance_check_matrix(tw_context *ctx, size_t n, double *k, size_t ldk);

/* Read such a matrix from a .npy or .csv file, or copy one that lies in memory, and check it. *k is n x n and freed
 * with tw_covariance_free_matrix. */
TW_API tw_status tw_covariance_read_matrix(tw_context *ctx, const char *path, size_t *n, double **k);
TW_API tw_status tw_covariance_copy_matrix(tw_context *ctx, size_t n, const double *from, size_t ld,
                                           double **k);
TW_API void tw_covariance_free_matrix(tw_context *ctx, double *k);

#ifdef __cplusplus
}
#endif

#endif
