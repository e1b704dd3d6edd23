/* Every kind of bad file gives its status and a message with line, column, the text found and advice. */
#include <stdio.h>
#include <string.h>

#include "support/npy_file.h"
#include "support/scratch_file.h"
#include "support/support.h"
#include "talweg/data.h"

#define ADVICE "missing and non-finite values are not supported: remove or impute the row"

/* Bytes (with their length where they hold NUL, else 0) and up to three pieces of the message. */
typedef struct bad_file {
    const char *ending;
    const char *bytes;
    size_t length;
    const char *words[3];
} bad_file;

static const bad_file bad_files[] = {
    {".csv", "", 0, {"is empty"}},
    {".csv", "\n  \n# nothing\n", 0, {"only blank lines and comments"}},
    {".csv", "\xef\xbb\xbf", 0, {"only blank lines and comments"}},
    {".csv", "# c\na,b,c\n", 0, {"only a header, on line 2"}},
    {".csv", "a,b\n1,2\n\n3\n", 0, {"line 4: expected 2 fields, as in the header, but found 1"}},
    {".csv", "1,2\n3,4,5\n", 0, {"line 2: expected 2 fields, as in the first row, but found 3"}},
    {".csv", "1 2\n3 4 5\n", 0, {"line 2: expected 2 fields", "found 3"}},
    {".csv", "1\n2,3\n", 0, {"line 2: expected 1 fields", "found 2"}},
    {".csv", "a,b\n1,2\n3,NaN\n", 0, {"line 3, column 2 (\"b\"): found \"NaN\"", ADVICE}},
    {".csv", "1,2\n-inf,4\n", 0, {"line 2, column 1: found \"-inf\"", ADVICE}},
    {".csv", "1,nan\n1,2\n", 0, {"line 1, column 2: found \"nan\"", ADVICE}},
    {".csv", "1,2\n3,1e999\n", 0, {"line 2, column 2: found \"1e999\"", ADVICE}},
    {".csv", "1,2\n3,\n", 0, {"line 2, column 2: found \"\"", ADVICE}},
    {".csv", "1,,2\n", 0, {"line 1, column 2: found \"\"", ADVICE}},
    {".csv", "1\t2\n3\t\n", 0, {"line 2, column 2: found \"\"", ADVICE}},
    {".csv", "1,2\n3,?\n", 0, {"found \"?\"", ADVICE}},
    {".csv", "1,2\n3,\"\"\n", 0, {"line 2, column 2: found \"\"", ADVICE}},
    {".csv",
     "a,b\r\n1,2\r\n3,red\r\n",
     0,
     {"line 3, column 2 (\"b\"): found \"red\", which is not a number"}},
    {".csv", "1,2\n3,4x\n", 0, {"line 2, column 2: found \"4x\", which is not a number", "as numbers"}},
    {".csv", "1,2\n3,0x10\n", 0, {"found \"0x10\", which is not a number"}},
    {".csv", "1,2\n3,1 2\n", 0, {"found \"1 2\", which is not a number"}},
    {".csv", "1,2\n3,--4\n", 0, {"found \"--4\""}},
    {".csv", "1;2\n3;4,5\n", 0, {"line 2, column 2: found \"4,5\"", "a decimal point, not a comma"}},
    {".txt", "1 1:2 2:3\n-1 1:4 2:5\n", 0, {"line 2, column 2", "\"1:4\"", ".libsvm"}},
    {".csv", "1,2\n3,\"4\n", 0, {"line 2, column 2: the quotes around \"4\" are not closed"}},
    {".csv", "1,2\n3,\"4\"x\n", 0, {"line 2, column 2: the quotes", "text follows"}},
    {".csv", "\"a,b\n1,2\n", 0, {"line 1, column 1: the quotes"}},
    {".csv", "1,2\n3,\x01\x7f\xc3\n", 0, {"not a text file: byte 7 is 0x01"}},
    {".csv", "1,2\n3,\xc3\xa4\n", 0, {"found \"\\xc3\\xa4\""}},
    {".csv",
     "1,2\n3,abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\n",
     0,
     {"found \"abcdefghijklmnopqrstuvwxyzabcdefghijklm...\""}},
    {".csv", "1,2\n3\0,4\n", 9, {"not a text file: byte 6 is 0x00"}},
    {".csv",
     "\xff\xfe"
     "1\0,\0",
     6,
     {"not a text file", "UTF-16"}},
    {".csv", "\x1f\x8b\x08xyz", 0, {"is a damaged gzip file"}},
    {".csv.gz", "\x1f\x8b\x08", 0, {"is a truncated gzip file, which ends after 3 bytes"}},
    {".libsvm", "", 0, {"is empty"}},
    {".libsvm", "# none\n\n", 0, {"only blank lines and comments"}},
    {".libsvm", "1\n-1\n", 0, {"labels only"}},
    {".libsvm", "1 1:2\n-1 0:3\n", 0, {"line 2, entry 2: found \"0:3\"", "indices start at 1"}},
    {".libsvm", "1 2:2 1:3\n", 0, {"line 1, entry 3: found \"1:3\"", "must increase"}},
    {".libsvm", "1 2:2 2:3\n", 0, {"line 1, entry 3", "must increase"}},
    {".libsvm", "1 2\n", 0, {"line 1, entry 2: found \"2\"", "index:number"}},
    {".libsvm", "1 2:x\n", 0, {"line 1, entry 2: found \"2:x\"", "index:number"}},
    {".libsvm", "1 -2:3\n", 0, {"found \"-2:3\"", "index:number"}},
    {".libsvm", "1 2:\n", 0, {"found \"2:\"", ADVICE}},
    {".libsvm", "1 2:nan\n", 0, {"line 1, entry 2: found \"2:nan\"", ADVICE}},
    {".libsvm", "1 2:1e999\n", 0, {"found \"2:1e999\"", ADVICE}},
    {".libsvm", "a 2:3\n", 0, {"line 1, entry 1: found \"a\"", "label"}},
    {".libsvm", "1:2 2:3\n", 0, {"line 1, entry 1: found \"1:2\"", "label"}},
    {".libsvm", "1 99999999999999999999999:1\n", 0, {"index is too large"}},
    {".svm", "1,2\n\0", 5, {"not a text file"}},
    {".npy", "", 0, {"is empty"}},
    {".npy", "1,2\n", 0, {"is not a NumPy array"}},
    {".npy", "\x93NUMPY", 0, {"truncated", "after 6 bytes"}},
    {".npy", "\x93NUMPY\x01", 0, {"truncated"}},
    {".npy", "\x93NUMPY\x04\0\1\0{", 11, {"version 4"}},
    {".npy", "\x93NUMPY\x01\0\x76\0{'descr", 18, {"truncated in its header"}},
};

