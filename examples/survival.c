/* survival.c: failure times at different loads. A test of ten hours ends before some of the parts have failed:
 * their times are right-censored.
 *
 *   S(t) = exp(-e^f(load) t^shape): a Weibull time with a log hazard f that is a Gaussian process of the load.
 *
 * The shape is a parameter of the likelihood: above 1 the hazard increases with time. The evidence at a few shapes
 * shows which fit; the data are simulated with shape 2. Without the censored parts, the failure times would be
 * underestimated.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <talweg/talweg.h>

enum { PARTS = 120 };

static const double HOURS = 10.0, SHAPE = 2.0;

static void check(tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "survival: %s\n", tw_context_message(ctx));
    exit(tw_status_exit_code(status));
}

/* A uniform number in (0, 1) by a linear congruential generator, good enough to make up data. */
static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 33) + 0.5) / 2147483648.0;
}

static double true_log_hazard(double load)
{
    return -5.0 + 4.0 * load * load;
}

/* S(median) = 1/2. */
static double median(double log_hazard, double shape)
{
    return exp((log(log(2.0)) - log_hazard) / shape);
}

/* Times that reach the end of the test are censored there; without them where `keep` is false. */
static tw_data *make_data(tw_context *ctx, bool keep)
{
    double load[PARTS], hours[PARTS], censored[PARTS];
    uint64_t state = 11;
    size_t n = 0, ends = 0;
    tw_data *data = NULL;
    for (size_t i = 0; i < PARTS; i++) {
        double at = (double)i / (PARTS - 1),
               t = exp((log(-log(uniform(&state))) - true_log_hazard(at)) / SHAPE);
        bool end = t > HOURS;
        ends += end;
        if (end && !keep) continue;
        load[n] = at;
        hours[n] = end ? HOURS : t;
        censored[n++] = end ? 1.0 : 0.0;
    }
    if (keep) printf("%zu of %d parts were still working after %.0f hours\n\n", ends, PARTS, HOURS);
    check(ctx, tw_data_new(ctx, n, 1, load, n, hours, &data));
    check(ctx, tw_data_set_column(data, "censored", censored));
    return data;
}

/* EP with one shape: log Z, and the log hazard at three loads. */
static double fit(tw_context *ctx, const tw_data *data, double shape, const tw_data *at, double *mean)
{
    double phi = log(shape), variance[3];
    tw_kernel *kernel = NULL;
    tw_model *model = NULL;
    tw_approximation *ep = NULL;
    tw_predictor *predictor = NULL;
    check(ctx, tw_kernel_parse(ctx, "se(ell=0.5, sigma=2) + constant(variance=16)", 1, &kernel));
    check(ctx, tw_model_from_data(data, kernel, tw_likelihood_find("weibull"), &phi, 0.0, &model));
    check(ctx, tw_ep_fit(model, NULL, &ep));
    check(ctx, tw_predictor_new(model, ep, &predictor));
    check(ctx, tw_predictor_at(predictor, kernel, data, at, mean, variance));
    double log_z = ep->log_z;
    tw_predictor_free(predictor);
    tw_approximation_free(ep);
    tw_model_free(model);
    tw_kernel_free(kernel);
    return log_z;
}

int main(void)
{
    static const double shapes[] = {0.7, 1.0, 1.5, 2.0, 3.0}, loads[3] = {0.2, 0.5, 0.8};
    double mean[3], careless[3];
    tw_context *ctx = NULL;
    tw_data *at = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    tw_data *data = make_data(ctx, true), *failed = make_data(ctx, false);
    check(ctx, tw_data_new(ctx, 3, 1, loads, 3, NULL, &at));
    for (size_t k = 0; k < 5; k++) {
        double log_z = fit(ctx, data, shapes[k], at, mean);
        printf("shape %.1f   log Z by EP %8.2f\n", shapes[k], log_z);
    }
    fit(ctx, data, SHAPE, at, mean);
    fit(ctx, failed, SHAPE, at, careless);
    printf("\nload   median hours   truth   without the censored parts\n");
    for (size_t k = 0; k < 3; k++)
        printf("%4.1f %14.1f %7.1f %28.1f\n", loads[k], median(mean[k], SHAPE),
               median(true_log_hazard(loads[k]), SHAPE), median(careless[k], SHAPE));
    tw_data_free(at);
    tw_data_free(failed);
    tw_data_free(data);
    tw_context_free(ctx);
    return 0;
}
