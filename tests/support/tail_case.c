/* tail_case.c: posteriors with difficult tails; see tail_case.h. */
#include "support/tail_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/random.h"
#include "support/support.h"

/* ---- the cases ---- */

#define ONE(name, y1, s, ...)                                                \
    {                                                                        \
        .likelihood = (name), .n = 1, .y = {(y1)}, .sigma = (s), __VA_ARGS__ \
    }
#define TWO(name, y1, y2, s, ...)                                                              \
    {                                                                                          \
        .likelihood = (name), .n = 2, .y = {(y1), (y2)}, .sigma = (s), .rho = 0.9, __VA_ARGS__ \
    }
#define NONE .constant = 0.0
#define TRIALS(k) .column = "trials", .constant = (k)
#define ORDINAL(name, top) \
    ONE(name, 1, 5.0, NONE), ONE(name, 2, 5.0, NONE), ONE(name, top, 0.5, NONE), TWO(name, 1, top, 3.0, NONE)

/* A wide prior with an observation that bounds x on one side (an exponential tail, or the prior cut off), a wide
 * prior with an ordinary one, a narrow prior with one far out, and two correlated latents. */
static const tail_case cases[] = {ONE("probit", 1, 5.0, NONE),
                                  ONE("probit", 1, 40.0, NONE),
                                  ONE("probit", -1, 0.5, NONE),
                                  TWO("probit", 1, -1, 5.0, NONE),
                                  ONE("logit", 1, 5.0, NONE),
                                  ONE("logit", 1, 40.0, NONE),
                                  ONE("logit", -1, 0.5, NONE),
                                  TWO("logit", 1, -1, 5.0, NONE),
                                  ONE("poisson", 0, 5.0, NONE),
                                  ONE("poisson", 1, 5.0, NONE),
                                  ONE("poisson", 100, 0.5, NONE),
                                  TWO("poisson", 0, 1, 5.0, NONE),
                                  ONE("gaussian", 1, 5.0, NONE),
                                  ONE("gaussian", 20, 0.5, NONE),
                                  TWO("gaussian", 1, -9, 5.0, NONE),
                                  ONE("student_t", 4, 2.0, .parameter = {0.5, 1.5}),
                                  ONE("student_t", 8, 2.0, .parameter = {0.5, 3.0}),
                                  ONE("student_t", 20, 2.0, .parameter = {1.0, 2.0}),
                                  ONE("student_t", 10, 5.0, .parameter = {0.2, 1.0}),
                                  TWO("student_t", 1, 6, 3.0, .parameter = {0.5, 1.5}),
                                  ONE("stochastic_volatility", 0.01, 5.0, NONE),
                                  ONE("stochastic_volatility", 1, 3.0, NONE),
                                  ONE("stochastic_volatility", 50, 0.5, NONE),
                                  TWO("stochastic_volatility", 0.01, 10, 5.0, NONE),
                                  ONE("binomial", 0, 5.0, TRIALS(10)),
                                  ONE("binomial", 1, 40.0, TRIALS(2)),
                                  ONE("binomial", 1, 5.0, TRIALS(2)),
                                  ONE("binomial", 50, 0.5, TRIALS(50)),
                                  TWO("binomial", 0, 10, 5.0, TRIALS(10)),
                                  ONE("binomial_probit", 0, 5.0, TRIALS(10)),
                                  ONE("binomial_probit", 1, 5.0, TRIALS(2)),
                                  ONE("binomial_probit", 50, 0.5, TRIALS(50)),
                                  TWO("binomial_probit", 0, 10, 5.0, TRIALS(10)),
                                  ONE("negative_binomial", 0, 5.0, NONE),
                                  ONE("negative_binomial", 3, 5.0, NONE),
                                  ONE("negative_binomial", 200, 0.5, .parameter = {5.0}),
                                  TWO("negative_binomial", 0, 5, 5.0, NONE),
                                  ONE("gamma", 1, 5.0, NONE),
                                  ONE("gamma", 1, 5.0, .parameter = {0.2}),
                                  ONE("gamma", 100, 0.5, .parameter = {3.0}),
                                  TWO("gamma", 0.1, 10, 3.0, NONE),
                                  ONE("exponential", 1, 5.0, NONE),
                                  ONE("exponential", 1, 5.0, .column = "censored", .constant = 1),
                                  ONE("exponential", 100, 0.5, NONE),
                                  TWO("exponential", 0.1, 10, 3.0, NONE),
                                  ONE("weibull", 1, 5.0, .parameter = {2.0}),
                                  ONE("weibull", 1, 5.0, .column = "censored", .constant = 1),
                                  ONE("weibull", 30, 0.5, .parameter = {2.0}),
                                  TWO("weibull", 0.1, 10, 3.0, .parameter = {0.5}),
                                  ORDINAL("ordinal3", 3),
                                  ORDINAL("ordinal4", 4),
                                  ORDINAL("ordinal5", 5),
                                  ORDINAL("ordinal6", 6),
                                  ORDINAL("ordinal7", 7)};

