/* bench_dynamics.c: what a step of RMHMC costs, in units of dpotrf(767) timed in the same run.
 *
 * USPS 3-vs-5, probit, eps = 0.1, b = 1 for q = prior and b = 0.5 for q = EP. At each of 24 positions from the
 * posterior a momentum is drawn from the metric and one generalised leapfrog step is timed, solved to 1e-9,
 * then a dpotrf of K; medians of processor time are compared. The literal algorithm of the report (tests/reference, five
 * iterations) starts from the same positions.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/riemann.h"
#include "linalg/cholesky.h"
#include "math/random.h"
#include "reference/reference.h"
#include "support_time.h"
#include "support_usps.h"

enum { POSITIONS = 24, REPEATS = 3 };

static const double eps = 0.1;

typedef struct measured {
    double step, potrf;        /* median seconds */
    double momentum, position; /* mean evaluations of the implicit maps */
    double active;             /* mean */
    size_t failed;
} measured;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(size_t count, double *values)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

static double time_potrf(const tw_model *model, double *scratch)
{
    size_t n = model->n;
    tw_pivot failed;
    memcpy(scratch, model->k, n * n * sizeof *scratch);
    double start = bench_cpu_seconds();
    (void)tw_cholesky_in_place(n, scratch, n, &failed);
    return bench_cpu_seconds() - start;
}

/* Median of REPEATS steps from the same phase point. */
static double time_step(tw_riemann *p, const double *v, const double *normals, measured *out)
{
    double seconds[REPEATS];
    for (size_t k = 0; k < REPEATS; k++) {
        if (tw_riemann_set_position(p, v) != TW_STEP_FINE) exit(2);
        tw_riemann_draw_momentum(p, normals);
        if (k == 0) out->active += (double)p->active / POSITIONS;
        double start = bench_cpu_seconds();
        tw_step step = tw_riemann_leapfrog(p, eps);
        seconds[k] = bench_cpu_seconds() - start;
        if (k == 0 && step != TW_STEP_FINE) out->failed++;
    }
    return median(REPEATS, seconds);
}

static measured measure(const tw_target *target, const tw_riemann_options *options, const double *x)
{
    size_t n = target->model->n, r = target->factor->rank;
    double steps[POSITIONS], potrf[POSITIONS], *v = malloc(r * sizeof *v);
    double *normals = malloc((n + r) * sizeof *normals), *scratch = malloc(n * n * sizeof *scratch);
    tw_riemann *p;
    measured out = {0};
    if (!v || !normals || !scratch) exit(3);
    bench_check(target->ctx, tw_riemann_new(target, options, &p));
    for (size_t j = 0; j < POSITIONS; j++) {
        tw_stream stream = tw_stream_at(7, TW_STREAM_MOMENTUM, j, 0);
        tw_stream_normals(&stream, n + r, normals);
        tw_target_whiten(target, 1, x + j * n, v);
        steps[j] = time_step(p, v, normals, &out);
        potrf[j] = time_potrf(target->model, scratch);
    }
    out.momentum = (double)p->momentum_evaluations / (double)p->steps;
    out.position = (double)p->position_evaluations / (double)p->steps;
    out.step = median(POSITIONS, steps);
    out.potrf = median(POSITIONS, potrf);
    tw_riemann_free(p);
    free(scratch);
    free(normals);
    free(v);
    return out;
}

static void print_measured(const char *name, const measured *m, double limit)
{
    printf(
        "%-34s %7.2f dpotrf (%.2f ms; dpotrf %.2f ms), momentum %.1f, position %.1f iterations, %.0f active",
        name, m->step / m->potrf, 1e3 * m->step, 1e3 * m->potrf, m->momentum, m->position, m->active);
    if (m->failed) printf(", %zu of %d failed", m->failed, POSITIONS);
    if (limit > 0.0) printf(" (limit %g)", limit);
    printf("\n");
}

