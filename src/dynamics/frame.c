/* frame.c: coordinates of a constant metric; frame.h has the equations. */
#include "dynamics/frame.h"

#include <string.h>

#include "dynamics/vectors.h"
#include "linalg/vector.h"

/* Use the precision of q as metric. If q is N(0, K) with sites and the target's base is N(0, K), the base
 * cancels and the frame is Gaussian; otherwise it is linear. */
static void use_reference(const tw_reference *q, tw_frame *f)
{
    bool base_is_prior = f->target->reference->kind != TW_REFERENCE_GAUSSIAN && !f->target->folded;
    f->gaussian = q->gaussian;
    f->linear = !base_is_prior || q->kind != TW_REFERENCE_SITES;
    if (f->linear) return;
    f->tau = q->tau;
    f->nu = q->nu;
    f->log_z = q->log_z;
}

bool tw_frame_follow(tw_frame *f)
{
    if (!f->own_base) return false;
    bool moved = f->gaussian != f->target->base || f->target->own;
    f->gaussian = f->target->base;
    return moved;
}

tw_status tw_frame_make(const tw_target *t, tw_metric metric, const tw_reference *q, tw_frame *out)
{
    tw_context *ctx = t->ctx;
    *out = (tw_frame){.target = t, .n = t->model->n, .r = t->model->prior->r};
    switch (metric) {
    case TW_METRIC_PRIOR:
        out->own_base = true;
        tw_frame_follow(out);
        return TW_OK;
    case TW_METRIC_IDENTITY:
        out->linear = true;
        if (t->model->prior->full_rank) return TW_OK;
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "the identity metric needs a kernel matrix of full rank; this one has rank %zu of %zu: use the "
            "metric prior or ep, or add a jitter",
            out->r, out->n);
    case TW_METRIC_EP:
    case TW_METRIC_DENSE:
        if (!q || q->model != t->model || q->kind == TW_REFERENCE_PRIOR)
            return tw_fail(ctx, TW_BAD_ARGUMENT,
                           "the metrics ep and dense need a Gaussian made for this model");
        use_reference(q, out);
        if (out->linear && !t->model->prior->full_rank)
            return tw_fail(ctx, TW_BAD_ARGUMENT,
                           "this metric needs a kernel matrix of full rank; use the metric prior or ep");
        return TW_OK;
    default:
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "HMC needs a constant metric: identity, prior, ep or dense; position-dependent "
                       "metrics need RMHMC");
    }
}

/* The frame of column j alone. */
static tw_frame frame_of_column(const tw_frame *f, size_t j)
{
    tw_frame one = *f;
    if (!f->column) return one;
    one.gaussian = f->column[j].gaussian;
    one.tau = f->column[j].tau;
    one.nu = f->column[j].nu;
    one.log_z = f->column[j].log_z;
    one.column = NULL;
    one.packed = NULL;
    return one;
}

const double *tw_frame_centre(const tw_frame *f)
{
    return (f->column ? f->column[0].gaussian : f->gaussian)->mean;
}

void tw_frame_spread(const tw_frame *f, size_t columns, const double *w, double *x)
{
    if (!f->column) tw_gaussian_spread(f->gaussian, columns, w, x);
    for (size_t j = 0; f->column && j < columns; j++)
        tw_gaussian_spread(f->column[j].gaussian, 1, w + j * f->r, x + j * f->n);
}

bool tw_frame_narrows(const tw_frame *f)
{
    return !f->column && f->packed && tw_packed_is_single(f->packed);
}

/* x = c + F w, with products from the packed factor. */
static void positions_packed(const tw_frame *f, size_t columns, const double *w, double *x)
{
    const double *centre = tw_frame_centre(f);
    tw_packed_spread(f->packed, columns, w, x);
    for (size_t j = 0; centre && j < columns; j++) tw_vectors_shift(f->n, centre, x + j * f->n);
}

/* x = c + F w */
static void positions(const tw_frame *f, size_t columns, const double *w, double *x)
{
    if (f->packed)
        positions_packed(f, columns, w, x);
    else if (f->gaussian)
        tw_gaussian_positions(f->gaussian, columns, w, x);
    else
        memcpy(x, w, f->n * columns * sizeof *x);
}

