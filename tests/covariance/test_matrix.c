/* Given kernel matrices: refusals with their messages; copies. */
#include <math.h>
#include <string.h>

#include "support/support.h"

static void given_matrices_are_checked(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    double rounding[4] = {1.0, 0.5, 0.5 + 1e-13, 2.0};
    assert_int_equal(tw_covariance_check_matrix(ctx, 2, rounding, 2), TW_OK);
    assert_true(rounding[1] == rounding[2]);
    /* Rounding is relative to the variances, small ones and large ones. */
    double large[4] = {1e12, 5e11, 5e11 + 1e-2, 1e12}, small[4] = {1e-12, 5e-13, 4e-13, 1e-12};
    assert_int_equal(tw_covariance_check_matrix(ctx, 2, large, 2), TW_OK);
    assert_int_equal(tw_covariance_check_matrix(ctx, 2, small, 2), TW_BAD_DATA);
    double asymmetric[4] = {1.0, 0.5, 0.4, 2.0};
    assert_int_equal(tw_covariance_check_matrix(ctx, 2, asymmetric, 2), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "not symmetric: row 2, column 1 is 0.5"));
    assert_non_null(strstr(tw_context_message(ctx), "row 1, column 2 is 0.40000000000000002"));
    double negative[4] = {1.0, 0.5, 0.5, -2.0};
    assert_int_equal(tw_covariance_check_matrix(ctx, 2, negative, 2), TW_NOT_POSITIVE_DEFINITE);
    double nan[4] = {1.0, 0.5, NAN, 2.0};
    assert_int_equal(tw_covariance_check_matrix(ctx, 2, nan, 2), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "row 1, column 2"));
    tw_context_free(ctx);
}

/* With a leading dimension; the original stays as it is. */
static void a_copy_of_a_matrix_is_checked(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    double from[6] = {1.0, 0.5, -7.0, 0.5 + 1e-13, 2.0, -7.0}, *copy = NULL;
    assert_int_equal(tw_covariance_copy_matrix(ctx, 2, from, 3, &copy), TW_OK);
    assert_true(copy[0] == 1.0 && copy[3] == 2.0 && copy[1] == copy[2] && from[1] != from[3]);
    assert_close(copy[1], 0.5, 1e-13, "an entry");
    tw_covariance_free_matrix(ctx, copy);
    from[1] = 0.4;
    assert_int_equal(tw_covariance_copy_matrix(ctx, 2, from, 3, &copy), TW_BAD_DATA);
    assert_null(copy);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* A kernel takes the matrix over, and has its covariances and no others. */
static void a_given_matrix_is_a_kernel(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double from[4] = {1.0, 0.5, 0.5, 2.0}, x[2] = {0.0, 0.0};
    double *matrix = NULL, k[4], diagonal[2], bad[4] = {1.0, 0.5, 0.4, 2.0};
    tw_kernel *kernel = NULL, *copy = NULL;
    char *words = NULL;
    assert_int_equal(tw_covariance_copy_matrix(ctx, 2, from, 2, &matrix), TW_OK);
    assert_int_equal(tw_kernel_given(ctx, 2, matrix, &kernel), TW_OK);
    assert_int_equal(tw_kernel_copy(kernel, &copy), TW_OK);
    assert_true(tw_kernel_same(kernel, copy) && tw_kernel_count(copy) == 0 && !tw_kernel_shape(copy));
    assert_int_equal(tw_kernel_gram(copy, 2, 1, x, 2, k, 2), TW_OK);
    assert_memory_equal(k, from, sizeof k);
    assert_int_equal(tw_kernel_diagonal(copy, 2, 1, x, 2, diagonal), TW_OK);
    assert_true(diagonal[0] == 1.0 && diagonal[1] == 2.0);
    assert_int_equal(tw_kernel_contract(copy, 2, 1, x, 2, k, 2, diagonal), TW_OK);
    assert_int_equal(tw_kernel_gram(copy, 1, 1, x, 2, k, 2), TW_BAD_ARGUMENT);
    assert_int_equal(tw_kernel_cross(copy, 2, 1, x, 2, 1, x, 2, k, 2), TW_BAD_ARGUMENT);
    assert_int_equal(tw_kernel_print(copy, &words), TW_OK);
    assert_string_equal(words, "matrix");
    tw_release(ctx, words);
    tw_kernel_free(kernel);
    tw_kernel_free(copy);
    assert_int_equal(tw_allocate_doubles(ctx, 2, 2, "a bad matrix", &matrix), TW_OK);
    memcpy(matrix, bad, sizeof bad);
    assert_int_equal(tw_kernel_given(ctx, 2, matrix, &kernel), TW_BAD_DATA); /* and it is freed */
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_matrices_are_checked),
        cmocka_unit_test(a_copy_of_a_matrix_is_checked),
        cmocka_unit_test(a_given_matrix_is_a_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
