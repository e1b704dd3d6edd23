/* Columns of constants in addition to the label, at any position; and inputs that a sparse file omits. */
#include <string.h>

#include "support/scratch_file.h"
#include "support/support.h"
#include "talweg/data.h"

typedef struct reading {
    const char *label, *constants;
    double x[2], y, w; /* of the first row; y and w 0: there is none */
} reading;

/* Columns a, b, c, d with 1, 2, 3, 4 in the first row. */
static const char text[] = "a,b,c,d\n1,2,3,4\n5,6,7,8\n";

static tw_status read_exposure(tw_context *ctx, const char *path, const char *label, const char *column,
                               tw_data **data)
{
    const tw_column_place place = {"exposure", column};
    return tw_data_read_columns(ctx, path, label, 1, &place, data);
}

static void any_two_columns_can_leave(void **state)
{
    (void)state;
    static const reading all[] = {
        {NULL, "a", {2, 3}, 4, 1}, {"a", "d", {2, 3}, 1, 4},  {"b", "3", {1, 4}, 2, 3},
        {"3", "b", {1, 4}, 3, 2},  {NULL, "c", {1, 2}, 4, 3}, {"-2", "-1", {1, 2}, 3, 4},
    };
    tw_context *ctx = new_context();
    scratch_file file = scratch_write_text(".csv", text);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        tw_data *data = NULL;
        assert_int_equal(read_exposure(ctx, file.path, all[k].label, all[k].constants, &data), TW_OK);
        assert_int_equal(data->d, 2);
        for (size_t j = 0; j < 2; j++) {
            assert_true(data->x[2 * j] == all[k].x[j] && data->x[2 * j + 1] == all[k].x[j] + 4.0);
            assert_int_equal(data->names[j][0], 'a' + (int)all[k].x[j] - 1);
        }
        assert_true(data->y[0] == all[k].y && data->y[1] == all[k].y + 4.0);
        const double *w = tw_data_column(data, "exposure");
        assert_true(w[0] == all[k].w && w[1] == all[k].w + 4.0);
        tw_data_free(data);
    }
    scratch_remove(&file);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void without_a_label(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    scratch_file file = scratch_write_text(".csv", text),
                 sparse = scratch_write_text(".libsvm", "9 1:2 3:4\n");
    tw_data *data = NULL;
    assert_int_equal(read_exposure(ctx, file.path, "none", "c", &data), TW_OK);
    assert_true(data->d == 3 && data->y == NULL && tw_data_column(data, "exposure")[1] == 7.0 &&
                data->x[4] == 4.0);
    tw_data_free(data);
    assert_int_equal(read_exposure(ctx, sparse.path, "none", "2", &data), TW_OK);
    assert_true(data->d == 2 && data->y == NULL && tw_data_column(data, "exposure")[0] == 2.0 &&
                data->x[0] == 0.0 && data->x[1] == 4.0);
    tw_data_free(data);
    assert_int_equal(read_exposure(ctx, sparse.path, NULL, "-1", &data), TW_OK);
    assert_true(data->d == 2 && data->y[0] == 9.0 && tw_data_column(data, "exposure")[0] == 4.0 &&
                data->x[0] == 2.0);
    tw_data_free(data);
    scratch_remove(&file);
    scratch_remove(&sparse);
    tw_context_free(ctx);
}

static void refused(tw_context *ctx, const char *path, const char *label, const char *constants,
                    const char *words)
{
    tw_data *data = NULL;
    assert_int_equal(read_exposure(ctx, path, label, constants, &data), TW_BAD_DATA);
    assert_null(data);
    if (!strstr(tw_context_message(ctx), words)) fail_msg("not '%s': %s", words, tw_context_message(ctx));
}

