/* Priors whose precision or covariance spans more orders of magnitude than double precision has digits: log Z is
 * right, or withheld. The numbers are log Z of a Gaussian likelihood by mpmath with 80 digits, and recursions in
 * long double. */
#include <math.h>
#include <stdlib.h>

#include "support/sparse_case.h"
#include "support/support.h"
#include "talweg/approximate.h"

/* EP of y = x + noise under a kernel of the d inputs x (n x d). */
static void fit(size_t n, size_t d, const double *x, const double *y, double noise, const char *expression,
                double *log_z, double *rounding, double *log_det)
{
    tw_context *ctx = new_context();
    const double phi = log(noise);
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("gaussian"), .phi = &phi};
    tw_problem *problem = NULL;
    tw_approximation *ep = NULL;
    assert_int_equal(tw_data_new(ctx, n, d, x, n, y, &parts.data), TW_OK);
    parts.kernel = new_kernel(ctx, expression);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    assert_int_equal(tw_ep_fit(problem->model, NULL, &ep), TW_OK);
    assert_true(ep->converged);
    *log_z = ep->log_z;
    *rounding = ep->rounding;
    *log_det = tw_model_describe(problem->model).log_det;
    tw_approximation_free(ep);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* A difference of 1/h beside those of 1 would hide them. */
static void close_times_keep_all_digits(void **state)
{
    (void)state;
    static const struct {
        double second;
        const char *kernel;
        double log_z;
    } cases[] = {
        {2.2e-16, "rw1(1, sigma=1)", -6.2790657368203}, {2.2e-16, "rw2(1, sigma=1)", -5.7249271874827},
        {1e-12, "rw1(1, sigma=1)", -6.2790657368204},   {1e-12, "rw2(1, sigma=1)", -5.7249271874828},
        {1e-07, "rw1(1, sigma=1)", -6.2790657479686},   {1e-07, "rw2(1, sigma=1)", -5.7249272022925},
        {0.0001, "rw1(1, sigma=1)", -6.2790768842537},  {0.0001, "rw2(1, sigma=1)", -5.7249419993122},
    };
    static const double y[5] = {0.3, -0.2, 1.1, 0.4, -0.9};
    double log_z, rounding, log_det;
    need_orderings();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double t[5] = {0.0, cases[c].second, 1.0, 2.0, 3.0}, turned[5] = {3.0, 2.0, 1.0, 0.0, t[1]};
        const double turned_y[5] = {y[4], y[3], y[2], y[0], y[1]};
        fit(5, 1, t, y, 1.0, cases[c].kernel, &log_z, &rounding, &log_det);
        assert_close(log_z, cases[c].log_z, 1e-8, cases[c].kernel);
        assert_true(rounding < TW_EP_ROUNDING);
        fit(5, 1, turned, turned_y, 1.0, cases[c].kernel, &log_z, &rounding, &log_det);
        assert_close(log_z, cases[c].log_z, 1e-8, cases[c].kernel);
    }
}

/* log |D D'| of the second differences D of n regular times, by Cholesky's recursion in long double. */
static double log_det_of_second_differences(size_t n)
{
    long double sum = 0.0L, before[2] = {0.0L, 0.0L},
                d[2] = {1.0L, 1.0L}; /* L_k,k-1, and D of the last two */
    for (size_t k = 0; k + 2 < n; k++) {
        long double far = k > 1 ? 1.0L / d[0] : 0.0L;
        long double near = k > 0 ? (-4.0L - far * (k > 1 ? d[0] : 0.0L) * before[1]) / d[1] : 0.0L;
        long double pivot = 6.0L - (k > 1 ? far * far * d[0] : 0.0L) - (k > 0 ? near * near * d[1] : 0.0L);
        sum += logl(pivot);
        d[0] = d[1];
        d[1] = pivot;
        before[1] = near;
    }
    return (double)sum;
}

/* The factor of Q loses digits like n^4: at n = 3,000 it is off by 5e-5, at 100,000 by 14. */
static void a_long_walk_has_its_determinant(void **state)
{
    (void)state;
    enum { N = 3000 };
    double *t = malloc(N * sizeof *t), *y = malloc(N * sizeof *y), log_z, rounding, log_det;
    need_orderings();
    for (size_t i = 0; i < N; i++) {
        t[i] = (double)i;
        y[i] = sin(0.01 * (double)i);
    }
    fit(N, 1, t, y, 1.0, "rw2(1, sigma=1)", &log_z, &rounding, &log_det);
    assert_close(-log_det, log_det_of_second_differences(N), 1e-6, "log |Q|");
    assert_true(rounding < 1e-8);
    free(t);
    free(y);
}

/* Q = c K^2 has entries of ell^4, and its smallest eigenvalue is c. */
static void fields_of_long_correlation_are_right_or_withheld(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        double log_z;
    } cases[] = {
        {"spde(1, 2, ell=2000, sigma=1)", -25.879129782554},
        {"spde2(1, 2, ell=2000, sigma=1)", -25.879107545291},
        {"spde2(1, 2, ell=20, sigma=1)", -21.286611343294},
        {"spde2(1, 2, ell=200, sigma=1)", -23.576525858703},
    };
    double x[32], y[16], log_z, rounding, log_det;
    need_orderings();
    for (size_t i = 0; i < 16; i++) {
        x[i] = (double)(i % 4);
        x[i + 16] = (double)(i / 4);
        y[i] = (double)((7 * i) % 16) / 8.0 - 1.0;
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        fit(16, 2, x, y, 1.0, cases[c].kernel, &log_z, &rounding, &log_det);
        assert_true(isnan(log_z) ? rounding > TW_MOST_ROUNDING
                                 : fabs(log_z - cases[c].log_z) <= 1e-8 + rounding);
    }
    assert_true(rounding < 1e-2); /* the last is not withheld */
}

/* A kernel matrix of 3e20 whose eigenvalues decrease to below the noise: pivots below n eps max K are lost. One of
 * exactly low rank, or with a huge variance of independent parts, keeps its digits. */
static void huge_variances_are_right_or_withheld(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        double log_z;
        bool withheld;
    } cases[] = {
        {"polynomial(degree=12, sigma=1, offset=1)", -575.00982864802, true},
        {"polynomial(degree=3, sigma=1, offset=1)", -115.94382904927, false},
        {"matern12(ell=1, sigma=1e7)", -677.31550611404, false},
        {"linear(sigma=1e6)", -122.34424532962, false},
        {"se(ell=3, sigma=100)", -112.36379221236, false},
        {"se(ell=20, sigma=1)", -88.810085965767, false},
    };
    double x[80], y[40], log_z, rounding, log_det;
    for (size_t i = 0; i < 40; i++) {
        x[i] = (double)((11 * i) % 40) / 4.0 - 5.0;
        x[i + 40] = (double)((17 * i + 3) % 40) / 4.0 - 5.0;
        y[i] = (double)((7 * i) % 16) / 8.0 - 1.0;
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        fit(40, 2, x, y, 0.25, cases[c].kernel, &log_z, &rounding, &log_det);
        assert_true(isnan(log_z) == cases[c].withheld);
        if (cases[c].withheld) continue;
        assert_close(log_z, cases[c].log_z, 1e-6, cases[c].kernel);
        assert_true(rounding < TW_EP_ROUNDING);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_times_keep_all_digits),
        cmocka_unit_test(a_long_walk_has_its_determinant),
        cmocka_unit_test(fields_of_long_correlation_are_right_or_withheld),
        cmocka_unit_test(huge_variances_are_right_or_withheld),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
