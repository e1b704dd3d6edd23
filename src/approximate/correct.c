/* correct.c: the second-order correction of EP's log Z (Opper, Paquet & Winther 2013, Perturbative
 * corrections for approximate inference in Gaussian latent variable models, JMLR 14, 2857-2898):
 *
 *   log Z = log Z_EP + 1/2 sum_{m != n} sum_l c_lm c_ln / l! (Sigma_mn / (Sigma_mm Sigma_nn))^l,
 *   l = 3, 4, ...
 *
 * where c_ln is the l-th cumulant of the tilted distribution at site n. The code works with the scaled
 * cumulants c_ln / Sigma_nn^(l/2) and the correlations, because these are of order one. Orders 1 and 2 are
 * absent because EP matches these cumulants, so the formula does not hold for an EP that has not converged.
 */
#include <math.h>

#include "approximate/ep.h"

enum { FIRST = 3, ORDERS = TW_CORRECTION_MAX_ORDER - FIRST + 1, BLOCK = 64, MOST_SOLVES = 20000 };

/* scaled[i + (l - 3) n] = c_li / Sigma_ii^(l/2) for every site i; it stays 0 if Sigma_ii = 0, because such a
 * site has no covariance with others. */
static tw_status scaled_cumulants(const tw_model *m, const tw_approximation *ep, size_t orders,
                                  double *scaled)
{
    for (size_t i = 0; i < m->n; i++) {
        tw_cavity cavity;
        double c[TW_CORRECTION_MAX_ORDER + 1];
        if (ep->variance[i] == 0.0) continue;
        if (!tw_ep_cavity(ep->tau[i], ep->nu[i], ep->mean[i], ep->variance[i], &cavity))
            return tw_fail(m->ctx, TW_NUMERICAL_FAILURE, "site %zu has no proper cavity", i + 1);
        if (tw_likelihood_cumulants(&m->observed, i, cavity.mean, cavity.variance, orders, c) != TW_OK)
            return tw_fail(m->ctx, TW_NUMERICAL_FAILURE, "the cumulants of site %zu are not finite", i + 1);
        for (size_t l = FIRST; l <= orders; l++)
            scaled[i + (l - FIRST) * m->n] = c[l] / pow(ep->variance[i], 0.5 * (double)l);
    }
    return TW_OK;
}

/* sums[l - 3] += sum_{i > j} c_li c_lj rho_ij^l (scaled cumulants) for one column j of Sigma. `below` is that
 * column below the diagonal. */
static void add_column(size_t n, size_t column, size_t orders, const double *below, const double *sd,
                       const double *scaled, double *sums)
{
    for (size_t i = column + 1; i < n; i++) {
        double rho = below[i - column - 1] / (sd[i] * sd[column]), power = rho * rho;
        for (size_t l = FIRST; l <= orders; l++) {
            const double *c = scaled + (l - FIRST) * n;
            power *= rho;
            sums[l - FIRST] += c[i] * c[column] * power;
        }
    }
}

/* Sum over all columns, BLOCK columns at a time.
 * Sigma is symmetric, so a block starts at its own first row. */
static void add_columns(const tw_gaussian *q, size_t orders, double *block, const double *sd,
                        const double *scaled, double *sums)
{
    size_t n = q->n;
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t rows = n - first, count = rows < BLOCK ? rows : BLOCK;
        tw_gaussian_block(q, first, rows, first, count, block);
        for (size_t j = 0; j < count; j++)
            add_column(n, first + j, orders, block + j * rows + j + 1, sd, scaled, sums);
    }
}

static void finish(const tw_approximation *ep, size_t orders, const double *sums, tw_correction *out)
{
    double factorial = 2.0, previous = INFINITY;
    *out = (tw_correction){.log_z = ep->log_z, .orders = orders, .decreasing = true};
    for (size_t l = FIRST; l <= orders; l++) {
        factorial *= (double)l;
        out->term[l] = sums[l - FIRST] / factorial; /* 1/2 sum over m != n = sum over pairs m > n */
        out->log_z += out->term[l];
        if (fabs(out->term[l]) > previous) out->decreasing = false;
        previous = fabs(out->term[l]);
    }
}

tw_status tw_ep_correct(const tw_model *model, const tw_approximation *ep, size_t orders, tw_correction *out)
{
    tw_context *ctx = model->ctx;
    size_t n = model->n;
    double *block = NULL, *scaled = NULL, *sd = NULL, sums[ORDERS] = {0.0};
    if (orders < FIRST || orders > TW_CORRECTION_MAX_ORDER)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the order of the correction must be from 3 to %d, not %zu",
                       TW_CORRECTION_MAX_ORDER, orders);
    if (ep->kind != TW_EP || !ep->converged)
        return tw_fail(ctx, TW_NOT_CONVERGED, "the correction needs a converged EP: %s",
                       ep->kind == TW_EP ? "this EP has not converged" : "this is Laplace's approximation");
    if (!model->prior->kind->lower && n > MOST_SOLVES)
        return tw_fail(ctx, TW_NOT_CONVERGED,
                       "the correction needs every column of EP's covariance, one solve each with %s: it is "
                       "limited to %d cases",
                       model->prior->kind->name, MOST_SOLVES);
    tw_status status = tw_allocate_doubles(ctx, n, BLOCK, "columns of EP's covariance", &block);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, n, ORDERS, "the cumulants", &scaled);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, n, 1, "the marginals", &sd);
    if (status == TW_OK) status = scaled_cumulants(model, ep, orders, scaled);
    if (status == TW_OK) {
        for (size_t i = 0; i < n; i++) sd[i] = ep->variance[i] > 0.0 ? sqrt(ep->variance[i]) : 1.0;
        add_columns(ep->reference->gaussian, orders, block, sd, scaled, sums);
        finish(ep, orders, sums, out);
    }
    tw_release(ctx, block);
    tw_release(ctx, scaled);
    tw_release(ctx, sd);
    return status;
}
