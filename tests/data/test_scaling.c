/* Labels of two classes, data from arrays, and standardising with stored constants. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/support.h"
#include "talweg/data.h"

typedef struct log_text {
    int level;
    char text[512];
} log_text;

static void keep_text(void *user, tw_log_level level, const char *text)
{
    log_text *seen = user;
    seen->level = (int)level;
    snprintf(seen->text, sizeof seen->text, "%s", text);
}

static tw_data *make_data(tw_context *ctx, size_t n, size_t d, const double *x, const double *y)
{
    tw_data *data = NULL;
    if (tw_data_new(ctx, n, d, x, n, y, &data) != TW_OK) fail_msg("%s", tw_context_message(ctx));
    return data;
}

static void labels_become_minus_and_plus_one(void **state)
{
    (void)state;
    static const struct {
        double from[3], to[3];
        const char *warning;
    } cases[] = {
        {{0, 1, 0}, {-1, 1, -1}, ""},
        {{-1, 1, 1}, {-1, 1, 1}, ""},
        {{1, 1, 1}, {1, 1, 1}, "every label is 1: there is only one class"},
        {{0, 0, 0}, {-1, -1, -1}, "every label is 0: there is only one class"},
        {{-1, -1, -1}, {-1, -1, -1}, "every label is -1: there is only one class"},
    };
    const double x[3] = {1, 2, 3};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        log_text seen = {TW_LOG_WARNING, ""};
        tw_context *ctx = new_context();
        tw_context_set_log(ctx, keep_text, &seen);
        tw_data *data = make_data(ctx, 3, 1, x, cases[i].from);
        assert_int_equal(tw_data_binary_labels(data), TW_OK);
        assert_memory_equal(data->y, cases[i].to, sizeof cases[i].to);
        assert_string_equal(seen.text, cases[i].warning);
        assert_int_equal(seen.level, TW_LOG_WARNING);
        tw_data_free(data);
        tw_context_free(ctx);
    }
}

static void other_labels_are_refused_by_value(void **state)
{
    (void)state;
    static const struct {
        double y[8];
        const char *found;
    } cases[] = {
        {{1, 2, 1, 2, 1, 2, 1, 3}, "they are 1 (row 1), 2 (row 2), 3 (row 8): recode"},
        {{-1, 0, 1, 1, 1, 1, 1, 1}, "they are -1 (row 1), 0 (row 2), 1 (row 3): recode"},
        {{0, 0, 0, 0, 0, 0, 0, 0.5}, "they are 0 (row 1), 0.5 (row 8): recode"},
        {{3, 3, 3, 3, 3, 3, 3, 3}, "they are 3 (row 1): recode"},
        {{1, 2, 3, 4, 5, 6, 7, 8},
         "they are 1 (row 1), 2 (row 2), 3 (row 3), 4 (row 4), 5 (row 5), ...: recode"},
    };
    const double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    tw_context *ctx = new_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tw_data *data = make_data(ctx, 8, 1, x, cases[i].y);
        assert_int_equal(tw_data_binary_labels(data), TW_BAD_DATA);
        if (!strstr(tw_context_message(ctx), cases[i].found)) fail_msg("%s", tw_context_message(ctx));
        assert_memory_equal(data->y, cases[i].y, sizeof cases[i].y);
        tw_data_free(data);
    }
    tw_data *data = make_data(ctx, 8, 1, x, NULL);
    assert_int_equal(tw_data_binary_labels(data), TW_BAD_ARGUMENT);
    tw_data_free(data);
    tw_context_free(ctx);
}

static void arrays_are_copied_and_checked(void **state)
{
    (void)state;
    double x[6] = {1, 2, 99, 3, 4, 99}, y[2] = {5, 6};
    tw_context *ctx = new_context();
    tw_data *data = NULL;
    assert_int_equal(tw_data_new(ctx, 2, 2, x, 3, y, &data), TW_OK);
    const double expected[4] = {1, 2, 3, 4};
    x[0] = y[0] = -1;
    assert_memory_equal(data->x, expected, sizeof expected);
    assert_true(data->y[0] == 5 && data->y[1] == 6);
    tw_data_free(data);
    x[4] = NAN;
    assert_int_equal(tw_data_new(ctx, 2, 2, x, 3, y, &data), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "row 2 of input 2: found "));
    x[4] = 0;
    y[1] = -INFINITY;
    assert_int_equal(tw_data_new(ctx, 2, 2, x, 3, y, &data), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "row 2 of label 1: found -inf"));
    assert_int_equal(tw_data_new(ctx, 2, 2, x, 1, NULL, &data), TW_BAD_ARGUMENT);
    assert_int_equal(tw_data_new(ctx, 0, 2, x, 1, NULL, &data), TW_BAD_ARGUMENT);
    assert_int_equal(tw_data_new(ctx, 2, 0, x, 2, NULL, &data), TW_BAD_ARGUMENT);
    assert_null(data);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* {2, 4, 4, 4, 5, 5, 7, 9} has mean 5 and population standard deviation 2. */