const tail_case *tail_cases(size_t *count)
{
    *count = sizeof cases / sizeof *cases;
    return cases;
}

/* The observations of a case, with the arrays that they point to. */
typedef struct observed {
    double phi[TAIL_PARAMETERS], column[2];
    tw_observations o;
} observed;

static void observe(const tail_case *c, observed *to)
{
    const tw_likelihood *likelihood = tw_likelihood_find(c->likelihood);
    assert_true(likelihood && likelihood->parameters <= TAIL_PARAMETERS);
    for (size_t k = 0; k < likelihood->parameters; k++) {
        const tw_parameter *p = &likelihood->parameter[k];
        to->phi[k] = tw_parameter_theta(p, c->parameter[k] != 0.0 ? c->parameter[k] : p->initial);
    }
    to->o = (tw_observations){.likelihood = likelihood, .phi = to->phi, .n = c->n, .y = c->y};
    to->column[0] = to->column[1] = c->constant;
    if (c->column) to->o.column[tw_likelihood_column(likelihood, c->column)] = to->column;
}

/* ---- quadrature: the trapezoidal rule on a grid of equal steps for each latent ---- */

enum { COARSE = 4001, FINE = 1501, LINE = 20001 };

static const double negligible = 32.0; /* below the largest log density: e^-32 is 1e-14 */

/* log p(y_i | x) of observation i */
static double log_site(const observed *s, size_t i, double x)
{
    tw_observations one = tw_observations_part(&s->o, i, 1);
    double value;
    one.likelihood->terms(&one, &x, &value, NULL, NULL, NULL);
    return value;
}

/* The range of x outside of which log p(y_i | x) - x^2 / (2 sigma^2) is negligible. The other latent may shift the posterior, so
 * that this range is for one latent only. */
static void find_range(const observed *s, size_t i, double sigma, double range[2])
{
    double value[COARSE], most = -INFINITY, step = 24.0 * sigma / (COARSE - 1);
    for (size_t k = 0; k < COARSE; k++) {
        double x = -12.0 * sigma + step * (double)k;
        value[k] = log_site(s, i, x) - 0.5 * x * x / (sigma * sigma);
        most = fmax(most, value[k]);
    }
    size_t first = 0, last = COARSE - 1;
    while (value[first] < most - negligible) first++;
    while (value[last] < most - negligible) last--;
    range[0] = -12.0 * sigma + step * ((double)first - 1.0);
    range[1] = -12.0 * sigma + step * ((double)last + 1.0);
}

/* Moments and quantiles from a density p on a grid, by its cumulated trapezoids. */
static tail_truth truth_of(size_t points, const double *p, const double range[2])
{
    double step = (range[1] - range[0]) / (double)(points - 1), sum = 0.0, first = 0.0, second = 0.0,
           below = 0.0;
    tail_truth t = {0};
    for (size_t k = 0; k < points; k++) sum += p[k];
    for (size_t k = 0; k < points; k++) first += p[k] / sum * (range[0] + step * (double)k);
    for (size_t k = 0; k < points; k++) {
        double d = range[0] + step * (double)k - first;
        second += p[k] / sum * d * d;
    }
    t.mean = first;
    t.sd = sqrt(second);
    for (size_t k = 1, q = 0; k < points; k++) {
        double more = 0.5 * (p[k - 1] + p[k]) / sum;
        for (; q < TAIL_QUANTILES && below + more >= tail_probability[q]; q++)
            t.quantile[q] = range[0] + step * ((double)k - 1.0 + (tail_probability[q] - below) / more);
        below += more;
    }
    return t;
}

const double tail_probability[TAIL_QUANTILES] = {0.01, 0.05, 0.95, 0.99};

/* p on a grid, not normalised. */
static void density_on_line(const observed *s, double sigma, const double range[2], size_t points, double *p)
{
    double most = -INFINITY, step = (range[1] - range[0]) / (double)(points - 1);
    for (size_t k = 0; k < points; k++) {
        double x = range[0] + step * (double)k;
        p[k] = log_site(s, 0, x) - 0.5 * x * x / (sigma * sigma);
        most = fmax(most, p[k]);
    }
    for (size_t k = 0; k < points; k++) p[k] = exp(p[k] - most);
}

