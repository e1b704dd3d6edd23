/* selftest_dynamics.c: check three properties of an integrator (Hairer, Lubich and Wanner 2006, Geometric
 * Numerical Integration). The Metropolis test is exact only if the integrator is reversible and preserves
 * volume, and it accepts only if the energy error is small, of order 2 in the step size.
 */
#include <math.h>
#include <string.h>

#include "linalg/determinant.h"
#include "sample/selftest.h"

enum { STARTS = 4, VOLUME_STEPS = 3, HALVINGS = 20 };

/* A step size with energy errors below this is small enough: most trajectories are then accepted. */
static const double large_error = 0.5;

/* The largest |H - H at the start| over trajectories from all starts; NaN if a step fails. */
static double energy_error(tw_flow *flow, double eps, size_t steps)
{
    double largest = 0.0;
    for (uint64_t start = 0; start < STARTS; start++) {
        if (!tw_flow_start(flow, start)) return NAN;
        double before = tw_flow_energy(flow);
        for (size_t s = 0; s < steps; s++) {
            if (!tw_flow_step(flow, eps)) return NAN;
            largest = fmax(largest, fabs(tw_flow_energy(flow) - before));
        }
    }
    return largest;
}

/* The user's step size, or the largest of 0.4, 0.2, ... that is small enough; 0: none of them. */
static double find_eps(tw_flow *flow)
{
    const tw_selftest_options *options = flow->c->options;
    if (options->eps > 0.0) return options->eps;
    for (int k = 0; k < HALVINGS; k++) {
        double eps = ldexp(0.4, -k);
        if (energy_error(flow, eps, options->steps) < large_error) return eps;
    }
    return 0.0;
}

/* The largest distance, over all starts, between a start and the end of the reversed trajectory; NaN if a
 * step fails. phase holds 4r numbers. */
static double return_error(tw_flow *flow, double eps, double *phase)
{
    size_t r = flow->r, steps = flow->c->options->steps;
    double largest = 0.0, *end = phase + 2 * r;
    for (uint64_t start = 0; start < STARTS; start++) {
        bool fine = tw_flow_start(flow, start);
        tw_flow_get(flow, phase);
        for (size_t s = 0; s < steps && fine; s++) fine = tw_flow_step(flow, eps);
        tw_flow_get(flow, end);
        for (size_t i = r; i < 2 * r; i++) end[i] = -end[i];
        fine = fine && tw_flow_put(flow, end);
        for (size_t s = 0; s < steps && fine; s++) fine = tw_flow_step(flow, eps);
        if (!fine) return NAN;
        tw_flow_get(flow, end);
        for (size_t i = 0; i < r; i++) largest = fmax(largest, fabs(end[i] - phase[i]));
    }
    return largest;
}

static tw_check check_of(const tw_flow *flow, const char *name, const char *meaning)
{
    return (tw_check){
        .name = name, .of = flow->name, .meaning = meaning, .cure = flow->cure, .cases = flow->c->model->n};
}

static tw_status make_flow(const tw_selftest_case *c, bool rmhmc, double tolerance, tw_flow *flow)
{
    return rmhmc ? tw_flow_rmhmc(c, tolerance, flow) : tw_flow_hmc(c, flow);
}

static tw_status check_return(const tw_selftest_case *c, bool rmhmc)
{
    tw_flow flow;
    double *phase = NULL;
    tw_status status = make_flow(c, rmhmc, c->options->solver_tolerance, &flow);
    if (status == TW_OK) status = tw_allocate_doubles(c->ctx, 4 * flow.r, 1, "a trajectory's ends", &phase);
    if (status == TW_OK) {
        tw_check check =
            check_of(&flow, "reversibility",
                     "whitened distance between the start and the end of the reversed trajectory");
        check.high = flow.return_limit;
        check.measured = return_error(&flow, find_eps(&flow), phase);
        tw_selftest_note(c, check);
    }
    tw_release(c->ctx, phase);
    tw_flow_free(&flow);
    return status;
}

/* The solver tolerance for order and volume: these are properties of the equations, not of the solver. */
static double tight(const tw_selftest_case *c)
{
    return fmin(c->options->solver_tolerance, 1e-12);
}

/* Measure log2 of the ratio of the energy errors at eps/4 and eps/8, where trajectories have the same
 * length. */
