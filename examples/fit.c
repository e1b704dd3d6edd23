/* fit.c: estimate an unknown length scale, with its uncertainty.
 *
 *   log Z(theta) + log p(theta)
 *
 * measures how well a kernel with parameters theta explains the data: EP's log Z plus a log prior. A fit maximises
 * it with exact derivatives from several starts, and reports standard deviations at the maximum.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <talweg/talweg.h>

enum { CASES = 150 };

static void check(tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "fit: %s\n", tw_context_message(ctx));
    exit(tw_status_exit_code(status));
}

/* A kernel without given parameters, with one length scale for each input. */
static tw_problem *make_problem(tw_context *ctx)
{
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("probit")};
    tw_problem *problem = NULL;
    check(ctx, tw_data_two_classes(ctx, CASES, 1, 0, &parts.data));
    check(ctx, tw_kernel_parse(ctx, "se(ard)", parts.data->d, &parts.kernel));
    check(ctx, tw_problem_new(ctx, &parts, &problem)); /* data and kernel are the problem's now */
    return problem;
}

int main(void)
{
    tw_context *ctx = NULL;
    tw_priors *priors = NULL;
    tw_fit_result *r = NULL;
    char prior[200];
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    tw_problem *problem = make_problem(ctx);

    /* A density of sigma itself, and for the length scales the default, which knows the distances between the inputs. */
    check(ctx, tw_priors_new(problem, &priors));
    check(ctx, tw_priors_read(priors, problem, "sigma ~ half_normal(5)"));
    check(ctx, tw_priors_read(priors, problem, "default"));
    check(ctx, tw_fit(problem, priors, NULL, &r));

    printf("log Z %.3f, with log prior %.3f, %s\n", r->optimum[0].log_z, r->optimum[0].log_posterior,
           r->converged ? "a maximum" : "not a maximum to be trusted");
    for (size_t j = 0; j < r->count; j++) {
        const tw_parameter *parameter = tw_problem_parameter(problem, j);
        tw_prior_print(&priors->prior[j], parameter, prior, sizeof prior);
        printf("%-6s log %6.3f +- %.3f   %6.3f   %s\n", parameter->name, r->optimum[0].theta[j], r->sd[j],
               exp(r->optimum[0].theta[j]), prior);
    }

    /* The problem is at the maximum: its model goes on to tw_sampling_plan_new, tw_evidence_plan_new and the rest. */
    bool converged = r->converged;
    tw_fit_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
    return converged ? 0 : 2;
}
