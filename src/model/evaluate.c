/* evaluate.c: evaluate a target on a block of whitened positions.
 *
 *   x       = m + L v                                   one triangular product for all columns
 *   l_n     = b log p(y_n | x_n) + nu_n x_n - tau_n x_n^2/2
 *   L_b     = sum l_n - v'v/2 - r/2 log 2 pi - 1/2 log|A| + constant
 *   dL_b/dv = L' l' - v                                 one more triangular product
 *
 * (nu, tau: the tempered Gaussian sites of the open form.) Sites are evaluated in chunks of fixed size on the
 * stack, so that nothing is allocated. At b = 0 the likelihood is omitted, since 0 * -inf is not 0.
 */
#include "linalg/vector.h"
#include "model/model.h"

enum { CHUNK = 256 };

static double *at(double *array, size_t offset)
{
    return array ? array + offset : NULL;
}

static void scale(size_t n, double factor, double *a)
{
    if (!a || factor == 1.0) return;
    for (size_t i = 0; i < n; i++) a[i] = factor == 0.0 ? 0.0 : factor * a[i];
}

/* Add the Gaussian sites to slope and lambda; returns sum nu x - tau x^2/2. */
static double add_gaussian(size_t n, const double *tau, const double *nu, const double *x, double *slope,
                           double *lambda)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i] * (nu[i] - 0.5 * tau[i] * x[i]);
    for (size_t i = 0; slope && i < n; i++) slope[i] += nu[i] - tau[i] * x[i];
    for (size_t i = 0; lambda && i < n; i++) lambda[i] += tau[i];
    return sum;
}

/* Evaluate the sites of rows [start, start + count) of one column; the arguments point to that part. */
static void evaluate_chunk(const tw_target *t, size_t start, size_t count, const double *x, double *slope,
                           double *lambda, double *dlambda, tw_site_sums *sums)
{
    double value[CHUNK];
    tw_observations part = tw_observations_part(&t->model->observed, start, count);
    part.likelihood->terms(&part, x, sums ? value : NULL, slope, lambda, dlambda);
    scale(count, t->beta, slope);
    scale(count, t->beta, lambda);
    scale(count, t->beta, dlambda);
    double gaussian = 0.0;
    if (t->site_tau)
        gaussian = add_gaussian(count, t->site_tau + start, t->site_nu + start, x, slope, lambda);
    if (!sums) return;
    for (size_t i = 0; i < count; i++) sums->log_likelihood += value[i];
    sums->tempered += gaussian;
}

void tw_target_sites(const tw_target *t, const double *x, double *slope, double *lambda, double *dlambda,
                     tw_site_sums *sums)
{
    size_t n = t->model->n;
    if (sums) *sums = (tw_site_sums){0.0, 0.0};
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = n - start < CHUNK ? n - start : CHUNK;
        evaluate_chunk(t, start, count, x + start, at(slope, start), at(lambda, start), at(dlambda, start),
                       sums);
    }
    if (sums && t->beta > 0.0) sums->tempered += t->beta * sums->log_likelihood;
}

/* Slopes of b log p alone, from those in double precision where the likelihood has no others. */
static void slopes_of_chunk(const tw_observations *part, const float *x, float *slope)
{
    double wide[CHUNK], found[CHUNK];
    if (part->likelihood->slopes_single) {
        part->likelihood->slopes_single(part, x, slope);
        return;
    }
    for (size_t i = 0; i < part->n; i++) wide[i] = (double)x[i];
    part->likelihood->terms(part, wide, NULL, found, NULL, NULL);
    for (size_t i = 0; i < part->n; i++) slope[i] = (float)found[i];
}

void tw_target_slopes_single(const tw_target *t, const float *x, float *slope)
{
    size_t n = t->model->n;
    float beta = (float)t->beta;
    for (size_t start = 0; start < n; start += CHUNK) {
        tw_observations part =
            tw_observations_part(&t->model->observed, start, n - start < CHUNK ? n - start : CHUNK);
        slopes_of_chunk(&part, x + start, slope + start);
    }
    for (size_t i = 0; beta != 1.0f && i < n; i++) slope[i] = beta == 0.0f ? 0.0f : beta * slope[i];
    for (size_t i = 0; t->site_tau && i < n; i++)
        slope[i] += (float)(t->site_nu[i] - t->site_tau[i] * (double)x[i]);
}

double tw_target_base_constant(const tw_target *t)
{
    return t->log_constant + tw_gaussian_log_constant(t->base);
}

void tw_target_evaluate(const tw_target *t, size_t columns, const double *v, const tw_evaluation *wanted)
{
    size_t n = t->model->n, r = t->base->r;
    bool needs_sums = wanted->log_density || wanted->log_likelihood;
    double base = tw_target_base_constant(t);
    tw_gaussian_positions(t->base, columns, v, wanted->x);
    for (size_t j = 0; j < columns; j++) {
        const double *x = wanted->x + j * n;
        const double *position = v + j * r;
        tw_site_sums sums;
        tw_target_sites(t, x, at(wanted->slope, j * n), at(wanted->lambda, j * n), at(wanted->dlambda, j * n),
                        needs_sums ? &sums : NULL);
        if (wanted->log_likelihood) wanted->log_likelihood[j] = sums.log_likelihood;
        if (wanted->log_density)
            wanted->log_density[j] = base - 0.5 * tw_dot(r, position, position) + sums.tempered;
    }
    if (!wanted->gradient) return;
    tw_gaussian_pull_back(t->base, columns, wanted->slope, wanted->gradient);
    for (size_t i = 0; i < r * columns; i++) wanted->gradient[i] -= v[i];
}

void tw_target_whiten(const tw_target *t, size_t columns, const double *x, double *v)
{
    tw_gaussian_whiten(t->base, columns, x, v);
}

void tw_target_log_ratio(const tw_target *t, size_t columns, const double *x, const double *log_likelihood,
                         double *work, double *log_ratio)
{
    const tw_reference *q = t->reference;
    size_t n = t->model->n;
    for (size_t j = 0; j < columns; j++) {
        log_ratio[j] = log_likelihood[j];
        if (q->kind == TW_REFERENCE_SITES)
            log_ratio[j] += q->log_z - add_gaussian(n, q->tau, q->nu, x + j * n, NULL, NULL);
        else if (q->kind == TW_REFERENCE_GAUSSIAN)
            log_ratio[j] += tw_gaussian_log_density(t->model->prior, x + j * n, work) -
                            tw_gaussian_log_density(q->gaussian, x + j * n, work);
    }
}