static void constants_are_kept_and_constant_columns_dropped(void **state)
{
    (void)state;
    const double x[24] = {7, 7, 7, 7, 7,   7,   7,   7,   2,   4,   4,   4,
                          5, 5, 7, 9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    const double expected[8] = {-1.5, -.5, -.5, -.5, 0, 0, 1, 2};
    log_text seen = {-1, ""};
    tw_context *ctx = new_context();
    tw_context_set_log(ctx, keep_text, &seen);
    tw_data *train = make_data(ctx, 8, 3, x, NULL);
    tw_scaling *scaling = NULL;
    assert_int_equal(tw_scaling_fit(train, &scaling), TW_OK);
    assert_int_equal(seen.level, TW_LOG_INFO);
    assert_string_equal(seen.text, "2 of 3 inputs are constant and ignored: 1, 3");
    assert_true(scaling->d_in == 3 && scaling->d_out == 1 && scaling->column[0] == 1);
    assert_true(scaling->centre[0] == 5 && scaling->scale[0] == 2);
    assert_int_equal(tw_scaling_apply(scaling, train), TW_OK);
    assert_int_equal(train->d, 1);
    assert_memory_equal(train->x, expected, sizeof expected);

    const double fresh[3] = {-100, 11, 42};
    tw_data *test = make_data(ctx, 1, 3, fresh, NULL);
    assert_int_equal(tw_scaling_apply(scaling, test), TW_OK);
    assert_true(test->d == 1 && test->x[0] == 3);
    assert_int_equal(tw_scaling_apply(scaling, test), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "have 1 inputs, but the scaling was made for 3"));
    tw_data_free(test);
    tw_data_free(train);
    tw_scaling_free(scaling);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* Columns where naive sums lose everything. n = 4 in each: x = offset + unit * {0, 1, 2, 5}, mean 2 units,
 * variance (4 + 1 + 0 + 9) / 4 units^2. All are exact as doubles. */
static void scaling_survives_offsets_and_extreme_sizes(void **state)
{
    (void)state;
    static const double offsets[] = {0, 1e15, 0x1p52, -1e8, 0, 0, 0x1p1023};
    static const double units[] = {1, 1, 1, 0x1p-20, 0x1p1000, 0x1p-1000, 0x1p972};
    const double sd = sqrt(3.5);
    for (size_t c = 0; c < sizeof units / sizeof *units; c++) {
        double x[4] = {0, 1, 2, 5};
        for (size_t i = 0; i < 4; i++) x[i] = offsets[c] + units[c] * x[i];
        tw_context *ctx = new_context();
        tw_data *data = make_data(ctx, 4, 1, x, NULL);
        tw_scaling *scaling = NULL;
        assert_int_equal(tw_scaling_fit(data, &scaling), TW_OK);
        assert_true(scaling->centre[0] == offsets[c] + 2 * units[c]);
        assert_true(relative_error(scaling->scale[0] / units[c], sd) < 4 * DBL_EPSILON);
        assert_int_equal(tw_scaling_apply(scaling, data), TW_OK);
        for (size_t i = 0; i < 4; i++)
            assert_close(data->x[i], ((double[]){-2, -1, 0, 3})[i] / sd, 8 * DBL_EPSILON, "standardised");
        tw_scaling_free(scaling);
        tw_data_free(data);
        tw_context_free(ctx);
    }
}

/* Both ends of the range at once, where x - centre itself overflows; and subnormal spreads, which divide
 * nothing. */
static void nothing_becomes_infinite(void **state)
{
    (void)state;
    const double x[8] = {DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX, 0, 4.9e-324, 0, 0};
    tw_context *ctx = new_context();
    tw_data *data = make_data(ctx, 4, 2, x, NULL);
    tw_scaling *scaling = NULL;
    assert_int_equal(tw_scaling_fit(data, &scaling), TW_OK);
    assert_int_equal(scaling->d_out, 1);
    assert_int_equal(tw_scaling_apply(scaling, data), TW_OK);
    assert_close(data->x[0], sqrt(3.0), 1e-15, "the one above");
    assert_close(data->x[3], -1 / sqrt(3.0), 1e-15, "the three below");
    tw_data_free(data);
    tw_scaling_free(scaling);

    const double small[2] = {0, 1e-300}, large[1] = {1e300};
    data = make_data(ctx, 2, 1, small, NULL);
    tw_data *far = make_data(ctx, 1, 1, large, NULL);
    assert_int_equal(tw_scaling_fit(data, &scaling), TW_OK);
    assert_int_equal(tw_scaling_apply(scaling, far), TW_BAD_DATA);
    assert_true(far->x[0] == 1e300);
    assert_non_null(strstr(tw_context_message(ctx), "row 1 of input 1: 1e+300 is too far from the centre"));
    tw_data_free(far);
    tw_data_free(data);
    tw_scaling_free(scaling);

    data = make_data(ctx, 4, 1, x + 4, NULL);
    assert_int_equal(tw_scaling_fit(data, &scaling), TW_BAD_DATA);
    assert_null(scaling);
    assert_non_null(strstr(tw_context_message(ctx), "all inputs are constant"));
    tw_data_free(data);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* One case of a hundred thousand differs by one unit in the last place: sd = ulp sqrt((1/n)(1 - 1/n)). */
static void a_nearly_constant_column_keeps_its_spread(void **state)
{
    (void)state;
    enum { CASES = 100000 };
    static double x[CASES];
    for (size_t i = 0; i < CASES; i++) x[i] = 0.1;
    x[77] = nextafter(0.1, 1);
    tw_context *ctx = new_context();
    tw_data *data = make_data(ctx, CASES, 1, x, NULL);
    tw_scaling *scaling = NULL;
    assert_int_equal(tw_scaling_fit(data, &scaling), TW_OK);
    double expected = (x[77] - 0.1) * sqrt((1.0 / CASES) * (1 - 1.0 / CASES));
    assert_true(relative_error(scaling->scale[0], expected) < 1e-12);
    tw_scaling_free(scaling);
    tw_data_free(data);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_become_minus_and_plus_one),
        cmocka_unit_test(other_labels_are_refused_by_value),
        cmocka_unit_test(arrays_are_copied_and_checked),
        cmocka_unit_test(constants_are_kept_and_constant_columns_dropped),
        cmocka_unit_test(scaling_survives_offsets_and_extreme_sizes),
        cmocka_unit_test(nothing_becomes_infinite),
        cmocka_unit_test(a_nearly_constant_column_keeps_its_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
