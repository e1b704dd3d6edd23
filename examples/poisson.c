/* poisson.c: counts of rare events per year with a slowly changing rate.
 *
 *   y_t ~ Poisson(exp(f(t))), f a Gaussian process with a constant offset: the log rate.
 *
 * The counts look like those of coal-mining disasters in Britain, 1851-1962: about three per year at first, fewer
 * than one after 1890. Here they are simulated, so that the result can be compared with the true rate.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <talweg/talweg.h>

enum { FIRST_YEAR = 1851, YEARS = 112 };

static void check(tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "poisson: %s\n", tw_context_message(ctx));
    exit(tw_status_exit_code(status));
}

static double true_rate(double year)
{
    return 0.9 + 2.3 / (1.0 + exp((year - 1890.0) / 4.0));
}

/* A uniform number in (0, 1) by a linear congruential generator, good enough to make up data. */
static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 33) + 0.5) / 2147483648.0;
}

/* Events at exponential distances: how many in a year? */
static double draw_count(double rate, uint64_t *state)
{
    double count = -1.0, time = 0.0;
    while (time < 1.0) {
        time -= log(uniform(state)) / rate;
        count++;
    }
    return count;
}

static tw_data *make_data(tw_context *ctx)
{
    double year[YEARS], count[YEARS];
    uint64_t state = 20;
    tw_data *data = NULL;
    for (size_t i = 0; i < YEARS; i++) {
        year[i] = FIRST_YEAR + (double)i;
        count[i] = draw_count(true_rate(year[i]), &state);
    }
    check(ctx, tw_data_new(ctx, YEARS, 1, year, YEARS, count, &data)); /* copied */
    return data;
}

/* Without options pilot runs choose the sampler, and it draws until the worst latent has an ESS of 400. */
static tw_draws *sample(tw_context *ctx, const tw_model *model)
{
    tw_sampling_plan *plan = NULL;
    tw_sampling_result result;
    check(ctx, tw_sampling_plan_new(model, NULL, NULL, &plan));
    printf("log Z by EP %.2f; the pilot runs chose %s with metric %s\n", plan->posterior.approximation->log_z,
           tw_method_name(plan->sampler.method), tw_metric_name(plan->sampler.metric));
    check(ctx, tw_sampling_run(plan, NULL, &result));
    tw_sampling_plan_free(plan);
    return result.draws;
}

/* exp is increasing, so quantiles of the rate are exp of those of the log rate. */
static void print_rates(const tw_data *data, const tw_summary *rows)
{
    size_t inside = 0;
    printf("\nyear   count   rate: median (90%% interval)   truth\n");
    for (size_t i = 0; i < YEARS; i++) {
        double truth = true_rate(data->x[i]), low = exp(rows[i].q5), high = exp(rows[i].q95);
        inside += truth >= low && truth <= high;
        if (i % 14 == 0)
            printf("%.0f %7.0f   %10.2f (%.2f to %.2f) %15.2f\n", data->x[i], data->y[i], exp(rows[i].median),
                   low, high, truth);
    }
    printf("the truth is inside in %zu of %d years\n", inside, YEARS);
}

int main(void)
{
    /* Rates change over decades (ell = 15 years), by factors of about e^0.7; the offset has variance 1. */
    static const char expression[] = "matern52(log_ell=2.7, log_sigma=-0.35) + constant(variance=1)";
    static tw_summary rows[YEARS];
    tw_context *ctx = NULL;
    tw_kernel *kernel = NULL;
    tw_model *model = NULL;
    tw_chains_summary s;
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    tw_data *data = make_data(ctx);
    check(ctx, tw_kernel_parse(ctx, expression, data->d, &kernel));
    check(ctx, tw_model_from_data(data, kernel, tw_likelihood_find("poisson"), NULL, 0.0, &model));
    tw_draws *draws = sample(ctx, model);
    check(ctx, tw_draws_summarise(draws, 1, rows, &s));
    printf("R-hat at most %.3f, ESS at least %.0f of %zu draws\n", s.rhat_max, s.ess_min,
           draws->chains * draws->draws);
    print_rates(data, rows);
    tw_draws_free(draws);
    tw_model_free(model);
    tw_kernel_free(kernel);
    tw_data_free(data);
    tw_context_free(ctx);
    return 0;
}
