/* ordinal.c: pain on a scale from 1 (none) to 5. Answers on a scale have an order but no distances: level j means
 * that x plus normal noise is between two cut points,
 *
 *   p(j | x) = Phi(c_j - x) - Phi(c_(j-1) - x),   x = f(dose), a Gaussian process.
 *
 * The first cut point and the gaps between the others are parameters of the likelihood. The data are simulated;
 * posterior draws give the share of answers at each dose, with an interval.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <talweg/talweg.h>

enum { PATIENTS = 150, LEVELS = 5, CHAINS = 4 };

/* The parameters of the simulated answers and of the model: the first cut point, and the logarithms of the gaps. */
static const double CUTS[LEVELS - 1] = {-1.5, -0.5, 0.3, 1.5};

static void check(tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "ordinal: %s\n", tw_context_message(ctx));
    exit(tw_status_exit_code(status));
}

/* A uniform number in (0, 1) by a linear congruential generator, good enough to make up data. */
static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 33) + 0.5) / 2147483648.0;
}

static double normal(uint64_t *state)
{
    double radius = sqrt(-2.0 * log(uniform(state)));
    return radius * cos(2.0 * acos(-1.0) * uniform(state));
}

/* Pain falls with the dose, and then no further. */
static double true_pain(double dose)
{
    return 1.5 * exp(-dose) - 0.8;
}

static double share_above(double x, size_t level)
{
    return 0.5 * erfc((CUTS[level - 1] - x) / sqrt(2.0));
}

static tw_data *make_data(tw_context *ctx)
{
    double dose[PATIENTS], answer[PATIENTS];
    uint64_t state = 20;
    tw_data *data = NULL;
    for (size_t i = 0; i < PATIENTS; i++) {
        dose[i] = 4.0 * (double)i / (PATIENTS - 1);
        double felt = true_pain(dose[i]) + normal(&state);
        answer[i] = 1.0;
        for (size_t j = 0; j < LEVELS - 1; j++) answer[i] += felt > CUTS[j];
    }
    check(ctx, tw_data_new(ctx, PATIENTS, 1, dose, PATIENTS, answer, &data));
    return data;
}

/* HMC in EP's metric. */
static tw_draws *sample(tw_context *ctx, const tw_model *model)
{
    tw_approximation *ep = NULL;
    tw_sampler_options sampler = TW_SAMPLER_DEFAULTS;
    tw_chains_options run = TW_CHAINS_DEFAULTS;
    tw_sampling *sampling = NULL;
    tw_draws *draws = NULL;
    run.seed = 1;
    sampler.metric = TW_METRIC_EP;
    check(ctx, tw_ep_fit(model, NULL, &ep));
    printf("log Z by EP %.3f after %zu sweeps\n", ep->log_z, ep->iterations);
    tw_posterior posterior = {.model = model, .beta = 1.0, .approximation = ep};
    check(ctx, tw_sampling_new(&posterior, &sampler, CHAINS, &sampling));
    check(ctx, tw_sampler_start(sampling->sampler, ep->reference, 1.5, run.seed));
    check(ctx, tw_chains_run(sampling->sampler, &run, &draws));
    tw_sampling_free(sampling);
    tw_approximation_free(ep);
    return draws;
}

int main(void)
{
    static tw_summary rows[PATIENTS];
    double phi[LEVELS - 1] = {CUTS[0]};
    tw_context *ctx = NULL;
    tw_kernel *kernel = NULL;
    tw_model *model = NULL;
    tw_chains_summary s;
    for (size_t j = 1; j < LEVELS - 1; j++) phi[j] = log(CUTS[j] - CUTS[j - 1]);
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    tw_data *data = make_data(ctx);
    check(ctx, tw_kernel_parse(ctx, "se(ell=1.5, sigma=1) + constant(variance=1)", data->d, &kernel));
    check(ctx, tw_model_from_data(data, kernel, tw_likelihood_find("ordinal5"), phi, 0.0, &model));
    tw_draws *draws = sample(ctx, model);
    check(ctx, tw_draws_summarise(draws, 1, rows, &s));
    printf("R-hat at most %.3f, ESS at least %.0f of %zu draws\n\n", s.rhat_max, s.ess_min,
           draws->chains * draws->draws);
    printf("dose   pain of 4 or 5: share (90%% interval)   truth\n");
    for (size_t i = 0; i < PATIENTS; i += 30)
        printf("%4.1f %16.2f (%.2f to %.2f) %15.2f\n", data->x[i], share_above(rows[i].median, 3),
               share_above(rows[i].q5, 3), share_above(rows[i].q95, 3),
               share_above(true_pain(data->x[i]), 3));
    tw_draws_free(draws);
    tw_model_free(model);
    tw_kernel_free(kernel);
    tw_data_free(data);
    tw_context_free(ctx);
    return 0;
}
