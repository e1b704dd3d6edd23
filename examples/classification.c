/* classification.c: two classes in the plane: fit, sample, write the draws to a file, predict.
 *
 *   y_n = sign(f(x_n) + noise), f a Gaussian process: a probit model. Its posterior is not Gaussian. EP
 *   approximates it by a Gaussian; Markov chains whose metric is that of this Gaussian then draw from the exact
 *   posterior, and predictions are averages over the draws.
 *
 * Usage: classification [RUN.nc]. xarray, ArviZ, and talweg summary, report and predict read the file.
 */
#include <stdio.h>
#include <stdlib.h>

#include <talweg/talweg.h>

enum { CASES = 200, SEED = 1 };

/* Every call returns a status, and the context has the words. A program may have something better to do. */
static void check(tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "classification: %s\n", tw_context_message(ctx));
    exit(tw_status_exit_code(status));
}

/* The data, the kernel k(a, b) = sigma^2 exp(-|a - b|^2 / (2 ell^2)) and the likelihood Phi(y f) make a problem,
 * which takes data and kernel over. */
static tw_problem *pose(tw_context *ctx)
{
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("probit")};
    tw_problem *problem = NULL;
    check(ctx, tw_data_two_classes(ctx, CASES, SEED, 0, &parts.data));
    check(ctx, tw_kernel_parse(ctx, "se(log_ell=0.3, log_sigma=1.5)", parts.data->d, &parts.kernel));
    check(ctx, tw_problem_new(ctx, &parts, &problem));
    return problem;
}

/* Hamiltonian Monte Carlo with EP's precision as its metric, the default: in these coordinates the posterior is nearly a
 * unit Gaussian, whatever the kernel. Step size and trajectory length are tuned in the warm-up. Without a method, pilot
 * runs would choose one. */
static tw_sampling_result sample(tw_context *ctx, const tw_problem *problem, const tw_approximation *ep,
                                 const char *path)
{
    tw_sampling_options options = TW_SAMPLING_DEFAULTS;
    tw_sampling_plan *plan = NULL;
    tw_sampling_result result;
    options.method = "hmc";
    options.warmup = 300;
    options.ep = ep; /* else the plan would fit it */
    check(ctx, tw_sampling_plan_new(problem->model, &options, NULL, &plan));
    check(ctx, tw_sampling_run(plan, NULL, &result));
    if (path) {
        tw_run_options overwrite = {.overwrite = true};
        tw_run_facts facts = tw_run_facts_of(plan, &result);
        facts.data = "two classes";
        facts.command = "classification";
        check(ctx, tw_run_save(ctx, path, &overwrite, problem, &facts, result.draws));
    }
    tw_sampling_plan_free(plan);
    return result;
}

/* Predict 1000 cases the model has not seen, and score the predictions by their labels. */
static void predict(tw_context *ctx, const tw_problem *problem, const tw_draws *draws)
{
    enum { NEW = 1000 };
    static double probability[NEW], error[NEW], log_score[NEW];
    tw_data *test = NULL;
    tw_draws_predictor *predictor = NULL;
    tw_draw_source source = tw_draws_source(draws);
    tw_predictions out = {.expected = probability, .mcse = error, .log_score = log_score};
    check(ctx, tw_data_two_classes(ctx, NEW, SEED, 1, &test));
    check(ctx, tw_draws_predictor_new(problem->model, &source, NULL, &predictor));
    check(ctx, tw_draws_predictor_at(predictor, problem->kernel, problem->data, test, 0, NEW, &out));
    tw_draws_scores s = tw_draws_predictor_scores(predictor);
    printf("\nfirst new case: (%.2f, %.2f) is +1 with probability %.3f +- %.3f\n", test->x[0], test->x[NEW],
           probability[0], error[0]);
    printf("of %d new cases %.1f%% on the wrong side; mean log score %.4f +- %.4f nats\n", NEW,
           100.0 * s.scores.error_rate, s.scores.log_score, s.log_score_mcse);
    tw_draws_predictor_free(predictor);
    tw_data_free(test);
}

int main(int count, char **words)
{
    tw_context *ctx = NULL;
    tw_approximation *ep = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    tw_problem *problem = pose(ctx);

    check(ctx, tw_ep_fit(problem->model, NULL, &ep));
    printf("EP: log Z = %.4f after %zu sweeps (%s)\n", ep->log_z, ep->iterations,
           ep->converged ? "converged" : "NOT converged");

    tw_sampling_result result = sample(ctx, problem, ep, count > 1 ? words[1] : NULL);
    const tw_draws *draws = result.draws;
    tw_chains_summary s = result.summary;
    printf("%zu chains of %zu draws: acceptance %.2f, step size %.2f, %zu leapfrog steps\n", draws->chains,
           draws->draws, s.acceptance, draws->tuning.eps, draws->tuning.steps);
    printf("R-hat at most %.3f, ESS at least %.0f (latent %zu)\n", s.rhat_max, s.ess_min, s.worst + 1);
    for (size_t k = 0; k < result.warnings.count; k++) {
        char sentence[TW_WARNING_BYTES];
        tw_warning_print(&result.warnings.warning[k], NULL, sentence);
        printf("warning: %s\n", sentence);
    }

    /* Objects are freed before what they were made of, and the context last. */
    predict(ctx, problem, draws);
    tw_sampling_result_release(&result);
    tw_approximation_free(ep);
    tw_problem_free(problem);
    tw_context_free(ctx);
    return 0;
}
