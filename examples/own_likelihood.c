/* own_likelihood.c: a user-defined likelihood: real observations with logistic noise.
 *
 *   p(y | x) = exp(-z) / (w (1 + exp(-z))^2),   z = (y - x) / w,
 *
 * whose tails decrease like exp(-|z|), not like exp(-z^2 / 2) as those of a Gaussian, so an outlier has a limited
 * influence on the fit. Some observations here are outliers, and the same data with Gaussian noise show their
 * effect.
 *
 * talweg needs only a table with log p and three derivatives in x. It computes the moments of p times a Gaussian
 * for EP by quadrature, which needs a log-concave p, as here (Student's t, for example, is not log-concave).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <talweg/talweg.h>

enum { CASES = 60, DERIVATIVES = 4 };
static const double noise = 0.15;

static void check(tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "own_likelihood: %s\n", tw_context_message(ctx));
    exit(tw_status_exit_code(status));
}

/* ---- the likelihood ---- */

static bool supports(const tw_observations *o, size_t i)
{
    return isfinite(o->y[i]);
}

/* With t = tanh(z / 2): dl/dx = t / w, lambda = -d2l/dx2 = (1 - t^2) / (2 w^2), dlambda/dx = t (1 - t^2) / (2 w^3).
 * 1 - t^2 is written as 1 / cosh^2, or it would be 0 from |z| = 38 on, where t is 1 to the last digit. Arrays that are
 * NULL are not wanted; w is the column below, NULL where it is 1 everywhere. */
static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    const double *w = o->column[0];
    for (size_t i = 0; i < o->n; i++) {
        double s = w ? w[i] : 1.0, z = (o->y[i] - x[i]) / s, a = fabs(z);
        double t = tanh(0.5 * z), hump = 1.0 / cosh(0.5 * fmin(a, 1400.0));
        if (value) value[i] = -a - 2.0 * log1p(exp(-a)) - log(s);
        if (slope) slope[i] = t / s;
        if (lambda) lambda[i] = hump * hump / (2.0 * s * s);
        if (dlambda) dlambda[i] = t * hump * hump / (2.0 * s * s * s);
    }
}

static const tw_column columns[] = {{.name = "noise", .default_value = 1.0, .range = TW_RANGE_POSITIVE}};

static const tw_likelihood logistic = {.name = "logistic",
                                       .support = "a real number",
                                       .columns = 1,
                                       .column = columns,
                                       .supports = supports,
                                       .terms = terms};

/* ---- are the derivatives right? ---- */

/* l, its slope, minus its curvature, and the third derivative with its sign: each the derivative of the one before. */
static void derivatives(double x, double out[DERIVATIVES])
{
    const double y = 0.3, w = 0.7;
    const tw_observations one = {.likelihood = &logistic, .n = 1, .y = &y, .column = {&w}};
    terms(&one, &x, &out[0], &out[1], &out[2], &out[3]);
    out[2] = -out[2];
    out[3] = -out[3];
}

/* Compare each with the central difference of the one before. This is the test to write first: with a wrong slope HMC
 * rejects more and says nothing, and with a wrong dlambda RMHMC draws from another distribution. */
static double largest_error(void)
{
    const double h = 1e-5;
    double worst = 0.0, below[DERIVATIVES], at[DERIVATIVES], above[DERIVATIVES];
    for (int i = -100; i <= 100; i++) {
        double x = 0.1 * i;
        derivatives(x - h, below);
        derivatives(x, at);
        derivatives(x + h, above);
        for (int k = 1; k < DERIVATIVES; k++)
            worst = fmax(worst, fabs((above[k - 1] - below[k - 1]) / (2.0 * h) - at[k]));
    }
    return worst;
}

/* ---- the problem ---- */

/* sin(x), a little noise, and every tenth observation four units off. */
static tw_data *make_data(tw_context *ctx)
{
    double x[CASES], y[CASES];
    tw_data *data = NULL;
    for (int i = 0; i < CASES; i++) {
        x[i] = 0.1 * i;
        y[i] = sin(x[i]) + noise * sin(37.0 * i) + (i % 10 == 4 ? 4.0 : 0.0);
    }
    check(ctx, tw_data_new(ctx, CASES, 1, x, CASES, y, &data));
    check(ctx, tw_data_repeat_column(data, "noise", noise));
    return data;
}

/* Sample the posterior of f at the inputs; returns the root mean square error of its mean. */
static double fit(tw_context *ctx, const tw_data *data, const tw_likelihood *likelihood)
{
    tw_kernel *kernel = NULL;
    double sum = 0.0;
    tw_model *model = NULL;
    tw_approximation *ep = NULL;
    tw_sampling *sampling = NULL;
    tw_draws *draws = NULL;
    tw_summary rows[CASES];
    tw_chains_summary s;
    check(ctx, tw_kernel_parse(ctx, "matern52", data->d, &kernel)); /* ell = sigma = 1 */
    check(ctx, tw_model_from_data(data, kernel, likelihood, NULL, 0.0, &model));
    tw_kernel_free(kernel);
    check(ctx, tw_ep_fit(model, NULL, &ep));
    tw_posterior posterior = {.model = model, .beta = 1.0, .approximation = ep};
    tw_sampler_options sampler = TW_SAMPLER_DEFAULTS;
    sampler.metric = TW_METRIC_EP;
    check(ctx, tw_sampling_new(&posterior, &sampler, 4, &sampling));
    check(ctx, tw_sampler_start(sampling->sampler, ep->reference, 1.5, 1));
    check(ctx, tw_chains_run(sampling->sampler, NULL, &draws));
    check(ctx, tw_draws_summarise(draws, 1, rows, &s));
    for (int i = 0; i < CASES; i++) sum += pow(rows[i].mean - sin(data->x[i]), 2.0);
    printf("%-9s log Z by EP %8.2f, R-hat at most %.3f, error of the mean %.3f\n", likelihood->name,
           ep->log_z, s.rhat_max, sqrt(sum / CASES));
    tw_draws_free(draws);
    tw_sampling_free(sampling);
    tw_approximation_free(ep);
    tw_model_free(model);
    return sqrt(sum / CASES);
}

int main(void)
{
    tw_context *ctx = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    printf("derivatives against differences: off by %.1e at most\n", largest_error());
    tw_data *data = make_data(ctx);
    double gaussian = fit(ctx, data, tw_likelihood_find("gaussian"));
    double robust = fit(ctx, data, &logistic);
    printf("outliers cost Gaussian noise %.1f times the error\n", gaussian / robust);
    tw_data_free(data);
    tw_context_free(ctx);
    return 0;
}