static tw_status check_order(const tw_selftest_case *c, bool rmhmc)
{
    tw_flow flow;
    tw_status status = make_flow(c, rmhmc, tight(c), &flow);
    if (status == TW_OK) {
        tw_check check =
            check_of(&flow, "order of the energy error",
                     "log2 of the factor by which halving the step size reduces the energy error");
        double eps = 0.25 * find_eps(&flow);
        size_t steps = c->options->steps;
        check.low = 1.7;
        check.high = 2.3;
        check.measured = log2(energy_error(&flow, eps, steps) / energy_error(&flow, 0.5 * eps, 2 * steps));
        tw_selftest_note(c, check);
    }
    tw_flow_free(&flow);
    return status;
}

tw_status tw_selftest_dynamics(const tw_selftest_case *c, bool rmhmc)
{
    TW_TRY(check_return(c, rmhmc));
    return check_order(c, rmhmc);
}

/* ---- volume ---- */

/* The map whose Jacobian is computed: VOLUME_STEPS steps from a phase point. */
static bool map(tw_flow *flow, double eps, const double *from, double *to)
{
    bool fine = tw_flow_put(flow, from);
    for (size_t s = 0; s < VOLUME_STEPS && fine; s++) fine = tw_flow_step(flow, eps);
    tw_flow_get(flow, to);
    return fine;
}

/* The step of the differences in coordinate j: one in a position changes latents by at most 1e-3, one in a
 * momentum is 1e-3 of the momenta's root mean square, or 1e-3 if that is below 1. */
static double step_for(const tw_flow *flow, size_t j, const double *from)
{
    double square = 0.0;
    for (size_t i = flow->r; i < 2 * flow->r; i++) square += from[i] * from[i] / (double)flow->r;
    return 1e-3 * (j < flow->r ? 1.0 / fmax(1.0, flow->stretch) : fmax(1.0, sqrt(square)));
}

/* Column j of the Jacobian, by central differences of fourth order. */
static bool differentiate(tw_flow *flow, double eps, size_t j, double *from, double *end, double *column)
{
    static const double offset[4] = {-2.0, -1.0, 1.0, 2.0}, weight[4] = {1.0, -8.0, 8.0, -1.0};
    size_t m = 2 * flow->r;
    double middle = from[j], h = step_for(flow, j, from);
    memset(column, 0, m * sizeof *column);
    for (size_t k = 0; k < 4; k++) {
        from[j] = middle + h * offset[k];
        bool fine = map(flow, eps, from, end);
        from[j] = middle;
        if (!fine) return false;
        for (size_t i = 0; i < m; i++) column[i] += weight[k] * end[i] / (12.0 * h);
    }
    return true;
}

/* |log |det J||; NaN if a step fails. work holds 2m + m^2 numbers. */
static double log_volume(tw_flow *flow, double eps, double *work, int *pivots)
{
    size_t m = 2 * flow->r;
    double *from = work, *end = from + m, *jacobian = end + m;
    if (!tw_flow_start(flow, 0)) return NAN;
    tw_flow_get(flow, from);
    for (size_t j = 0; j < m; j++)
        if (!differentiate(flow, eps, j, from, end, jacobian + j * m)) return NAN;
    return fabs(tw_log_determinant(m, jacobian, m, pivots));
}

tw_status tw_selftest_volume(const tw_selftest_case *c, bool rmhmc)
{
    tw_flow flow;
    double *work = NULL;
    void *pivots = NULL;
    tw_status status = make_flow(c, rmhmc, tight(c), &flow);
    size_t m = 2 * flow.r;
    if (status == TW_OK) status = tw_allocate_doubles(c->ctx, m + 2, m, "a Jacobian", &work);
    if (status == TW_OK) status = tw_allocate(c->ctx, m, sizeof(int), "the pivots of a Jacobian", &pivots);
    if (status == TW_OK) {
        tw_check check =
            check_of(&flow, "volume", "|log of the volume after three steps of a unit of phase space|");
        check.high = 1e-5;
        check.measured = log_volume(&flow, find_eps(&flow), work, pivots);
        tw_selftest_note(c, check);
    }
    tw_release(c->ctx, work);
    tw_release(c->ctx, pivots);
    tw_flow_free(&flow);
    return status;
}
