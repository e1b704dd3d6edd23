/* All methods of talweg on Gaussians without an n x n array: an autoregressive process with tridiagonal
 * precision (support/ar1.h), and a lattice with a sparse precision (gaussian/sparse.h), against the dense
 * kind with the same covariances. Both have the same coordinates, so a transition with the same random
 * numbers gives the same position, up to rounding and the solver's tolerance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gaussian/dense.h"
#include "gaussian/sparse.h"
#include "model/model.h"
#include "sample/method.h"
#include "support/ar1.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/sparse_case.h"
#include "support/support.h"
#include "talweg/approximate.h"
#include "talweg/chains.h"
#include "talweg/evidence.h"

enum { N = 60, P = 3 };

static const double phi = 0.93, sd = 2.5;

/* A prior of N sites: its covariances, and the Gaussian that has no such array. */
typedef struct prior {
    void (*covariances)(double *k);
    tw_gaussian *(*gaussian)(tw_context *ctx);
} prior;

static void ar1_covariances(double *k)
{
    ar1_kernel(N, phi, sd, k);
}

static tw_gaussian *ar1_gaussian(tw_context *ctx)
{
    return ar1_new(ctx, N, phi, sd);
}

/* Variances of about 3. */
static tw_sparse *lattice(tw_context *ctx)
{
    tw_sparse *q = lattice_precision(ctx, 6, 10, 0.3);
    for (size_t e = 0; e < q->start[N]; e++) q->value[e] *= 0.1;
    return q;
}

static void lattice_covariances(double *k)
{
    tw_context *ctx = new_context();
    tw_sparse *q = lattice(ctx);
    double log_det, *inverse = full_inverse(q, &log_det);
    memcpy(k, inverse, N * N * sizeof *k);
    free(inverse);
    tw_sparse_free(q);
    tw_context_free(ctx);
}

static tw_gaussian *lattice_gaussian(tw_context *ctx)
{
    tw_gaussian *g = NULL;
    tw_sparse *q = lattice(ctx);
    assert_int_equal(tw_gaussian_sparse_new(ctx, q, NULL, NULL, TW_ELIMINATION_BACKWARDS, &g), TW_OK);
    tw_sparse_free(q);
    return g;
}

static prior ar1_prior = {ar1_covariances, ar1_gaussian};
static prior lattice_prior = {lattice_covariances, lattice_gaussian};

/* One model twice: the dense one first. */
typedef struct pair {
    tw_context *ctx;
    double y[N];
    tw_model *model[2];
    tw_approximation *ep[2], *laplace[2];
    tw_reference *prior[2];
} pair;

/* Labels of a random walk with noise: runs of both classes, some of them alone among the others. */
static void make_labels(size_t n, double *y)
{
    test_random random = {77};
    double level = 0.0;
    for (size_t i = 0; i < n; i++) {
        level = 0.9 * level + test_normal(&random);
        y[i] = level + 0.7 * test_normal(&random) > 0.0 ? 1.0 : -1.0;
    }
}

static pair pair_new(const char *likelihood, void **state)
{
    const prior *from = *state;
    static double k[N * N];
    pair p = {.ctx = new_context()};
    tw_ep_options tight = TW_EP_DEFAULTS;
    const tw_likelihood *sites = tw_likelihood_find(likelihood);
    tight.site_tolerance = 1e-11;
    make_labels(N, p.y);
    for (size_t i = 0; i < N && strcmp(likelihood, "poisson") == 0; i++)
        p.y[i] = (double)(i % 4) + 1.0 + p.y[i];
    from->covariances(k);
    assert_int_equal(tw_model_new(p.ctx, k, N, OBSERVED(sites, N, p.y, NULL), 0.0, &p.model[0]), TW_OK);
    assert_int_equal(
        tw_model_from_gaussian(from->gaussian(p.ctx), OBSERVED(sites, N, p.y, NULL), &p.model[1]), TW_OK);
    for (size_t m = 0; m < 2; m++) {
        assert_int_equal(tw_laplace_fit(p.model[m], NULL, &p.laplace[m]), TW_OK);
        assert_int_equal(tw_ep_fit(p.model[m], &tight, &p.ep[m]), TW_OK);
        assert_int_equal(tw_reference_prior(p.model[m], &p.prior[m]), TW_OK);
        assert_true(p.laplace[m]->converged && p.ep[m]->converged);
    }
    return p;
}

