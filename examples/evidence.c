/* evidence.c: compare EP's log Z with annealed importance sampling in both directions.
 *
 *   Z = p(y) = the integral of p(y | x) N(x; 0, K) over x
 *
 * measures how well a model explains the data. EP estimates it quickly, without a standard error. Annealed
 * importance sampling (AIS) moves particles from EP's Gaussian to the posterior through a sequence of temperatures
 * and weights them: Z is the mean weight, with a standard error. Its logarithm tends to be too low, and that of
 * reverse AIS too high, so two estimates that agree are unlikely to be both wrong.
 */
#include <stdio.h>
#include <stdlib.h>

#include <talweg/talweg.h>

enum { CASES = 150 };

static void check(tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "evidence: %s\n", tw_context_message(ctx));
    exit(tw_status_exit_code(status));
}

static tw_model *make_model(tw_context *ctx)
{
    /* A latent function that varies a lot (sigma = e^3): posteriors far from Gaussian, hard for EP. */
    tw_kernel *kernel = NULL;
    tw_data *data = NULL;
    tw_model *model = NULL;
    check(ctx, tw_data_two_classes(ctx, CASES, 1, 0, &data));
    check(ctx, tw_kernel_parse(ctx, "se(log_ell=0.3, log_sigma=3)", data->d, &kernel));
    check(ctx, tw_model_from_data(data, kernel, tw_likelihood_find("probit"), NULL, 0.0, &model));
    tw_kernel_free(kernel); /* the model has K, and its own copy of the data */
    tw_data_free(data);
    return model;
}

int main(void)
{
    tw_context *ctx = NULL;
    tw_evidence_plan *plan = NULL;
    tw_evidence_result r;
    char words[TW_WORDS_BYTES];
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    tw_model *model = make_model(ctx);

    /* From EP's Gaussian to the posterior in 50 equal steps, with HMC in EP's metric: the default options. */
    check(ctx, tw_evidence_plan_new(model, NULL, NULL, &plan));
    check(ctx, tw_evidence_run(plan, NULL, &r));

    const tw_fits *fits = &plan->fits;
    printf("%-13s %9.4f\n", "Laplace", fits->laplace->log_z);
    printf("%-13s %9.4f\n", "EP", fits->ep->log_z);
    printf("%-13s %9.4f\n", "EP corrected", fits->correction.log_z);
    for (size_t k = 0; k < r.count; k++)
        printf("%-13s %9.4f +- %.4f   (%.0f of %zu weights count, acceptance %.2f)\n", r.estimate[k].method,
               r.estimate[k].log_z, r.estimate[k].se, r.estimate[k].weight_ess, r.estimate[k].particles,
               r.estimate[k].acceptance);

    /* Are they within four joint standard errors of each other, and how far is EP from the better of them? */
    const tw_estimate *best = tw_evidence_best(r.count, r.estimate);
    tw_agreement_print(&r.agreement, r.estimate, words);
    printf("\n%s\n", words);
    tw_evidence_compare(best, "EP", fits->ep->log_z, words);
    printf("%s\n", words);
    tw_evidence_compare(best, "EP corrected", fits->correction.log_z, words);
    printf("%s\n", words);

    tw_evidence_plan_free(plan);
    tw_model_free(model);
    tw_context_free(ctx);
    return r.agreement.agree ? 0 : 2;
}
