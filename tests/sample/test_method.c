/* The tables of methods and metrics: every row is complete, numbers and names match, and the sampler supports
 * exactly the metrics of its row. */
#include <stdio.h>
#include <string.h>

#include "sample/method.h"
#include "support/posed.h"
#include "support/support.h"

enum { N = 6 };

static void rows_stand_where_their_numbers_say(void **state)
{
    (void)state;
    char names[256] = "";
    for (int m = 0; m < TW_METHOD_COUNT; m++) {
        const tw_method_info *info = tw_method_describe((tw_method)m);
        assert_int_equal(info->method, m);
        assert_ptr_equal(tw_method_find(info->name), info);
        assert_string_equal(tw_method_name((tw_method)m), info->name);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", m ? ", " : "", info->name);
    }
    assert_string_equal(tw_method_names(), names);
    assert_null(tw_method_describe(TW_METHOD_COUNT));
    assert_null(tw_method_find("nuts"));
}

static void rows_of_methods_are_complete(void **state)
{
    (void)state;
    for (int m = 0; m < TW_METHOD_COUNT; m++) {
        const tw_method_row *row = tw_method_row_of((tw_method)m);
        assert_true(row->info.title && row->info.meaning && row->info.counts);
        assert_true(row->info.metric_count >= 1 && row->info.metric_count <= TW_METRIC_COUNT);
        assert_true(row->piece_columns > 0 && row->set_up && row->release && row->load && row->advance);
        assert_true(row->coordinates && row->parts && row->cost && row->least_cost);
        assert_true(row->selftest_draws > 0);
        assert_true((row->selftest_of == NULL) == (m == TW_METHOD_HMC));
        for (size_t k = 0; k < TW_MOST_TRIALS; k++)
            assert_true(row->trials[k].turn == 0 || tw_method_takes((tw_method)m, row->trials[k].metric));
    }
}

static void metrics_stand_where_their_numbers_say(void **state)
{
    (void)state;
    char names[256] = "", following[256] = "";
    for (int m = 0; m < TW_METRIC_COUNT; m++) {
        const tw_metric_info *info = tw_metric_describe((tw_metric)m);
        assert_int_equal(info->metric, m);
        assert_ptr_equal(tw_metric_find(info->name), info);
        assert_non_null(info->meaning);
        if (!info->named) continue;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "", info->name);
        if (!info->position_dependent || info->needs_gaussian) continue;
        snprintf(following + strlen(following), sizeof following - strlen(following), "%s%s",
                 *following ? ", " : "", info->name);
    }
    assert_string_equal(tw_metric_names(), names);
    assert_string_equal(tw_metric_names_following(), following);
    assert_null(tw_metric_describe(TW_METRIC_COUNT));
    assert_null(tw_metric_find("euclid"));
}

/* A sampler is made exactly with the metrics of its method's row: EP's Gaussian and variances are there. */
static void a_sampler_takes_the_metrics_of_its_row(void **state)
{
    (void)state;
    double k[N * N], y[N];
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
    tw_posterior posterior = {.model = p.model, .beta = 1.0, .approximation = p.ep};
    for (int method = 0; method < TW_METHOD_COUNT; method++)
        for (int metric = 0; metric < TW_METRIC_COUNT; metric++) {
            tw_sampler_options options = TW_SAMPLER_DEFAULTS;
            tw_sampling *sampling = NULL;
            options.method = (tw_method)method;
            options.metric = (tw_metric)metric;
            tw_status status = tw_sampling_new(&posterior, &options, 1, &sampling);
            bool takes = tw_method_takes(options.method, options.metric);
            if ((status == TW_OK) != takes)
                fail_msg("%s with %s: %s", tw_method_name(options.method), tw_metric_name(options.metric),
                         tw_context_message(p.ctx));
            tw_sampling_free(sampling);
        }
    posed_free(&p);
}

static void an_unknown_method_is_refused(void **state)
{
    (void)state;
    double k[N * N], y[N];
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
    tw_posterior posterior = {.model = p.model, .beta = 1.0, .approximation = p.ep};
    tw_sampler_options options = TW_SAMPLER_DEFAULTS;
    tw_sampling *sampling = NULL;
    options.method = TW_METHOD_COUNT;
    assert_int_equal(tw_sampling_new(&posterior, &options, 1, &sampling), TW_BAD_ARGUMENT);
    assert_null(sampling);
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_stand_where_their_numbers_say),
        cmocka_unit_test(rows_of_methods_are_complete),
        cmocka_unit_test(metrics_stand_where_their_numbers_say),
        cmocka_unit_test(a_sampler_takes_the_metrics_of_its_row),
        cmocka_unit_test(an_unknown_method_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
