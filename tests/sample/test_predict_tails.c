/* Means that come from a far tail of the posterior, which draws seldom reach: they are right within their errors, or
 * withheld. test_long_predict_tails.c has more cases. */
#include <math.h>

#include "support/far_mean.h"
#include "support/support.h"

enum { SEEDS = 2, CHAINS = 4, DRAWS = 500 };

/* Of 4.5 errors, chance alone exceeds one in 150,000, and there are about 100 numbers. */
static void assert_right(double value, double mcse, double exact, const char *what)
{
    if (!isnan(value)) assert_close(value, exact, 4.5 * mcse, what);
    assert_true(isnan(value) == isnan(mcse));
}

static void assert_all_right(const far_mean_predictions *p, const far_mean_values *exact)
{
    for (size_t j = 0; j < TAIL_NEW; j++) {
        assert_right(p->at.mean[j], p->mcse.mean[j], exact->mean[j], "mean");
        assert_right(p->at.sd[j], p->mcse.sd[j], exact->sd[j], "standard deviation");
        assert_right(p->at.score[j], p->mcse.score[j], exact->score[j], "log score");
    }
}

/* One time censored at 1: E[exp(-x) | y] is 587,780; the mean of exp(-x) over draws is a few thousand. Nothing is
 * withheld, since the one line through the draws is the posterior. */
static void one_latent_has_exact_means(void **state)
{
    (void)state;
    const far_mean_case cases[] = {{"exponential", 1, 1.0, 5.0, {0}, {1}, {1}, 30},
                                   {"weibull", 1, 1.0, 4.0, {-0.5}, {1}, {1}, 30},
                                   {"weibull", 1, 1.0, 3.0, {-0.6931471805599453}, {2}, {0}, 30},
                                   {"weibull", 1, 1.0, 2.0, {-1.2039728043259361}, {2}, {1}, 30},
                                   {"stochastic_volatility", 1, 1.0, 5.0, {0}, {1}, {0}, 12},
                                   {"poisson", 1, 1.0, 3.0, {0}, {1}, {0.01}, 50},
                                   {"gaussian", 1, 1.0, 1.0, {-1}, {0}, {0.4}, 9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        far_mean_values exact = far_mean_exact(&cases[i]);
        if (i == 0) assert_close(exact.mean[0] / 587780.63, 1.0, 1e-6, "E[exp(-x) | y]");
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            far_mean_predictions p = far_mean_predict(&cases[i], CHAINS, DRAWS, seed, false);
            assert_all_right(&p, &exact);
            assert_false(isnan(p.at.mean[0]) || isnan(p.at.sd[0]) || isnan(p.at.score[0]));
        }
    }
}

static void several_latents_have_right_means_or_none(void **state)
{
    (void)state;
    const far_mean_case cases[] = {{"exponential", 2, 1.0, 6.0, {0}, {1, 2}, {1, 1}, 30},
                                   {"exponential", 2, 3.0, 3.0, {0}, {1, 2}, {1, 1}, 30},
                                   {"negative_binomial", 2, 1.5, 3.0, {0}, {0, 9}, {1, 1}, 60}};
    size_t withheld = 0, all = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        far_mean_values exact = far_mean_exact(&cases[i]);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            far_mean_predictions p = far_mean_predict(&cases[i], CHAINS, DRAWS, seed, false);
            assert_all_right(&p, &exact);
            for (size_t j = 0; j < TAIL_NEW; j++, all++) withheld += isnan(p.at.mean[j]) ? 1 : 0;
        }
    }
    assert_true(4 * withheld < all);
}

/* E[y] comes from lines that draws seldom reach. Draws that miss them agree with each other, and pass
 * every test of their own tail; chains that look for the lines find them for every seed. */
static void what_draws_do_not_reach_is_withheld(void **state)
{
    (void)state;
    const far_mean_case cases[] = {{"exponential", 2, 1.0, 4.0, {0}, {1, 50}, {0, 0}, 30},
                                   {"gamma", 2, 1.0, 4.0, {-1.2039728043259361}, {1, 20}, {0}, 40},
                                   {"weibull", 2, 1.0, 3.0, {-0.6931471805599453}, {2, 0.1}, {0, 0}, 30}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        far_mean_values exact = far_mean_exact(&cases[i]);
        for (uint64_t seed = 1; seed <= 2 * SEEDS; seed++) {
            far_mean_predictions p = far_mean_predict(&cases[i], CHAINS, DRAWS, seed, false);
            assert_all_right(&p, &exact);
            assert_true(isnan(p.at.mean[0]) && isnan(p.at.sd[0]));
        }
    }
}

/* All draws at one place have the model's parameters, and the same lines. */
static void draws_with_places_have_the_same_lines(void **state)
{
    (void)state;
    const far_mean_case c = {"exponential", 1, 1.0, 5.0, {0}, {1}, {1}, 30};
    far_mean_predictions plain = far_mean_predict(&c, CHAINS, DRAWS, 7, false);
    far_mean_predictions placed = far_mean_predict(&c, CHAINS, DRAWS, 7, true);
    assert_close(placed.at.mean[0] / plain.at.mean[0], 1.0, 1e-12, "mean");
    assert_close(placed.at.sd[0] / plain.at.sd[0], 1.0, 1e-12, "standard deviation");
}

/* Student's t has no mean for df = 1, and no variance for df = 1.5. */
static void what_does_not_exist_is_not_given(void **state)
{
    (void)state;
    far_mean_case c = {"student_t", 1, 1.0, 1.0, {0.0, 0.0}, {4}, {0}, 9};
    far_mean_predictions p = far_mean_predict(&c, CHAINS, DRAWS, 7, false);
    assert_true(isnan(p.at.mean[0]) && isnan(p.at.sd[0]) && isfinite(p.at.score[0]));
    c.phi[1] = log(1.5);
    p = far_mean_predict(&c, CHAINS, DRAWS, 7, false);
    assert_true(isfinite(p.at.mean[0]) && p.at.sd[0] == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_latent_has_exact_means),
        cmocka_unit_test(several_latents_have_right_means_or_none),
        cmocka_unit_test(what_draws_do_not_reach_is_withheld),
        cmocka_unit_test(draws_with_places_have_the_same_lines),
        cmocka_unit_test(what_does_not_exist_is_not_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
