/* Derivatives of log Z with respect to the parameters of priors with a sparse precision, against central
 * differences of log Z: all leaves, sums, products, intrinsic priors with their constraints, repeated times,
 * areas without a case, an obtuse mesh. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/log_z_slope.h"
#include "support/problem.h"
#include "support/scratch_file.h"
#include "support/sparse_case.h"
#include "support/support.h"
#include "talweg/approximate.h"

enum { N = 24, D = 5 };

/* A and B stand for the files of a graph and of a mesh. */
static const char *const kernels[] = {
    "ar1(3, ell=2, sigma=1.3)",
    "spde(1, 2, ell=1.5, sigma=1.2)",
    "spde(1, 2, ell=(1, 2.5), sigma=1.2)",
    "spde2(1, 2, ell=(1.2, 3), sigma=0.8)",
    "spde2(1, 2, ell=2, sigma=0.8)",
    "spde(1, 2, mesh=\"B\", ell=(2, 3), sigma=1.1)",
    "spde2(1, 2, mesh=\"B\", ell=(3, 2), sigma=1.1)",
    "spde2(1, 2, mesh=\"B\", ell=2.5, sigma=1.1) + white(variance=0.3)",
    "rw1(3, sigma=0.6) + constant(variance=2)",
    "2 * rw2(3, sigma=0.4) + constant(variance=1.5)",
    "icar(4, graph=\"A\", sigma=0.7) + categorical(4, sigma=0.5) + constant(variance=3)",
    "bym2(4, graph=\"A\", sigma=1.2, odds=0.6)",
    "bym2(4, graph=\"A\", sigma=1.2, odds=0.6) + se(5, ell=2, sigma=0.8)", /* dense */
    "se(5, ell=2, sigma=0.8) * spde(1, 2, ell=(2, 3)) + rw2(3, sigma=0.3) + constant",
    "bym2(4, graph=\"A\", sigma=0.9, odds=3) + rw1(3, sigma=0.2)",
    "ar1(3, ell=3, sigma=0.9) * spde(1, 2, ell=2) + 0.5 * ar1(5, ell=1, sigma=2)",
};
static const char *const likelihoods[] = {"poisson", "gaussian", "logit"};

/* An edge of obtuse triangles around the lattice. */
static const char mesh_text[] = "nodes 7\n-3 -2\n9 -2\n9 8\n-3 8\n1 3\n2.2 2.9\n4 5\n"
                                "triangles 8\n1 2 6\n1 6 5\n1 5 4\n5 6 7\n5 7 4\n6 2 7\n2 3 7\n7 3 4\n";
static const char graph_text[] = "7\n1 2 2 3\n2 2 1 3\n3 4 1 2 4 5\n4 1 3\n5 3 3 6 7\n6 1 5\n7 1 5\n";

static void make_cases(double *x, double *y, const char *likelihood)
{
    test_random random = {77};
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)(i % 6);
        size_t row = i / 6;
        x[i + N] = 1.5 * (double)row;
        x[i + 2 * N] = floor(40.0 * test_uniform(&random)) / 4.0; /* some twice */
        x[i + 3 * N] = 1.0 + (double)(i % 6);                     /* nobody is in area 7 */
        x[i + 4 * N] = 10.0 * test_uniform(&random);
        double f = sin(x[i]) + 0.4 * test_normal(&random);
        y[i] = f;
        if (strcmp(likelihood, "poisson") == 0) y[i] = floor(2.0 * exp(f) * test_uniform(&random) + 0.5);
        if (strcmp(likelihood, "logit") == 0) y[i] = f > 0.0 ? 1.0 : -1.0;
    }
}

/* The expression with the files' names. */
static void write_expression(const char *kernel, const char *graph, const char *mesh, char *to, size_t bytes)
{
    size_t length = 0;
    for (const char *c = kernel; *c && length + 1 < bytes; c++) {
        bool quoted = c > kernel && c[-1] == '"' && c[1] == '"';
        if (quoted)
            length += (size_t)snprintf(to + length, bytes - length, "%s", *c == 'A' ? graph : mesh);
        else
            to[length++] = *c;
    }
    to[length] = '\0';
}

static tw_problem *pose(tw_context *ctx, const char *expression, const char *likelihood)
{
    double x[N * D], y[N];
    const double phi = log(0.4);
    make_cases(x, y, likelihood);
    tw_problem_parts parts = {.likelihood = tw_likelihood_find(likelihood), .phi = &phi};
    tw_problem *problem = NULL;
    assert_int_equal(tw_data_new(ctx, N, D, x, N, y, &parts.data), TW_OK);
    if (tw_kernel_parse(ctx, expression, D, &parts.kernel) != TW_OK) fail_msg("%s", tw_context_message(ctx));
    if (tw_problem_new(ctx, &parts, &problem) != TW_OK) fail_msg("%s", tw_context_message(ctx));
    return problem;
}

/* Fourth order: the error is h^4 f^(5)/30, about 1e-9 here, and rounding 1e-12/h. */
static const double TOLERANCE = 1e-11, STEP = 3e-3;

static void check(tw_problem *problem, const char *what, const char *likelihood, tw_approximation_kind kind)
{
    double theta[LOG_Z_PARAMETERS], gradient[LOG_Z_PARAMETERS];
    tw_problem_get_theta(problem, theta);
    tw_approximation *a = log_z_fit(problem, kind, TOLERANCE);
    if (tw_approximation_gradient(problem, a, gradient) != TW_OK)
        fail_msg("%s: %s", what, tw_context_message(problem->ctx));
    tw_approximation_free(a);
    for (size_t j = 0; j < tw_problem_count(problem); j++) {
        double expected = log_z_difference(problem, kind, TOLERANCE, STEP, theta, j);
        if (!(fabs(gradient[j] - expected) <= 1e-6 * fmax(1.0, fabs(expected))))
            fail_msg("%s of %s with %s: d/d %s is %.10g and not %.10g", kind == TW_EP ? "EP" : "Laplace",
                     likelihood, what, tw_problem_parameter(problem, j)->name, gradient[j], expected);
    }
    assert_int_equal(tw_problem_set_theta(problem, theta), TW_OK);
}

static void derivatives_are_those_of_log_z(void **state)
{
    (void)state;
    need_orderings();
    scratch_file graph = scratch_write_text(".graph", graph_text),
                 mesh = scratch_write_text(".mesh", mesh_text);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        tw_context *ctx = new_context();
        char expression[600];
        const char *likelihood = likelihoods[k % 3];
        write_expression(kernels[k], graph.path, mesh.path, expression, sizeof expression);
        tw_problem *problem = pose(ctx, expression, likelihood);
        check(problem, kernels[k], likelihood, TW_EP);
        check(problem, kernels[k], likelihood, TW_LAPLACE);
        tw_problem_free(problem);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
    scratch_remove(&graph);
    scratch_remove(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_are_those_of_log_z)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
