/* One transition: the Metropolis rule to the bit, random numbers that depend on chain and iteration, and no
 * stale values after acceptances and rejections. */
#include <math.h>
#include <string.h>

#include "math/random.h"
#include "sample/sampler.h"
#include "support/gp_case.h"
#include "support/support.h"

enum { N = 4, P = 2 * TW_TILE_COLUMNS + 3, BEFORE = 6 };

/* Accepted where the uniform of the chain's and the iteration's own stream is below exp(-error); what is no number never
 * is. */
static void metropolis_follows_its_rule(void **state)
{
    (void)state;
    const double errors[] = {-3.0, -1e-3, 0.0, 0.3, 0.7, 2.0, 5.0, 1001.0, INFINITY, NAN};
    for (uint64_t iteration = 0; iteration < 40; iteration++)
        for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
            tw_move move = {.seed = 5, .iteration = iteration, .first_chain = 100};
            tw_record record = {0};
            size_t column = iteration % 3;
            tw_stream stream = tw_stream_at(5, TW_STREAM_ACCEPT, 100 + column, iteration);
            double rate = isnan(errors[i]) ? 0.0 : fmin(1.0, exp(-errors[i])), u = tw_stream_uniform(&stream);
            assert_true(tw_metropolis(&move, column, 2.0, 2.0 + errors[i], &record) == (u < rate));
            assert_true(record.accepted == (u < rate));
            assert_close(record.acceptance_rate, rate, 1e-14, "acceptance rate");
            assert_true(record.energy_divergence == !(errors[i] <= 1000.0));
            assert_close(record.energy, 2.0, 0.0, "energy");
        }
}

/* ---- samplers */

typedef struct kind {
    const char *name;
    tw_method method;
    tw_metric metric;
    gp_form form;
    double eps; /* so long that many trajectories are rejected */
    size_t steps;
} kind;

