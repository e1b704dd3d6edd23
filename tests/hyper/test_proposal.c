/* The proposal of theta and what it learns from weighted points: t densities, moments, clusters, shares. No error here would
 * change an estimate, only its cost, so that no test of estimates finds one. */
#include <math.h>
#include <string.h>

#include "hyper/clusters.h"
#include "hyper/mixture.h"
#include "math/normal.h"
#include "support/support.h"

static const tw_parameter parameter = {.name = "ell", .transform = TW_TRANSFORM_LOG, .initial = 1.0};
static const tw_prior broad = {.family = TW_PRIOR_NORMAL, .of_log = true, .a = {0.0, 3.0}};

/* A t distribution of one or two numbers, without correlation. */
static tw_proposal *proposal_of(tw_context *ctx, size_t d, double df, const double *mean, const double *sd)
{
    tw_proposal *p = NULL;
    assert_int_equal(tw_proposal_new(ctx, d, df, &p), TW_OK);
    memcpy(p->mean, mean, d * sizeof *mean);
    assert_int_equal(tw_proposal_spread(p, sd), TW_OK);
    return p;
}

static void leave(tw_context *ctx)
{
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* Gamma(3.5) / (Gamma(2.5) 5 pi |C|^1/2) (1 + q/5)^-3.5 for df = 5 and d = 2; s times as wide, it is that of the point s
 * times nearer, divided by s^2. */
static void densities_are_those_of_t(void **state)
{
    (void)state;
    const double mean[2] = {1.0, -2.0}, sd[2] = {0.5, 3.0}, theta[2] = {1.7, 0.4}, s = 2.5;
    const double q = pow(0.7 / 0.5, 2.0) + pow(2.4 / 3.0, 2.0), far[2] = {1.0 + 0.7 * s, -2.0 + 2.4 * s};
    tw_context *ctx = new_context();
    tw_proposal *p = proposal_of(ctx, 2, 5.0, mean, sd), *wide = NULL;
    double exact = log(2.5 / (5.0 * acos(-1.0) * 1.5)) - 3.5 * log1p(q / 5.0);
    assert_close(tw_proposal_log_density(p, theta), exact, 1e-13, "a density");
    assert_int_equal(tw_proposal_scaled(p, s, &wide), TW_OK);
    assert_close(tw_proposal_log_density(wide, far), exact - 2.0 * log(s), 1e-13, "a wider one");
    tw_proposal_free(wide);
    tw_proposal_free(p);
    leave(ctx);
}

/* Points 0, 1, 4 with weights 3, 2, 1 have the mean 1, the variance 2 and the effective number 36/14; with k old points of
 * variance 9, and wider by 1 + 3/E = 13/6. */
static void moments_are_those_of_weighted_points(void **state)
{
    (void)state;
    const double theta[3] = {0.0, 1.0, 4.0}, weight[3] = {3.0, 2.0, 1.0}, old_mean = 5.0, old_sd = 3.0;
    const double e = 36.0 / 14.0, none[3] = {0.0, 0.0, 0.0};
    const tw_weighed points = {3, theta, weight, NULL}, weightless = {3, theta, none, NULL};
    tw_context *ctx = new_context();
    tw_proposal *old = proposal_of(ctx, 1, 4.0, &old_mean, &old_sd), *learned = NULL;
    for (int widen = 0; widen < 2; widen++) {
        double wider = widen ? 1.0 + 3.0 / e : 1.0;
        assert_int_equal(tw_proposal_learn(old, &points, 0.5, widen, &learned), TW_OK);
        assert_close(learned->mean[0], 1.0, 1e-15, "mean");
        assert_close(learned->shape->variance[0], wider * (e * 2.0 + 0.5 * 9.0) / (e + 0.5), 1e-13,
                     "variance");
        tw_proposal_free(learned);
    }
    assert_int_equal(tw_proposal_learn(old, &weightless, 0.5, false, &learned), TW_OK);
    assert_null(learned);
    tw_proposal_free(old);
    leave(ctx);
}

/* Sixteen points in three groups about 0, 10 and 30, in turns and with different weights. */
static void groups_apart_are_clusters(void **state)
{
    (void)state;
    enum { POINTS = 16 };
    static const double centre[3] = {0.0, 10.0, 30.0}, zero = 0.0, one = 1.0;
    double theta[POINTS], weight[POINTS];
    size_t number[POINTS];
    for (size_t i = 0; i < POINTS; i++) {
        theta[i] = centre[i % 3] + 0.3 * floor((double)i / 3.0) - 0.7;
        weight[i] = 1.0 + (double)(7 * i % 5);
    }
    const tw_weighed points = {POINTS, theta, weight, NULL};
    tw_context *ctx = new_context();
    tw_proposal *whole = proposal_of(ctx, 1, 4.0, &zero, &one);
    assert_int_equal(tw_clusters_find(whole, &points, 3, number), TW_OK);
    for (size_t i = 0; i < POINTS; i++) {
        assert_true(number[i] < 3);
        for (size_t j = 0; j < i; j++) assert_true((number[i] == number[j]) == (i % 3 == j % 3));
    }
    tw_proposal_free(whole);
    leave(ctx);
}

/* ---- mixtures ---- */

/* A prior with the share 1/32 and one t distribution. */
static tw_mixture *mixture_of(tw_context *ctx, const tw_prior *prior, size_t clusters, double mean, double sd)
{
    tw_mixture *m = NULL;
    assert_int_equal(tw_mixture_new(ctx, 1, &m), TW_OK);
    m->prior[0] = prior;
    m->parameter[0] = &parameter;
    m->clusters = clusters;
    m->component[0] = proposal_of(ctx, 1, 4.0, &mean, &sd);
    m->components = 1;
    m->share[0] = 1.0 / 32.0;
    m->share[1] = 31.0 / 32.0;
    return m;
}

/* The share of the prior learned from points in a narrow place about its median, to which it is nothing. */
static double least_share(const tw_prior *prior, size_t clusters)
{
    enum { POINTS = 32 };
    double theta[POINTS], weight[POINTS], log_density[POINTS],
        middle = tw_prior_quantile(prior, &parameter, 0.5);
    const tw_weighed points = {POINTS, theta, weight, log_density};
    tw_context *ctx = new_context();
    tw_mixture *old = mixture_of(ctx, prior, clusters, middle, 0.01), *learned = NULL;
    for (size_t s = 0; s < POINTS; s++) {
        theta[s] = middle + 0.01 * tw_normal_quantile(((double)s + 0.5) / POINTS);
        weight[s] = 1.0;
        log_density[s] = 0.0;
    }
    assert_int_equal(tw_mixture_learn(old, &points, 0.0, &learned), TW_OK);
    double share = learned->share[0], sum = 0.0;
    for (size_t c = 0; c <= learned->components; c++) sum += learned->share[c];
    assert_close(sum, 1.0, 1e-14, "all shares");
    tw_mixture_free(learned);
    tw_mixture_free(old);
    leave(ctx);
    return share;
}

/* At least a quarter is drawn from a prior one of whose tails is heavy, either side: log of a gamma variable of shape 0.3
 * downwards, of its inverse upwards, Student's t both. */
static void heavy_priors_keep_a_quarter(void **state)
{
    (void)state;
    static const struct {
        tw_prior prior;
        bool heavy;
    } cases[] = {{{.family = TW_PRIOR_NORMAL, .of_log = true, .a = {0.5, 2.0}}, false},
                 {{.family = TW_PRIOR_STUDENT_T, .of_log = true, .a = {3.0, 0.0, 1.0}}, true},
                 {{.family = TW_PRIOR_STUDENT_T, .of_log = true, .a = {30.0, 0.0, 1.0}}, false},
                 {{.family = TW_PRIOR_GAMMA, .a = {0.3, 1.0}}, true},
                 {{.family = TW_PRIOR_INV_GAMMA, .a = {0.3, 1.0}}, true},
                 {{.family = TW_PRIOR_GAMMA, .a = {3.0, 1.0}}, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_true(least_share(&cases[k].prior, 0) == (cases[k].heavy ? 1.0 / 4.0 : 1.0 / 32.0));
        assert_true(least_share(&cases[k].prior, 4) == (cases[k].heavy ? 1.0 / 4.0 : 1.0 / 16.0));
    }
}

/* A grid of points, drawn with the density 1/16, of lobes about -3 and, if there are two, 3, of the standard deviation 0.3;
 * every second point, if `idle`, is one more without weight. */
static tw_mixture *learn_lobes(tw_context *ctx, size_t lobes, bool idle)
{
    enum { GRID = 320 };
    static double theta[2 * GRID], weight[2 * GRID], log_density[2 * GRID];
    size_t count = 0;
    tw_mixture *old = mixture_of(ctx, &broad, 4, 0.0, 3.0), *learned = NULL;
    for (size_t s = 0; s < GRID; s++) {
        double at = -8.0 + 0.05 * ((double)(s * 77 % GRID) + 0.5);
        theta[count] = at;
        log_density[count] = -log(16.0);
        weight[count++] = exp(-0.5 * pow((at + 3.0) / 0.3, 2.0)) +
                          (lobes == 2 ? 0.5 * exp(-0.5 * pow((at - 3.0) / 0.3, 2.0)) : 0.0);
        if (!idle) continue;
        theta[count] = -at;
        log_density[count] = -log(16.0);
        weight[count++] = 0.0;
    }
    const tw_weighed points = {count, theta, weight, log_density};
    assert_int_equal(tw_mixture_learn(old, &points, 0.0, &learned), TW_OK);
    tw_mixture_free(old);
    return learned;
}

/* One lobe is learned as a cluster, and two as two: g is within a factor of two of each lobe in its middle. Points
 * without weight change nothing. */
static void lobes_have_components_of_their_own(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    for (size_t lobes = 1; lobes <= 2; lobes++) {
        tw_mixture *m = learn_lobes(ctx, lobes, false), *same = learn_lobes(ctx, lobes, true);
        assert_int_equal(m->components, 1 + lobes);
        assert_int_equal(same->components, 1 + lobes);
        for (double theta = -8.0; theta < 8.0; theta += 0.37)
            assert_close(tw_mixture_log_density(same, &theta), tw_mixture_log_density(m, &theta), 1e-9,
                         "the same");
        for (size_t c = 0; c < lobes; c++) {
            double at = c == 0 ? -3.0 : 3.0, whole = lobes == 2 ? (c == 0 ? 2.0 / 3.0 : 1.0 / 3.0) : 1.0;
            double exact = log(whole / (0.3 * sqrt(2.0 * acos(-1.0))));
            assert_close(m->component[1 + c]->mean[0], at, 0.03, "the middle of a lobe");
            assert_close(tw_mixture_log_density(m, &at), exact, log(2.0), "a lobe");
        }
        tw_mixture_free(m);
        tw_mixture_free(same);
    }
    leave(ctx);
}

/* A copy has the same shares, and its t components are wider. */
static void a_copy_may_be_wider(void **state)
{
    (void)state;
    const double theta = 0.8, far = 0.5 + 2.0 * 0.3;
    tw_context *ctx = new_context();
    tw_mixture *m = mixture_of(ctx, &broad, 0, 0.5, 0.2), *copy = NULL;
    m->component[0]->df = 6.0;
    assert_int_equal(tw_proposal_spread(m->component[0], (double[]){0.2}), TW_OK);
    assert_int_equal(tw_mixture_copy(m, 2.0, 6.0, &copy), TW_OK);
    assert_true(copy->components == 1 && copy->share[0] == 1.0 / 32.0 && copy->share[1] == 31.0 / 32.0);
    assert_close(tw_proposal_log_density(copy->component[0], &far),
                 tw_proposal_log_density(m->component[0], &theta) - log(2.0), 1e-13, "a density");
    tw_mixture_free(copy);
    tw_mixture_free(m);
    leave(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(densities_are_those_of_t),
        cmocka_unit_test(moments_are_those_of_weighted_points),
        cmocka_unit_test(groups_apart_are_clusters),
        cmocka_unit_test(heavy_priors_keep_a_quarter),
        cmocka_unit_test(lobes_have_components_of_their_own),
        cmocka_unit_test(a_copy_may_be_wider),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
