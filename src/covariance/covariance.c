/* covariance.c: Gram and cross-covariance matrices.
 *
 * Squared distances come from one level-3 product: with inputs scaled by 1/ell and centred (centring keeps
 * the numbers small, since d2 = |a|^2 + |b|^2 - 2 a.b cancels where a and b are close and far from the
 * origin), G = X X' gives d2_ij = G_ii + G_jj - 2 G_ij. The absolute error of d2 is about eps |a|^2.
 */
#include "talweg/covariance.h"

#include <math.h>

#include "base/context.h"
#include "covariance/kernel.h"
#include "linalg/product.h"
#include "linalg/size.h"

static tw_status check_scale(tw_context *ctx, const char *what, double log_value)
{
    double value = exp(2.0 * log_value);
    if (isfinite(value) && value > 0.0) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT, "%s must be a number between -300 and 300, not %g", what, log_value);
}

tw_status tw_covariance_check(tw_context *ctx, const tw_covariance *c, size_t d)
{
    if (!c->kernel || !tw_kernel_find(c->kernel))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "there is no kernel \"%s\"; there are: %s",
                       c->kernel ? c->kernel : "", tw_covariance_names());
    if (c->scales != 1 && c->scales != d)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "%zu length scales were given for %zu inputs; give one, or one per input", c->scales,
                       d);
    for (size_t i = 0; i < c->scales; i++) TW_TRY(check_scale(ctx, "log ell", c->log_ell[i]));
    TW_TRY(check_scale(ctx, "log sigma", c->log_sigma));
    if (!(c->constant >= 0.0) || !isfinite(c->constant) || !(c->white >= 0.0) || !isfinite(c->white))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the constant and white variances must be >= 0, not %g and %g",
                       c->constant, c->white);
    return TW_OK;
}

double tw_covariance_variance(const tw_covariance *c)
{
    return exp(2.0 * c->log_sigma) + c->constant + c->white;
}

static double column_mean(size_t n, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i] / (double)n;
    return sum;
}

/* to = (x - centre) / ell and the squared norm of each row; centre holds one number per input. */
static void scale_inputs(const tw_covariance *c, size_t n, size_t d, const double *x, size_t ldx,
                         const double *centre, double *to, double *norm2)
{
    for (size_t i = 0; i < n; i++) norm2[i] = 0.0;
    for (size_t k = 0; k < d; k++) {
        double inverse = exp(-c->log_ell[c->scales == 1 ? 0 : k]);
        for (size_t i = 0; i < n; i++) {
            double value = (x[i + k * ldx] - centre[k]) * inverse;
            to[i + k * n] = value;
            norm2[i] += value * value;
        }
    }
}

/* k[i] = sigma^2 g(a2[i] + b2 - 2 k[i]) + constant, for a column of n products. */
static void column_from_products(const tw_covariance *c, const tw_kernel *kernel, size_t n, const double *a2,
                                 double b2, double *k)
{
    for (size_t i = 0; i < n; i++) {
        double d2 = a2[i] + b2 - 2.0 * k[i];
        k[i] = d2 > 0.0 ? d2 : 0.0;
    }
    kernel->evaluate(n, exp(2.0 * c->log_sigma), k);
    for (size_t i = 0; i < n; i++) k[i] += c->constant;
}

/* Scaled copies of the inputs: rows x d numbers, the rows' squared norms, and the d centres. */
typedef struct scaled_inputs {
    double *values, *norm2, *centre;
} scaled_inputs;

static void release_inputs(tw_context *ctx, scaled_inputs *in)
{
    tw_release(ctx, in->values);
    tw_release(ctx, in->norm2);
    tw_release(ctx, in->centre);
}

static tw_status allocate_inputs(tw_context *ctx, size_t rows, size_t d, scaled_inputs *in)
{
    *in = (scaled_inputs){0};
    if (!tw_size_fits(rows) || !tw_size_fits(d))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%zu x %zu inputs are more than the linear algebra can count",
                       rows, d);
    tw_status status = tw_allocate_doubles(ctx, rows, d, "the scaled inputs", &in->values);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, rows, 1, "the norms of the inputs", &in->norm2);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, d, 1, "the centre of the inputs", &in->centre);
    if (status != TW_OK) release_inputs(ctx, in);
    return status;
}

tw_status tw_covariance_gram(tw_context *ctx, const tw_covariance *c, size_t n, size_t d, const double *x,
                             size_t ldx, double *k, size_t ldk)
{
    scaled_inputs in;
    TW_TRY(tw_covariance_check(ctx, c, d));
    TW_TRY(allocate_inputs(ctx, n, d, &in));
    const tw_kernel *kernel = tw_kernel_find(c->kernel);
    for (size_t j = 0; j < d; j++) in.centre[j] = column_mean(n, x + j * ldx);
    scale_inputs(c, n, d, x, ldx, in.centre, in.values, in.norm2);
    tw_product_self(n, d, in.values, n, k, ldk);
    for (size_t j = 0; j < n; j++) {
        column_from_products(c, kernel, n - j - 1, in.norm2 + j + 1, in.norm2[j], k + j + 1 + j * ldk);
        k[j + j * ldk] = tw_covariance_variance(c);
    }
    tw_mirror_lower(n, k, ldk);
    release_inputs(ctx, &in);
    return TW_OK;
}

tw_status tw_covariance_cross(tw_context *ctx, const tw_covariance *c, size_t n, size_t d, const double *x,
                              size_t ldx, size_t m, const double *z, size_t ldz, double *k, size_t ldk)
{
    scaled_inputs from, to;
    TW_TRY(tw_covariance_check(ctx, c, d));
    TW_TRY(allocate_inputs(ctx, n, d, &from));
    tw_status status = allocate_inputs(ctx, m, d, &to);
    if (status == TW_OK) {
        const tw_kernel *kernel = tw_kernel_find(c->kernel);
        for (size_t j = 0; j < d; j++) from.centre[j] = column_mean(n, x + j * ldx);
        scale_inputs(c, n, d, x, ldx, from.centre, from.values, from.norm2);
        scale_inputs(c, m, d, z, ldz, from.centre, to.values, to.norm2);
        tw_product_outer(n, m, d, from.values, n, to.values, m, k, ldk);
        for (size_t j = 0; j < m; j++)
            column_from_products(c, kernel, n, from.norm2, to.norm2[j], k + j * ldk);
        release_inputs(ctx, &to);
    }
    release_inputs(ctx, &from);
    return status;
}