static void pair_free(pair *p)
{
    for (size_t m = 0; m < 2; m++) {
        tw_reference_free(p->prior[m]);
        tw_approximation_free(p->ep[m]);
        tw_approximation_free(p->laplace[m]);
        tw_model_free(p->model[m]);
    }
    assert_int_equal(tw_context_bytes_in_use(p->ctx), 0);
    tw_context_free(p->ctx);
}

static void assert_same(size_t count, const double *a, const double *b, double tolerance, const char *what)
{
    for (size_t i = 0; i < count; i++) assert_close(a[i], b[i], tolerance, what);
}

/* ---- approximations and predictions ---- */

static void approximations_are_the_same(void **state)
{
    const char *likelihoods[] = {"probit", "logit", "poisson"};
    for (size_t l = 0; l < 3; l++) {
        pair p = pair_new(likelihoods[l], state);
        tw_correction correction[2];
        for (size_t m = 0; m < 2; m++)
            assert_int_equal(tw_ep_correct(p.model[m], p.ep[m], 4, &correction[m]), TW_OK);
        print_message("%s: log Z by Laplace %.6f, EP %.6f, corrected %.6f\n", likelihoods[l],
                      p.laplace[1]->log_z, p.ep[1]->log_z, correction[1].log_z);
        assert_close(p.laplace[1]->log_z, p.laplace[0]->log_z, 1e-8, "log Z of Laplace");
        assert_close(p.ep[1]->log_z, p.ep[0]->log_z, 1e-8, "log Z of EP");
        assert_close(correction[1].log_z, correction[0].log_z, 1e-8, "corrected log Z");
        assert_same(N, p.laplace[1]->mean, p.laplace[0]->mean, 1e-8, "the mode");
        assert_same(N, p.laplace[1]->variance, p.laplace[0]->variance, 1e-8, "Laplace's variances");
        assert_same(N, p.ep[1]->mean, p.ep[0]->mean, 1e-8, "EP's means");
        assert_same(N, p.ep[1]->variance, p.ep[0]->variance, 1e-8, "EP's variances");
        pair_free(&p);
    }
}

static void predictions_are_the_same(void **state)
{
    enum { NEW = 2 };
    pair p = pair_new("probit", state);
    double cross[2][N * NEW], diagonal[NEW] = {sd * sd, sd * sd}, mean[2][NEW], variance[2][NEW];
    for (size_t m = 0; m < 2; m++) {
        tw_predictor *predictor = NULL;
        for (size_t i = 0; i < N; i++) { /* half a step after site 20, and three after the last */
            cross[m][i] = sd * sd * pow(phi, fabs((double)i - 20.5));
            cross[m][i + N] = sd * sd * pow(phi, N + 2.0 - (double)i);
        }
        assert_int_equal(tw_model_check_new(p.model[m], NEW, cross[m], diagonal), TW_OK);
        assert_int_equal(tw_predictor_new(p.model[m], p.ep[m], &predictor), TW_OK);
        assert_int_equal(tw_predictor_apply(predictor, NEW, cross[m], diagonal, mean[m], variance[m]), TW_OK);
        tw_predictor_free(predictor);
    }
    assert_same(NEW, mean[1], mean[0], 1e-8, "a mean");
    assert_same(NEW, variance[1], variance[0], 1e-8, "a variance");
    pair_free(&p);
}

/* ---- one transition ---- */

typedef struct setting {
    const char *name;
    tw_method method;
    tw_metric metric;
    bool from_ep;
    tw_form form;
    double beta;
} setting;

