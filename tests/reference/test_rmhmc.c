/* Tests of the transcribed Algorithm 1: its integrator is reversible and of second order if the implicit
 * equations are solved, and not reversible as printed; its chain has the right distribution. */
#include <math.h>
#include <string.h>

#include "reference/reference.h"
#include "support/problem.h"
#include "support/support.h"

enum { n_small = 5 };

/* A problem of five sites at beta = 0.7 with q from the sites, and a phase point with p of the scale of G. */
typedef struct fixture {
    test_problem *problem;
    ref_inputs *in;
    ref_workspace *work;
    double x[n_small], p[n_small];
} fixture;

static fixture set_up(void)
{
    fixture f = {.problem = test_problem_new(n_small, 3, 1e2)};
    f.in = ref_inputs_new(n_small, f.problem->y, f.problem->k, f.problem->tau, f.problem->nu);
    assert_non_null(f.in);
    f.in->beta = 0.7;
    f.in->f_max = 200;
    f.in->tolerance = 1e-14;
    f.work = ref_workspace_new(n_small);
    test_random random = {11};
    test_normals(&random, n_small, f.x);
    test_normals(&random, n_small, f.p);
    for (int i = 0; i < n_small; i++) f.p[i] *= 2;
    return f;
}

static void tear_down(fixture *f)
{
    ref_workspace_free(f->work);
    ref_inputs_free(f->in);
    test_problem_free(f->problem);
}

/* Ten steps of 0.1, reversal of the momentum, ten steps: the largest distance from the start, momentum
 * included. */
static double return_error(fixture *f)
{
    ref_point *point = &f->work->point;
    double error = 0;
    assert_int_equal(ref_point_set(f->in, f->x, f->p, f->work, point), REF_FINE);
    assert_int_equal(ref_trajectory(f->in, f->work, point), REF_FINE);
    for (int i = 0; i < n_small; i++) point->p[i] = -point->p[i];
    assert_int_equal(ref_point_set(f->in, point->x, point->p, f->work, point), REF_FINE);
    assert_int_equal(ref_trajectory(f->in, f->work, point), REF_FINE);
    for (int i = 0; i < n_small; i++) {
        error = fmax(error, fabs(point->x[i] - f->x[i]));
        error = fmax(error, fabs(point->p[i] + f->p[i]));
    }
    return error;
}

static void converged_trajectory_returns(void **state)
{
    (void)state;
    fixture f = set_up();
    double error = return_error(&f);
    print_message("converged: the return misses by %.2g\n", error);
    assert_true(error < 1e-8);
    tear_down(&f);
}

/* The same trajectory with one iteration, and with the report's five, does not return to the start. */
static void printed_trajectory_does_not_return(void **state)
{
    (void)state;
    fixture f = set_up();
    f.in->tolerance = 0;
    f.in->f_max = 1;
    double one = return_error(&f);
    f.in->f_max = 5;
    double five = return_error(&f);
    print_message("f_max = 1: the return misses by %.2g, f_max = 5: %.2g\n", one, five);
    assert_true(one > 1e-4);
    assert_true(five > 1e-12 && five < one);
    tear_down(&f);
}

/* The largest |H - H(0)| up to time 1 in steps of eps. */
static double energy_error(fixture *f, double eps)
{
    ref_point *point = &f->work->point;
    assert_int_equal(ref_point_set(f->in, f->x, f->p, f->work, point), REF_FINE);
    double start = point->h, error = 0;
    int steps = (int)lround(1 / eps);
    f->in->eps = eps;
    for (int l = 0; l < steps; l++) {
        assert_int_equal(ref_leapfrog_step(f->in, f->work, point), REF_FINE);
        error = fmax(error, fabs(point->h - start));
    }
    return error;
}

/* Halving eps divides the energy error of a second-order method by four. */
static void energy_error_is_second_order(void **state)
{
    (void)state;
    fixture f = set_up();
    double coarse = energy_error(&f, 0.05), middle = energy_error(&f, 0.025), fine = energy_error(&f, 0.0125);
    print_message("largest energy errors %.3g, %.3g, %.3g\n", coarse, middle, fine);
    assert_close(coarse / middle, 4, 0.4, "first ratio of energy errors");
    assert_close(middle / fine, 4, 0.2, "second ratio of energy errors");
    tear_down(&f);
}

/* An implicit equation that cannot be solved within f_max iterations gives a verdict. */
static void unsolved_step_is_reported(void **state)
{
    (void)state;
    fixture f = set_up();
    f.in->f_max = 2;
    assert_int_equal(ref_point_set(f.in, f.x, f.p, f.work, &f.work->point), REF_FINE);
    assert_int_equal(ref_trajectory(f.in, f.work, &f.work->point), REF_NOT_CONVERGED);
    tear_down(&f);
}

/* A NaN position has no metric. */
static void metric_of_nan_is_reported(void **state)
{
    (void)state;
    fixture f = set_up();
    f.x[2] = NAN;
    assert_int_equal(ref_riemann_metric(f.in, f.x, f.work, &f.work->point.metric), REF_NOT_POSITIVE_DEFINITE);
    tear_down(&f);
}

/* ---- a chain of two sites */