static void integrate_one(const observed *s, double sigma, tail_truth *truth)
{
    double range[2], *p = malloc(LINE * sizeof *p);
    assert_non_null(p);
    find_range(s, 0, sigma, range);
    density_on_line(s, sigma, range, LINE, p);
    *truth = truth_of(LINE, p, range);
    free(p);
}

/* With u = 1 / (1 - rho^2), the prior is exp(-u (a^2 - 2 rho a b + b^2) / 2), a and b in units of sigma. The
 * ranges are those of the prior; a second pass narrows them to the posterior. */
static void integrate_two(const observed *s, const tail_case *c, tail_truth truth[2])
{
    double range[2][2] = {{-12.0 * c->sigma, 12.0 * c->sigma}, {-12.0 * c->sigma, 12.0 * c->sigma}};
    double *site = malloc(2 * FINE * sizeof *site), *p = malloc(2 * FINE * sizeof *p);
    double u = 1.0 / (1.0 - c->rho * c->rho);
    assert_true(site && p);
    for (int pass = 0; pass < 3; pass++) {
        double step[2], most = -INFINITY;
        for (size_t i = 0; i < 2; i++) {
            step[i] = (range[i][1] - range[i][0]) / (FINE - 1);
            for (size_t k = 0; k < FINE; k++)
                site[i * FINE + k] = log_site(s, i, range[i][0] + step[i] * (double)k);
        }
        for (int finds = 1; finds >= 0; finds--) { /* first the largest log density, then the sums */
            memset(p, 0, 2 * FINE * sizeof *p);
            for (size_t k = 0; k < FINE; k++)
                for (size_t l = 0; l < FINE; l++) {
                    double a = (range[0][0] + step[0] * (double)k) / c->sigma;
                    double b = (range[1][0] + step[1] * (double)l) / c->sigma;
                    double value =
                        site[k] + site[FINE + l] - 0.5 * u * (a * a - 2.0 * c->rho * a * b + b * b);
                    if (finds) {
                        most = fmax(most, value);
                        continue;
                    }
                    if (value < most - 2.0 * negligible) continue;
                    double w = exp(value - most);
                    p[k] += w;
                    p[FINE + l] += w;
                }
        }
        for (size_t i = 0; i < 2; i++) {
            const double *of = p + i * FINE;
            size_t first = 0, last = FINE - 1;
            double largest = 0.0;
            for (size_t k = 0; k < FINE; k++) largest = fmax(largest, of[k]);
            while (of[first] < 1e-14 * largest) first++;
            while (of[last] < 1e-14 * largest) last--;
            if (pass == 2) truth[i] = truth_of(FINE, of, range[i]);
            double low = range[i][0];
            if (first > 0) range[i][0] = low + step[i] * ((double)first - 1.0);
            if (last < FINE - 1) range[i][1] = low + step[i] * ((double)last + 1.0);
        }
    }
    free(site);
    free(p);
}

void tail_integrate(const tail_case *c, tail_truth truth[2])
{
    observed s;
    observe(c, &s);
    if (c->n == 1)
        integrate_one(&s, c->sigma, truth);
    else
        integrate_two(&s, c, truth);
}

/* ---- scores ---- */

static const double limit = 3.0;

/* The scores of a latent's draws. */
static void score(tw_diagnose *d, const tail_truth *t, double z[4])
{
    z[0] = (tw_diagnose_mean(d) - t->mean) / tw_diagnose_mcse_mean(d);
    z[1] = (tw_diagnose_sd(d) - t->sd) / tw_diagnose_mcse_sd(d);
    z[2] = (tw_diagnose_quantile(d, 0.05) - t->quantile[1]) / tw_diagnose_mcse_quantile(d, 0.05);
    z[3] = (tw_diagnose_quantile(d, 0.95) - t->quantile[2]) / tw_diagnose_mcse_quantile(d, 0.95);
}