/* Headers of .npy files with the number of bytes behind them (zeros). */
static const struct {
    const char *descr, *order, *shape;
    size_t bytes;
    const char *words[2];
} bad_arrays[] = {
    {"'|O'", "False", "(2, 2)", 32, {"Python objects", "astype(float)"}},
    {"'>f8'", "False", "(2, 2)", 32, {"big-endian", "astype(float)"}},
    {"'<c16'", "False", "(2, 2)", 64, {"\"<c16\"", "astype(float)"}},
    {"'<f2'", "False", "(2, 2)", 8, {"\"<f2\"", "astype(float)"}},
    {"'<U5'", "False", "(2, 2)", 80, {"\"<U5\""}},
    {"[('a', '<f8')]", "False", "(2,)", 16, {"records with named fields"}},
    {"'<f8'", "False", "(2, 2)", 31, {"truncated", "need 32 bytes, not 31"}},
    {"'<f8'", "False", "(2, 2)", 0, {"truncated", "need 32 bytes, not 0"}},
    {"'<f8'", "False", "(2, 2)", 33, {"too long", "need 32 bytes, not 33"}},
    {"'<f8'", "False", "(4294967296, 4294967296)", 32, {"truncated"}},
    {"'<f8'", "False", "(2305843009213693952, 1)", 32, {"truncated"}},
    {"'<f8'", "False", "(99999999999999999999, 1)", 32, {"damaged header: 'shape'"}},
    {"'<f8'", "False", "(0, 3)", 0, {"0 rows and 3 columns"}},
    {"'<f8'", "False", "()", 8, {"0 dimensions"}},
    {"'<f8'", "False", "(1, 2, 2)", 32, {"3 dimensions"}},
    {"'<f8'", "False", "(2, x)", 32, {"damaged header: 'shape'"}},
    {"'<f8'", "False", "(2, 2", 32, {"damaged header: 'shape'"}},
    {"'<f8'", "Maybe", "(2, 2)", 32, {"damaged header: 'fortran_order'"}},
    {"<f8", "False", "(2, 2)", 32, {"damaged header: 'descr'"}},
};

static void assert_refused(const char *path, tw_status expected, const char *const *words, size_t count)
{
    tw_context *ctx = new_context();
    tw_table *table = (tw_table *)ctx;
    assert_int_equal(tw_table_read(ctx, path, &table), expected);
    assert_null(table);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    const char *message = tw_context_message(ctx);
    assert_int_equal(strncmp(message, path, strlen(path)), 0);
    for (size_t k = 0; k < count && words[k]; k++)
        if (!strstr(message, words[k])) fail_msg("\"%s\" is not in\n%s", words[k], message);
    tw_context_free(ctx);
}

static void bad_contents_are_refused_with_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        const bad_file *bad = &bad_files[i];
        scratch_file file =
            scratch_write(bad->ending, bad->bytes, bad->length ? bad->length : strlen(bad->bytes));
        assert_refused(file.path, TW_BAD_DATA, bad->words, 3);
        scratch_remove(&file);
    }
}

static void bad_arrays_are_refused_with_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_arrays / sizeof *bad_arrays; i++) {
        unsigned char bytes[512] = {0};
        size_t length = npy_header(bytes, 1, bad_arrays[i].descr, bad_arrays[i].order, bad_arrays[i].shape);
        scratch_file file = scratch_write(".npy", bytes, length + bad_arrays[i].bytes);
        assert_refused(file.path, TW_BAD_DATA, bad_arrays[i].words, 2);
        scratch_remove(&file);
    }
}

