/* Data as users have them: columns of text, labels of any two texts, columns without names, compressed
 * files. */
#include <stdio.h>
#include <string.h>

#include "data/text.h"
#include "support/scratch_file.h"
#include "support/support.h"
#include "talweg/data.h"

static tw_status read_as(tw_context *ctx, const char *text, const tw_reading *reading, tw_data **data)
{
    scratch_file file = scratch_write_text(".csv", text);
    tw_status status = tw_data_read_as(ctx, file.path, reading, data);
    scratch_remove(&file);
    return status;
}

static tw_data *read_all(tw_context *ctx, const char *text)
{
    tw_data *data = NULL;
    if (read_as(ctx, text, &(tw_reading){.label = NULL}, &data) != TW_OK)
        fail_msg("%s", tw_context_message(ctx));
    return data;
}

static void assert_levels(const tw_levels *levels, size_t count, const char *const *texts)
{
    assert_non_null(levels);
    assert_int_equal(levels->count, count);
    for (size_t k = 0; k < count; k++) assert_string_equal(levels->text[k], texts[k]);
}

static void finish(tw_context *ctx)
{
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* ---- columns of text ---- */

static void text_becomes_categories(void **state)
{
    (void)state;
    static const char *const places[] = {"New \"York\"", "Oslo", "Rome"}, *const sick[] = {"no", "yes"};
    static const double codes[] = {2, 0, 1, 2};
    tw_context *ctx = new_context();
    tw_data *data =
        read_all(ctx, "age,place,sick\n30,Rome,no\n40,\"New \"\"York\"\"\",yes\n50,Oslo,no\n60,Rome,no\n");
    assert_int_equal(data->d, 2);
    assert_null(tw_data_levels(data, 0));
    assert_levels(tw_data_levels(data, 1), 3, places);
    assert_levels(&data->labels, 2, sick);
    for (size_t i = 0; i < 4; i++) assert_true(data->x[4 + i] == codes[i] && data->y[i] == (i == 1));
    tw_data_free(data);
    finish(ctx);
}

/* A line with text at the same places as the next, and numbers at the others, is a row. */
static void a_row_of_text_and_numbers_is_no_header(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_data *data = read_all(ctx, "5.1,red,1\n4.9,blue,0\n");
    assert_true(data->n == 2 && !data->names && data->x[0] == 5.1);
    tw_data_free(data);
    data = read_all(ctx, "x,colour,y\n4.9,blue,0\n");
    assert_true(data->n == 1 && data->names);
    tw_data_free(data);
    finish(ctx);
}

static void text_among_numbers_is_a_mistake(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"a,b,y\n1,2,1\n3,4x,0\n", "line 3, column 2 (\"b\"): found \"4x\", which is not a number"},
        {"a;b;y\n1;2,5;1\n3;4,5;0\n", "found \"2,5\", which is not a number; write a decimal point"},
        {"1 1:2 2:3\n-1 1:4 2:5\n", "the name of a libsvm file must end in .libsvm or .svm"},
        {"a,b,y\n1,red,1\n3,,0\n", "line 3, column 2 (\"b\"): found \"\"; missing"},
        {"a,b,y\nx,,\ny,,\n", "found \"\"; missing"},
    };
    tw_context *ctx = new_context();
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        tw_data *data = NULL;
        assert_int_equal(read_as(ctx, bad[k].text, &(tw_reading){.label = NULL}, &data), TW_BAD_DATA);
        assert_null(data);
        if (!strstr(tw_context_message(ctx), bad[k].says)) fail_msg("%s", tw_context_message(ctx));
    }
    finish(ctx);
}

/* Tables of numbers, such as covariances, take no text. */
static void tables_are_numbers(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_table *table = NULL;
    scratch_file file = scratch_write_text(".csv", "a,b\n1,red\n2,blue\n");
    assert_int_equal(tw_table_read(ctx, file.path, &table), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "found \"red\", which is not a number"));
    scratch_remove(&file);
    finish(ctx);
}

static void standardising_leaves_text_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {"F", "M"};
    tw_context *ctx = new_context();
    tw_data *data = read_all(ctx, "same,sex,age,y\n7,M,1,1\n7,F,3,0\n7,M,5,1\n");
    tw_scaling *scaling = NULL;
    assert_int_equal(tw_scaling_fit(data, &scaling), TW_OK);
    assert_int_equal(tw_scaling_apply(scaling, data), TW_OK);
    assert_int_equal(data->d, 2);
    assert_levels(tw_data_levels(data, 0), 2, texts);
    assert_true(data->x[0] == 1.0 && data->x[1] == 0.0 && data->x[2] == 1.0);
    assert_null(tw_data_levels(data, 1));
    tw_scaling_free(scaling);
    tw_data_free(data);
    finish(ctx);
}