/* Add the scores of a run: x[i + n (c + chains d)]. */
static void add_run(tw_context *ctx, size_t n, size_t chains, size_t draws, const double *x,
                    const tail_truth *truth, bool flagged, tail_tally *t)
{
    size_t count = chains * draws;
    double *one = malloc(count * sizeof *one), z[8], visits[2] = {0.0, 0.0};
    tw_diagnose *d = NULL;
    bool right = true;
    assert_non_null(one);
    assert_int_equal(tw_diagnose_new(ctx, draws, chains, &d), TW_OK);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < chains; c++)
            for (size_t k = 0; k < draws; k++) {
                double at = one[k + c * draws] = x[i + n * (c + chains * k)];
                visits[0] += (at < truth[i].quantile[0]) / (0.01 * (double)(count * n));
                visits[1] += (at > truth[i].quantile[3]) / (0.01 * (double)(count * n));
            }
        tw_diagnose_load(d, one, draws);
        score(d, &truth[i], z + 4 * i);
        for (size_t k = 0; k < 4; k++) right = right && fabs(z[4 * i + k]) < limit;
    }
    t->runs++;
    t->flagged += flagged;
    t->right_flagged += flagged && right;
    for (size_t k = 0; !flagged && k < 4 * n; k++) {
        t->scores++;
        if (!(fabs(z[k]) < limit)) t->beyond++;
        t->square += z[k] * z[k];
        t->largest = fmax(t->largest, fabs(z[k]));
    }
    for (size_t k = 0; !flagged && k < 2; k++) {
        t->visits[k] += visits[k];
        t->square_visits[k] += visits[k] * visits[k];
    }
    tw_diagnose_free(d);
    free(one);
}

void tail_add(const tail_tally *from, tail_tally *to)
{
    to->runs += from->runs;
    to->flagged += from->flagged;
    to->right_flagged += from->right_flagged;
    to->scores += from->scores;
    to->beyond += from->beyond;
    to->square += from->square;
    to->largest = fmax(to->largest, from->largest);
    for (size_t k = 0; k < 2; k++) {
        to->visits[k] += from->visits[k];
        to->square_visits[k] += from->square_visits[k];
    }
    for (size_t m = 0; m < TW_METHOD_COUNT; m++)
        for (size_t k = 0; k < TW_METRIC_COUNT; k++) to->won[m][k] += from->won[m][k];
    for (size_t k = 0; k < TW_WARNING_COUNT; k++) to->warned[k] += from->warned[k];
}

/* Counts the warnings that belong to no result, such as several_modes. */
static void count_warning(void *user, const tw_warning *warning)
{
    tail_tally *t = user;
    t->warned[warning->code]++;
}

void tail_run(const tail_case *c, const tail_truth truth[2], const char *method, const char *metric,
              uint64_t seed, tail_tally *t)
{
    observed s;
    double v = c->sigma * c->sigma, k[4] = {v, c->rho * v, c->rho * v, v};
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_sampling_plan *plan = NULL;
    tw_sampling_options o = TW_SAMPLING_DEFAULTS;
    tw_sampling_result r;
    observe(c, &s);
    tw_context_set_warn(ctx, count_warning, t);
    assert_int_equal(tw_model_new(ctx, k, c->n, &s.o, 0.0, &model), TW_OK);
    o.method = method;
    o.metric = metric;
    o.seed = seed;
    o.threads = 1;
    if (strcmp(method, "auto") != 0) o.max_draws = 1000;
    assert_int_equal(tw_sampling_plan_new(model, &o, NULL, &plan), TW_OK);
    assert_int_equal(tw_sampling_run(plan, NULL, &r), TW_OK);
    t->won[plan->sampler.method][plan->sampler.metric]++;
    for (size_t w = 0; w < r.warnings.count; w++) t->warned[r.warnings.warning[w].code]++;
    add_run(ctx, c->n, r.draws->chains, r.draws->draws, r.draws->x, truth, r.warnings.count > 0, t);
    tw_sampling_result_release(&r);
    tw_sampling_plan_free(plan);
    tw_model_free(model);
    tw_context_free(ctx);
}

void tail_run_perfect(const tail_case *c, const tail_truth truth[2], size_t draws, uint64_t seed,
                      tail_tally *t)
{
    enum { CHAINS = 32 };
    observed s;
    double range[2], *p = malloc(LINE * sizeof *p), *x = malloc(CHAINS * draws * sizeof *x);
    tw_context *ctx = new_context();
    assert_true(p && x && c->n == 1);
    observe(c, &s);
    find_range(&s, 0, c->sigma, range);
    density_on_line(&s, c->sigma, range, LINE, p);
    for (size_t k = 1; k < LINE; k++) p[k] += p[k - 1];
    tw_stream stream = tw_stream_at(seed, TW_STREAM_START, 0, 0);
    for (size_t k = 0; k < CHAINS * draws; k++) {
        double u = tw_stream_uniform(&stream) * p[LINE - 1];
        size_t low = 0, high = LINE - 1;
        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            *(p[middle] < u ? &low : &high) = middle;
        }
        x[k] =
            range[0] + (range[1] - range[0]) * ((double)low + (u - p[low]) / (p[high] - p[low])) / (LINE - 1);
    }
    add_run(ctx, 1, CHAINS, draws, x, truth, false, t);
    free(p);
    free(x);
    tw_context_free(ctx);
}
