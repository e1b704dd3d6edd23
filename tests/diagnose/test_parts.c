/* The parts of the diagnostics against their definitions: transform, autocovariance, sorting, E-BFMI. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "diagnose/autocovariance.h"
#include "diagnose/sort.h"
#include "math/random.h"
#include "support/support.h"
#include "talweg/diagnose.h"

enum { SEED = 1992, LENGTH = 64, MOST = 600, CHAINS = 3 };

static void fill(uint64_t series, size_t n, double *x)
{
    tw_stream stream = tw_stream_at(SEED, TW_STREAM_DATA, series, 0);
    tw_stream_normals(&stream, n, x);
}

static size_t bit_reversed(size_t k, size_t length)
{
    size_t reversed = 0;
    for (size_t bit = 1; bit < length; bit *= 2, k /= 2) reversed = 2 * reversed + k % 2;
    return reversed;
}

static void scatter_is_the_fourier_transform(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_fft *fft = NULL;
    double x[LENGTH], y[LENGTH], re[LENGTH], im[LENGTH];
    fill(1, LENGTH, x);
    fill(2, LENGTH, y);
    memcpy(re, x, sizeof re);
    memcpy(im, y, sizeof im);
    assert_int_equal(tw_fft_new(ctx, LENGTH - 5, &fft), TW_OK);
    assert_int_equal(fft->length, LENGTH);
    tw_fft_scatter(fft, re, im);
    for (size_t k = 0; k < LENGTH; k++) {
        double sum_re = 0.0, sum_im = 0.0;
        for (size_t j = 0; j < LENGTH; j++) {
            double angle = -2.0 * acos(-1.0) * (double)(j * k % LENGTH) / LENGTH;
            sum_re += x[j] * cos(angle) - y[j] * sin(angle);
            sum_im += x[j] * sin(angle) + y[j] * cos(angle);
        }
        assert_close(re[bit_reversed(k, LENGTH)], sum_re, 1e-12, "real part");
        assert_close(im[bit_reversed(k, LENGTH)], sum_im, 1e-12, "imaginary part");
    }
    tw_fft_free(fft);
    tw_context_free(ctx);
}

/* A transform of a transform is the sequence backwards, times its length. */
static void gather_undoes_the_order_of_scatter(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    for (size_t length = 1; length <= LENGTH; length *= 2) {
        tw_fft *fft = NULL;
        double x[LENGTH], y[LENGTH], re[LENGTH], im[LENGTH];
        fill(1, length, x);
        fill(2, length, y);
        memcpy(re, x, length * sizeof *re);
        memcpy(im, y, length * sizeof *im);
        assert_int_equal(tw_fft_new(ctx, length, &fft), TW_OK);
        tw_fft_scatter(fft, re, im);
        tw_fft_gather(fft, re, im);
        for (size_t j = 0; j < length; j++) {
            assert_close(re[j], (double)length * x[(length - j) % length], 1e-12, "real part");
            assert_close(im[j], (double)length * y[(length - j) % length], 1e-12, "imaginary part");
        }
        tw_fft_free(fft);
    }
    tw_context_free(ctx);
}

static double definition(size_t n, const double *x, size_t lag)
{
    double mean = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (size_t i = 0; i + lag < n; i++) sum += (x[i] - mean) * (x[i + lag] - mean);
    return sum / (double)n;
}

/* An odd number of chains leaves one without a partner; 600 lags need the transform, 3 and 40 do not. */
static void autocovariances_are_their_definition(void **state)
{
    (void)state;
    const size_t lengths[] = {3, 8, 40, 64, 65, 129, MOST};
    static double x[CHAINS][MOST];
    tw_context *ctx = new_context();
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        tw_autocovariance *a = NULL;
        size_t n = lengths[k];
        assert_int_equal(tw_autocovariance_new(ctx, CHAINS, n, &a), TW_OK);
        for (size_t c = 0; c < CHAINS; c++) {
            fill(10 + c, n, x[c]);
            for (size_t i = 0; i < n; i++) x[c][i] += 5.0 * (double)c;
            tw_autocovariance_take(a, c, x[c]);
        }
        tw_autocovariance_start(a);
        for (size_t lag = 0; lag < n; lag++) {
            double mean = 0.0;
            for (size_t c = 0; c < CHAINS; c++) mean += definition(n, x[c], lag) / CHAINS;
            assert_close(tw_autocovariance_at(a, lag), mean, 1e-13, "autocovariance");
        }
        tw_autocovariance_free(a);
    }
    tw_context_free(ctx);
}