static void categories_are_matched_by_their_texts(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_data *train = read_all(ctx, "sex,age,y\nM,1,1\nF,3,0\n");
    tw_data *at = read_all(ctx, "sex,age,y\nF,1,1\nF,3,0\n"),
            *other = read_all(ctx, "sex,age,y\nX,1,1\nM,3,0\n");
    tw_data *number = read_all(ctx, "sex,age,y\n1,1,1\n0,3,0\n");
    assert_int_equal(tw_data_match_levels(at, train, NULL, false), TW_OK);
    assert_true(at->x[0] == 0.0 && at->x[1] == 0.0);
    assert_int_equal(tw_data_match_levels(other, train, NULL, false), TW_NEW_CATEGORY);
    assert_string_equal(
        tw_context_message(ctx),
        "row 1 (line 2) of sex: found \"X\", but the categories of the training cases are \"F\", \"M\"");
    assert_int_equal(tw_data_match_levels(other, train, NULL, true), TW_OK);
    assert_true(other->x[0] > 1.0 && other->x[1] == 1.0);
    assert_int_equal(tw_data_match_levels(number, train, NULL, false), TW_BAD_DATA);
    assert_string_equal(tw_context_message(ctx), "sex is numbers, but in the training cases it is text");
    tw_data_free(train);
    tw_data_free(at);
    tw_data_free(other);
    tw_data_free(number);
    finish(ctx);
}

/* ---- labels ---- */

static void keep_text(void *user, tw_log_level level, const char *text)
{
    (void)level;
    snprintf(user, 256, "%s", text);
}

static void of_two_labels_the_later_is_positive(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second, *positive, *plus; /* plus: which became +1 */
    } all[] = {
        {"M", "F", NULL, "M"},           {"F", "M", NULL, "M"}, {"M", "F", "F", "F"},
        {"TRUE", "FALSE", NULL, "TRUE"}, {"1", "2", NULL, "2"}, {"1", "2", "1", "1"},
        {"no", "yes", NULL, "yes"},      {"1", "0", "0", "0"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char text[64], seen[256] = "", note[64];
        tw_context *ctx = new_context();
        tw_context_set_log(ctx, keep_text, seen);
        snprintf(text, sizeof text, "x,y\n1,%s\n2,%s\n", all[k].first, all[k].second);
        tw_data *data = read_all(ctx, text);
        assert_int_equal(tw_data_class_labels(data, all[k].positive, NULL), TW_OK);
        bool first = strcmp(all[k].first, all[k].plus) == 0;
        assert_true(data->y[0] == (first ? 1.0 : -1.0) && data->y[1] == -data->y[0]);
        snprintf(note, sizeof note, "labels: %s is +1", all[k].plus);
        assert_int_equal(strncmp(seen, note, strlen(note)), 0);
        tw_data_free(data);
        finish(ctx);
    }
}

static void labels_of_new_cases_are_the_models(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_data *train = read_all(ctx, "x,y\n1,a\n2,b\n"), *at = read_all(ctx, "x,y\n1,b\n2,b\n");
    tw_data *bad = read_all(ctx, "x,y\n1,a\n2,c\n"), *many = read_all(ctx, "x,y\n1,a\n2,c\n3,d\n");
    assert_int_equal(tw_data_class_labels(train, "a", NULL), TW_OK);
    assert_int_equal(tw_data_class_labels(at, NULL, &train->labels), TW_OK);
    assert_true(at->y[0] == -1.0 && at->y[1] == -1.0);
    assert_int_equal(tw_data_class_labels(bad, NULL, &train->labels), TW_BAD_DATA);
    assert_string_equal(tw_context_message(ctx),
                        "row 2: found the label \"c\", but the labels are \"b\", \"a\" (line 3)");
    assert_int_equal(tw_data_class_labels(bad, "x", NULL), TW_BAD_DATA);
    assert_string_equal(tw_context_message(ctx), "no label is \"x\": the labels are \"a\" and \"c\"");
    assert_int_equal(tw_data_class_labels(many, NULL, NULL), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "they are a (row 1), c (row 2), d (row 3)"));
    tw_data_free(train);
    tw_data_free(at);
    tw_data_free(bad);
    tw_data_free(many);
    finish(ctx);
}

