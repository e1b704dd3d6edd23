/* bench_dynamics.c: what a step of RMHMC costs, in units of dpotrf(767) timed in the same run.
 *
 * USPS 3-vs-5, probit, eps = 0.1, b = 1 for q = prior and b = 0.5 for q = EP. At each of 24 positions from the
 * posterior a momentum is drawn from the metric and one generalised leapfrog step is timed, solved to 1e-9,
 * then a dpotrf; medians of processor time are compared. The literal algorithm of the report (tests/reference, five
 * iterations) starts from the same positions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "support_usps.h"
#include "talweg/chains.h"

enum { POSITIONS = 24 };

static const double eps = 0.1;

static void print_measured(const char *name, const bench_step *m, double limit)
{
    printf(
        "%-34s %7.2f dpotrf (%.2f ms; dpotrf %.2f ms), momentum %.1f, position %.1f iterations, %.0f active",
        name, m->seconds / m->potrf_seconds, 1e3 * m->seconds, 1e3 * m->potrf_seconds, m->momentum,
        m->position, m->active);
    if (m->failed) printf(", %zu of %d failed", m->failed, POSITIONS);
    if (limit > 0.0) printf(" (limit %g)", limit);
    printf("\n");
}

static void print_literal(const char *name, const bench_step *m, const bench_step *fast)
{
    printf("%-34s %7.1f dpotrf (%.1f ms): the fast step takes 1/%.0f of it\n", name,
           m->seconds / fast->potrf_seconds, 1e3 * m->seconds, m->seconds / fast->seconds);
}

/* One temperature and reference: hessian, smoothed, and the literal algorithm where it is wanted. */
static void report(const bench_usps *u, const tw_reference *q, double beta, bool literal, double limit,
                   const char *name)
{
    char line[80];
    tw_target *target;
    bench_step hessian, smoothed, m;
    double *x = bench_usps_positions(u, q, beta, POSITIONS);
    bench_check(u->ctx, tw_target_new(u->model, q ? q : u->prior, TW_FORM_FOLDED, &target));
    bench_check(u->ctx, tw_target_set_temperature(target, beta));
    bench_check(u->ctx, bench_time_step(target, TW_METRIC_HESSIAN, NULL, eps, POSITIONS, x, &hessian));
    snprintf(line, sizeof line, "%s: hessian", name);
    print_measured(line, &hessian, limit);
    bench_check(u->ctx,
                bench_time_step(target, TW_METRIC_SMOOTHED, u->ep->variance, eps, POSITIONS, x, &smoothed));
    snprintf(line, sizeof line, "%s: smoothed", name);
    print_measured(line, &smoothed, 0.0);
    snprintf(line, sizeof line, "%s: literal, f_max = 5", name);
    if (literal) {
        bench_check(u->ctx, bench_time_literal(u->model, q ? u->ep : NULL, beta, eps, POSITIONS, x, &m));
        print_literal(line, &m, &hessian);
    }
    tw_target_free(target);
    free(x);
}

/* A whole transition, ten steps with the reverse check: processor time for each leapfrog step of the way there, over that of a
 * dpotrf before each transition. */
static void report_transition(const bench_usps *u, tw_metric metric, double step)
{
    enum { TRANSITIONS = 6, CHAINS = 8, STEPS = 10 };
    size_t n = u->data->n, taken = 0, accepted = 0, irreversible = 0, failed = 0;
    double *x = bench_usps_positions(u, NULL, 1.0, CHAINS), *scratch = malloc(n * n * sizeof *scratch);
    double seconds = 0.0, potrf[TRANSITIONS];
    tw_posterior posterior = {.model = u->model, .beta = 1.0, .approximation = u->ep};
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_sampling *sampling;
    if (!scratch) exit(3);
    o.method = TW_METHOD_RMHMC;
    o.metric = metric;
    bench_check(u->ctx, tw_sampling_new(&posterior, &o, CHAINS, &sampling));
    bench_check(u->ctx, tw_sampler_set_positions(sampling->sampler, x));
    for (size_t t = 0; t < TRANSITIONS; t++) {
        tw_record records[CHAINS];
        tw_move move = {.eps = step, .steps = STEPS, .seed = 1, .iteration = t};
        potrf[t] = bench_time_potrf(u->model, scratch);
        double start = bench_cpu_seconds();
        tw_sampler_advance(sampling->sampler, &move, records);
        seconds += bench_cpu_seconds() - start;
        for (size_t j = 0; j < CHAINS; j++) {
            taken += records[j].steps;
            accepted += records[j].accepted;
            irreversible += records[j].irreversible;
            failed += records[j].implicit_failure || records[j].factorisation;
        }
    }
    printf("(4.85, 5.1), a transition of %d steps of %g with its check, %s: %.2f dpotrf a step; of %d %zu "
           "accepted, %zu "
           "irreversible, %zu failed\n",
           STEPS, step, tw_metric_name(metric), seconds / (double)taken / bench_median(TRANSITIONS, potrf),
           TRANSITIONS * CHAINS, accepted, irreversible, failed);
    tw_sampling_free(sampling);
    free(scratch);
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

/* With the argument "transition" whole transitions alone. */
int main(int count, char **arguments)
{
    bench_usps u;
    if (!bench_usps_new(4.85, 5.1, &u)) return 0;
    if (count > 1 && strcmp(arguments[1], "transition") == 0) {
        report_transition(&u, TW_METRIC_HESSIAN, eps);
        report_transition(&u, TW_METRIC_ANCHORED, 0.3);
        bench_usps_free(&u);
        return 0;
    }
    printf("RMHMC leapfrog step, USPS 3-vs-5, n = %zu, eps = %g, medians over %d positions\n", u.data->n, eps,
           POSITIONS);
    report(&u, NULL, 1.0, true, 2.0, "(4.85, 5.1), q = prior, b = 1");
    report(&u, u.ep->reference, 0.5, true, 2.0, "(4.85, 5.1), q = EP, b = 0.5");
    report_transition(&u, TW_METRIC_HESSIAN, eps);
    report_transition(&u, TW_METRIC_ANCHORED, 0.3);
    report_memory(&u);
    bench_usps_free(&u);
    if (!bench_usps_new(3.5, 1.0, &u)) return 0;
    report(&u, NULL, 1.0, false, 12.0, "(3.5, 1.0), q = prior, b = 1");
    report(&u, u.ep->reference, 0.5, false, 12.0, "(3.5, 1.0), q = EP, b = 0.5");
    bench_usps_free(&u);
    return 0;
}