static const kind kinds[] = {
    {"hmc/prior", TW_METHOD_HMC, TW_METRIC_PRIOR, GP_OPEN, 0.65, 3},
    {"hmc/identity", TW_METHOD_HMC, TW_METRIC_IDENTITY, GP_OPEN, 1.3, 3},
    {"hmc/ep", TW_METHOD_HMC, TW_METRIC_EP, GP_OPEN, 1.6, 3},
    {"hmc/folded", TW_METHOD_HMC, TW_METRIC_PRIOR, GP_FOLDED, 1.3, 3},
    {"slice/prior", TW_METHOD_SLICE, TW_METRIC_PRIOR, GP_OPEN, 0.0, 0},
    {"slice/ep", TW_METHOD_SLICE, TW_METRIC_EP, GP_OPEN, 0.0, 0},
    {"rmhmc/open", TW_METHOD_RMHMC, TW_METRIC_HESSIAN, GP_OPEN, 1.2, 2},
    {"rmhmc/folded", TW_METHOD_RMHMC, TW_METRIC_HESSIAN, GP_FOLDED, 1.3, 2},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static gp_case make_case(const kind *k)
{
    gp_setting setting = {.n = N, .seed = 11, .cond = 20, .scale = 2, .form = k->form, .beta = 0.6};
    return gp_case_new(&setting);
}

static tw_sampler *make_sampler(const gp_case *gp, const kind *k, const double *x)
{
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_sampler *s = NULL;
    o.method = k->method;
    o.metric = k->metric;
    o.gaussian = gp->reference;
    assert_int_equal(tw_sampler_new(gp->target, &o, P, &s), TW_OK);
    assert_int_equal(tw_sampler_set_positions(s, x), TW_OK);
    return s;
}

static void advance(tw_sampler *s, const kind *k, uint64_t seed, uint64_t iteration, uint64_t first_chain,
                    tw_record *records)
{
    tw_move move = {k->eps, k->steps, seed, iteration, first_chain};
    tw_sampler_advance(s, &move, records);
}

static bool same_place(const double *a, const double *b)
{
    for (size_t i = 0; i < N; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/* Columns that all start at one place. Column j of a run from chain c on is column 0 of one from chain c + j on; other
 * chains, iterations and seeds lead elsewhere. */
static void each_chain_and_iteration_has_its_own_numbers(void **state)
{
    (void)state;
    static double x[N * P], first[N * P];
    static tw_record records[P];
    test_random random = {3};
    for (size_t i = 0; i < N; i++) x[i] = 0.5 * test_normal(&random);
    for (size_t j = 1; j < P; j++) memcpy(x + j * N, x, N * sizeof *x);
    for (size_t i = 0; i < KINDS; i++) {
        kind k = kinds[i];
        k.eps *= 0.3; /* so that hardly any is rejected */
        gp_case gp = make_case(&k);
        tw_sampler *s = make_sampler(&gp, &k, x);
        advance(s, &k, 1, 9, 20, records);
        memcpy(first, tw_sampler_positions(s), sizeof first);
        size_t equal = 0, moved = 0;
        for (size_t j = 1; j < P; j++) equal += same_place(first, first + j * N);
        for (size_t j = 0; j < P; j++) moved += records[j].accepted;
        assert_true(equal == 0 && moved > P / 2);
        for (size_t j = 1; j < P; j += TW_TILE_COLUMNS) {
            assert_int_equal(tw_sampler_set_positions(s, x), TW_OK);
            advance(s, &k, 1, 9, 20 + j, records);
            for (size_t c = 0; c < N; c++)
                assert_close(tw_sampler_positions(s)[c], first[c + j * N], 1e-12, k.name);
        }
        for (uint64_t other = 0; other < 2; other++) {
            assert_int_equal(tw_sampler_set_positions(s, x), TW_OK);
            advance(s, &k, other ? 2 : 1, other ? 9 : 10, 20, records);
            assert_false(same_place(tw_sampler_positions(s), first));
        }
        tw_sampler_free(s);
        gp_case_free(&gp);
    }
}

static void assert_densities(const gp_case *gp, tw_sampler *s, const tw_record *records, const char *name)
{
    static double v[N * P], again[N * P];
    double density[P], likelihood[P];
    tw_target_whiten(gp->target, P, tw_sampler_positions(s), v);
    tw_target_evaluate(gp->target, P, v,
                       &(tw_evaluation){.x = again, .log_density = density, .log_likelihood = likelihood});
    for (size_t j = 0; j < P; j++) {
        assert_close(tw_sampler_log_density(s)[j], density[j], 1e-9, name);
        assert_close(tw_sampler_log_likelihood(s)[j], likelihood[j], 1e-9, name);
        assert_close(records[j].log_density, density[j], 1e-9, name);
    }
}

/* After some transitions a sampler says of its columns what is true of them, and goes on as a new one would that is put
 * in their places: positions, gradients and levels all belong together. */
static void nothing_is_stale(void **state)
{
    (void)state;
    static double x[N * P];
    static tw_record records[P], others[P];
    test_random random = {4};
    test_normals(&random, N * P, x);
    for (size_t i = 0; i < KINDS; i++) {
        const kind *k = &kinds[i];
        gp_case gp = make_case(k);
        tw_sampler *s = make_sampler(&gp, k, x);
        size_t accepted = 0;
        for (uint64_t t = 0; t < BEFORE; t++) {
            advance(s, k, 1, t, 0, records);
            for (size_t j = 0; j < P; j++) accepted += records[j].accepted;
            assert_densities(&gp, s, records, k->name);
        }
        print_message("%-14s %zu of %d accepted\n", k->name, accepted, BEFORE * P);
        if (k->method == TW_METHOD_SLICE)
            assert_int_equal(accepted, BEFORE * P); /* the bracket shrinks towards where it started */
        else
            assert_true(accepted > P && accepted < (BEFORE - 1) * P);
        tw_sampler *fresh = make_sampler(&gp, k, tw_sampler_positions(s));
        advance(s, k, 1, BEFORE, 0, records);
        advance(fresh, k, 1, BEFORE, 0, others);
        for (size_t j = 0; j < P; j++) assert_int_equal(records[j].accepted, others[j].accepted);
        for (size_t c = 0; c < N * P; c++)
            assert_close(tw_sampler_positions(s)[c], tw_sampler_positions(fresh)[c], 1e-8, k->name);
        tw_sampler_free(fresh);
        tw_sampler_free(s);
        gp_case_free(&gp);
    }
}

/* Implicit equations that get one iteration are not solved: no column moves, and each says why. */
static void a_trajectory_that_failed_is_rejected(void **state)
{
    (void)state;
    static double x[N * P];
    static tw_record records[P];
    test_random random = {5};
    test_normals(&random, N * P, x);
    const kind *k = &kinds[KINDS - 1];
    gp_case gp = make_case(k);
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_sampler *s = NULL;
    o.method = TW_METHOD_RMHMC;
    o.metric = TW_METRIC_HESSIAN;
    o.solver_cap = 1;
    assert_int_equal(tw_sampler_new(gp.target, &o, P, &s), TW_OK);
    assert_int_equal(tw_sampler_set_positions(s, x), TW_OK);
    advance(s, k, 1, 0, 0, records);
    for (size_t j = 0; j < P; j++) {
        assert_true(records[j].implicit_failure && !records[j].accepted && !records[j].factorisation);
        assert_true(records[j].acceptance_rate == 0.0 && isnan(records[j].energy_error));
    }
    assert_densities(&gp, s, records, "unmoved");
    for (size_t i = 0; i < N * P; i++) assert_close(tw_sampler_positions(s)[i], x[i], 1e-12, "x");
    tw_sampler_free(s);
    gp_case_free(&gp);
}

/* How many of P trajectories are accepted, and how many found to have no way back, with implicit equations solved to a
 * twentieth only. */
static void count_crude(double reverse_check, size_t cap, size_t *accepted, size_t *irreversible)
{
    static double x[N * P];
    static tw_record records[P];
    test_random random = {6};
    test_normals(&random, N * P, x);
    kind k = kinds[KINDS - 1];
    gp_case gp = make_case(&k);
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_sampler *s = NULL;
    k.eps = 0.8;
    o.method = TW_METHOD_RMHMC;
    o.metric = TW_METRIC_HESSIAN;
    o.solver_tolerance = 0.05;
    o.solver_cap = cap;
    o.reverse_check = reverse_check;
    assert_int_equal(tw_sampler_new(gp.target, &o, P, &s), TW_OK);
    assert_int_equal(tw_sampler_set_positions(s, x), TW_OK);
    advance(s, &k, 1, 0, 0, records);
    assert_densities(&gp, s, records, "crude");
    *accepted = *irreversible = 0;
    for (size_t j = 0; j < P; j++) {
        bool stays = fabs(tw_sampler_positions(s)[j * N] - x[j * N]) < 1e-12;
        assert_true(stays == !records[j].accepted);
        assert_false(records[j].irreversible && (records[j].accepted || records[j].acceptance_rate > 0.0));
        *accepted += records[j].accepted;
        *irreversible += records[j].irreversible;
    }
    print_message("looked at %g, cap %zu: %zu accepted, %zu irreversible\n", reverse_check, cap, *accepted,
                  *irreversible);
    tw_sampler_free(s);
    gp_case_free(&gp);
}

/* Then no way leads back to 1e-5. All accepted ones are found out where all are looked at, a half where a half is, none
 * where none is but for those whose solves came near the cap. */
static void a_way_that_does_not_lead_back_is_found_out(void **state)
{
    (void)state;
    size_t accepted, irreversible;
    count_crude(1.0, 50, &accepted, &irreversible);
    assert_true(accepted == 0 && irreversible > P / 2);
    count_crude(0.5, 50, &accepted, &irreversible);
    assert_true(accepted > P / 5 && irreversible > P / 5);
    count_crude(0.0, 50, &accepted, &irreversible);
    assert_true(accepted > P / 2 && irreversible == 0);
    count_crude(0.0, 2, &accepted, &irreversible);
    assert_true(irreversible > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metropolis_follows_its_rule),
        cmocka_unit_test(each_chain_and_iteration_has_its_own_numbers),
        cmocka_unit_test(nothing_is_stale),
        cmocka_unit_test(a_trajectory_that_failed_is_rejected),
        cmocka_unit_test(a_way_that_does_not_lead_back_is_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