/* The literal algorithm: one step from each position, with the momentum of the same metric. */
static void measure_literal(const char *name, const bench_usps *u, const double *tau, const double *nu,
                            double beta, const double *x, const measured *fast)
{
    size_t n = u->model->n;
    ref_inputs *in = ref_inputs_new((int)n, u->data->y, u->model->k, tau, nu);
    ref_workspace *work = ref_workspace_new((int)n);
    double steps[POSITIONS], *p = calloc(n, sizeof *p), *normals = malloc(n * sizeof *normals);
    if (!in || !work || !p || !normals) {
        printf("%s: K has no Cholesky factor, the literal algorithm cannot start\n", name);
        exit(2);
    }
    in->beta = beta;
    in->eps = eps;
    for (size_t j = 0; j < POSITIONS; j++) {
        ref_point *point = &work->point;
        tw_stream stream = tw_stream_at(7, TW_STREAM_MOMENTUM, j, 0);
        tw_stream_normals(&stream, n, normals);
        if (ref_point_set(in, x + j * n, p, work, point) != REF_FINE ||
            ref_draw_momentum((int)n, &point->metric, normals, work, p) != REF_FINE ||
            ref_point_set(in, x + j * n, p, work, point) != REF_FINE)
            exit(2);
        double start = bench_cpu_seconds();
        (void)ref_leapfrog_step(in, work, point);
        steps[j] = bench_cpu_seconds() - start;
    }
    double seconds = median(POSITIONS, steps);
    printf("%-34s %7.1f dpotrf (%.1f ms): the fast step takes 1/%.0f of it\n", name, seconds / fast->potrf,
           1e3 * seconds, seconds / fast->step);
    free(normals);
    free(p);
    ref_workspace_free(work);
    ref_inputs_free(in);
}

/* One temperature and reference: hessian, smoothed, and the literal algorithm where it is wanted. */
static void report(const bench_usps *u, const tw_reference *q, double beta, bool literal, double limit,
                   const char *name)
{
    char line[80];
    tw_target *target;
    tw_riemann_options options = TW_RIEMANN_DEFAULTS;
    double *x = bench_usps_positions(u, q, beta, POSITIONS);
    bench_check(u->ctx, tw_target_new(u->model, q ? q : u->prior, TW_FORM_FOLDED, &target));
    bench_check(u->ctx, tw_target_set_temperature(target, beta));
    measured hessian = measure(target, &options, x);
    snprintf(line, sizeof line, "%s: hessian", name);
    print_measured(line, &hessian, limit);
    options.metric = TW_METRIC_SMOOTHED;
    options.smoothing = u->ep->variance;
    measured smoothed = measure(target, &options, x);
    snprintf(line, sizeof line, "%s: smoothed", name);
    print_measured(line, &smoothed, 0.0);
    snprintf(line, sizeof line, "%s: literal, f_max = 5", name);
    if (literal) measure_literal(line, u, q ? u->ep->tau : NULL, u->ep->nu, beta, x, &hessian);
    tw_target_free(target);
    free(x);
}

/* What one RMHMC chain with q = EP holds, in matrices of n x n, K included. EP's own work is over by then. */
static void report_memory(const bench_usps *u)
{
    double matrix = (double)(u->data->n * u->data->n * sizeof(double));
    size_t data = (u->data->d + 1) * u->data->n * sizeof(double);
    tw_target *target;
    tw_sampler *s;
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    bench_check(u->ctx, tw_target_new(u->model, u->ep->reference, TW_FORM_FOLDED, &target));
    bench_check(u->ctx, tw_target_set_temperature(target, 0.5));
    o.method = TW_METHOD_RMHMC;
    o.metric = TW_METRIC_HESSIAN;
    bench_check(u->ctx, tw_sampler_new(target, &o, 1, &s));
    printf(
        "memory of one RMHMC chain, q = EP: %.2f matrices of n x n, K and both factors included (limit 6)\n",
        (double)(tw_context_bytes_in_use(u->ctx) - data) / matrix);
    tw_sampler_free(s);
    tw_target_free(target);
}

int main(void)
{
    bench_usps u;
    if (!bench_usps_new(4.85, 5.1, &u)) return 0;
    printf("RMHMC leapfrog step, USPS 3-vs-5, n = %zu, eps = %g, medians over %d positions\n", u.data->n, eps,
           POSITIONS);
    report(&u, NULL, 1.0, true, 2.0, "(4.85, 5.1), q = prior, b = 1");
    report(&u, u.ep->reference, 0.5, true, 2.0, "(4.85, 5.1), q = EP, b = 0.5");
    report_memory(&u);
    bench_usps_free(&u);
    if (!bench_usps_new(3.5, 1.0, &u)) return 0;
    report(&u, NULL, 1.0, false, 12.0, "(3.5, 1.0), q = prior, b = 1");
    report(&u, u.ep->reference, 0.5, false, 12.0, "(3.5, 1.0), q = EP, b = 0.5");
    bench_usps_free(&u);
    return 0;
}
