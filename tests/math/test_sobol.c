/* Sobol points: evenly spread in every coordinate and in pairs, uniform over scrambles, and better than
 * independent points. */
#include "math/sobol.h"

#include <math.h>
#include <string.h>

#include "support/support.h"

enum { POINTS = 64, SCRAMBLES = 400 };

/* The first 64 points have one in each 64th of every coordinate, whatever the scramble. */
static void every_coordinate_is_stratified(void **state)
{
    (void)state;
    for (uint64_t scramble = 0; scramble < 5; scramble++) {
        tw_sobol sobol;
        int seen[TW_SOBOL_DIMENSIONS][POINTS] = {{0}};
        double u[TW_SOBOL_DIMENSIONS];
        tw_sobol_make(7, scramble, TW_SOBOL_DIMENSIONS, &sobol);
        for (uint32_t i = 0; i < POINTS; i++) {
            tw_sobol_point(&sobol, i, u);
            for (size_t j = 0; j < TW_SOBOL_DIMENSIONS; j++) {
                assert_true(u[j] > 0.0 && u[j] < 1.0);
                seen[j][(size_t)(u[j] * POINTS)]++;
            }
        }
        for (size_t j = 0; j < TW_SOBOL_DIMENSIONS; j++)
            for (size_t k = 0; k < POINTS; k++) assert_int_equal(seen[j][k], 1);
    }
}

/* In the first two coordinates every box of 2^-a by 2^(a - 6) holds one of the 64 points: a (0, 6, 2)-net. */
static void the_first_two_are_a_net(void **state)
{
    (void)state;
    tw_sobol sobol;
    double u[2];
    tw_sobol_make(1, 3, 2, &sobol);
    for (unsigned a = 0; a <= 6; a++) {
        int seen[POINTS] = {0};
        size_t wide = (size_t)1 << a, high = (size_t)1 << (6 - a);
        for (uint32_t i = 0; i < POINTS; i++) {
            tw_sobol_point(&sobol, i, u);
            seen[(size_t)(u[0] * (double)wide) * high + (size_t)(u[1] * (double)high)]++;
        }
        for (size_t k = 0; k < POINTS; k++) assert_int_equal(seen[k], 1);
    }
}

/* Sobol's property A, which these direction numbers have: of the first 2^d points one is in each of the cubes with half the
 * side in d coordinates. The first binary digits of point 2^k, next to those of point 0, are a matrix over {0, 1} whose
 * leading d x d parts are all regular. */
static void halves_of_all_coordinates_are_independent(void **state)
{
    (void)state;
    enum { D = TW_SOBOL_DIMENSIONS };
    tw_sobol sobol;
    double first[D], u[D];
    tw_sobol_make(1, 4, D, &sobol);
    tw_sobol_point(&sobol, 0, first);
    for (size_t d = 1; d <= D; d++) {
        bool digit[D][D];
        size_t rank = 0;
        for (size_t k = 0; k < d; k++) {
            tw_sobol_point(&sobol, UINT32_C(1) << k, u);
            for (size_t j = 0; j < d; j++) digit[k][j] = (u[j] >= 0.5) != (first[j] >= 0.5);
        }
        for (size_t j = 0; j < d; j++) { /* elimination */
            size_t pivot = rank;
            while (pivot < d && !digit[pivot][j]) pivot++;
            if (pivot == d) continue;
            for (size_t i = 0; i < d; i++) {
                bool swapped = digit[pivot][i];
                digit[pivot][i] = digit[rank][i];
                digit[rank][i] = swapped;
            }
            for (size_t k = rank + 1; k < d; k++)
                for (size_t i = d; digit[k][j] && i-- > j;) digit[k][i] = digit[k][i] != digit[rank][i];
            rank++;
        }
        assert_int_equal(rank, d);
    }
}

/* No two coordinates are the same function: with 2^12 points, their correlation is below 0.05. */
static void coordinates_differ(void **state)
{
    (void)state;
    enum { MANY = 4096 };
    static double u[MANY][TW_SOBOL_DIMENSIONS];
    tw_sobol sobol;
    tw_sobol_make(2, 0, TW_SOBOL_DIMENSIONS, &sobol);
    for (uint32_t i = 0; i < MANY; i++) tw_sobol_point(&sobol, i, u[i]);
    for (size_t j = 0; j < TW_SOBOL_DIMENSIONS; j++)
        for (size_t k = 0; k < j; k++) {
            double sum = 0.0;
            for (size_t i = 0; i < MANY; i++) sum += (u[i][j] - 0.5) * (u[i][k] - 0.5);
            assert_true(fabs(12.0 * sum / MANY) < 0.05);
        }
}

static double integrand(const double *u)
{
    return exp(u[0] + u[1] * u[2]);
}

/* Means over scrambles are unbiased (z below 4.9, false alarm 1e-6) and have a variance at least 20 times below that of
 * as many independent points. The integral: (e - 1) times the integral of (e^v - 1)/v over (0, 1). */
static void means_are_unbiased_and_precise(void **state)
{
    (void)state;
    double inner = 0.0, factorial = 1.0, mean = 0.0, squares = 0.0, u[3];
    for (int k = 1; k < 20; k++) {
        factorial *= k;
        inner += 1.0 / (k * factorial);
    }
    double exact = (exp(1.0) - 1.0) * inner;
    for (uint64_t s = 0; s < SCRAMBLES; s++) {
        tw_sobol sobol;
        double sum = 0.0;
        tw_sobol_make(11, s, 3, &sobol);
        for (uint32_t i = 0; i < POINTS; i++) {
            tw_sobol_point(&sobol, i, u);
            sum += integrand(u) / POINTS;
        }
        mean += sum / SCRAMBLES;
        squares += (sum - exact) * (sum - exact) / SCRAMBLES;
    }
    assert_true(fabs(mean - exact) < 4.9 * sqrt(squares / SCRAMBLES));
    assert_true(squares < 0.4 / POINTS / 20.0); /* the integrand has variance 0.93 or so: above 0.4 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_coordinate_is_stratified),
        cmocka_unit_test(the_first_two_are_a_net),
        cmocka_unit_test(halves_of_all_coordinates_are_independent),
        cmocka_unit_test(coordinates_differ),
        cmocka_unit_test(means_are_unbiased_and_precise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