/* Ties keep their order, and infinities and signed zeros have their place. */
static void sorting_orders_and_is_stable(void **state)
{
    (void)state;
    static double x[MOST], sorted[MOST];
    static tw_sort_item items[2 * MOST];
    static uint32_t counts[TW_SORT_PASSES * TW_SORT_BUCKETS], place[MOST];
    fill(20, MOST, x);
    for (size_t i = 0; i < MOST; i += 2) x[i] = round(2.0 * x[i]);
    for (size_t i = 1; i < MOST; i += 50) x[i] *= 1e-310;
    x[7] = INFINITY;
    x[8] = -INFINITY;
    tw_sort(MOST, x, items, counts, sorted, place);
    bool seen[MOST] = {false};
    for (size_t i = 0; i < MOST; i++) {
        assert_true(sorted[i] == x[place[i]] && !seen[place[i]]);
        seen[place[i]] = true;
        if (i == 0) continue;
        assert_true(sorted[i - 1] <= sorted[i]);
        bool tie = sorted[i - 1] == sorted[i] && signbit(sorted[i - 1]) == signbit(sorted[i]);
        assert_true(!tie || place[i - 1] < place[i]);
    }
    tw_sort(0, x, items, counts, sorted, place);
}

/* Order statistics number 1 + (n - 1) p, interpolated; the ends are the smallest and the largest. */
static void quantiles_reach_from_end_to_end(void **state)
{
    (void)state;
    const double x[5] = {3.0, -1.0, 7.0, 2.0, 4.0};
    tw_context *ctx = new_context();
    tw_diagnose *d = NULL;
    assert_int_equal(tw_diagnose_new(ctx, 5, 1, &d), TW_OK);
    tw_diagnose_load(d, x, 5);
    assert_close(tw_diagnose_quantile(d, 0.0), -1.0, 0.0, "smallest");
    assert_close(tw_diagnose_quantile(d, 0.25), 2.0, 0.0, "quarter");
    assert_close(tw_diagnose_quantile(d, 0.6), 3.4, 1e-15, "in between");
    assert_close(tw_diagnose_quantile(d, 1.0), 7.0, 0.0, "largest");
    assert_true(isnan(tw_diagnose_quantile(d, 1.01)) && isnan(tw_diagnose_quantile(d, -0.01)));
    tw_diagnose_free(d);
    tw_context_free(ctx);
}

/* Energies 1, 2, 4, 4, 3 have steps 1, 2, 0, -1 and deviations -1.8, -0.8, 1.2, 1.2, 0.2. Independent
 * energies have 2 on average, with a standard deviation of 2/sqrt(n) (4.9 of them: a false alarm in 1e6). */
static void ebfmi_is_its_definition(void **state)
{
    (void)state;
    const double energy[] = {1.0, 2.0, 4.0, 4.0, 3.0};
    static double noise[10000];
    assert_close(tw_ebfmi(5, energy), 6.0 / 6.8, 1e-15, "E-BFMI");
    fill(30, 10000, noise);
    assert_close(tw_ebfmi(10000, noise), 2.0, 4.9 * 0.02, "E-BFMI of noise");
    for (size_t i = 1; i < 10000; i++) noise[i] += noise[i - 1];
    assert_true(tw_ebfmi(10000, noise) < 0.01);
}

static void ebfmi_of_nothing_is_nan(void **state)
{
    (void)state;
    const double constant[] = {0.1, 0.1, 0.1, 0.1}, infinite[] = {1.0, INFINITY, 2.0},
                 nan[] = {1.0, NAN, 2.0};
    assert_true(isnan(tw_ebfmi(4, constant)));
    assert_true(isnan(tw_ebfmi(3, infinite)));
    assert_true(isnan(tw_ebfmi(3, nan)));
    assert_true(isnan(tw_ebfmi(2, infinite)));
    assert_true(isnan(tw_ebfmi(0, NULL)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scatter_is_the_fourier_transform),
        cmocka_unit_test(gather_undoes_the_order_of_scatter),
        cmocka_unit_test(autocovariances_are_their_definition),
        cmocka_unit_test(sorting_orders_and_is_stable),
        cmocka_unit_test(quantiles_reach_from_end_to_end),
        cmocka_unit_test(ebfmi_is_its_definition),
        cmocka_unit_test(ebfmi_of_nothing_is_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