/* Where P chains are after one transition, from draws of EP's Gaussian: n x P numbers, then P densities. */
static void one_transition(const pair *p, size_t m, const setting *s, double *to)
{
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_target *target = NULL;
    tw_sampler *sampler = NULL;
    tw_record records[P];
    tw_move move = {.seed = 5, .first_chain = 0, .iteration = 1, .eps = 0.1, .steps = 5};
    o.method = s->method;
    o.metric = s->metric;
    o.gaussian = s->metric == TW_METRIC_EP ? p->ep[m]->reference : NULL;
    o.smoothing = p->ep[0]->variance;
    o.solver_tolerance = 1e-13;
    assert_int_equal(
        tw_target_new(p->model[m], s->from_ep ? p->ep[m]->reference : p->prior[m], s->form, &target), TW_OK);
    assert_int_equal(tw_target_set_temperature(target, s->beta), TW_OK);
    assert_int_equal(tw_sampler_new(target, &o, P, &sampler), TW_OK);
    assert_int_equal(tw_sampler_start(sampler, p->ep[m]->reference, 1.0, 9), TW_OK);
    tw_sampler_advance(sampler, &move, records);
    memcpy(to, tw_sampler_positions(sampler), N * P * sizeof *to);
    memcpy(to + N * P, tw_sampler_log_density(sampler), P * sizeof *to);
    for (size_t j = 0; j < P; j++) assert_true(records[j].accepted);
    tw_sampler_free(sampler);
    tw_target_free(target);
}

static void one_transition_leads_to_the_same_place(void **state)
{
    const setting settings[] = {
        {"hmc, prior", TW_METHOD_HMC, TW_METRIC_PRIOR, false, TW_FORM_OPEN, 1.0},
        {"hmc, identity", TW_METHOD_HMC, TW_METRIC_IDENTITY, false, TW_FORM_OPEN, 1.0},
        {"hmc, ep", TW_METHOD_HMC, TW_METRIC_EP, false, TW_FORM_OPEN, 1.0},
        {"hmc, ep, b = 0.4", TW_METHOD_HMC, TW_METRIC_EP, true, TW_FORM_OPEN, 0.4},
        {"slice, prior", TW_METHOD_SLICE, TW_METRIC_PRIOR, false, TW_FORM_OPEN, 1.0},
        {"slice, ep", TW_METHOD_SLICE, TW_METRIC_EP, false, TW_FORM_OPEN, 1.0},
        {"rmhmc, hessian", TW_METHOD_RMHMC, TW_METRIC_HESSIAN, false, TW_FORM_OPEN, 1.0},
        {"rmhmc, smoothed", TW_METHOD_RMHMC, TW_METRIC_SMOOTHED, false, TW_FORM_OPEN, 1.0},
        {"rmhmc, fisher", TW_METHOD_RMHMC, TW_METRIC_FISHER, false, TW_FORM_OPEN, 1.0},
        {"rmhmc, hessian, folded, b = 0.5", TW_METHOD_RMHMC, TW_METRIC_HESSIAN, true, TW_FORM_FOLDED, 0.5},
        {"rmhmc, hessian, open, b = 0.5", TW_METHOD_RMHMC, TW_METRIC_HESSIAN, true, TW_FORM_OPEN, 0.5},
    };
    pair p = pair_new("probit", state);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        double dense[(N + 1) * P], sparse[(N + 1) * P], largest = 0.0;
        one_transition(&p, 0, &settings[i], dense);
        one_transition(&p, 1, &settings[i], sparse);
        for (size_t k = 0; k < (N + 1) * P; k++) largest = fmax(largest, fabs(dense[k] - sparse[k]));
        print_message("%-32s largest difference %.1e\n", settings[i].name, largest);
        assert_true(largest <= 1e-8);
    }
    pair_free(&p);
}

/* ---- draws and evidence ---- */

static tw_summary *summarise_run(const pair *p, size_t m, tw_method method, tw_metric metric, uint64_t seed)
{
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_chains_options c = TW_CHAINS_DEFAULTS;
    tw_target *target = NULL;
    tw_sampler *sampler = NULL;
    tw_draws *draws = NULL;
    tw_chains_summary summary;
    tw_summary *rows = calloc(N, sizeof *rows);
    assert_non_null(rows);
    o.method = method;
    o.metric = metric;
    o.gaussian = metric == TW_METRIC_EP ? p->ep[m]->reference : NULL;
    o.smoothing = p->ep[m]->variance;
    o.threads = 2;
    c.warmup = method == TW_METHOD_RMHMC ? 150 : 300;
    c.draws = method == TW_METHOD_RMHMC ? 300 : 1000;
    c.seed = seed;
    assert_int_equal(tw_target_new(p->model[m], p->prior[m], TW_FORM_OPEN, &target), TW_OK);
    assert_int_equal(tw_sampler_new(target, &o, 4, &sampler), TW_OK);
    assert_int_equal(tw_sampler_start(sampler, p->ep[m]->reference, 1.5, seed), TW_OK);
    assert_int_equal(tw_chains_run(sampler, &c, &draws), TW_OK);
    assert_int_equal(tw_draws_summarise(draws, 2, rows, &summary), TW_OK);
    tw_draws_free(draws);
    tw_sampler_free(sampler);
    tw_target_free(target);
    return rows;
}

