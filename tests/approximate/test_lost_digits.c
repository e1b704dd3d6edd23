/* Priors whose precision or covariance spans more orders of magnitude than double precision has digits: log Z is
 * right, or withheld. The numbers are log Z of a Gaussian likelihood by mpmath with 80 digits, and recursions in
 * long double. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/sparse_case.h"
#include "support/support.h"
#include "talweg/approximate.h"

/* A likelihood with its parameter or weight, and what a method says of it. */
typedef struct fitted_case {
    const char *likelihood, *kernel;
    size_t n, d;
    const double *x, *y;
    double parameter; /* the noise; Poisson: the exposure of all cases */
} fitted_case;

typedef struct found {
    double log_z, rounding, log_det, residual;
    bool converged;
} found;

static tw_problem *pose(tw_context *ctx, const fitted_case *c)
{
    bool gaussian = strcmp(c->likelihood, "gaussian") == 0;
    const double phi = log(c->parameter);
    tw_problem_parts parts = {.likelihood = tw_likelihood_find(c->likelihood), .phi = gaussian ? &phi : NULL};
    tw_problem *problem = NULL;
    assert_int_equal(tw_data_new(ctx, c->n, c->d, c->x, c->n, c->y, &parts.data), TW_OK);
    if (!gaussian) assert_int_equal(tw_data_repeat_column(parts.data, "exposure", c->parameter), TW_OK);
    parts.kernel = new_kernel(ctx, c->kernel);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

static found fit_by(const fitted_case *c, tw_approximation_kind kind)
{
    tw_context *ctx = new_context();
    tw_problem *problem = pose(ctx, c);
    tw_approximation *a = NULL;
    tw_status status =
        kind == TW_EP ? tw_ep_fit(problem->model, NULL, &a) : tw_laplace_fit(problem->model, NULL, &a);
    assert_int_equal(status, TW_OK);
    const found out = {a->log_z, a->rounding, tw_model_describe(problem->model).log_det, a->residual,
                       a->converged};
    tw_approximation_free(a);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    return out;
}

/* EP of y = x + noise under a kernel of the d inputs x (n x d). */
static void fit(size_t n, size_t d, const double *x, const double *y, double noise, const char *expression,
                double *log_z, double *rounding, double *log_det)
{
    const fitted_case c = {
        .likelihood = "gaussian", .kernel = expression, .n = n, .d = d, .x = x, .y = y, .parameter = noise};
    found f = fit_by(&c, TW_EP);
    assert_true(f.converged);
    *log_z = f.log_z;
    *rounding = f.rounding;
    *log_det = f.log_det;
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
        x[i + 16] = floor((double)i / 4.0);
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

/* Y of n regular times: a sine with teeth, or counts of that rate and exposure. */
static void make_series(size_t n, bool counts, double parameter, double *t, double *y)
{
    for (size_t i = 0; i < n; i++) {
        double tooth = (double)((7 * i) % 16) / 16.0, wave = sin(0.05 * (double)i);
        t[i] = (double)i;
        y[i] = counts ? floor(parameter * exp(wave) + tooth) : 3.0 * wave + 2.0 * tooth - 1.0;
    }
}

/* Newton's method on walks, whose covariances are huge and nearly singular: one step to the mode of a Gaussian
 * likelihood, and no residual. Truths by 900 bits, of counts by 400 bits. The tolerance is about 1e-11 of the largest
 * parts of log Z. */
static void newton_finds_the_mode_of_a_walk(void **state)
{
    (void)state;
    static const struct {
        const char *likelihood, *kernel;
        size_t n;
        double parameter, log_z, tolerance;
    } cases[] = {
        {"gaussian", "rw2(1, sigma=10)", 400, 1.0, -1314.603465129158, 1e-8},
        {"gaussian", "rw1(1, sigma=100)", 400, 0.1, -2210.198740196456, 1e-8},
        {"poisson", "rw1(1, sigma=1)", 50, 1e6, -19116429.601827152, 1e-6},
        {"poisson", "rw2(1, sigma=1)", 50, 1e6, -23516863.850743752, 1e-6},
        {"poisson", "rw2(1, sigma=10)", 300, 1.0, -994.799538565319, 1e-6},
    };
    enum { MOST = 400 };
    static double t[MOST], y[MOST];
    need_orderings();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bool gaussian = strcmp(cases[c].likelihood, "gaussian") == 0;
        make_series(cases[c].n, !gaussian, cases[c].parameter, t, y);
        found f = fit_by(
            &(fitted_case){cases[c].likelihood, cases[c].kernel, cases[c].n, 1, t, y, cases[c].parameter},
            TW_LAPLACE);
        assert_true(f.converged);
        assert_close(f.log_z, cases[c].log_z, cases[c].tolerance, cases[c].kernel);
        assert_true(f.rounding < TW_EP_ROUNDING);
        assert_true(f.residual < 1e-4);
    }
}

/* Steps of 1e4 beside those of 2e-12. */
static void newton_finds_the_mode_of_a_walk_with_gaps(void **state)
{
    (void)state;
    static const double t[5] = {0.0, 10000.0, 10000.000000000002, 10001.000000000002, 10001.000000000004};
    static const double y[5] = {-0.037835099217095304, 0.03837550227915916, -0.01987901265050837,
                                -0.17583707759878406, 0.19076969454897835};
    need_orderings();
    found f = fit_by(&(fitted_case){"gaussian", "rw2(1, sigma=183.8)", 5, 1, t, y, 0.1185}, TW_LAPLACE);
    assert_true(f.converged);
    assert_close(f.log_z, -8.049892048524, 1e-6, "log Z");
}

/* Pairs of times 1e-10 apart under precise data: the constraints hold only to what their solve leaves, and the data pull
 * against them with 1e10. */
static void constraints_hold_against_a_strong_pull(void **state)
{
    (void)state;
    static const double t[10] = {0.0,          1.0,          1.0000000001, 2.0000000001, 2.0000000002,
                                 3.0000000002, 3.0000000003, 4.0000000003, 4.0000000004, 5.0000000004};
    static const double y[10] = {1.9363168750132407e-07, 0.9320355979599982,  0.9320469724321123,
                                 0.6754638361761267,     0.6754570536385027,  -0.442518059966441,
                                 -0.44252272399348674,   -0.9961653436148085, -0.9961691767908628,
                                 -0.2794189933536603};
    const fitted_case c = {"gaussian", "rw2(1, sigma=80.52)", 10, 1, t, y, 5.955e-06};
    need_orderings();
    for (int kind = TW_LAPLACE; kind <= TW_EP; kind++) {
        found f = fit_by(&c, (tw_approximation_kind)kind);
        assert_true(f.converged);
        assert_close(f.log_z, -36210987511.566162, 1e-3, "log Z"); /* 100 units in its last place */
    }
}

/* Is log Z right to its estimate of rounding, which may be too small by a factor of 3, or withheld? */
static void assert_right_or_withheld(const fitted_case *c, double log_z, bool withheld)
{
    for (int kind = TW_LAPLACE; kind <= TW_EP; kind++) {
        found f = fit_by(c, (tw_approximation_kind)kind);
        assert_true(isnan(f.log_z) ? !f.converged || !(f.rounding <= TW_MOST_ROUNDING)
                                   : fabs(f.log_z - log_z) <= 1e-3 + 3.0 * f.rounding);
        assert_true(isnan(f.log_z) || !withheld);
    }
}

/* Sixteen cases at each of five places, with noise of 1e-6 of the function: K has rank 5, and the pulls of the cases
 * at a place cancel. Truths by 400 bits, as below. */
static void replicates_of_little_noise_keep_their_digits(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        double log_z;
    } cases[] = {{"matern12(sigma=1, ell=1)", 941.709051132},
                 {"matern32(sigma=1, ell=1)", 941.999517218},
                 {"se(sigma=1, ell=1)", 942.617283464}};
    double x[160], y[80];
    for (size_t i = 0; i < 80; i++) {
        x[i] = x[i + 80] = (double)(i % 5);
        y[i] = sin(x[i]) + 1e-6 * ((double)((7 * i) % 16) / 8.0 - 1.0);
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        assert_right_or_withheld(&(fitted_case){"gaussian", cases[c].kernel, 80, 1, x, y, 1e-6},
                                 cases[c].log_z, false);
}

/* Dense covariances whose eigenvalues of the noise's size are rounding errors of the largest ones. */
static void dense_covariances_are_right_or_withheld(void **state)
{
    (void)state;
    double x[40], y[40];
    for (size_t i = 0; i < 40; i++) {
        x[i] = (double)((11 * i) % 40) / 20.0 - 1.0;
        y[i] = 1e-4 * ((double)((7 * i) % 16) / 8.0 - 1.0);
    }
    assert_right_or_withheld(
        &(fitted_case){"gaussian", "polynomial(sigma=0.25, offset=0.005, degree=7)", 40, 1, x, y, 1e-4},
        306.675309496, false);
    for (size_t i = 0; i < 40; i++) {
        x[i] = (double)((11 * i) % 40) / 4.0 - 5.0;
        y[i] = (double)((7 * i) % 16) / 8.0 - 1.0;
    }
    assert_right_or_withheld(&(fitted_case){"gaussian",
                                            "matern12(sigma=0.0005, ell=0.2) + constant(variance=1.6e10)", 40,
                                            1, x, y, 0.005},
                             -269568.285788, true);
    assert_right_or_withheld(&(fitted_case){"gaussian", "se(sigma=1, ell=7)", 40, 1, x, y, 5e-5},
                             -1660566973.24, false);
}

/* Gaps from 2e-13 to 2e-5: what the pins leave of the level and slope is rounding error. */
static void a_walk_with_all_kinds_of_gaps_is_right_or_withheld(void **state)
{
    (void)state;
    static const double t[10] = {0.0,
                                 1.8625238270306293e-12,
                                 3.4484202173251163e-12,
                                 3.6064165337062006e-09,
                                 1.633036621040258e-05,
                                 3.654287392026908e-05,
                                 3.6640916688561445e-05,
                                 3.6640916864450954e-05,
                                 4.590516870334078e-05,
                                 4.5905185737252315e-05};
    static const double y[10] = {0.1708010066964544,   0.02036375496549239,   0.09964439177087257,
                                 -0.17125748479285138, -0.029536625967787083, 0.2719664866866559,
                                 0.010166483611704503, 0.10995544175978675,   -0.03463972518958637,
                                 0.17507453235179182};
    need_orderings();
    assert_right_or_withheld(&(fitted_case){"gaussian", "rw2(1, sigma=3.205)", 10, 1, t, y, 0.2046},
                             4.4353230459983, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_times_keep_all_digits),
        cmocka_unit_test(a_long_walk_has_its_determinant),
        cmocka_unit_test(fields_of_long_correlation_are_right_or_withheld),
        cmocka_unit_test(huge_variances_are_right_or_withheld),
        cmocka_unit_test(newton_finds_the_mode_of_a_walk),
        cmocka_unit_test(newton_finds_the_mode_of_a_walk_with_gaps),
        cmocka_unit_test(constraints_hold_against_a_strong_pull),
        cmocka_unit_test(replicates_of_little_noise_keep_their_digits),
        cmocka_unit_test(dense_covariances_are_right_or_withheld),
        cmocka_unit_test(a_walk_with_all_kinds_of_gaps_is_right_or_withheld),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
