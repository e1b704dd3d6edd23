/* evidence.c: is EP's log Z right? Ask annealed importance sampling, forth and back.
 *
 *   Z = p(y) = the integral of p(y | x) N(x; 0, K) over x
 *
 * says how well a model explains the data. EP gives it at once, without an error bar. Annealed importance sampling
 * (AIS) leads particles from EP's Gaussian to the posterior over a path of temperatures, weighing them on the way: Z is
 * the mean weight, with a standard error. Its logarithm errs low, and that of the way back errs high, so that two
 * estimates which agree leave little room for both to be wrong.
 */
#include <stdio.h>
#include <stdlib.h>

#include <talweg/talweg.h>

enum { CASES = 150, TEMPERATURES = 50 };

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

/* From q = EP's Gaussian at b = 0 to the posterior at b = 1 in equal steps, with HMC that moves in EP's metric. */
static void anneal(tw_context *ctx, const tw_model *model, const tw_approximation *ep, tw_estimate out[2])
{
    double beta[TEMPERATURES + 1];
    tw_ais_options ais = TW_AIS_DEFAULTS;
    check(ctx, tw_schedule_fill(ctx, TW_SCHEDULE_LINEAR, TEMPERATURES, 0.0, beta));
    ais.kernel.metric = TW_METRIC_EP;
    ais.kernel.gaussian = ep->reference;
    ais.kernel.threads = 2; /* which change no digit */
    ais.beta = beta;
    ais.steps = TEMPERATURES;
    check(ctx, tw_ais_run(model, ep->reference, &ais, NULL, NULL, NULL, &out[0]));
    ais.reverse = true;
    check(ctx, tw_ais_run(model, ep->reference, &ais, NULL, NULL, NULL, &out[1]));
}

int main(void)
{
    tw_context *ctx = NULL;
    tw_approximation *laplace = NULL, *ep = NULL;
    tw_correction corrected;
    tw_estimate estimate[2];
    char words[TW_WORDS_BYTES];
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    tw_model *model = make_model(ctx);

    check(ctx, tw_laplace_fit(model, NULL, &laplace));
    check(ctx, tw_ep_fit(model, NULL, &ep));
    check(ctx, tw_ep_correct(model, ep, 4, &corrected)); /* refused unless EP has converged */
    anneal(ctx, model, ep, estimate);

    printf("%-13s %9.4f\n", "Laplace", laplace->log_z);
    printf("%-13s %9.4f\n", "EP", ep->log_z);
    printf("%-13s %9.4f\n", "EP corrected", corrected.log_z);
    for (int k = 0; k < 2; k++)
        printf("%-13s %9.4f +- %.4f   (%.0f of %zu weights count, acceptance %.2f)\n", estimate[k].method,
               estimate[k].log_z, estimate[k].se, estimate[k].weight_ess, estimate[k].particles,
               estimate[k].acceptance);

    /* Are they within four joint standard errors of each other, and how far is EP from the better of them? */
    tw_agreement agreement = tw_evidence_agree(2, estimate);
    const tw_estimate *best = tw_evidence_best(2, estimate);
    printf("\n%s\n", agreement.words);
    tw_evidence_compare(best, "EP", ep->log_z, words);
    printf("%s\n", words);
    tw_evidence_compare(best, "EP corrected", corrected.log_z, words);
    printf("%s\n", words);

    tw_approximation_free(ep);
    tw_approximation_free(laplace);
    tw_model_free(model);
    tw_context_free(ctx);
    return agreement.agree ? 0 : 2;
}