/* to = F' from, with a Gaussian's F */
static void pull_back_gaussian(const tw_frame *f, size_t columns, const double *from, double *to)
{
    if (f->packed)
        tw_packed_pull_back(f->packed, columns, from, to);
    else
        tw_gaussian_pull_back(f->gaussian, columns, from, to);
}

/* to = F' from; without a Gaussian F = I */
static void pull_back(const tw_frame *f, size_t columns, const double *from, double *to)
{
    if (f->gaussian)
        pull_back_gaussian(f, columns, from, to);
    else
        memcpy(to, from, f->n * columns * sizeof *to);
}

void tw_frame_coordinates(const tw_frame *f, size_t columns, const double *x, double *w)
{
    for (size_t j = 0; f->column && j < columns; j++)
        tw_gaussian_whiten(f->column[j].gaussian, 1, x + j * f->n, w + j * f->r);
    if (f->column) return;
    if (f->gaussian)
        tw_gaussian_whiten(f->gaussian, columns, x, w);
    else
        memcpy(w, x, f->n * columns * sizeof *w);
}

double tw_frame_constant(const tw_frame *f)
{
    tw_frame one = frame_of_column(f, 0);
    return f->target->log_constant + one.log_z + tw_gaussian_log_constant(one.gaussian);
}

/* Subtract the frame's Gaussian sites: slope -= nu - tau x. Returns sum_n [nu x - tau x^2/2] if wanted, 0
 * otherwise: inside a trajectory only slopes are needed. */
static double remove_gaussian(const tw_frame *f, const double *x, double *slope, bool sum_wanted)
{
    double sum = 0.0;
    if (!f->tau) return 0.0;
    for (size_t i = 0; sum_wanted && i < f->n; i++) sum += x[i] * (f->nu[i] - 0.5 * f->tau[i] * x[i]);
    if (slope) tw_vectors_remove_sites(f->n, f->nu, f->tau, x, slope);
    return sum;
}

double tw_frame_excess(const tw_frame *f, const double *x, double *slope, double *log_likelihood)
{
    tw_frame one = frame_of_column(f, 0);
    tw_site_sums sums;
    tw_target_sites(f->target, x, slope, NULL, NULL, &sums);
    if (log_likelihood) *log_likelihood = sums.log_likelihood;
    return sums.tempered - remove_gaussian(&one, x, slope, true);
}

/* The site terms of all columns, without the frame's Gaussian sites: slopes and, if wanted, densities without
 * the base. */
static void site_terms(const tw_frame *f, size_t columns, const tw_frame_block *out)
{
    bool sums_wanted = out->log_density || out->log_likelihood;
    for (size_t j = 0; j < columns; j++) {
        const double *x = out->x + j * f->n;
        double *slope = out->gradient ? out->slope + j * f->n : NULL;
        tw_site_sums sums = {0.0, 0.0};
        if (slope || sums_wanted)
            tw_target_sites(f->target, x, slope, NULL, NULL, sums_wanted ? &sums : NULL);
        double gaussian = slope || sums_wanted ? remove_gaussian(f, x, slope, sums_wanted) : 0.0;
        if (out->log_density) out->log_density[j] = sums.tempered - gaussian;
        if (out->log_likelihood) out->log_likelihood[j] = sums.log_likelihood;
    }
}

/* gradient = w - F' slope */
static void gradient_of(const tw_frame *f, size_t columns, const double *w, const tw_frame_block *out)
{
    size_t count = f->r * columns;
    if (tw_frame_narrows(f)) {
        tw_vectors_narrow(count, out->slope, out->narrow);
        tw_packed_pull_back_single(f->packed, columns, out->narrow, out->narrow + count);
        tw_vectors_subtract_single(count, w, out->narrow + count, out->gradient);
        return;
    }
    pull_back_gaussian(f, columns, out->slope, out->gradient);
    tw_vectors_subtract_from(count, w, out->gradient);
}

static void evaluate_gaussian(const tw_frame *f, size_t columns, const double *w, const tw_frame_block *out)
{
    size_t r = f->r;
    if (out->gradient) gradient_of(f, columns, w, out);
    if (!out->log_density) return;
    double constant = tw_frame_constant(f);
    for (size_t j = 0; j < columns; j++)
        out->log_density[j] += constant - 0.5 * tw_dot(r, w + j * r, w + j * r);
}