/* 60 means, each beyond 5 joint errors once in 1.7 million times: a false alarm is below 4e-5 a sampler. */
static void draws_are_those_of_the_same_posterior(void **state)
{
    const struct {
        tw_method method;
        tw_metric metric;
    } samplers[] = {{TW_METHOD_HMC, TW_METRIC_EP},
                    {TW_METHOD_SLICE, TW_METRIC_EP},
                    {TW_METHOD_RMHMC, TW_METRIC_SMOOTHED}};
    pair p = pair_new("probit", state);
    tw_summary *dense = summarise_run(&p, 0, TW_METHOD_HMC, TW_METRIC_EP, 1);
    for (size_t k = 0; k < 3; k++) {
        tw_summary *sparse = summarise_run(&p, 1, samplers[k].method, samplers[k].metric, 2 + k);
        double worst = 0.0;
        for (size_t i = 0; i < N; i++) {
            double error = hypot(dense[i].mcse_mean, sparse[i].mcse_mean);
            worst = fmax(worst, fabs(sparse[i].mean - dense[i].mean) / error);
            assert_true(sparse[i].rhat < 1.05 && sparse[i].ess_bulk > 100.0);
        }
        print_message("%s: means at most %.1f joint errors apart\n", tw_method_name(samplers[k].method),
                      worst);
        assert_true(worst < 5.0);
        free(sparse);
    }
    free(dense);
    pair_free(&p);
}

/* AIS with HMC and with RMHMC, from EP; the dense one with another seed. Beyond 4.5 joint errors once in 150,000 times. */
static void evidence_is_that_of_the_same_model(void **state)
{
    enum { STEPS = 12 };
    pair p = pair_new("probit", state);
    double beta[STEPS + 1];
    tw_estimate e[3];
    assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_LINEAR, STEPS, 0.0, beta), TW_OK);
    for (size_t k = 0; k < 3; k++) {
        size_t m = k == 0 ? 0 : 1;
        tw_ais_options o = TW_AIS_DEFAULTS;
        o.beta = beta;
        o.temperatures = STEPS;
        o.particles = k == 2 ? 64 : 256;
        o.seed = 10 + k;
        o.kernel.method = k == 2 ? TW_METHOD_RMHMC : TW_METHOD_HMC;
        o.kernel.metric = k == 2 ? TW_METRIC_HESSIAN : TW_METRIC_EP;
        o.kernel.gaussian = p.ep[m]->reference;
        o.kernel.threads = 2;
        tw_status status = tw_ais_run(p.model[m], p.ep[m]->reference, &o, NULL, NULL, NULL, &e[k]);
        if (status != TW_OK) print_message("%s\n", tw_context_message(p.ctx));
        assert_int_equal(status, TW_OK);
        print_message("log Z %.4f +- %.4f\n", e[k].log_z, e[k].se);
        assert_true(e[k].se < 0.1);
        assert_true(fabs(e[k].log_z - e[0].log_z) <= 4.5 * hypot(e[k].se, e[0].se));
    }
    pair_free(&p);
}

/* ---- what a kind leaves out, and what it saves ---- */