enum { draws = 4000, batches = 40, moment_count = 5 };

/* x1, x2, x1^2, x1 x2, x2^2. */
static void moments(const double *x, double out[moment_count])
{
    double value[] = {x[0], x[1], x[0] * x[0], x[0] * x[1], x[1] * x[1]};
    memcpy(out, value, sizeof value);
}

/* Moments under exp(L_beta) by the trapezoidal rule, with an error far below that of any chain here: the
 * density is smooth and is below 1e-12 of its peak at the border. */
static void exact_moments(const ref_inputs *in, ref_workspace *work, double out[moment_count])
{
    const double half_width = 12, step = 0.08;
    double total = 0, value, gradient[2], x[2], m[moment_count];
    memset(out, 0, moment_count * sizeof(double));
    for (x[0] = -half_width; x[0] <= half_width; x[0] += step)
        for (x[1] = -half_width; x[1] <= half_width; x[1] += step) {
            ref_derivatives(in, x, work, &value, gradient);
            moments(x, m);
            total += exp(value);
            for (int i = 0; i < moment_count; i++) out[i] += exp(value) * m[i];
        }
    for (int i = 0; i < moment_count; i++) out[i] /= total;
}

/* Mean and standard error of each moment of a chain, from the means of its batches. */
static void chain_moments(const double *samples, double mean[moment_count], double error[moment_count])
{
    const int length = draws / batches;
    double m[moment_count], sum[moment_count] = {0}, squares[moment_count] = {0};
    for (int b = 0; b < batches; b++) {
        double batch[moment_count] = {0};
        for (int t = b * length; t < (b + 1) * length; t++) {
            moments(samples + 2 * t, m);
            for (int i = 0; i < moment_count; i++) batch[i] += m[i] / length;
        }
        for (int i = 0; i < moment_count; i++) {
            sum[i] += batch[i];
            squares[i] += batch[i] * batch[i];
        }
    }
    for (int i = 0; i < moment_count; i++) {
        mean[i] = sum[i] / batches;
        error[i] = sqrt((squares[i] / batches - mean[i] * mean[i]) / (batches - 1));
    }
}

/* The samples must have the exact moments. Each may differ by 5 standard errors from 40 batches: by Student's
 * t with 39 degrees of freedom, the false-alarm rate is 1.3e-5 per moment, less than 2e-4 over three chains. */
static void check_moments(const ref_inputs *in, ref_workspace *work, const double *samples)
{
    double exact[moment_count], mean[moment_count], error[moment_count];
    exact_moments(in, work, exact);
    chain_moments(samples, mean, error);
    print_message("moments off by");
    for (int i = 0; i < moment_count; i++) print_message(" %.2f", (mean[i] - exact[i]) / error[i]);
    print_message(" standard errors\n");
    for (int i = 0; i < moment_count; i++) assert_close(mean[i], exact[i], 5 * error[i], "a moment of x");
}

/* Energies are -L_beta at the samples, also after a rejection. */
static void check_energies(const ref_inputs *in, ref_workspace *work, const double *samples,
                           const double *energies)
{
    double value, gradient[2];
    for (int t = 0; t < draws; t++) {
        ref_derivatives(in, samples + 2 * t, work, &value, gradient);
        assert_close(energies[t], -value, 1e-12 * (1 + fabs(value)), "energy");
    }
}

/* Run the chain; its acceptance must be high but below 1. */
static void check_chain(bool prior, double beta)
{
    static double samples[2 * draws], energies[draws], normals[2 * draws], uniforms[draws];
    const double start[2] = {0.5, -0.5};
    test_problem *problem = test_problem_new(2, 5, 10);
    ref_inputs *in = ref_inputs_new(2, problem->y, problem->k, prior ? NULL : problem->tau, problem->nu);
    ref_workspace *work = ref_workspace_new(2);
    assert_non_null(in);
    in->beta = beta;
    in->x0 = start;
    in->t_max = draws;
    in->l_max = 4;
    in->eps = 0.5;
    in->f_max = 100;
    in->tolerance = 1e-10;
    test_random random = {17};
    test_normals(&random, 2 * draws, normals);
    test_uniforms(&random, draws, uniforms);
    ref_record record;
    assert_int_equal(ref_rmhmc(in, normals, uniforms, work, samples, energies, &record), REF_FINE);
    print_message("beta = %g: %d of %d accepted, %d failed; ", beta, record.accepted, draws, record.failed);
    assert_in_range(record.accepted, 7 * draws / 10, draws - 1);
    assert_true(record.failed < draws / 100);
    check_moments(in, work, samples);
    check_energies(in, work, samples, energies);
    ref_workspace_free(work);
    ref_inputs_free(in);
    test_problem_free(problem);
}

static void chain_has_exact_moments(void **state)
{
    (void)state;
    check_chain(true, 1);
    check_chain(true, 0.5);
    check_chain(false, 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converged_trajectory_returns), cmocka_unit_test(printed_trajectory_does_not_return),
        cmocka_unit_test(energy_error_is_second_order), cmocka_unit_test(unsolved_step_is_reported),
        cmocka_unit_test(metric_of_nan_is_reported),    cmocka_unit_test(chain_has_exact_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
