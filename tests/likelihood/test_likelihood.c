/* Finding a likelihood by name, and checks of observations with their messages. */
#include <math.h>
#include <string.h>

#include "support/observe.h"
#include "support/support.h"
#include "talweg/likelihood.h"

static void every_listed_name_is_found(void **state)
{
    (void)state;
    assert_memory_equal(tw_likelihood_names(), "probit, logit, poisson, gaussian", 32);
    char names[1024];
    size_t count = 0;
    assert_true(strlen(tw_likelihood_names()) < sizeof names);
    strcpy(names, tw_likelihood_names());
    for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", ")) {
        const tw_likelihood *found = tw_likelihood_find(name);
        assert_ptr_equal(found, tw_likelihood_at(count++));
        assert_string_equal(found->name, name);
        assert_true(found->support && found->supports && found->terms);
        assert_true(found->two_classes || found->expect || found->predict);
        assert_true(found->columns <= TW_COLUMNS);
    }
    assert_null(tw_likelihood_at(count));
    assert_null(tw_likelihood_find("cauchy"));
    assert_null(tw_likelihood_find(""));
}

static void the_first_bad_observation_is_named(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    double y[20];
    for (size_t i = 0; i < 20; i++) y[i] = i % 3 ? 1.0 : -1.0;
    const tw_likelihood *probit = tw_likelihood_find("probit");
    assert_int_equal(tw_likelihood_check(ctx, OBSERVED(probit, 20, y, NULL)), TW_OK);
    y[16] = 0.5;
    y[18] = 7.0;
    assert_int_equal(tw_likelihood_check(ctx, OBSERVED(probit, 20, y, NULL)), TW_BAD_DATA);
    assert_string_equal(tw_context_message(ctx), "observation 17 is 0.5, but probit needs -1 or +1");
    assert_int_equal(tw_likelihood_check(ctx, OBSERVED(probit, 16, y, NULL)), TW_OK);
    tw_context_free(ctx);
}

static void a_bad_constant_is_named_too(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double y[] = {3.0, 0.0}, w[] = {2.0, -1.0};
    assert_int_equal(tw_likelihood_check(ctx, OBSERVED(tw_likelihood_find("poisson"), 2, y, w)), TW_BAD_DATA);
    assert_string_equal(tw_context_message(ctx), "exposure of case 2 is -1, but must be > 0");
    const tw_observations undeclared = {
        .likelihood = tw_likelihood_find("probit"), .n = 1, .y = (const double[]){1.0}, .column = {w}};
    assert_int_equal(tw_likelihood_check(ctx, &undeclared), TW_BAD_ARGUMENT);
    assert_string_equal(tw_context_message(ctx), "the probit likelihood has no column 1");
    tw_context_free(ctx);
}

typedef struct claim {
    const char *name;
    double y, w;
    bool supported;
} claim;

static void supports_are_what_they_say(void **state)
{
    (void)state;
    const claim claims[] = {
        {"probit", 1.0, 1.0, true},    {"probit", 0.0, 1.0, false},        {"probit", NAN, 1.0, false},
        {"logit", -1.0, 1.0, true},    {"logit", 2.0, 1.0, false},         {"poisson", 0.0, 1.0, true},
        {"poisson", 1e6, 0.1, true},   {"poisson", -1.0, 1.0, false},      {"poisson", 1.5, 1.0, false},
        {"poisson", NAN, 1.0, false},  {"poisson", INFINITY, 1.0, false},  {"poisson", 1.0, 0.0, false},
        {"gaussian", -3.7, 2.0, true}, {"gaussian", NAN, 1.0, false},      {"gaussian", 1.0, 0.0, false},
        {"gaussian", 1.0, NAN, false}, {"gaussian", INFINITY, 1.0, false},
    };
    tw_context *ctx = new_context();
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        const tw_likelihood *l = tw_likelihood_find(claims[i].name);
        if ((tw_likelihood_check(ctx, OBSERVED_ONE(l, claims[i].y, claims[i].w)) == TW_OK) !=
            claims[i].supported)
            fail_msg("%s, y = %g, w = %g", claims[i].name, claims[i].y, claims[i].w);
    }
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_listed_name_is_found),
        cmocka_unit_test(the_first_bad_observation_is_named),
        cmocka_unit_test(a_bad_constant_is_named_too),
        cmocka_unit_test(supports_are_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
