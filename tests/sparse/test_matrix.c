/* Sparse matrices from entries and from Matrix Market files, valid and invalid. */
#include <stdlib.h>
#include <string.h>

#include "support/scratch_file.h"
#include "support/sparse_case.h"
#include "support/support.h"

#define HEAD "%%MatrixMarket matrix coordinate "

static tw_status read_text(tw_context *ctx, const char *text, bool symmetric, tw_sparse **out)
{
    scratch_file file = scratch_write_text(".mtx", text);
    tw_status status = tw_sparse_read(ctx, file.path, symmetric, out);
    scratch_remove(&file);
    return status;
}

static void assert_full(const tw_sparse *matrix, const double *expected)
{
    double *a = full_matrix(matrix);
    for (size_t i = 0; i < matrix->rows * matrix->columns; i++) assert_true(a[i] == expected[i]);
    free(a);
}

static void files_are_read_as_they_are_meant(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool symmetric;
        double full[9];
    } files[] = {
        {HEAD "real symmetric\n% a comment\n3 3 4\n1 1 2.5\n2 1 -1\n3 3 4e0\n2 2 3\n",
         true,
         {2.5, -1, 0, -1, 3, 0, 0, 0, 4}},
        {HEAD "real symmetric\n3 3 2\n1 3 7\n2 2 1", true, {0, 0, 7, 0, 1, 0, 7, 0, 0}},
        {"%%matrixmarket MATRIX Coordinate Integer General\r\n\r\n3 3 4\r\n3 1 5\r\n1 3 5\r\n2 2 1\r\n1 1 "
         "9\r\n",
         true,
         {9, 0, 5, 0, 1, 0, 5, 0, 0}},
        {HEAD "real general\n3 3 4\n3 3 8\n3 1 -.5\n1 3 -.50000000000001\n1 1 1\n", /* rounding */
         true,
         {1, 0, -.5, 0, 0, 0, -.5, 0, 8}},
        {HEAD "pattern general\n3 3 3\n  3\t1 \n1 2\n3 3\n", false, {0, 0, 1, 1, 0, 0, 0, 0, 1}},
        {HEAD "real symmetric\n3 3 2\n2 1 -1\n3 3 4\n", false, {0, -1, 0, -1, 0, 0, 0, 0, 4}},
    };
    tw_context *ctx = new_context();
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        tw_sparse *m = NULL;
        tw_status status = read_text(ctx, files[k].text, files[k].symmetric, &m);
        if (status != TW_OK) print_message("%s\n", tw_context_message(ctx));
        assert_int_equal(status, TW_OK);
        assert_full(m, files[k].full);
        tw_sparse_free(m);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void bad_files_are_refused_with_words(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
        bool symmetric;
    } files[] = {
        {"1,2\n3,4\n", "line 1: found", true},
        {"%%MatrixMarket matrix array real general\n1 1\n1\n", "coordinate", true},
        {HEAD "complex symmetric\n1 1 1\n1 1 1 0\n", "expected", true},
        {HEAD "real symmetric\n", "is truncated: the line with", true},
        {HEAD "real symmetric\n2 2\n", "three whole numbers", true},
        {HEAD "real symmetric\n1099511627776 1099511627776 1\n1 1 1\n", "1 to 2^31 - 1", true},
        {HEAD "real symmetric\n5 5 1099511627776\n1 1 1\n", "bytes long: it may be truncated", true},
        {HEAD "real symmetric\n5 5 99999999999999999999\n1 1 1\n", "three whole numbers", true},
        {HEAD "real symmetric\n2 2 2\n1 1 1\n3 1 1\n", "line 4: row 3, column 1 is outside", true},
        {HEAD "real symmetric\n2 2 2\n1 1 1\n0 1 1\n", "row 0", true},
        {HEAD "real symmetric\n2 2 2\n1 1 1\n1 1 2\n", "row 1, column 1 occurs twice", true},
        {HEAD "real symmetric\n2 2 3\n1 1 1\n2 1 2\n1 2 2\n", "row 2, column 1 occurs twice", true},
        {HEAD "real general\n2 2 3\n1 1 1\n2 1 2\n2 2 2\n", "row 2, column 1 is 2, but row 1, column 2 is 0",
         true},
        {HEAD "real general\n2 2 4\n1 1 1\n2 1 -.5\n1 2 -.50000000001\n2 2 1\n", "is not symmetric", true},
        {HEAD "real general\n2 3 1\n1 1 1\n", "2 rows and 3 columns", true},
        {HEAD "real symmetric\n2 3 1\n1 1 1\n", "not a symmetric", true},
        {HEAD "real symmetric\n2 2 2\n1 1 1\n", "truncated: it has 1 of 2 entries", true},
        {HEAD "real symmetric\n2 2 1\n1 1 1\n2 2 1\n", "more entries than the 1 declared", true},
        {HEAD "real symmetric\n2 2 1\n1 1 nan\n", "a finite value", true},
        {HEAD "real symmetric\n2 2 1\n1 1 1e999\n", "a finite value", true},
        {HEAD "real symmetric\n2 2 1\n1 1 1 1\n", "row, column and value", true},
        {HEAD "pattern general\n2 2 1\n1 1 1\n", "row and column", false},
        {HEAD "pattern general\n2 2 1\n1 x\n", "row and column", false},
        {"", "empty", true},
    };
    tw_context *ctx = new_context();
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        tw_sparse *m = NULL;
        assert_int_equal(read_text(ctx, files[k].text, files[k].symmetric, &m), TW_BAD_DATA);
        assert_null(m);
        if (!strstr(tw_context_message(ctx), files[k].words))
            fail_msg("%s: \"%s\"", files[k].words, tw_context_message(ctx));
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    }
    tw_context_free(ctx);
}

static void products_are_those_of_the_full_matrix(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_sparse *q = random_precision(ctx, 3, 40, 4.0);
    double *a = full_matrix(q), x[40], y[40];
    for (size_t i = 0; i < 40; i++) x[i] = (double)(i % 7) - 2.0;
    tw_sparse_multiply(q, x, y);
    for (size_t i = 0; i < 40; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < 40; j++) sum += a[i + j * 40] * x[j];
        assert_close(y[i], sum, 1e-12, "Q x");
    }
    free(a);
    tw_sparse_free(q);
    tw_context_free(ctx);
}

static void every_allocation_of_the_reader_may_fail(void **state)
{
    (void)state;
    scratch_file file = scratch_write_text(".mtx", HEAD "real general\n2 2 3\n1 1 1\n2 1 2\n1 2 2\n");
    tw_status status = TW_NO_MEMORY;
    for (size_t fail_at = 1; status == TW_NO_MEMORY; fail_at++) {
        failing_allocator allocator = {.fail_at = fail_at};
        tw_context *ctx = failing_context(&allocator);
        tw_sparse *m = NULL;
        status = tw_sparse_read(ctx, file.path, true, &m);
        tw_sparse_free(m);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
    scratch_remove(&file);
    assert_int_equal(status, TW_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_as_they_are_meant),
        cmocka_unit_test(bad_files_are_refused_with_words),
        cmocka_unit_test(products_are_those_of_the_full_matrix),
        cmocka_unit_test(every_allocation_of_the_reader_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
