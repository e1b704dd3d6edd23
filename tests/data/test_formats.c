/* The same matrix from CSV, libsvm and every kind of .npy; the label column by name and number. */
#include <stdio.h>
#include <string.h>

#include "support/npy_file.h"
#include "support/scratch_file.h"
#include "support/support.h"
#include "talweg/data.h"

enum { ROWS = 3, COLUMNS = 4 };

/* Row by row; exact as float32, and the first column is a label. */
static const double matrix[ROWS][COLUMNS] = {{1, 0.5, 0, -3}, {-1, 0, 0, 1024.25}, {1, 0, -0.125, 7}};

static void assert_the_matrix(tw_context *ctx, const scratch_file *file)
{
    tw_table *table = NULL;
    tw_status status = tw_table_read(ctx, file->path, &table);
    scratch_remove(file);
    if (status != TW_OK) fail_msg("%s", tw_context_message(ctx));
    assert_int_equal(table->rows, ROWS);
    assert_int_equal(table->columns, COLUMNS);
    assert_null(table->names);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++) assert_true(table->values[i + j * ROWS] == matrix[i][j]);
    tw_table_free(table);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
}

static void text_files_agree(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    scratch_file csv = scratch_write_text(".csv", "1,0.5,0,-3\n-1,0,0,1024.25\n1,0,-.125,7\n");
    assert_the_matrix(ctx, &csv);
    scratch_file sparse = scratch_write_text(".libsvm", "+1 1:0.5 3:-3\n-1 3:1024.25\n1 2:-.125 3:7\n");
    assert_the_matrix(ctx, &sparse);
    sparse = scratch_write_text(".SVM", "\xef\xbb\xbf# head\n\n 1\t1:0.5  3:-3 # end 4:x\r\n-1 3:1024.25#\r\n"
                                        "1 2:-.125 3:7");
    assert_the_matrix(ctx, &sparse);
    tw_context_free(ctx);
}

static void numpy_files_agree_in_every_version_order_and_float(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    unsigned char bytes[1024];
    for (int kind = 0; kind < 12; kind++) {
        int version = 1 + kind % 3, fortran = kind / 3 % 2, single = kind / 6;
        size_t length =
            npy_header(bytes, version, single ? "'<f4'" : "'<f8'", fortran ? "True" : "False", "(3, 4)");
        for (size_t k = 0; k < ROWS * COLUMNS; k++) {
            double value = fortran ? matrix[k % ROWS][k / ROWS] : matrix[k / COLUMNS][k % COLUMNS];
            float narrow = (float)value;
            size_t size = single ? sizeof narrow : sizeof value;
            memcpy(bytes + length, single ? (void *)&narrow : (void *)&value, size);
            length += size;
        }
        scratch_file file = scratch_write(".npy", bytes, length);
        assert_the_matrix(ctx, &file);
    }
    tw_context_free(ctx);
}

static void numpy_integers_are_read_with_their_sign(void **state)
{
    (void)state;
    static const struct {
        const char *descr;
        size_t size;
        unsigned char bytes[16];
        double first, second;
    } cases[] = {
        {"'|i1'", 1, {0x80, 0x7f}, -128, 127},
        {"'|u1'", 1, {0x80, 0x7f}, 128, 127},
        {"'|b1'", 1, {1, 0}, 1, 0},
        {"'<i2'", 2, {0xfe, 0xff, 0x00, 0x01}, -2, 256},
        {"'<u2'", 2, {0xfe, 0xff, 0x00, 0x01}, 65534, 256},
        {"'<i4'", 4, {0xff, 0xff, 0xff, 0xff, 1, 0, 0, 1}, -1, 16777217},
        {"'<u4'", 4, {0xff, 0xff, 0xff, 0xff, 1, 0, 0, 1}, 4294967295.0, 16777217},
        {"'<i8'", 8, {0, 0, 0, 0, 0, 0, 0, 0x80, 3}, -0x1p63, 3},
        {"'<u8'", 8, {0, 0, 0, 0, 0, 0, 0, 0x80, 3}, 0x1p63, 3},
    };
    tw_context *ctx = new_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[256];
        tw_table *table = NULL;
        size_t length = npy_header(bytes, 1, cases[i].descr, "False", "(2,)");
        memcpy(bytes + length, cases[i].bytes, 2 * cases[i].size);
        scratch_file file = scratch_write(".npy", bytes, length + 2 * cases[i].size);
        assert_int_equal(tw_table_read(ctx, file.path, &table), TW_OK);
        assert_true(table->rows == 2 && table->columns == 1);
        assert_true(table->values[0] == cases[i].first && table->values[1] == cases[i].second);
        tw_table_free(table);
        scratch_remove(&file);
    }
    tw_context_free(ctx);
}

