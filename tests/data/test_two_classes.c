/* The built-in problem follows its formula and is the same on every machine. */
#include <math.h>

#include "support/support.h"
#include "talweg/data.h"

enum { N = 40000 };

/* The best rule errs with probability p = E Phi(-|f(x)|), here by a midpoint rule. The number of errors is
 * binomial, so 5 standard deviations are a false alarm in 6e-7. */
static void follows_its_formula(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_data *data = NULL;
    enum { STEPS = 400 };
    double p = 0.0, errors = 0.0, ups = 0.0;
    for (size_t i = 0; i < STEPS * STEPS; i++) {
        size_t row = i / STEPS, column = i % STEPS;
        double a = 4.0 * ((double)row + 0.5) / STEPS - 2.0, b = 4.0 * ((double)column + 0.5) / STEPS - 2.0;
        p += 0.5 * erfc(3.0 * fabs(sin(2.0 * a) - b) / sqrt(2.0)) / (STEPS * STEPS);
    }
    assert_int_equal(tw_data_two_classes(ctx, N, 3, 0, &data), TW_OK);
    assert_true(data->n == N && data->d == 2);
    for (size_t i = 0; i < N; i++) {
        double a = data->x[i], b = data->x[i + N];
        assert_true(fabs(a) < 2.0 && fabs(b) < 2.0 && fabs(data->y[i]) == 1.0);
        errors += (sin(2.0 * a) - b > 0.0) != (data->y[i] > 0.0);
        ups += data->y[i] > 0.0;
    }
    assert_close(errors / N, p, 5.0 * sqrt(p * (1.0 - p) / N), "errors of the best rule");
    assert_close(ups / N, 0.5, 5.0 * sqrt(0.25 / N), "frequency of +1"); /* f is odd */
    tw_data_free(data);
    tw_context_free(ctx);
}

static void parts_and_seeds_differ_and_lengths_agree(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_data *set[4];
    assert_int_equal(tw_data_two_classes(ctx, 10, 1, 0, &set[0]), TW_OK);
    assert_int_equal(tw_data_two_classes(ctx, 20, 1, 0, &set[1]), TW_OK);
    assert_int_equal(tw_data_two_classes(ctx, 10, 1, 1, &set[2]), TW_OK);
    assert_int_equal(tw_data_two_classes(ctx, 10, 2, 0, &set[3]), TW_OK);
    assert_memory_equal(set[0]->x, set[1]->x, 10 * sizeof(double)); /* the first ten of twenty */
    assert_memory_equal(set[0]->y, set[1]->y, 10 * sizeof(double));
    assert_true(set[0]->x[0] != set[2]->x[0] && set[0]->x[0] != set[3]->x[0]);
    for (size_t i = 0; i < 4; i++) tw_data_free(set[i]);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_its_formula),
        cmocka_unit_test(parts_and_seeds_differ_and_lengths_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
