/* bench_evidence.c: processor seconds for log Z with a standard error of 0.05, on USPS 3-vs-5 at (4.85, 5.1).
 *
 * Each method runs once from EP's q at a moderate size, pilots included. The variance decreases like 1/cost,
 * so the seconds to a standard error of 0.05 are seconds (se / 0.05)^2. The standard errors of RMHMC come
 * from few particles and are rough. The literal algorithm (the report's Algorithm 1 as printed, five
 * iterations) would take the same steps as AIS with rmhmc/hessian; the seconds of one step are measured at
 * b = 0.5, and its standard error is assumed to be that of rmhmc/hessian.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "math/random.h"
#include "model/model.h"
#include "reference/reference.h"
#include "support_time.h"
#include "support_usps.h"
#include "talweg/evidence.h"

enum { MAX_STEPS = 100 };

typedef struct method {
    const char *name;
    tw_method method;
    tw_metric metric;
    size_t steps, particles, leapfrogs;
    double eps;
} method;

/* hmc/ep tunes itself; RMHMC uses step sizes that work well according to the report and docs/samplers.md. */
static const method methods[] = {
    {"AIS, hmc/ep", TW_METHOD_HMC, TW_METRIC_EP, 50, 256, 0, 0.0},
    {"AIS, rmhmc/hessian", TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 50, 16, 10, 0.1},
    {"AIS, rmhmc/smoothed", TW_METHOD_RMHMC, TW_METRIC_SMOOTHED, 25, 8, 8, 0.2},
};

static double seconds_to_goal(double seconds, double se)
{
    return seconds * (se / 0.05) * (se / 0.05);
}

static void print_row(const char *name, double log_z, double se, double seconds, double best)
{
    double goal = seconds_to_goal(seconds, se);
    printf("%-28s %10.3f %8.3f %12.1f %16.1f %10.1f\n", name, log_z, se, seconds, goal, goal / best);
    fflush(stdout);
}

static tw_estimate run_ais(const bench_usps *u, const method *m, double *seconds)
{
    double beta[MAX_STEPS + 1];
    tw_ais_options o = TW_AIS_DEFAULTS;
    tw_estimate estimate;
    bench_check(u->ctx, tw_schedule_fill(u->ctx, TW_SCHEDULE_LINEAR, m->steps, 0.0, beta));
    o.kernel.method = m->method;
    o.kernel.metric = m->metric;
    o.kernel.gaussian = u->ep->reference;
    o.kernel.smoothing = u->ep->variance;
    o.beta = beta;
    o.temperatures = m->steps;
    o.particles = m->particles;
    o.eps = m->eps;
    o.steps = m->leapfrogs;
    double start = bench_cpu_seconds();
    bench_check(u->ctx, tw_ais_run(u->model, u->ep->reference, &o, NULL, NULL, NULL, &estimate));
    *seconds = bench_cpu_seconds() - start;
    return estimate;
}

static tw_estimate run_resample_move(const bench_usps *u, double *seconds)
{
    tw_rm_options o = TW_RM_DEFAULTS;
    tw_estimate estimate;
    o.kernel.method = TW_METHOD_HMC;
    o.kernel.metric = TW_METRIC_EP;
    o.kernel.gaussian = u->ep->reference;
    double start = bench_cpu_seconds();
    bench_check(u->ctx, tw_rm_run(u->model, u->ep->reference, &o, NULL, NULL, &estimate));
    *seconds = bench_cpu_seconds() - start;
    return estimate;
}

/* The seconds of a step of the literal algorithm from EP's mean at b = 0.5, the shortest of three. */
static double literal_step(const bench_usps *u)
{
    size_t n = u->model->n;
    ref_inputs *in = ref_inputs_new((int)n, u->model->observed.y, tw_gaussian_dense_matrix(u->model->prior),
                                    u->ep->tau, u->ep->nu);
    ref_workspace *work = ref_workspace_new((int)n);
    double *p = calloc(n, sizeof *p), best = INFINITY;
    if (!in || !work || !p) exit(2);
    in->beta = 0.5;
    tw_stream stream = tw_stream_at(7, TW_STREAM_MOMENTUM, 0, 0);
    tw_stream_normals(&stream, n, p);
    for (int i = 0; i < 3; i++) {
        if (ref_point_set(in, u->ep->mean, p, work, &work->point) != REF_FINE) exit(2);
        double start = bench_cpu_seconds();
        (void)ref_leapfrog_step(in, work, &work->point);
        best = fmin(best, bench_cpu_seconds() - start);
    }
    free(p);
    ref_workspace_free(work);
    ref_inputs_free(in);
    return best;
}

int main(void)
{
    enum { METHODS = sizeof methods / sizeof *methods };
    bench_usps u;
    double best = 0.0, hessian_se = NAN, seconds;
    if (!bench_usps_new(4.85, 5.1, &u)) return 0;
    printf("%-28s %10s %8s %12s %16s %10s\n", "method, from EP", "log Z", "se", "cpu seconds",
           "seconds to 0.05", "ratio");
    for (size_t i = 0; i < METHODS; i++) {
        tw_estimate e = run_ais(&u, &methods[i], &seconds);
        if (i == 0) best = seconds_to_goal(seconds, e.se);
        if (methods[i].metric == TW_METRIC_HESSIAN) hessian_se = e.se;
        print_row(methods[i].name, e.log_z, e.se, seconds, best);
    }
    tw_estimate rm = run_resample_move(&u, &seconds);
    print_row("resample-move, hmc/ep", rm.log_z, rm.se, seconds, best);
    const method *h = &methods[1];
    double steps = (double)(h->particles * (h->steps - 1) * h->leapfrogs);
    print_row("literal AISq-RMHMC (extrap.)", NAN, hessian_se, literal_step(&u) * steps, best);
    bench_usps_free(&u);
    return 0;
}
