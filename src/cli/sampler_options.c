/* sampler_options.c: the options of the samplers (sampler_options.h). */
#include "cli/sampler_options.h"

#include <math.h>
#include <string.h>

#include "cli/common_rows.h"
#include "cli/methods.h"
#include "cli/terminal.h"
#include "talweg/base.h"

#define FIELD(member) offsetof(tw_sampler_flags, member)

const tw_option tw_sampler_option_rows[TW_SAMPLER_OPTION_COUNT] = {
    {.name = "method",
     .kind = TW_OPTION_CHOICE,
     .offset = FIELD(method),
     .argument = "NAME",
     .default_value = "auto",
     .also = "auto",
     .choices = tw_method_names,
     .help = "the sampler; auto: the cheapest of those below, chosen in pilot runs by the cost of reaching "
             "the goal",
     .more = tw_methods_help},
    {TW_ROW_METRIC(FIELD(metric)), .choices = tw_metric_names, .help = "the metric or centre of the sampler",
     .more = tw_methods_help_metrics},
    {TW_ROW_EPS(FIELD(eps)), .positive = true,
     .help = "the step size, for methods that have one; default: tuned in warm-up"},
    {TW_ROW_STEPS(FIELD(steps)), .least = 1, .most = 1e6,
     .help = "exactly L leapfrog steps per draw, for methods that have them; default: tuned in warm-up and "
             "jittered"},
    {.name = "target-accept",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(target_accept),
     .argument = "X",
     .default_value = "0.8",
     .help = "the target mean acceptance probability of the step size tuning, between 0 and 1"},
    {TW_ROW_SOLVER_TOL(FIELD(solver_tol)),
     .help =
         "rmhmc: solve the implicit equations until the change is below X on the whitened scale, in at most "
         "50 iterations; a trajectory that fails is rejected and counted"},
    {TW_ROW_FIXED_POINT(FIELD(fixed_point)), .most = 1e4,
     .help = "rmhmc: run exactly N plain iterations of each implicit equation instead, converged or not; 0: "
             "use --solver-tol"},
    {.name = "reverse-check",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(reverse_check),
     .argument = "X",
     .default_value = "1",
     .least = 0,
     .most = 1,
     .help = "rmhmc: the fraction of accepted trajectories that are checked for reversibility (step by step "
             "or, if that is inconclusive, by integrating back) and rejected if they are irreversible; none "
             "with --fixed-point"},
    {.name = "chains",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(chains),
     .argument = "C",
     .default_value = "auto",
     .also = "auto",
     .least = 1,
     .most = 1e6,
     .help = "number of chains, run in parallel; auto: 32 (4 with rmhmc, which moves each chain separately), "
             "fewer for more than 32768 cases, or one for each column of --init"},
    {.name = "warmup",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(warmup),
     .argument = "W",
     .default_value = "auto",
     .also = "auto",
     .least = 0,
     .most = 1e12,
     .help = "warm-up iterations of each chain, which tune the sampler and are discarded; auto: 500 with up "
             "to four chains, 200 with ten or more"},
    {.name = "draws",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(draws),
     .argument = "T",
     .least = 1,
     .most = 1e12,
     .help = "exactly T draws of each chain; default: as many as --until-ess needs"},
    {.name = "until-ess",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(until_ess),
     .argument = "X",
     .positive = true,
     .help = "draw until the effective sample size of the worst latent (the smallest of bulk, tail and fold, "
             "over all chains) is X and R-hat shows convergence; checked after 64, 96, 144, ... draws of "
             "each chain; default: 400, unless --draws is given"},
    {.name = "max-draws",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(max_draws),
     .given = FIELD(max_draws_given),
     .argument = "T",
     .default_value = "10000",
     .least = 1,
     .most = 1e12,
     .help = "--until-ess: largest number of draws of each chain"},
    {.name = "max-seconds",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(max_seconds),
     .argument = "X",
     .positive = true,
     .help = "end the run after X seconds with the draws so far; the draws do not otherwise depend on it"},
    {.name = "thin",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(thin),
     .argument = "K",
     .default_value = "1",
     .least = 1,
     .most = 1e6,
     .help = "keep every K-th iteration"},
    {.name = "init",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(init),
     .argument = "prior|ep|FILE",
     .default_value = "ep",
     .help = "the start of the chains: draws from the prior, over-dispersed draws from EP's Gaussian, or a "
             "file of numbers with a row for each case and one column, or one column per chain"},
    {.name = "from",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(from),
     .argument = "prior|ep|FILE|MEAN,COV",
     .default_value = "prior",
     .help = "the distribution q at --beta 0: the prior, EP's Gaussian, a saved approximation, or a mean and "
             "a covariance matrix in two files (.npy or CSV)"},
    {.name = "beta",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(beta),
     .argument = "B",
     .default_value = "1",
     .least = 0,
     .most = 1,
     .help = "inverse temperature: sample p(y, x)^B q(x)^(1-B) with q of --from; 1 is the posterior"},
    {TW_ROW_SEED(FIELD(seed)), .help = "the seed of all random numbers; the same seed gives the same draws"},
    {TW_ROW_THREADS(FIELD(threads))},
};

tw_status tw_sampler_flags_check(tw_context *ctx, const tw_sampler_flags *f)
{
    const tw_method_info *method = tw_method_find(f->method); /* NULL: auto */
    if (f->metric && !method)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--metric %s needs a --method that supports it", f->metric);
    if (f->metric) TW_TRY(tw_methods_check_metric(ctx, method, f->metric));
    TW_TRY(tw_methods_check_tuning(ctx, method, !isnan(f->eps), f->steps > 0));
    bool tunes = method && ((method->has_eps && isnan(f->eps)) || (method->has_steps && f->steps == 0));
    if (tunes && f->warmup == 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "--warmup 0 allows no tuning: give --eps and --steps, or some warm-up");
    if (!isnan(f->until_ess) && f->draws > 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "--draws and --until-ess cannot be used together: use --max-draws with --until-ess");
    if (f->max_draws_given && f->draws > 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "--draws and --max-draws cannot be used together: --draws is an exact number");
    if (!(f->target_accept > 0.0 && f->target_accept < 1.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--target-accept must be between 0 and 1, not %g",
                       f->target_accept);
    return TW_OK;
}

tw_sampling_options tw_sampler_flags_options(const tw_sampler_flags *f)
{
    tw_sampling_options o = TW_SAMPLING_DEFAULTS;
    o.method = f->method;
    if (f->metric) o.metric = f->metric;
    o.init = f->init;
    o.from = f->from;
    o.beta = f->beta;
    if (f->chains != TW_OPTION_WORD) o.chains = (size_t)f->chains;
    if (f->warmup != TW_OPTION_WORD) o.warmup = (size_t)f->warmup;
    o.draws = (size_t)f->draws;
    if (!isnan(f->until_ess)) o.until_ess = f->until_ess;
    o.max_draws = (size_t)f->max_draws;
    if (!isnan(f->max_seconds)) o.max_seconds = f->max_seconds;
    o.thin = (size_t)f->thin;
    o.eps = isnan(f->eps) ? 0.0 : f->eps;
    o.steps = (size_t)f->steps;
    o.target_accept = f->target_accept;
    o.solver_tolerance = f->solver_tol;
    o.fixed_point = (size_t)f->fixed_point;
    o.reverse_check = f->reverse_check;
    o.seed = f->seed;
    o.threads = (size_t)f->threads;
    return o;
}