/* Add the base's part of a linear frame: -v'v/2 with v = L^-1 (x - m), and L^-T v in the gradient. */
static void evaluate_linear(const tw_frame *f, size_t columns, const tw_frame_block *out)
{
    const tw_target *t = f->target;
    size_t n = f->n;
    tw_gaussian_whiten(t->base, columns, out->x, out->solve);
    if (out->log_density) {
        double constant = tw_target_base_constant(t);
        for (size_t j = 0; j < columns; j++)
            out->log_density[j] += constant - 0.5 * tw_dot(n, out->solve + j * n, out->solve + j * n);
    }
    if (!out->gradient) return;
    tw_gaussian_solve_transposed(t->base, columns, out->solve);
    for (size_t i = 0; i < n * columns; i++) out->solve[i] -= out->slope[i];
    pull_back(f, columns, out->solve, out->gradient);
}

/* array + offset, or NULL without an array */
static double *offset_in(double *array, size_t offset)
{
    return array ? array + offset : NULL;
}

static tw_frame_block block_of(const tw_frame *f, const tw_frame_block *all, size_t j)
{
    return (tw_frame_block){.x = all->x + j * f->n,
                            .slope = offset_in(all->slope, j * f->n),
                            .gradient = offset_in(all->gradient, j * f->r),
                            .log_density = offset_in(all->log_density, j),
                            .log_likelihood = offset_in(all->log_likelihood, j)};
}

/* Evaluate in a Gaussian frame that all columns share. */
static void evaluate_shared(const tw_frame *f, size_t columns, const double *w, const tw_frame_block *out)
{
    positions(f, columns, w, out->x);
    site_terms(f, columns, out);
    evaluate_gaussian(f, columns, w, out);
}

void tw_frame_evaluate(const tw_frame *f, size_t columns, const double *w, const tw_frame_block *out)
{
    if (f->linear) {
        positions(f, columns, w, out->x);
        site_terms(f, columns, out);
        evaluate_linear(f, columns, out);
    } else if (!f->column) {
        evaluate_shared(f, columns, w, out);
    } else {
        for (size_t j = 0; j < columns; j++) {
            tw_frame one = frame_of_column(f, j);
            tw_frame_block at = block_of(f, out, j);
            evaluate_shared(&one, 1, w + j * f->r, &at);
        }
    }
}

/* ---- forces inside a trajectory ---- */

/* F' e' of a Gaussian frame, in double precision. */
static void force_double(const tw_frame *f, size_t columns, const double *w, const tw_frame_block *out)
{
    positions(f, columns, w, out->x);
    site_terms(f, columns, out);
    pull_back_gaussian(f, columns, out->slope, out->gradient);
}

/* The same in single precision. The halves of out->narrow hold w and x, then e' and F' e'. */
static void force_single(const tw_frame *f, size_t columns, const tw_frame_block *out)
{
    size_t n = f->n, count = n * columns;
    const double *centre = tw_frame_centre(f);
    float *first = out->narrow, *second = first + count;
    tw_packed_spread_single(f->packed, columns, first, second);
    for (size_t j = 0; j < columns; j++) {
        float *x = second + j * n, *slope = first + j * n;
        if (centre) tw_vectors_shift_single(n, centre, x);
        tw_target_slopes_single(f->target, x, slope);
        if (f->tau) tw_vectors_remove_sites_single(n, f->nu, f->tau, x, slope);
    }
    tw_packed_pull_back_single(f->packed, columns, first, second);
}

void tw_frame_force(const tw_frame *f, size_t columns, const double *w, const tw_frame_block *out)
{
    tw_frame_block wanted = *out;
    wanted.log_density = wanted.log_likelihood = NULL;
    if (tw_frame_narrows(f)) {
        force_single(f, columns, &wanted);
    } else if (f->linear) {
        tw_frame_evaluate(f, columns, w, &wanted);
    } else if (!f->column) {
        force_double(f, columns, w, &wanted);
    } else {
        for (size_t j = 0; j < columns; j++) {
            tw_frame one = frame_of_column(f, j);
            tw_frame_block at = {
                .x = out->x + j * f->n, .slope = out->slope + j * f->n, .gradient = out->gradient + j * f->r};
            force_double(&one, 1, w + j * f->r, &at);
        }
    }
}
