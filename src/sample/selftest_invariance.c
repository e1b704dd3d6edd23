/* selftest_invariance.c: compare every other sampler with HMC on the posterior.
 *
 * Each runs from over-dispersed starts. The means of x_i and x_i^2 of all latents are compared in units of
 * their joint Monte Carlo standard errors. Of the 2 n differences, at most 60, the largest exceeds 5 by
 * chance for 4e-5 of the seeds if the errors are known exactly, and for a few times that as they are
 * estimated.
 */
#include <math.h>

#include "diagnose/diagnose.h"
#include "gaussian/sweep.h"
#include "sample/selftest.h"
#include "talweg/chains.h"

static const double joint_errors = 5.0;  /* the largest difference allowed */
static const double largest_rhat = 1.05; /* above it the errors are not reliable: the check is skipped */

enum { CHAINS = 4 };

typedef struct estimates {
    double *mean, *error; /* of x_i, then of x_i^2: 2n each */
    double rhat;          /* the largest */
} estimates;

/* The means of x_i^power over the draws and their errors. series holds draws x chains numbers. */
static void estimate(const tw_draws *draws, int power, tw_diagnose *d, double *series, estimates *out)
{
    size_t n = draws->n, begin = power == 1 ? 0 : n;
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < draws->chains; c++)
            for (size_t s = 0; s < draws->draws; s++) {
                double x = draws->x[i + n * (c + draws->chains * s)];
                series[s + c * draws->draws] = power == 1 ? x : x * x;
            }
        tw_diagnose_load(d, series, draws->draws);
        out->mean[begin + i] = tw_diagnose_mean(d);
        out->error[begin + i] = tw_diagnose_mcse_mean(d);
        out->rhat = fmax(out->rhat, tw_diagnose_rhat(d));
    }
}

static tw_status estimate_all(const tw_draws *draws, estimates *out)
{
    tw_diagnose *d = NULL;
    double *series = NULL;
    tw_status status = tw_diagnose_new(draws->ctx, draws->draws, draws->chains, &d);
    if (status == TW_OK)
        status = tw_allocate_doubles(draws->ctx, draws->draws, draws->chains, "a latent's draws", &series);
    for (int power = 1; status == TW_OK && power <= 2; power++) estimate(draws, power, d, series, out);
    tw_release(draws->ctx, series);
    tw_diagnose_free(d);
    return status;
}

/* The defaults of the sampler, with the self-test's options for RMHMC. */
static tw_sampler_options sampler_of(const tw_selftest_case *c, const tw_method_info *method)
{
    tw_sampler_options sampler = TW_SAMPLER_DEFAULTS;
    sampler.method = method->method;
    sampler.metric = method->implicit ? tw_selftest_metric(c) : method->metrics[0];
    sampler.solver_tolerance = c->options->solver_tolerance;
    sampler.fixed_point = c->options->fixed_point;
    sampler.threads = c->options->threads;
    return sampler;
}

static tw_status draw(const tw_selftest_case *c, const tw_method_row *method, estimates *out)
{
    tw_posterior posterior = {.model = c->model, .beta = 1.0, .approximation = c->ep};
    tw_sampler_options sampler = sampler_of(c, &method->info);
    tw_chains_options chains = TW_CHAINS_DEFAULTS;
    tw_sampling *sampling = NULL;
    tw_draws *found = NULL;
    chains.warmup = 200;
    chains.draws = method->selftest_draws;
    chains.seed = c->options->seed + (uint64_t)method->info.method;
    chains.max_steps = 50;
    TW_TRY(tw_sampling_new(&posterior, &sampler, CHAINS, &sampling));
    tw_status status = tw_sampler_start(sampling->sampler, c->ep->reference, 1.5, chains.seed);
    if (status == TW_OK) status = tw_chains_run(sampling->sampler, &chains, &found);
    if (status == TW_OK) status = estimate_all(found, out);
    tw_draws_free(found);
    tw_sampling_free(sampling);
    return status;
}

static void compare(const tw_selftest_case *c, const char *of, const estimates *a, const estimates *b)
{
    size_t n = c->model->n;
    tw_check check = {.name = "agreement",
                      .of = of,
                      .meaning = "largest difference of the means of x and x^2, in joint Monte Carlo errors",
                      .cure = "one of the two does not leave the posterior invariant: see the checks above",
                      .cases = n,
                      .high = joint_errors};
    for (size_t k = 0; k < 2 * n; k++) {
        double z = fabs(a->mean[k] - b->mean[k]) / hypot(a->error[k], b->error[k]);
        if (!(z <= check.measured)) check.measured = z;
    }
    if (!(fmax(a->rhat, b->rhat) <= largest_rhat)) {
        check.verdict = TW_CHECK_SKIPPED;
        check.cure = "the chains did not mix in this short run: R-hat is above 1.05";
    }
    tw_selftest_note(c, check);
}

tw_status tw_selftest_invariance(const tw_selftest_case *c)
{
    size_t n = c->model->n;
    double *memory = NULL;
    TW_TRY(tw_allocate_doubles(c->ctx, 8 * n, 1, "the estimates", &memory));
    estimates hmc = {memory, memory + 2 * n, 0.0};
    tw_status status = draw(c, &tw_method_hmc, &hmc);
    for (int m = 0; status == TW_OK && m < TW_METHOD_COUNT; m++) {
        const tw_method_row *other = tw_method_row_of((tw_method)m);
        if (other == &tw_method_hmc || (other->dense && !tw_sweep_possible(c->model->prior))) continue;
        estimates found = {memory + 4 * n, memory + 6 * n, 0.0};
        status = draw(c, other, &found);
        if (status == TW_OK) compare(c, other->selftest_of, &hmc, &found);
    }
    tw_release(c->ctx, memory);
    return status;
}
