/* Sites that are not observed: p = 1 there, and all other sites are as without them. */
#include <math.h>
#include <string.h>

#include "likelihood/likelihood.h"
#include "likelihood/partial.h"
#include "support/support.h"

enum { N = 600, EVERY = 3 }; /* more than a chunk */

typedef struct columns {
    double value[N], slope[N], lambda[N], dlambda[N];
} columns;

static void compare(const columns *whole, const columns *part)
{
    for (size_t i = 0; i < N; i++) {
        bool seen = i % EVERY != 0;
        assert_true(part->value[i] == (seen ? whole->value[i] : 0.0));
        assert_true(part->slope[i] == (seen ? whole->slope[i] : 0.0));
        assert_true(part->lambda[i] == (seen ? whole->lambda[i] : 0.0));
        assert_true(part->dlambda[i] == (seen ? whole->dlambda[i] : 0.0));
    }
}

static void sites_that_are_not_observed_say_nothing(void **state)
{
    static const char *const names[] = {"probit", "poisson", "student_t", "ordinal3", "gaussian"};
    static columns whole, part;
    double x[N], y[N], some[N], peak[2];
    (void)state;
    for (size_t l = 0; l < sizeof names / sizeof *names; l++) {
        const tw_likelihood *likelihood = tw_likelihood_find(names[l]);
        tw_partial partial;
        tw_tilted t, u;
        for (size_t i = 0; i < N; i++) {
            x[i] = sin((double)i);
            y[i] = likelihood->two_classes ? (i % 2 ? 1.0 : -1.0) : 1.0 + (double)(i % 3);
            some[i] = i % EVERY ? y[i] : NAN;
        }
        tw_observations all = {.likelihood = likelihood, .n = N, .y = y},
                        hidden = {.likelihood = likelihood, .n = N, .y = some};
        assert_true(tw_partial_needed(&hidden) && !tw_partial_needed(&all));
        tw_partial_fill(&hidden, &partial);
        hidden.likelihood = &partial.table;
        likelihood->terms(&all, x, whole.value, whole.slope, whole.lambda, whole.dlambda);
        partial.table.terms(&hidden, x, part.value, part.slope, part.lambda, part.dlambda);
        compare(&whole, &part);
        assert_int_equal(tw_likelihood_tilted(&hidden, 3, 0.3, 2.0, &t), TW_OK);
        assert_true(t.log_z == 0.0 && t.mean == 0.3 && t.variance == 2.0 && t.c3 == 0.0 && t.c4 == 0.0);
        assert_int_equal(tw_likelihood_tilted(&hidden, 4, 0.3, 2.0, &t), TW_OK);
        assert_int_equal(tw_likelihood_tilted(&all, 4, 0.3, 2.0, &u), TW_OK);
        assert_true(t.log_z == u.log_z && t.mean == u.mean && t.variance == u.variance);
        assert_true(partial.table.supports(&hidden, 0) && partial.table.supports(&hidden, 1));
        if (likelihood->fisher) {
            likelihood->fisher(&all, x, whole.lambda, whole.dlambda);
            partial.table.fisher(&hidden, x, part.lambda, part.dlambda);
            compare(&whole, &part);
        }
        if (!likelihood->peak) continue;
        partial.table.peak(&hidden, 0, &peak[0], &peak[1]);
        assert_true(isfinite(peak[0]) && peak[1] > 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sites_that_are_not_observed_say_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
