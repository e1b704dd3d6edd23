/* Inputs are matched by name, in any order. */
#include <string.h>

#include "support/support.h"
#include "talweg/data.h"

static const double values[] = {1, 2, 10, 20, 100, 200}; /* two cases of three inputs */

static tw_data *named(tw_context *ctx, const char *const *names)
{
    tw_data *data = NULL;
    assert_int_equal(tw_data_new(ctx, 2, 3, values, 2, NULL, &data), TW_OK);
    assert_int_equal(tw_data_set_names(data, names), TW_OK);
    return data;
}

static void inputs_move_to_their_names(void **state)
{
    (void)state;
    static const char *const from[] = {"a", "b", "c"}, *const to[] = {"c", "a", "b"};
    static const double expected[] = {100, 200, 1, 2, 10, 20};
    tw_context *ctx = new_context();
    tw_data *data = named(ctx, from);
    assert_int_equal(tw_data_match(data, 3, to, NULL), TW_OK);
    for (size_t i = 0; i < 6; i++) assert_true(data->x[i] == expected[i]);
    for (size_t k = 0; k < 3; k++) assert_string_equal(data->names[k], to[k]);
    tw_data_free(data);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void without_names_the_order_counts(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c"}, *const twice[] = {"a", "a", "b"};
    tw_context *ctx = new_context();
    tw_data *data = named(ctx, NULL);
    assert_int_equal(tw_data_match(data, 3, names, NULL), TW_OK);
    assert_int_equal(tw_data_match(data, 2, names, NULL), TW_BAD_DATA);
    assert_int_equal(tw_data_set_names(data, twice), TW_OK);
    assert_int_equal(tw_data_match(data, 3, NULL, NULL), TW_OK);
    assert_int_equal(tw_data_match(data, 3, twice, NULL), TW_OK); /* the same names in the same order */
    for (size_t i = 0; i < 6; i++) assert_true(data->x[i] == values[i]);
    tw_data_free(data);
    tw_context_free(ctx);
}

static void what_does_not_match_is_refused(void **state)
{
    (void)state;
    static const char *const from[] = {"a", "b", "c"}, *const twice[] = {"a", "b", "b"};
    static const struct {
        const char *const *from;
        size_t d;
        const char *to[3];
        const char *words;
    } all[] = {
        {from, 3, {"a", "x", "c"}, "the input \"x\" of the model is missing"},
        {from, 3, {"a", "B", "c"}, "the input \"B\" of the model is missing, but there is \"b\""},
        {from, 2, {"c", "a", NULL}, "the model has no input \"b\""},
        {twice, 2, {"b", "a", NULL}, "several inputs have the name \"b\""},
    };
    tw_context *ctx = new_context();
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        tw_data *data = named(ctx, all[k].from);
        assert_int_equal(tw_data_match(data, all[k].d, all[k].to, NULL), TW_BAD_DATA);
        assert_non_null(strstr(tw_context_message(ctx), all[k].words));
        for (size_t i = 0; i < 6; i++) assert_true(data->x[i] == values[i]);
        tw_data_free(data);
    }
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_move_to_their_names),
        cmocka_unit_test(without_names_the_order_counts),
        cmocka_unit_test(what_does_not_match_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
