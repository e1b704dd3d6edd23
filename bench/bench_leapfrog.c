/* bench_leapfrog.c: the lockstep leapfrog against its two triangular products, and the growth of costs.
 *
 * USPS 3-vs-5, n = 767: a step of HMC in EP's coordinates on 1, 8, 32 and 128 columns, against the two dtrmm
 * of n x n x P (dtrmv for one column) that it contains. The time of a step is the difference of trajectories
 * of 9 and 1 steps, divided by 8. Then inputs in the plane, n = 400 to 3200, with the same number of cases
 * per unit of length scale: the seconds of a step of HMC on 32 columns and of RMHMC, with fitted exponents of
 * n.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dynamics/leapfrog.h"
#include "dynamics/riemann.h"
#include "math/random.h"
#include "measure.h"
#include "support_time.h"
#include "support_usps.h"

enum { SIZES = 4 };

static void fill_normals(size_t count, uint64_t chain, double *out)
{
    tw_stream stream = tw_stream_at(3, TW_STREAM_START, chain, 0);
    tw_stream_normals(&stream, count, out);
}

static void report_lockstep(const bench_usps *u)
{
    const size_t columns[] = {1, 8, 32, 128};
    size_t before = tw_context_bytes_in_use(u->ctx);
    tw_target *target;
    tw_frame frame;
    bench_check(u->ctx, tw_target_new(u->model, u->prior, TW_FORM_OPEN, &target));
    bench_check(u->ctx, tw_frame_make(target, TW_METRIC_EP, u->ep->reference, &frame));
    for (size_t k = 0; k < 4; k++) {
        bench_batch m;
        bench_check(u->ctx, bench_time_batch(target, TW_METRIC_EP, u->ep->reference, columns[k], &m));
        printf("hmc/ep step, n = %zu, %3zu columns: %8.1f us, two triangular products %8.1f us, ratio "
               "%.2f%s, with forces in single "
               "precision %.2f\n",
               u->data->n, columns[k], 1e6 * m.seconds, 1e6 * m.product_seconds,
               m.seconds / m.product_seconds, columns[k] == 32 ? " (limit 1.6)" : "",
               m.single_seconds / m.product_seconds);
    }
    /* in addition to K: L_K, EP's factor, and the vectors of 32 columns */
    tw_leapfrog *flow;
    bench_check(u->ctx, tw_leapfrog_new(&frame, 32, &flow));
    double columns_bytes = (double)(tw_context_bytes_in_use(u->ctx) - before);
    printf("memory of hmc/ep: 2 matrices of n x n beyond K (limit 3), and %.1f vectors a column\n",
           columns_bytes / 32.0 / (double)u->data->n / sizeof(double));
    tw_leapfrog_free(flow);
    tw_target_free(target);
}

/* n inputs in a square whose side grows like sqrt(n), with labels from a smooth boundary: the number of cases
 * per length scale is the same for every n. */
static tw_model *planar_model(tw_context *ctx, size_t n)
{
    tw_kernel *se;
    double side = sqrt((double)n) / 6.0, *x = calloc(2 * n, sizeof *x), *y = calloc(n, sizeof *y);
    tw_stream stream = tw_stream_at(5, TW_STREAM_DATA, n, 0);
    tw_data *data;
    tw_model *model;
    if (!x || !y) exit(3);
    for (size_t i = 0; i < 2 * n; i++) x[i] = side * tw_stream_uniform(&stream);
    for (size_t i = 0; i < n; i++) y[i] = sin(x[i]) + cos(1.3 * x[n + i]) > 0.0 ? 1.0 : -1.0;
    bench_check(ctx, tw_data_new(ctx, n, 2, x, n, y, &data));
    bench_check(ctx, tw_kernel_parse(ctx, "se(log_sigma=0.7) + white(variance=0.05)", 2, &se));
    bench_check(ctx, tw_model_from_data(data, se, tw_likelihood_find("probit"), NULL, 0.0, &model));
    tw_kernel_free(se);
    tw_data_free(data);
    free(x);
    free(y);
    return model;
}

/* Mean processor seconds of a generalised leapfrog step from v ~ N(0, I). */
static double time_riemann(const tw_target *target)
{
    enum { STEPS = 3 };
    size_t n = target->model->n, r = target->base->r;
    tw_riemann_options options = TW_RIEMANN_DEFAULTS;
    double *v = malloc(r * sizeof *v), *normals = malloc((n + r) * sizeof *normals);
    tw_riemann *p;
    if (!v || !normals) exit(3);
    bench_check(target->ctx, tw_riemann_new(target, &options, &p));
    fill_normals(r, 2, v);
    fill_normals(n + r, 3, normals);
    if (tw_riemann_set_position(p, v) != TW_STEP_FINE) exit(2);
    tw_riemann_draw_momentum(p, normals);
    double start = bench_cpu_seconds();
    for (size_t s = 0; s < STEPS; s++)
        if (tw_riemann_leapfrog(p, 0.05) != TW_STEP_FINE) exit(2);
    double seconds = (bench_cpu_seconds() - start) / STEPS;
    tw_riemann_free(p);
    free(normals);
    free(v);
    return seconds;
}

/* The slope of log seconds against log n, by least squares. */
static double exponent(const double *sizes, const double *seconds)
{
    double mx = 0.0, my = 0.0, xy = 0.0, xx = 0.0;
    for (size_t k = 0; k < SIZES; k++) {
        mx += log(sizes[k]) / SIZES;
        my += log(seconds[k]) / SIZES;
    }
    for (size_t k = 0; k < SIZES; k++) {
        xy += (log(sizes[k]) - mx) * (log(seconds[k]) - my);
        xx += (log(sizes[k]) - mx) * (log(sizes[k]) - mx);
    }
    return xy / xx;
}

static void report_growth(void)
{
    const double sizes[SIZES] = {400, 800, 1600, 3200};
    double flat[SIZES], curved[SIZES];
    for (size_t k = 0; k < SIZES; k++) {
        tw_context *ctx;
        tw_reference *prior;
        tw_target *target;
        bench_batch batch;
        if (tw_context_new(NULL, &ctx) != TW_OK) exit(3);
        tw_model *model = planar_model(ctx, (size_t)sizes[k]);
        bench_check(ctx, tw_reference_prior(model, &prior));
        bench_check(ctx, tw_target_new(model, prior, TW_FORM_OPEN, &target));
        bench_check(ctx, bench_time_batch(target, TW_METRIC_PRIOR, NULL, 32, &batch));
        flat[k] = batch.seconds;
        curved[k] = time_riemann(target);
        printf("n = %4.0f: hmc step on 32 columns %8.2f ms (%.2f of its products), rmhmc step, all sites "
               "active, "
               "%9.2f ms\n",
               sizes[k], 1e3 * flat[k], flat[k] / batch.product_seconds, 1e3 * curved[k]);
        tw_target_free(target);
        tw_reference_free(prior);
        tw_model_free(model);
        tw_context_free(ctx);
    }
    printf("growth with n: hmc step n^%.2f, rmhmc step n^%.2f\n", exponent(sizes, flat),
           exponent(sizes, curved));
}

int main(void)
{
    bench_usps u;
    if (bench_usps_new(4.85, 5.1, &u)) {
        report_lockstep(&u);
        bench_usps_free(&u);
    }
    report_growth();
    return 0;
}
