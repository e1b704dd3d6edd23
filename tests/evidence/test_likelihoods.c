/* EP, draws and evidence with every built-in likelihood, on exact cases: K = a 11' + b I with n = 1, 2 and 6
 * sites whose observations and constants differ, so that x_n = sqrt(a) t + sqrt(b) e_n, and log Z and all
 * moments are nested integrals, computed by the trapezoidal rule (for functions that vary over 1, a step of
 * 0.1 has an error below 1e-10).
 *
 * For one site EP is exact. For more it is an approximation, here within 0.01 nats and 0.05 standard
 * deviations. An error in tilted moments shows for one site, and one in constants or parameters changes all
 * of them.
 *
 * False alarms: every run is a function of its seed. For other seeds, one likelihood has two evidences at
 * 6.3e-5 each, and 3 samplers with 2 sites and 2 moments each at 6.3e-5: 0.09 % in all, one per cent for a
 * dozen likelihoods.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "evidence/ais.h"
#include "support/chain_case.h"
#include "support/setting.h"
#include "support/support.h"

enum { SITES = 6, POINTS = 201, STEPS = 8 };

static const double STEP = 0.1, FIRST = -10.0, A = 0.9, B = 0.6;

typedef struct exact {
    double log_z, mean[SITES], sd[SITES];
} exact;

/* Integrals of p, x p, x^2 p over e ~ N(0, 1), x = centre + sqrt(B) e, for site i. */
static void over_e(const tw_observations *o, size_t i, double centre, double out[3])
{
    tw_observations one = tw_observations_part(o, i, 1);
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < POINTS; k++) {
        double e = FIRST + STEP * k, x = centre + sqrt(B) * e, value;
        o->likelihood->terms(&one, &x, &value, NULL, NULL, NULL);
        double w = STEP * exp(value - 0.5 * e * e) / sqrt(2.0 * acos(-1.0));
        out[0] += w;
        out[1] += w * x;
        out[2] += w * x * x;
    }
}

static exact integrate(const tw_observations *o)
{
    exact sums = {0.0, {0.0}, {0.0}};
    double site[SITES][3];
    for (int k = 0; k < POINTS; k++) {
        double t = FIRST + STEP * k, w = STEP * exp(-0.5 * t * t) / sqrt(2.0 * acos(-1.0));
        for (size_t i = 0; i < o->n; i++) {
            over_e(o, i, sqrt(A) * t, site[i]);
            w *= site[i][0];
        }
        sums.log_z += w;
        for (size_t i = 0; i < o->n && w > 0.0; i++) {
            sums.mean[i] += w * (site[i][1] / site[i][0]);
            sums.sd[i] += w * (site[i][2] / site[i][0]);
        }
    }
    for (size_t i = 0; i < o->n; i++) {
        sums.mean[i] /= sums.log_z;
        sums.sd[i] = sqrt(sums.sd[i] / sums.log_z - sums.mean[i] * sums.mean[i]);
    }
    sums.log_z = log(sums.log_z);
    return sums;
}

static posed pose(const tw_observations *o)
{
    double k[SITES * SITES];
    for (size_t i = 0; i < o->n * o->n; i++) k[i] = A + (i % (o->n + 1) == 0 ? B : 0.0);
    return pose_observed(NULL, k, o);
}

/* Laplace is a curvature at a point: it must be there, and converge. */
static void compare_approximations(const posed *p, const exact *want, double nats, double sds)
{
    tw_approximation *laplace = NULL;
    const char *name = p->model->observed.likelihood->name;
    assert_close(p->ep->log_z, want->log_z, nats, name);
    for (size_t i = 0; i < p->model->n; i++) {
        assert_close(p->ep->mean[i], want->mean[i], sds * want->sd[i], name);
        assert_close(sqrt(p->ep->variance[i]), want->sd[i], sds * want->sd[i], name);
    }
    assert_int_equal(tw_laplace_fit(p->model, NULL, &laplace), TW_OK);
    assert_true(laplace->converged);
    assert_close(laplace->log_z, want->log_z, p->model->observed.likelihood->peak ? 1.0 : 0.5, name);
    tw_approximation_free(laplace);
}

static void compare_evidence(const posed *p, const exact *want)
{
    double beta[STEPS + 1];
    tw_ais_options o = TW_AIS_DEFAULTS;
    tw_estimate e;
    assert_int_equal(tw_schedule_fill(p->ctx, TW_SCHEDULE_LINEAR, STEPS, 0.0, beta), TW_OK);
    o.beta = beta;
    o.temperatures = STEPS;
    o.particles = 256;
    o.kernel.metric = TW_METRIC_EP;
    o.kernel.gaussian = p->ep->reference;
    assert_int_equal(tw_ais_run(p->model, p->ep->reference, &o, NULL, NULL, NULL, &e), TW_OK);
    print_message("%-18s n %zu: log Z %10.5f, EP %+.5f, ais %+.5f +- %.5f\n",
                  p->model->observed.likelihood->name, p->model->n, want->log_z, p->ep->log_z - want->log_z,
                  e.log_z - want->log_z, e.se);
    assert_close(e.log_z, want->log_z, 4.0 * e.se + 1e-8, "ais"); /* gaussian: every weight is Z itself */
    assert_true(e.se < 0.03);
}

static void compare_draws(const posed *p, const exact *want)
{
    const tw_likelihood *likelihood = p->model->observed.likelihood;
    const struct {
        tw_method method;
        tw_metric metric;
    } run[] = {
        {TW_METHOD_HMC, TW_METRIC_EP}, {TW_METHOD_SLICE, TW_METRIC_EP}, {TW_METHOD_RMHMC, TW_METRIC_FISHER}};
    oracle_case oracle = {.likelihood = likelihood,
                          .n = 2,
                          .kinds = 2,
                          .first = {0, 1},
                          .mean = {want->mean[0], want->mean[1]},
                          .sd = {want->sd[0], want->sd[1]}};
    snprintf(oracle.name, sizeof oracle.name, "%s", likelihood->name);
    chain_case c = {.posed = *p, .oracle = &oracle};
    tw_chains_options o = TW_CHAINS_DEFAULTS;
    o.warmup = 150;
    o.draws = 400;
    o.thin = 4; /* trajectories of half a period leave x^2, and so the sd, correlated for some draws */
    o.seed = 1;
    for (size_t k = 0; k < 3; k++) {
        tw_draws *draws = chain_case_run(&c, run[k].method, run[k].metric, &o);
        chain_case_compare(&c, draws);
        tw_draws_free(draws);
    }
}

static void compare(const tw_likelihood *likelihood, int variant, size_t n, bool draws)
{
    setting_room room;
    tw_observations o = setting_observations(likelihood, variant, n, &room);
    exact want = integrate(&o);
    posed p = pose(&o);
    bool one = n == 1;
    compare_approximations(&p, &want, one ? 1e-7 : 0.01, one ? 1e-6 : 0.05);
    if (!one) compare_evidence(&p, &want);
    if (draws) compare_draws(&p, &want);
    posed_free(&p);
}

static void every_likelihood_meets_exact_cases(void **state)
{
    (void)state;
    const tw_likelihood *likelihood = NULL, *before = NULL;
    for (size_t l = 0; (likelihood = tw_likelihood_at(l)); before = likelihood, l++) {
        bool fresh = !before || before->terms != likelihood->terms; /* some differ in their parameters only */
        for (int variant = 0; variant < SETTING_VARIANTS; variant++) compare(likelihood, variant, 1, false);
        compare(likelihood, 1, 2, fresh);
        compare(likelihood, 3, SITES, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_likelihood_meets_exact_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
