/* What chance gives, at full size: runs of 4096 latents, and many chains that mix slowly. test_chance.c has the same in small. TALWEG_RUNS sets the
 * number of runs with slow chains (10), TALWEG_DRAWS the draws of each of their chains (400). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "math/random.h"
#include "support/support.h"
#include "talweg/diagnose.h"

enum { SEED = 2022, LATENTS = 4096, MOST = 64000 };
static const double
    LIMIT = 1.01,
    LEVEL = 0.01; /* a run warns where R-hat is above the one, and its probability below the other */

typedef struct setting {
    size_t chains, draws;
    double phi;
} setting;

/* Chains x_i = phi x_{i-1} + sqrt(1 - phi^2) z_i, the first of them moved by `shift` standard deviations. */
static tw_summary summary_of(tw_diagnose *d, setting s, uint64_t number, double shift)
{
    static double x[MOST];
    size_t count = s.chains * s.draws;
    tw_stream stream = tw_stream_at(SEED, TW_STREAM_DATA, number, s.draws);
    assert_true(count <= MOST);
    tw_stream_normals(&stream, count, x);
    for (size_t i = 0; i < count; i++)
        if (i % s.draws > 0) x[i] = s.phi * x[i - 1] + sqrt(1.0 - s.phi * s.phi) * x[i];
    for (size_t i = 0; i < s.draws; i++) x[i] += shift;
    tw_diagnose_load(d, x, s.draws);
    return tw_diagnose_summary(d);
}

/* Does a run of LATENTS latents warn, the first of them with a chain that is moved? */
static bool warns(tw_diagnose *d, setting s, size_t run, double shift)
{
    double rhat = 1.0, chance = 1.0;
    for (size_t k = 0; k < LATENTS; k++) {
        tw_summary row = summary_of(d, s, run * LATENTS + k, k == 0 ? shift : 0.0);
        rhat = fmax(rhat, row.rhat);
        chance = fmin(chance, row.rhat_chance);
    }
    return rhat > LIMIT && tw_rhat_chance_of_many(chance, LATENTS) < LEVEL;
}

static size_t count_warnings(setting s, size_t runs, double shift)
{
    tw_context *ctx = new_context();
    tw_diagnose *d = NULL;
    size_t count = 0;
    assert_int_equal(tw_diagnose_new(ctx, s.draws, s.chains, &d), TW_OK);
    for (size_t run = 0; run < runs; run++) count += warns(d, s, run, shift);
    tw_diagnose_free(d);
    tw_context_free(ctx);
    printf("%zu chains of %zu draws, phi %g, shift %g: %zu of %zu runs warn\n", s.chains, s.draws, s.phi,
           shift, count, runs);
    return count;
}

/* At most 1 %: more than 5 of 100 come up in 6e-4 of all seeds. */
static void independent_draws_rarely_warn(void **state)
{
    (void)state;
    assert_true(count_warnings((setting){4, 250, 0.0}, 100, 0.0) <= 5);
}

/* Half a standard deviation, in one chain of four, at one latent of 4096: at least 95 %. Where the share is 0.999, as it is, two misses
 * in 20 runs have a probability of 2e-4. */
static void a_chain_elsewhere_is_found_among_4096(void **state)
{
    (void)state;
    assert_true(count_warnings((setting){4, 1000, 0.0}, 20, 0.5) >= 19);
}

/* 32 chains with an autocorrelation time of 19 and 674 effective draws. If probabilities were exact, of 10 runs' latents 41 would be below 1e-3
 * and 4.1 below 1e-4; more than 75 and more than 15 come up in 2e-6 and 1e-5 of all seeds, and more than two warnings, of 1 % each, in 1e-4. */
static void slow_chains_rarely_warn(void **state)
{
    (void)state;
    const char *text = getenv("TALWEG_RUNS"), *length = getenv("TALWEG_DRAWS");
    const setting s = {32, length ? (size_t)strtoul(length, NULL, 10) : 400, 0.9};
    size_t runs = text ? (size_t)strtoul(text, NULL, 10) : 10, low = 0, lower = 0, alarms = 0;
    tw_context *ctx = new_context();
    tw_diagnose *d = NULL;
    assert_int_equal(tw_diagnose_new(ctx, s.draws, s.chains, &d), TW_OK);
    for (size_t run = 0; run < runs; run++) {
        double chance = 1.0;
        for (size_t k = 0; k < LATENTS; k++) {
            double one = summary_of(d, s, run * LATENTS + k, 0.0).rhat_chance;
            low += one < 1e-3;
            lower += one < 1e-4;
            chance = fmin(chance, one);
        }
        alarms += tw_rhat_chance_of_many(chance, LATENTS) < LEVEL;
    }
    printf("32 chains of %zu draws, phi 0.9: %zu of %zu runs warn; of %zu latents %zu are below 1e-3, %zu "
           "below 1e-4\n",
           s.draws, alarms, runs, runs * LATENTS, low, lower);
    tw_diagnose_free(d);
    tw_context_free(ctx);
    assert_true(10 * low <= 75 * runs && 10 * lower <= 15 * runs && 5 * alarms <= runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_chains_rarely_warn),
        cmocka_unit_test(independent_draws_rarely_warn),
        cmocka_unit_test(a_chain_elsewhere_is_found_among_4096),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