static void messages_say_what_is_wrong(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    scratch_file file = scratch_write_text(".csv", text), narrow = scratch_write_text(".csv", "1,2\n3,4\n");
    refused(ctx, file.path, NULL, "d", "column 4 cannot be both the label and the exposure");
    refused(ctx, file.path, NULL, "e", "unknown exposure column \"e\": give an index from 1 to 4");
    refused(ctx, file.path, NULL, "5", "unknown exposure column \"5\"");
    refused(ctx, narrow.path, NULL, "1", "has no inputs");
    scratch_remove(&file);
    scratch_remove(&narrow);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* Three columns leave, in any order, and the rest stays in place. */
static void several_columns_can_leave(void **state)
{
    (void)state;
    static const tw_column_place places[][2] = {{{"trials", "d"}, {"offset", "a"}},
                                                {{"trials", "-1"}, {"offset", "1"}},
                                                {{"trials", "4"}, {"offset", "a"}}};
    tw_context *ctx = new_context();
    scratch_file file = scratch_write_text(".csv", text);
    tw_data *data = NULL;
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(tw_data_read_columns(ctx, file.path, "b", 2, places[k], &data), TW_OK);
        assert_true(data->d == 1 && data->x[0] == 3.0 && data->x[1] == 7.0 && data->y[1] == 6.0);
        assert_string_equal(data->names[0], "c");
        assert_true(tw_data_column(data, "trials")[1] == 8.0 && tw_data_column(data, "offset")[1] == 5.0);
        assert_null(tw_data_column(data, "exposure"));
        tw_data_free(data);
    }
    const tw_column_place twice[2] = {{"trials", "a"}, {"offset", "1"}};
    assert_int_equal(tw_data_read_columns(ctx, file.path, NULL, 2, twice, &data), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "column 1 cannot be both the trials and the offset"));
    const tw_column_place all[3] = {{"trials", "a"}, {"offset", "b"}, {"noise", "c"}};
    assert_int_equal(tw_data_read_columns(ctx, file.path, NULL, 3, all, &data), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "has no inputs"));
    assert_int_equal(tw_data_read_columns(ctx, file.path, NULL, TW_DATA_COLUMNS + 1, all, &data),
                     TW_BAD_ARGUMENT);
    scratch_remove(&file);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* A column is replaced by one of the same name, and there is an end to them. */
static void columns_are_given_by_name(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double x[] = {1.0, 2.0}, one[] = {3.0, 4.0}, two[] = {5.0, 6.0};
    tw_data *data = NULL;
    assert_int_equal(tw_data_new(ctx, 2, 1, x, 2, NULL, &data), TW_OK);
    assert_int_equal(tw_data_set_column(data, "noise", one), TW_OK);
    assert_int_equal(tw_data_set_column(data, "noise", two), TW_OK);
    assert_true(data->columns == 1 && tw_data_column(data, "noise")[0] == 5.0);
    for (size_t k = 1; k < TW_DATA_COLUMNS; k++) {
        const char name[] = {(char)('a' + k), '\0'};
        assert_int_equal(tw_data_set_column(data, name, one), TW_OK);
    }
    assert_int_equal(tw_data_set_column(data, "one more", one), TW_BAD_ARGUMENT);
    assert_int_equal(tw_data_set_column(data, "noise", one), TW_OK);
    tw_data_free(data);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void inputs_that_are_zero_can_be_added(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double x[] = {1.0, 2.0, 3.0, 4.0}, y[] = {1.0, -1.0};
    tw_data *data = NULL;
    assert_int_equal(tw_data_new(ctx, 2, 2, x, 2, y, &data), TW_OK);
    assert_int_equal(tw_data_widen(data, 2), TW_OK);
    assert_int_equal(tw_data_widen(data, 4), TW_OK);
    assert_int_equal(data->d, 4);
    for (size_t i = 0; i < 8; i++) assert_true(data->x[i] == (i < 4 ? x[i] : 0.0));
    assert_int_equal(tw_data_widen(data, 3), TW_BAD_ARGUMENT);
    tw_data_free(data);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_two_columns_can_leave),  cmocka_unit_test(without_a_label),
        cmocka_unit_test(messages_say_what_is_wrong), cmocka_unit_test(several_columns_can_leave),
        cmocka_unit_test(columns_are_given_by_name),  cmocka_unit_test(inputs_that_are_zero_can_be_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
