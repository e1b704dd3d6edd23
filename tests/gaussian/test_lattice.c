/* A Matern field on a lattice of 20 x 25 cells with Poisson counts, with a sparse precision and with dense
 * covariances: one step of RMHMC, draws, and log Z from EP and from the prior. */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gaussian/sparse.h"
#include "model/model.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/sparse_case.h"
#include "support/support.h"
#include "talweg/approximate.h"
#include "talweg/chains.h"
#include "talweg/evidence.h"

enum { ROWS = 20, COLUMNS = 25, N = ROWS * COLUMNS, CHAINS = 8, DENSE = 0, SPARSE = 1, TEMPERATURES = 24 };

typedef struct lattice {
    tw_context *ctx;
    double y[N];
    tw_model *model[2];
    tw_approximation *ep[2];
    tw_reference *prior[2];
} lattice;

/* Variances of about a half. */
static tw_sparse *precision(tw_context *ctx)
{
    tw_sparse *q = lattice_precision(ctx, ROWS, COLUMNS, 0.3);
    for (size_t e = 0; e < q->start[N]; e++) q->value[e] *= 0.5;
    return q;
}

static double *covariances(const tw_sparse *q)
{
    double *k = full_matrix(q);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', N, k, N), 0);
    assert_int_equal(LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', N, k, N), 0);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < j; i++) k[i + j * N] = k[j + i * N];
    return k;
}

static lattice lattice_new(void)
{
    lattice l = {.ctx = new_context()};
    tw_sparse *q = precision(l.ctx);
    tw_gaussian *g = NULL;
    double *k = covariances(q);
    const tw_likelihood *poisson = tw_likelihood_find("poisson");
    tw_ep_options tight = TW_EP_DEFAULTS;
    tight.site_tolerance = 1e-11;
    for (size_t i = 0; i < N; i++) l.y[i] = (double)((i * i + i / COLUMNS) % 5);
    assert_int_equal(tw_model_new(l.ctx, k, N, OBSERVED(poisson, N, l.y, NULL), 0.0, &l.model[DENSE]), TW_OK);
    assert_int_equal(tw_gaussian_sparse_new(l.ctx, q, NULL, NULL, TW_ELIMINATION_BACKWARDS, &g), TW_OK);
    assert_int_equal(tw_model_from_gaussian(g, OBSERVED(poisson, N, l.y, NULL), &l.model[SPARSE]), TW_OK);
    for (size_t m = 0; m < 2; m++) {
        assert_int_equal(tw_ep_fit(l.model[m], &tight, &l.ep[m]), TW_OK);
        assert_int_equal(tw_reference_prior(l.model[m], &l.prior[m]), TW_OK);
    }
    free(k);
    tw_sparse_free(q);
    return l;
}

static void lattice_free(lattice *l)
{
    for (size_t m = 0; m < 2; m++) {
        tw_reference_free(l->prior[m]);
        tw_approximation_free(l->ep[m]);
        tw_model_free(l->model[m]);
    }
    assert_int_equal(tw_context_bytes_in_use(l->ctx), 0);
    tw_context_free(l->ctx);
}

static tw_sampler *sampler_of(const lattice *l, size_t m, const tw_sampler_options *options, size_t columns,
                              tw_target **target)
{
    tw_sampler *sampler = NULL;
    tw_sampler_options o = *options;
    o.gaussian = l->ep[m]->reference;
    o.solver_tolerance = 1e-13;
    assert_int_equal(tw_target_new(l->model[m], l->prior[m], TW_FORM_OPEN, target), TW_OK);
    assert_int_equal(tw_sampler_new(*target, &o, columns, &sampler), TW_OK);
    return sampler;
}

/* ---- a step ---- */

/* From the last variable to the first a sparse factor has the coordinates of the dense one, so that both draw the same momenta. */
static void one_step_of_rmhmc_leads_to_the_same_place(void **state)
{
    const lattice *l = *state;
    double x[2][N], largest = 0.0;
    for (size_t m = 0; m < 2; m++) {
        tw_target *target = NULL;
        tw_record record;
        tw_sampler_options o = TW_SAMPLER_DEFAULTS;
        tw_move move = {.seed = 5, .iteration = 1, .eps = 0.1, .steps = 1};
        o.method = TW_METHOD_RMHMC;
        o.metric = TW_METRIC_HESSIAN;
        tw_sampler *sampler = sampler_of(l, m, &o, 1, &target);
        assert_int_equal(tw_sampler_set_positions(sampler, l->ep[DENSE]->mean), TW_OK);
        tw_sampler_advance(sampler, &move, &record);
        assert_true(record.accepted);
        memcpy(x[m], tw_sampler_positions(sampler), sizeof x[m]);
        tw_sampler_free(sampler);
        tw_target_free(target);
    }
    for (size_t i = 0; i < N; i++) largest = fmax(largest, fabs(x[SPARSE][i] - x[DENSE][i]));
    print_message("one step of RMHMC: at most %.1e apart\n", largest);
    assert_true(largest <= 1e-8);
}

/* ---- draws ---- */

static tw_summary *summarise_draws(const lattice *l, size_t m, tw_drift drift, uint64_t seed)
{
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_chains_options c = TW_CHAINS_DEFAULTS;
    tw_target *target = NULL;
    tw_draws *draws = NULL;
    tw_chains_summary summary;
    tw_summary *rows = calloc(N, sizeof *rows);
    assert_non_null(rows);
    o.metric = TW_METRIC_EP;
    o.drift = drift;
    c.warmup = 60;
    c.draws = 100;
    c.seed = seed;
    tw_sampler *sampler = sampler_of(l, m, &o, CHAINS, &target);
    assert_int_equal(tw_sampler_start(sampler, l->ep[m]->reference, 1.0, seed), TW_OK);
    assert_int_equal(tw_chains_run(sampler, &c, &draws), TW_OK);
    assert_int_equal(tw_draws_summarise(draws, 1, rows, &summary), TW_OK);
    print_message("%zu steps of %.3f, acceptance %.2f, ESS of the worst latent %.0f\n", draws->tuning.steps,
                  draws->tuning.eps, summary.acceptance, summary.ess_min);
    if (drift == TW_DRIFT_TURN) { /* a quarter of the orbit */
        assert_close((double)draws->tuning.steps * draws->tuning.eps, acos(0.0), 1e-12, "the length");
        assert_false(draws->tuning.jittered);
    }
    assert_true(summary.acceptance > 0.6 && summary.ess_min > 60.0);
    tw_draws_free(draws);
    tw_sampler_free(sampler);
    tw_target_free(target);
    return rows;
}

/* 500 means and 500 logarithms of standard deviations, each beyond 5.5 joint errors once in 26 million times: a false alarm is
 * below 1e-4, with errors that are themselves estimates of some hundred effective draws. */
static void draws_have_the_same_means_and_spreads(void **state)
{
    const lattice *l = *state;
    double mean = 0.0, spread = 0.0;
    tw_summary *dense = summarise_draws(l, DENSE, TW_DRIFT_STRAIGHT, 1);
    tw_summary *sparse = summarise_draws(l, SPARSE, TW_DRIFT_TURN, 2);
    for (size_t i = 0; i < N; i++) {
        double error = hypot(dense[i].mcse_mean, sparse[i].mcse_mean);
        double of_log_sd = sqrt(0.5 / dense[i].ess_fold + 0.5 / sparse[i].ess_fold);
        mean = fmax(mean, fabs(sparse[i].mean - dense[i].mean) / error);
        spread = fmax(spread, fabs(log(sparse[i].sd / dense[i].sd)) / of_log_sd);
    }
    print_message("means at most %.1f joint errors apart, spreads %.1f\n", mean, spread);
    assert_true(mean < 5.5 && spread < 5.5);
    free(dense);
    free(sparse);
}

/* ---- log Z ---- */

static tw_estimate anneal_from_ep(const lattice *l, size_t m, uint64_t seed)
{
    tw_ais_options o = TW_AIS_DEFAULTS;
    tw_estimate e;
    o.temperatures = 8;
    o.particles = 64;
    o.seed = seed;
    o.kernel.metric = TW_METRIC_EP;
    o.kernel.gaussian = l->ep[m]->reference;
    assert_int_equal(tw_ais_run(l->model[m], l->ep[m]->reference, &o, NULL, NULL, NULL, &e), TW_OK);
    return e;
}

static tw_estimate temper_from_prior(const lattice *l)
{
    tw_pt_options o = TW_PT_DEFAULTS;
    tw_estimate e[2];
    double beta[TEMPERATURES + 1];
    assert_int_equal(tw_schedule_fill(l->ctx, TW_SCHEDULE_GEOMETRIC, TEMPERATURES, 5e-3, beta), TW_OK);
    o.beta = beta;
    o.temperatures = TEMPERATURES;
    o.tune_ladder = true;
    o.copies = 4;
    o.warmup = 20;
    o.rounds = 40;
    o.patience = 1;
    assert_int_equal(tw_pt_run(l->model[SPARSE], l->prior[SPARSE], &o, NULL, NULL, e, NULL), TW_OK);
    return e[0];
}

/* Each beyond 5 joint errors once in 1.7 million times; errors from so few copies and particles are rough, so that they
 * get a tenth of a nat besides. From the prior log Z is 200 nats away. */
static void evidence_from_the_prior_is_that_from_ep(void **state)
{
    const lattice *l = *state;
    const char *const name[] = {"dense, AIS from EP", "sparse, AIS from EP",
                                "sparse, tempering from the prior"};
    const tw_estimate e[] = {anneal_from_ep(l, DENSE, 3), anneal_from_ep(l, SPARSE, 4), temper_from_prior(l)};
    for (size_t k = 0; k < 3; k++) {
        print_message("%-34s %.3f +- %.3f\n", name[k], e[k].log_z, e[k].se);
        assert_true(e[k].se < 2.0);
        assert_true(fabs(e[k].log_z - e[0].log_z) <= 0.1 + 5.0 * hypot(e[k].se, e[0].se));
    }
}

/* One lattice for all tests. */
static int begin(void **state)
{
    static lattice l;
    l = lattice_new();
    *state = &l;
    return 0;
}

static int end(void **state)
{
    lattice_free(*state);
    return 0;
}

int main(void)
{
    if (!tw_sparse_orderings()) {
        print_message("skipped: this build orders no sparse matrices\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_of_rmhmc_leads_to_the_same_place),
        cmocka_unit_test(draws_have_the_same_means_and_spreads),
        cmocka_unit_test(evidence_from_the_prior_is_that_from_ep),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