static void the_label_is_found_by_name_and_number(void **state)
{
    (void)state;
    static const struct {
        const char *label;
        double y, x_first;
        const char *first_name;
    } cases[] = {{NULL, 30, 10, "a"}, {"c", 30, 10, "a"}, {"a", 10, 20, "2"},  {"1", 10, 20, "2"},
                 {"2", 20, 10, "a"},  {"3", 30, 10, "a"}, {"-1", 30, 10, "a"}, {"-3", 10, 20, "2"}};
    tw_context *ctx = new_context();
    tw_data *data = NULL;
    scratch_file file = scratch_write_text(".csv", "a,2,c\n10,20,30\n11,21,31\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(tw_data_read(ctx, file.path, cases[i].label, &data), TW_OK);
        assert_true(data->n == 2 && data->d == 2);
        assert_true(data->y[0] == cases[i].y && data->y[1] == cases[i].y + 1);
        assert_true(data->x[0] == cases[i].x_first && data->x[1] == cases[i].x_first + 1);
        assert_true(data->x[2] == 60 - cases[i].y - cases[i].x_first);
        assert_string_equal(data->names[0], cases[i].first_name);
        tw_data_free(data);
    }
    assert_int_equal(tw_data_read(ctx, file.path, "none", &data), TW_OK);
    assert_true(data->d == 3 && !data->y && data->x[4] == 30);
    tw_data_free(data);
    scratch_remove(&file);
    tw_context_free(ctx);
}

static void a_libsvm_file_has_its_label_first(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_data *data = NULL;
    scratch_file file = scratch_write_text(".libsvm", "1 2:5\n0 1:7\n");
    assert_int_equal(tw_data_read(ctx, file.path, NULL, &data), TW_OK);
    assert_true(data->n == 2 && data->d == 2 && data->y[0] == 1 && data->y[1] == 0);
    assert_true(data->x[0] == 0 && data->x[1] == 7 && data->x[2] == 5 && data->x[3] == 0);
    tw_data_free(data);
    assert_int_equal(tw_data_read(ctx, file.path, "none", &data), TW_OK);
    assert_true(data->d == 2 && !data->y && data->x[1] == 7);
    tw_data_free(data);
    scratch_remove(&file);
    tw_context_free(ctx);
}

/* Files beside the tests, with what their notes say of them: rows, columns, labels +1 (or none). */
static void the_shared_files_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t rows, columns, ones;
    } files[] = {
        {"usps35_train", 767, 257, 406},
        {"usps35_test", 773, 257, 418},
        {"pima_uci", 768, 9, 268},
        {"pima_ripley_train", 200, 8, 68},
        {"pima_ripley_test", 332, 8, 109},
        {"ionosphere", 351, 35, 225},
        {"sonar", 208, 61, 111},
        {"crabs", 200, 8, 100},
        {"breast_cancer_wisconsin", 683, 10, 239},
        {"ripley_synth_train", 250, 3, 125},
        {"ripley_synth_test", 1000, 3, 500},
        {"australian_credit", 690, 15, 307},
        {"german_credit", 1000, 25, 300},
        {"heart_statlog", 270, 14, 120},
        {"lgcp_gc2011_64x64", 4096, 4, 0},
        {"finnish_pines", 126, 2, 0},
        {"coal_disasters", 191, 1, 0},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[128], path[1024];
        snprintf(name, sizeof name, "data/%s.csv", files[i].name);
        shared_path(name, path, sizeof path);
        tw_context *ctx = new_context();
        tw_data *data = NULL;
        const char *label = files[i].ones ? NULL : "none";
        if (tw_data_read(ctx, path, label, &data) != TW_OK) fail_msg("%s", tw_context_message(ctx));
        assert_int_equal(data->n, files[i].rows);
        assert_int_equal(data->d, files[i].columns - (label ? 0 : 1));
        size_t ones = 0;
        if (data->y) assert_int_equal(tw_data_binary_labels(data), TW_OK);
        for (size_t n = 0; data->y && n < data->n; n++) ones += data->y[n] == 1.0;
        assert_int_equal(ones, files[i].ones);
        tw_data_free(data);
        tw_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_files_agree),
        cmocka_unit_test(numpy_files_agree_in_every_version_order_and_float),
        cmocka_unit_test(numpy_integers_are_read_with_their_sign),
        cmocka_unit_test(the_label_is_found_by_name_and_number),
        cmocka_unit_test(a_libsvm_file_has_its_label_first),
        cmocka_unit_test(the_shared_files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