/* Data from arrays, whose labels are numbers of texts, are what a file of the same labels would be. */
static void labels_of_arrays_can_be_text(void **state)
{
    (void)state;
    const double x[3] = {1, 2, 3}, y[3] = {1, 0, 1}, beyond[3] = {2, 0, 1};
    const char *const texts[] = {"no", "yes"}, *const unsorted[] = {"yes", "no"};
    tw_context *ctx = new_context();
    tw_data *data = NULL, *bad = NULL;
    assert_int_equal(tw_data_new(ctx, 3, 1, x, 3, y, &data), TW_OK);
    assert_int_equal(tw_data_new(ctx, 3, 1, x, 3, beyond, &bad), TW_OK);
    assert_int_equal(tw_data_set_label_texts(bad, 2, texts), TW_BAD_ARGUMENT);
    assert_int_equal(tw_data_set_label_texts(data, 2, unsorted), TW_BAD_ARGUMENT);
    assert_int_equal(tw_data_set_label_texts(data, 2, texts), TW_OK);
    assert_int_equal(tw_data_class_labels(data, "no", NULL), TW_OK);
    assert_levels(&data->labels, 2, unsorted);
    assert_true(data->y[0] == -1.0 && data->y[1] == 1.0 && data->y[2] == -1.0);
    tw_data_free(bad);
    tw_data_free(data);
    finish(ctx);
}

static void levels_have_an_order(void **state)
{
    (void)state;
    static const char *const order[] = {"low", "medium", "high"}, *const twice[] = {"low", "low"};
    tw_context *ctx = new_context();
    tw_data *data = read_all(ctx, "x,y\n1,high\n2,low\n3,medium\n4,low\n");
    assert_int_equal(tw_data_order_labels(data, 2, twice), TW_BAD_ARGUMENT);
    assert_int_equal(tw_data_order_labels(data, 2, order), TW_BAD_DATA);
    assert_int_equal(tw_data_order_labels(data, 3, order), TW_OK);
    assert_true(data->y[0] == 3 && data->y[1] == 1 && data->y[2] == 2 && data->y[3] == 1);
    assert_levels(&data->labels, 3, order);
    tw_data_free(data);
    finish(ctx);
}

/* ---- columns that are left out ---- */

static void columns_can_be_ignored(void **state)
{
    (void)state;
    static const char *const two[] = {"c", "2"}, *const label[] = {"y"}, *const all[] = {"a", "b", "c"};
    const char *text = "a,b,c,y\n1,2,p,1\n5,6,q,0\n";
    tw_context *ctx = new_context();
    tw_data *data = NULL;
    assert_int_equal(read_as(ctx, text, &(tw_reading){.ignored = 2, .ignore = two}, &data), TW_OK);
    assert_true(data->d == 1 && data->x[1] == 5.0 && data->y[0] == 1.0 && !tw_data_levels(data, 0));
    tw_data_free(data);
    assert_int_equal(read_as(ctx, text, &(tw_reading){.ignored = 1, .ignore = label}, &data), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "column 4 cannot be both ignored and the label"));
    assert_int_equal(read_as(ctx, text, &(tw_reading){.ignored = 3, .ignore = all}, &data), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "has no inputs"));
    finish(ctx);
}

/* What was left out of the training data is left out of new ones, where it is there and is not asked for. */
static void ignored_columns_are_remembered(void **state)
{
    (void)state;
    static const char *const ignored[] = {"note", "2"}, *const names[] = {"b", "note"};
    const tw_column_place note = {"exposure", "note"};
    tw_context *ctx = new_context();
    tw_data *train = NULL, *data = NULL;
    const char *text = "a,b,c,note,c,y\n1,2,3,?,5,6\n7,8,9,z,2,3\n";
    assert_int_equal(read_as(ctx, text, &(tw_reading){.ignored = 2, .ignore = ignored}, &train), TW_OK);
    assert_levels(&train->ignored, 2, names);
    assert_int_equal(train->d, 3);
    tw_reading reading = {.label = "none", .leave_out = &train->ignored};
    assert_int_equal(read_as(ctx, "note,a\n?,1\nz,2\n", &reading, &data), TW_OK);
    assert_true(data->d == 1 && data->x[1] == 2.0);
    assert_levels(&data->ignored, 1, names + 1);
    tw_data_free(data);
    reading.count = 1;
    reading.columns = &note;
    assert_int_equal(read_as(ctx, "note,a\n3,1\n4,2\n", &reading, &data), TW_OK);
    assert_true(tw_data_column(data, "exposure")[1] == 4.0 && data->ignored.count == 0);
    tw_data_free(data);
    tw_data_free(train);
    /* a name that a column in use has, too, would take that along */
    static const char *const third[] = {"3"};
    const tw_reading twice = {.ignored = 1, .ignore = third};
    assert_int_equal(read_as(ctx, "a,c,c,y\n1,2,3,6\n7,8,9,3\n", &twice, &data), TW_OK);
    assert_int_equal(data->ignored.count, 0);
    tw_data_free(data);
    finish(ctx);
}