static void a_number_that_is_not_finite_in_an_array_is_placed(void **state)
{
    (void)state;
    unsigned char bytes[512] = {0};
    size_t length = npy_header(bytes, 1, "'<f4'", "False", "(2, 3)");
    memcpy(bytes + length + 5 * 4, "\x00\x00\x80\x7f", 4); /* +inf in row 2, column 3 */
    scratch_file file = scratch_write(".npy", bytes, length + 6 * 4);
    const char *const words[] = {"row 2, column 3: found inf", ADVICE};
    assert_refused(file.path, TW_BAD_DATA, words, 2);
    scratch_remove(&file);
}

static void files_that_cannot_be_read_are_named(void **state)
{
    (void)state;
    const char *const absent[] = {"cannot be opened: "}, *const folder[] = {"is a directory"};
    const char *const device[] = {"is a device", "a file or a pipe"}, *const input[] = {"/dev/stdin"};
    assert_refused("no/such/file.csv", TW_BAD_FILE, absent, 1);
    assert_refused("tests", TW_BAD_FILE, folder, 1);
    assert_refused(".", TW_BAD_FILE, folder, 1);
    assert_refused("/dev/zero", TW_BAD_FILE, device, 2);
    assert_refused("-", TW_BAD_FILE, input, 1);
    tw_context *ctx = new_context();
    tw_table *table = NULL;
    assert_int_equal(tw_table_read(ctx, NULL, &table), TW_BAD_ARGUMENT);
    tw_context_free(ctx);
}

static void a_huge_libsvm_index_says_what_memory_it_needs(void **state)
{
    (void)state;
    scratch_file file = scratch_write_text(".libsvm", "1 99999999999:1\n");
    const char *const words[] = {
        "not enough memory for a table of 1 rows and 100000000000 columns: it needs 800.0 GB"};
    assert_refused(file.path, TW_NO_MEMORY, words, 1);
    scratch_overwrite(&file, "1 18446744073709551615:1\n", 25);
    assert_refused(file.path, TW_NO_MEMORY, NULL, 0);
    scratch_remove(&file);
}

static void a_label_column_that_is_not_there_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *label, *words;
    } cases[] = {
        {"a,b\n1,2\n", "c",
         "unknown label column \"c\": give an index from 1 to 2 or -1 to -2, or one of the names "
         "\"a\", \"b\", or none"},
        {"1,2\n", "3", "\"3\": give an index from 1 to 2 or -1 to -2, or none"},
        {"1,2\n", "-3", "unknown label column \"-3\""},
        {"1,2\n", "0", "unknown label column \"0\""},
        {"1,2\n", "", "unknown label column \"\""},
        {"1,2\n", "99999999999999999999", "unknown label column"},
        {"a,b,a\n1,2,3\n", "a", "columns 1 and 3 have the same name \"a\""},
        {"1\n2\n", NULL, "has only one column"},
        {"a\n2\n", "a", "has only one column"},
    };
    tw_context *ctx = new_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scratch_file file = scratch_write_text(".csv", cases[i].text);
        tw_data *data = NULL;
        assert_int_equal(tw_data_read(ctx, file.path, cases[i].label, &data), TW_BAD_DATA);
        assert_null(data);
        assert_int_equal(strncmp(tw_context_message(ctx), file.path, strlen(file.path)), 0);
        if (!strstr(tw_context_message(ctx), cases[i].words))
            fail_msg("\"%s\" is not in\n%s", cases[i].words, tw_context_message(ctx));
        scratch_remove(&file);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void a_long_list_of_names_is_cut(void **state)
{
    (void)state;
    char text[8192] = "";
    size_t length = 0;
    for (int j = 0; j < 400; j++) length += (size_t)sprintf(text + length, "%sname_%d", j ? "," : "", j);
    for (int j = 0; j < 400; j++) length += (size_t)sprintf(text + length, "%s1", j ? "," : "\n");
    tw_context *ctx = new_context();
    tw_data *data = NULL;
    scratch_file file = scratch_write_text(".csv", text);
    assert_int_equal(tw_data_read(ctx, file.path, "x", &data), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "\"name_1\", \"name_2\""));
    assert_non_null(strstr(tw_context_message(ctx), ", ..., or none"));
    assert_true(strlen(tw_context_message(ctx)) < 1000 + sizeof file.path);
    scratch_remove(&file);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_contents_are_refused_with_words),
        cmocka_unit_test(bad_arrays_are_refused_with_words),
        cmocka_unit_test(a_number_that_is_not_finite_in_an_array_is_placed),
        cmocka_unit_test(files_that_cannot_be_read_are_named),
        cmocka_unit_test(a_huge_libsvm_index_says_what_memory_it_needs),
        cmocka_unit_test(a_label_column_that_is_not_there_is_refused),
        cmocka_unit_test(a_long_list_of_names_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
