/* Laplace, EP and corrected EP on real data (TALWEG_SHARED/data) against values of an independent
 * implementation. Under a sanitizer only one of the large settings runs. */
#include <math.h>

#include "support/support.h"
#include "talweg/approximate.h"

#if defined(__SANITIZE_ADDRESS__)
#define SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOW 1
#endif
#endif
#ifndef SLOW
#define SLOW 0
#endif

/* Values to meet; NaN: not known. */
typedef struct expectation {
    double log_ell, log_sigma;
    double laplace, ep, corrected;
} expectation;

static tw_data *read_data(tw_context *ctx, const char *name, bool standardise)
{
    char path[1024];
    tw_data *data = NULL;
    shared_path(name, path, sizeof path);
    assert_int_equal(tw_data_read(ctx, path, NULL, &data), TW_OK);
    assert_int_equal(tw_data_binary_labels(data), TW_OK);
    if (standardise) {
        tw_scaling *scaling = NULL;
        assert_int_equal(tw_scaling_fit(data, &scaling), TW_OK);
        assert_int_equal(tw_scaling_apply(scaling, data), TW_OK);
        tw_scaling_free(scaling);
    }
    return data;
}

static tw_model *make_model(const tw_data *data, double log_ell, double log_sigma)
{
    tw_kernel *kernel = NULL;
    tw_model *model = NULL;
    assert_int_equal(tw_kernel_simple(data->ctx, "se", 1, &log_ell, log_sigma, 0.0, 0.0, &kernel), TW_OK);
    assert_int_equal(tw_model_from_data(data, kernel, tw_likelihood_find("probit"), NULL, 0.0, &model),
                     TW_OK);
    tw_kernel_free(kernel);
    return model;
}

static void assert_known(double is, double want, double tolerance, const char *what)
{
    if (!isnan(want)) assert_close(is, want, tolerance, what);
}

static void compare(const tw_data *data, const expectation *want, double tolerance)
{
    tw_model *model = make_model(data, want->log_ell, want->log_sigma);
    tw_approximation *laplace = NULL, *ep = NULL;
    tw_correction correction;
    assert_int_equal(tw_laplace_fit(model, NULL, &laplace), TW_OK);
    assert_int_equal(tw_ep_fit(model, NULL, &ep), TW_OK);
    assert_true(laplace->converged);
    assert_true(ep->converged);
    assert_int_equal(tw_ep_correct(model, ep, 4, &correction), TW_OK);
    print_message("n %3zu (%.2f, %.2f)  Laplace %.4f, %zu steps; EP %.4f, %zu sweeps; corrected %.4f\n",
                  data->n, want->log_ell, want->log_sigma, laplace->log_z, laplace->iterations, ep->log_z,
                  ep->iterations, correction.log_z);
    assert_known(laplace->log_z, want->laplace, tolerance, "Laplace");
    assert_known(ep->log_z, want->ep, tolerance, "EP");
    assert_known(correction.log_z, want->corrected, 0.005, "corrected EP");
    tw_approximation_free(ep);
    tw_approximation_free(laplace);
    tw_model_free(model);
}

static void usps_threes_and_fives(void **state)
{
    (void)state;
    const expectation cases[] = {
        {2.85, 2.35, -98.964, -94.8910, -94.6148},
        {4.85, 5.10, -111.001, -106.0892, -105.8169},
        {2.60, 4.10, -119.477, -90.283, -89.846},
    };
    tw_context *ctx = context_for_shared("data/usps35_train.csv");
    tw_data *data = read_data(ctx, "data/usps35_train.csv", false);
    size_t count = SLOW ? 1 : sizeof cases / sizeof cases[0];
    for (size_t i = 0; i < count; i++) compare(data, &cases[i], 0.002);
    tw_data_free(data);
    tw_context_free(ctx);
}

static void crabs(void **state)
{
    (void)state;
    const expectation want = {1.0, 3.0, NAN, -37.0489, -36.260};
    tw_context *ctx = context_for_shared("data/crabs.csv");
    tw_data *data = read_data(ctx, "data/crabs.csv", true);
    compare(data, &want, 0.005);
    tw_data_free(data);
    tw_context_free(ctx);
}

static void breast_cancer(void **state)
{
    (void)state;
    const expectation want = {1.0, 2.0, NAN, -82.1008, -81.278};
    tw_context *ctx = context_for_shared("data/breast_cancer_wisconsin.csv");
    tw_data *data = read_data(ctx, "data/breast_cancer_wisconsin.csv", true);
    compare(data, &want, 0.005);
    tw_data_free(data);
    tw_context_free(ctx);
}

/* The first 365 digits as 8 x 8 images with grey levels 0 to 16, l = 40, sigma = 160: nearly separable, where
 * undamped parallel updates of EP do not converge. */
static void coarse_digits_converge(void **state)
{
    (void)state;
    enum { N = 365, SIDE = 8 };
    static double x[N * SIDE * SIDE];
    tw_context *ctx = context_for_shared("data/usps35_train.csv");
    tw_data *fine = read_data(ctx, "data/usps35_train.csv", false), *coarse = NULL;
    for (size_t i = 0; i < N; i++)
        for (size_t p = 0; p < (size_t)SIDE * SIDE; p++) {
            size_t corner = p / SIDE * 4 * SIDE + p % SIDE * 2; /* of a 2 x 2 block in raster order */
            double sum = fine->x[i + corner * fine->n] + fine->x[i + (corner + 1) * fine->n] +
                         fine->x[i + (corner + 16) * fine->n] + fine->x[i + (corner + 17) * fine->n];
            x[i + p * N] = 8.0 * (0.25 * sum + 1.0);
        }
    assert_int_equal(tw_data_new(ctx, N, (size_t)SIDE * SIDE, x, N, fine->y, &coarse), TW_OK);
    const expectation want = {log(40.0), log(160.0), NAN, NAN, NAN};
    compare(coarse, &want, 0.0);
    tw_data_free(coarse);
    tw_data_free(fine);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usps_threes_and_fives),
        cmocka_unit_test(crabs),
        cmocka_unit_test(breast_cancer),
        cmocka_unit_test(coarse_digits_converge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
