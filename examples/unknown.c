/* unknown.c: unknown kernel parameters: joint draws of the parameters and the latents, predictions averaged over
 * both, and the evidence of the whole model.
 *
 *   p(theta, x | y) = p(theta) p(x | theta) p(y | x) / p(y),     p(y) = integral of p(theta) p(y | theta) d theta
 *
 * by importance sampling squared: weighted points of theta, each with an unbiased estimate of p(y | theta) and particles of x.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <talweg/talweg.h>

enum { CASES = 60, NEW = 3, POINTS = 128 };

static void check(tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "unknown: %s\n", tw_context_message(ctx));
    exit(tw_status_exit_code(status));
}

/* A kernel without given parameters. */
static tw_problem *make_problem(tw_context *ctx)
{
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("probit")};
    tw_problem *problem = NULL;
    check(ctx, tw_data_two_classes(ctx, CASES, 1, 0, &parts.data));
    check(ctx, tw_kernel_parse(ctx, "se", parts.data->d, &parts.kernel));
    check(ctx, tw_problem_new(ctx, &parts, &problem)); /* data and kernel are the problem's now */
    return problem;
}

/* Each draw predicts with the model at its own parameters. */
static void predict(tw_context *ctx, const tw_problem *problem, const tw_run_theta *theta,
                    const tw_draws *draws, const tw_data *at)
{
    tw_theta_places *places = NULL;
    tw_draws_predictor *predictor = NULL;
    tw_draw_source source = tw_draws_source(draws);
    double probability[NEW], error[NEW];
    const tw_predictions out = {.expected = probability, .mcse = error};
    check(ctx, tw_run_places(problem, theta, 1, &places));
    source.places = tw_theta_places_table(places);
    check(ctx, tw_draws_predictor_new(problem->model, &source, NULL, &predictor));
    check(ctx, tw_draws_predictor_at(predictor, problem->kernel, problem->data, at, 0, NEW, &out));
    for (size_t j = 0; j < NEW; j++)
        printf("p(+1) at (%.2f, %.2f)   %.3f +- %.3f\n", at->x[j], at->x[j + at->n], probability[j],
               error[j]);
    tw_draws_predictor_free(predictor);
    tw_theta_places_free(places);
}

int main(void)
{
    tw_context *ctx = NULL;
    tw_priors *priors = NULL;
    tw_hyper_result *r = NULL;
    tw_draws *draws = NULL;
    tw_data *at = NULL;
    tw_run_theta_room theta;
    size_t point[POINTS];
    tw_hyper_options options = TW_HYPER_DEFAULTS;
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    tw_problem *problem = make_problem(ctx);

    /* A parameter that has a prior is unknown. The default priors know the scale of the data. */
    check(ctx, tw_priors_new(problem, &priors));
    check(ctx, tw_priors_read(priors, problem, "default"));
    options.points = POINTS;
    check(ctx, tw_hyper_run(problem, priors, &options, &r));
    printf("log p(y) of the whole model   %.3f +- %.3f; %.0f of %zu points are effective\n",
           r->estimate.log_z, r->estimate.se, r->estimate.weight_ess, r->points);
    for (size_t k = 0; k < r->unknown; k++)
        printf("%-10s %6.3f +- %.3f   90 %% in %.3f to %.3f\n", r->row[k].name, r->row[k].mean,
               r->row[k].mcse, r->row[k].q05, r->row[k].q95);

    /* Draws of equal weight, for files (tw_run_save_hyper) and predictions. */
    check(ctx, tw_hyper_draws(problem, priors, r, 1, point, &draws));
    tw_run_theta_of(problem, priors, r, point, &theta);
    check(ctx, tw_data_two_classes(ctx, NEW, 2, 0, &at));
    predict(ctx, problem, &theta.all, draws, at);

    tw_status verdict = r->verdict; /* weights that collapsed are no result */
    tw_draws_free(draws);
    tw_data_free(at);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
    return tw_status_exit_code(verdict);
}