static void what_a_kind_lacks_is_refused_with_words(void **state)
{
    static double k[N * N];
    pair p = pair_new("probit", state);
    double mean[N] = {0.0};
    const size_t index[2] = {0, 1};
    tw_reference *q = NULL;
    tw_gaussian *part = NULL;
    tw_approximation *ep = NULL;
    tw_ep_options options = TW_EP_DEFAULTS;
    ar1_kernel(N, phi, sd, k);
    assert_int_equal(tw_reference_gaussian(p.model[1], mean, k, N, &q), TW_BAD_ARGUMENT);
    assert_null(q);
    assert_non_null(strstr(tw_context_message(p.ctx), "cannot be mixed"));
    options.method = TW_EP_SEQUENTIAL;
    assert_int_equal(tw_ep_fit(p.model[1], &options, &ep), TW_BAD_ARGUMENT);
    assert_null(ep);
    assert_non_null(strstr(tw_context_message(p.ctx), "does not support sequential sweeps"));
    assert_int_equal(tw_gaussian_marginal(p.model[1]->prior, 2, index, &part), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(p.ctx), "an autoregressive Gaussian"));
    pair_free(&p);
}

/* 20,000 sites: an n x n array alone would be 3.2 GB. Laplace, EP and a transition of each sampler in O(n) memory. */
static void nothing_anywhere_is_n_by_n(void **state)
{
    (void)state;
    enum { MANY = 20000, VECTORS = 200 };
    tw_context *ctx = new_context();
    double *y = malloc(MANY * sizeof *y);
    tw_model *model = NULL;
    tw_approximation *ep = NULL, *laplace = NULL;
    tw_target *target = NULL;
    assert_non_null(y);
    make_labels(MANY, y);
    assert_int_equal(tw_model_from_gaussian(ar1_new(ctx, MANY, phi, sd),
                                            OBSERVED(tw_likelihood_find("probit"), MANY, y, NULL), &model),
                     TW_OK);
    assert_int_equal(tw_laplace_fit(model, NULL, &laplace), TW_OK);
    assert_int_equal(tw_ep_fit(model, NULL, &ep), TW_OK);
    assert_true(ep->converged && laplace->converged);
    assert_int_equal(tw_target_new(model, ep->reference, TW_FORM_FOLDED, &target), TW_OK);
    assert_int_equal(tw_target_set_temperature(target, 0.7), TW_OK);
    for (tw_method method = 0; method < TW_METHOD_COUNT; method++) {
        tw_sampler_options o = TW_SAMPLER_DEFAULTS;
        tw_sampler *sampler = NULL;
        tw_record record;
        tw_move move = {.seed = 1, .iteration = 1, .eps = 0.02, .steps = 2};
        o.method = method;
        o.metric = method == TW_METHOD_RMHMC ? TW_METRIC_HESSIAN : TW_METRIC_PRIOR;
        bool possible = !tw_method_row_of(method)->dense;
        assert_int_equal(tw_sampler_new(target, &o, 1, &sampler), possible ? TW_OK : TW_BAD_ARGUMENT);
        if (!possible) continue;
        assert_int_equal(tw_sampler_start(sampler, ep->reference, 1.0, 3), TW_OK);
        tw_sampler_advance(sampler, &move, &record);
        assert_true(record.accepted);
        tw_sampler_free(sampler);
    }
    print_message("at most %.0f numbers a site\n", (double)tw_context_bytes_peak(ctx) / (8.0 * MANY));
    assert_in_range(tw_context_bytes_peak(ctx), 1, (size_t)VECTORS * MANY * sizeof(double));
    tw_target_free(target);
    tw_approximation_free(ep);
    tw_approximation_free(laplace);
    tw_model_free(model);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(approximations_are_the_same, &ar1_prior),
        cmocka_unit_test_prestate(approximations_are_the_same, &lattice_prior),
        cmocka_unit_test_prestate(predictions_are_the_same, &ar1_prior),
        cmocka_unit_test_prestate(one_transition_leads_to_the_same_place, &ar1_prior),
        cmocka_unit_test_prestate(one_transition_leads_to_the_same_place, &lattice_prior),
        cmocka_unit_test_prestate(draws_are_those_of_the_same_posterior, &ar1_prior),
        cmocka_unit_test_prestate(draws_are_those_of_the_same_posterior, &lattice_prior),
        cmocka_unit_test_prestate(evidence_is_that_of_the_same_model, &ar1_prior),
        cmocka_unit_test_prestate(evidence_is_that_of_the_same_model, &lattice_prior),
        cmocka_unit_test_prestate(what_a_kind_lacks_is_refused_with_words, &ar1_prior),
        cmocka_unit_test(nothing_anywhere_is_n_by_n),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