/* RFC 3629 section 4: what is UTF-8, at its borders. */
static void names_and_categories_are_utf8(void **state)
{
    (void)state;
    static const char *const good[] = {"",
                                       "age",
                                       "\x7f",
                                       "\xc2\x80",
                                       "\xc3\xa4ge",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\x80",
                                      "\xc1\xbf",
                                      "\xe4ge",
                                      "a\xc3",
                                      "\xe0\x9f\xbf",
                                      "\xed\xa0\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf8\x88\x80\x80\x80",
                                      "\xff",
                                      "\xe2\x82"};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        assert_true(tw_text_is_utf8(good[k], good[k] + strlen(good[k])));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_false(tw_text_is_utf8(bad[k], bad[k] + strlen(bad[k])));
    tw_context *ctx = new_context();
    tw_data *data = NULL;
    static const char *const second[] = {"2"};
    const tw_reading all = {.label = NULL}, some = {.ignored = 1, .ignore = second};
    const char *name = "a,\xe4,y\n1,2,3\n4,5,6\n", *category = "a,b,y\n1,M\xfcnchen,3\n4,K\xf6ln,6\n";
    assert_int_equal(read_as(ctx, name, &all, &data), TW_BAD_DATA);
    assert_non_null(
        strstr(tw_context_message(ctx), "line 1, column 2 (\"\\xe4\"): found \"\\xe4\", which is not UTF-8"));
    assert_int_equal(read_as(ctx, category, &all, &data), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx),
                           "line 2, column 2 (\"b\"): found \"M\\xfcnchen\", which is not UTF-8"));
    assert_int_equal(read_as(ctx, category, &some, &data), TW_OK);
    tw_data_free(data);
    finish(ctx);
}

static void names_of_rows_are_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t d;
    } all[] = {
        {",a,y\n1,5,1\n2,6,0\n", 1},           {"\"\",a,y\n0,5,1\n1,6,0\n", 1},
        {"Unnamed: 0,a,y\n0,5,1\n1,6,0\n", 1}, {",a,y\nMazda,5,1\nFiat,6,0\n", 1},
        {",a,y\n1,5,1\n3,6,0\n", 2},           {"id,a,y\n1,5,1\n2,6,0\n", 2},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char seen[256] = "";
        tw_context *ctx = new_context();
        tw_context_set_log(ctx, keep_text, seen);
        tw_data *data = read_all(ctx, all[k].text);
        assert_int_equal(data->d, all[k].d);
        assert_true((strstr(seen, "numbers the rows") != NULL) == (all[k].d == 1));
        tw_data_free(data);
        finish(ctx);
    }
}

/* ---- compressed files ---- */

/* Two members, "a,b\n1,2\n" and "3,4\n", and bytes that gzip leaves alone. */
static void files_may_be_compressed(void **state)
{
    (void)state;
    static const char bytes[] =
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\xd4\x49\xe2\x32\xd4\x31\xe2\x02\x00\x7b\x07\x97\x0a\x08"
        "\x00\x00\x00\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x33\xd6\x31\xe1\x02\x00\x3e\x2d\x72\xa9\x04\x00"
        "\x00\x00\x00\x00";
    tw_context *ctx = new_context();
    for (size_t length = sizeof bytes - 1; length > 0; length--) {
        tw_table *table = NULL;
        scratch_file file = scratch_write(".csv.gz", bytes, length);
        tw_status status = tw_table_read(ctx, file.path, &table);
        scratch_remove(&file);
        if (length >= 52) {
            assert_int_equal(status, TW_OK);
            assert_true(table->rows == 2 && table->columns == 2 && table->values[3] == 4.0);
        } else if (length == 28) { /* the first member, and no second */
            assert_int_equal(status, TW_OK);
            assert_int_equal(table->rows, 1);
        } else {
            assert_int_equal(status, TW_BAD_DATA);
        }
        tw_table_free(table);
    }
    assert_int_equal(tw_format_of("a.libsvm.gz"), TW_FORMAT_LIBSVM);
    assert_int_equal(tw_format_of("a.npy.GZ"), TW_FORMAT_NPY);
    assert_int_equal(tw_format_of("a.csv.gz"), TW_FORMAT_CSV);
    finish(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_becomes_categories),
        cmocka_unit_test(a_row_of_text_and_numbers_is_no_header),
        cmocka_unit_test(text_among_numbers_is_a_mistake),
        cmocka_unit_test(tables_are_numbers),
        cmocka_unit_test(standardising_leaves_text_alone),
        cmocka_unit_test(categories_are_matched_by_their_texts),
        cmocka_unit_test(of_two_labels_the_later_is_positive),
        cmocka_unit_test(labels_of_new_cases_are_the_models),
        cmocka_unit_test(labels_of_arrays_can_be_text),
        cmocka_unit_test(levels_have_an_order),
        cmocka_unit_test(columns_can_be_ignored),
        cmocka_unit_test(ignored_columns_are_remembered),
        cmocka_unit_test(names_and_categories_are_utf8),
        cmocka_unit_test(names_of_rows_are_left_out),
        cmocka_unit_test(files_may_be_compressed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
