/* Random problems of every kind: EP converges on each with its default options, and Laplace on all except
 * those whose observations exceed double precision. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/dense.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"
#include "talweg/approximate.h"

#if defined(__SANITIZE_ADDRESS__)
enum { PROBLEMS = 200 };
#else
enum { PROBLEMS = 600 };
#endif
enum { MOST = 62, INPUTS = 4 };

typedef struct problem {
    size_t n;
    const char *likelihood;
    double *k, y[MOST], w[MOST];
    double sigma, least_noise;
} problem;

/* Labels: all equal, separable, nearly so, alternating, or random. */
static double label(test_random *random, double kind, size_t i, double x)
{
    if (kind < 0.2) return 1.0;
    if (kind < 0.5) return x > 0.0 ? 1.0 : -1.0;
    if (kind < 0.7) return x + 0.3 * test_normal(random) > 0.0 ? 1.0 : -1.0;
    if (kind < 0.85) return i % 2 ? 1.0 : -1.0;
    return test_uniform(random) < 0.5 ? 1.0 : -1.0;
}

static void observe(test_random *random, problem *p, double kind, const double *x)
{
    for (size_t i = 0; i < p->n; i++) {
        p->w[i] = 1.0;
        if (strcmp(p->likelihood, "poisson") == 0) {
            double rate = kind < 0.3 ? 3.0 : kind < 0.6 ? 1e4 : exp(12.0 * test_uniform(random));
            p->y[i] = floor(rate * test_uniform(random));
        } else if (strcmp(p->likelihood, "gaussian") == 0) {
            p->y[i] = 10.0 * test_normal(random);
            p->w[i] = exp(-12.0 * kind * test_uniform(random));
            p->least_noise = fmin(p->least_noise, p->w[i]);
        } else {
            p->y[i] = label(random, kind, i, x[i]);
        }
    }
}

/* Two to 61 points in one to four dimensions, in two of five problems each of them twice; length scales from
 * 0.4 to 7 and standard deviations from 0.4 to 3000 (30 for counts). */
static problem draw(size_t number)
{
    static const char *const names[] = {"probit", "logit", "poisson", "gaussian"};
    test_random random = {977 * number + 5};
    double x[MOST * INPUTS];
    problem p = {.likelihood = names[number % 4], .least_noise = 1.0};
    p.n = 2 + (size_t)(60.0 * test_uniform(&random));
    size_t d = 1 + (size_t)(INPUTS * test_uniform(&random)), n = p.n;
    double ell = exp(3.0 * test_uniform(&random) - 1.0);
    p.sigma = exp((number % 4 == 2 ? 4.4 : 9.0) * test_uniform(&random) - 1.0);
    test_normals(&random, n * d, x);
    bool twice = test_uniform(&random) < 0.4;
    for (size_t i = 1; i < n && twice; i += 2)
        for (size_t l = 0; l < d; l++) x[i + l * n] = x[i - 1 + l * n];
    observe(&random, &p, test_uniform(&random), x);
    p.k = dense_kernel(n, d, x, ell, p.sigma);
    return p;
}

/* Laplace's steps need I + S K S to be solvable: sigma^2/noise^2 well below 1/eps. */
static void assert_converges(const problem *p, size_t number, size_t *most_sweeps)
{
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_approximation *laplace = NULL, *ep = NULL;
    assert_int_equal(tw_model_new(ctx, p->k, p->n,
                                  OBSERVED(tw_likelihood_find(p->likelihood), p->n, p->y, p->w), 0.0, &model),
                     TW_OK);
    assert_int_equal(tw_laplace_fit(model, NULL, &laplace), TW_OK);
    assert_int_equal(tw_ep_fit(model, NULL, &ep), TW_OK);
    if (!ep->converged || (!laplace->converged && p->sigma < 1e4 * p->least_noise))
        fail_msg("problem %zu (%s, n %zu, sigma %g): EP %d, residual %g; Laplace %d, residual %g", number,
                 p->likelihood, p->n, p->sigma, ep->converged, ep->residual, laplace->converged,
                 laplace->residual);
    if (ep->iterations > *most_sweeps) *most_sweeps = ep->iterations;
    tw_approximation_free(ep);
    tw_approximation_free(laplace);
    tw_model_free(model);
    tw_context_free(ctx);
}

static void every_random_problem_converges(void **state)
{
    (void)state;
    size_t most_sweeps = 0;
    for (size_t i = 0; i < PROBLEMS; i++) {
        problem p = draw(i);
        assert_converges(&p, i, &most_sweeps);
        free(p.k);
    }
    print_message("%d problems, %zu sweeps at most\n", PROBLEMS, most_sweeps);
    assert_in_range(most_sweeps, 2, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_random_problem_converges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
