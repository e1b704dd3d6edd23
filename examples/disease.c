/* disease.c: relative risks of a disease by area. Counts by area, with the expected number of cases from the area's
 * population as exposure:
 *
 *   y_i ~ negative binomial with mean e_i exp(f(s_i)) and variance mean + mean^2/dispersion,
 *
 * f a Gaussian process over the map: the log of the relative risk. The counts vary more than Poisson counts, since
 * unmodelled factors differ between areas, and the evidence shows it. The data are simulated with dispersion 3.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <talweg/talweg.h>

enum { SIDE = 10, AREAS = SIDE * SIDE };

static void check(tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "disease: %s\n", tw_context_message(ctx));
    exit(tw_status_exit_code(status));
}

/* A uniform number in (0, 1) by a linear congruential generator, good enough to make up data. */
static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 33) + 0.5) / 2147483648.0;
}

/* A gamma variable of mean 1 and shape 3, and a Poisson count of that rate: a negative binomial of dispersion 3. */
static double draw_count(double mean, uint64_t *state)
{
    double rate = -mean / 3.0 * log(uniform(state) * uniform(state) * uniform(state)), time = 0.0,
           count = -1.0;
    while (time < 1.0) {
        time -= log(uniform(state)) / rate;
        count++;
    }
    return count;
}

/* A hot spot in the east. */
static double true_risk(double east, double north)
{
    double d2 = (east - 7.0) * (east - 7.0) + (north - 4.0) * (north - 4.0);
    return 0.8 + 1.7 * exp(-d2 / 8.0);
}

static tw_data *make_data(tw_context *ctx)
{
    double place[2 * AREAS], count[AREAS], expected[AREAS];
    uint64_t state = 4;
    tw_data *data = NULL;
    for (size_t i = 0; i < AREAS; i++) {
        size_t east = i % SIDE, north = i / SIDE;
        place[i] = (double)east;
        place[i + AREAS] = (double)north;
        expected[i] = 3.0 + 17.0 * uniform(&state);
        count[i] = draw_count(expected[i] * true_risk(place[i], place[i + AREAS]), &state);
    }
    check(ctx, tw_data_new(ctx, AREAS, 2, place, AREAS, count, &data));
    check(ctx, tw_data_set_column(data, "exposure", expected));
    return data;
}

static tw_approximation *fit(tw_context *ctx, const tw_data *data, const tw_kernel *kernel,
                             const char *likelihood, double dispersion, tw_model **model)
{
    double phi = log(dispersion); /* parameters are given as their transforms have them */
    tw_approximation *ep = NULL;
    check(ctx, tw_model_from_data(data, kernel, tw_likelihood_find(likelihood), &phi, 0.0, model));
    check(ctx, tw_ep_fit(*model, NULL, &ep));
    return ep;
}

static void compare(tw_context *ctx, const tw_data *data, const tw_kernel *kernel)
{
    static const double dispersions[] = {1.0, 3.0, 10.0};
    tw_model *model = NULL;
    tw_approximation *ep = fit(ctx, data, kernel, "poisson", 1.0, &model);
    printf("poisson                          log Z by EP %9.2f\n", ep->log_z);
    tw_approximation_free(ep);
    tw_model_free(model);
    for (size_t k = 0; k < 3; k++) {
        ep = fit(ctx, data, kernel, "negative_binomial", dispersions[k], &model);
        printf("negative_binomial, dispersion %2.0f log Z by EP %9.2f\n", dispersions[k], ep->log_z);
        tw_approximation_free(ep);
        tw_model_free(model);
    }
}

/* Relative risks along the middle of the map, with the truth. */
static void print_risks(const tw_data *data, const tw_approximation *ep)
{
    size_t inside = 0;
    printf("\neast north   count expected   relative risk: median (90%% interval)   truth\n");
    for (size_t i = 0; i < AREAS; i++) {
        double truth = true_risk(data->x[i], data->x[i + AREAS]), sd = sqrt(ep->variance[i]);
        double low = exp(ep->mean[i] - 1.645 * sd), high = exp(ep->mean[i] + 1.645 * sd);
        inside += truth >= low && truth <= high;
        if (i / SIDE == 4)
            printf("%4.0f %5.0f %7.0f %8.1f %16.2f (%.2f to %.2f) %17.2f\n", data->x[i], data->x[i + AREAS],
                   data->y[i], tw_data_column(data, "exposure")[i], exp(ep->mean[i]), low, high, truth);
    }
    printf("the truth is inside in %zu of %d areas\n", inside, AREAS);
}

int main(void)
{
    tw_context *ctx = NULL;
    tw_kernel *kernel = NULL;
    tw_model *model = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    tw_data *data = make_data(ctx);
    check(ctx, tw_kernel_parse(ctx, "se(ell=2.5, sigma=0.5) + constant(variance=0.25)", data->d, &kernel));
    compare(ctx, data, kernel);
    tw_approximation *ep = fit(ctx, data, kernel, "negative_binomial", 3.0, &model);
    print_risks(data, ep);
    tw_approximation_free(ep);
    tw_model_free(model);
    tw_kernel_free(kernel);
    tw_data_free(data);
    tw_context_free(ctx);
    return 0;
}
