/* hyper_options.c: the options of unknown parameters, and the computation with them (hyper_options.h). */
#include "cli/hyper_options.h"

#include <string.h>

#include "cli/terminal.h"
#include "cli/warnings.h"

#define FIELD(member) offsetof(tw_hyper_flags, member)

enum { MOST_FOR_POINTS = 12 }; /* auto uses chains for more unknown parameters */

static const char *method_names(void)
{
    return "is2, chain";
}

const tw_option tw_hyper_option_rows[TW_HYPER_OPTION_COUNT] = {
    {.name = "points",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(points),
     .argument = "S",
     .default_value = "512",
     .least = 64,
     .most = 1e7,
     .help = "number of weighted points of the parameters, in 32 independent scrambles of Sobol's sequence"},
    {.name = "point-particles",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(particles),
     .argument = "P",
     .default_value = "16",
     .least = 1,
     .most = 1e6,
     .help = "particles of annealed importance sampling at each point"},
    {.name = "point-temperatures",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(temperatures),
     .argument = "T",
     .default_value = "4",
     .least = 1,
     .most = 1e5,
     .help = "temperatures of annealed importance sampling at each point"},
    {.name = "hyper-method",
     .kind = TW_OPTION_CHOICE,
     .offset = FIELD(method),
     .argument = "NAME",
     .default_value = "auto",
     .also = "auto",
     .choices = method_names,
     .help =
         "talweg sample: how to draw unknown parameters. is2: weighted points (importance sampling squared); "
         "chain: 16 Markov chains with --points draws in total; auto: is2 for up to 12 unknown parameters"},
};

bool tw_hyper_is_wanted(const tw_hyper_flags *flags)
{
    const tw_prior_options *o = &flags->priors;
    for (size_t k = 0; k < o->prior.count; k++)
        if (!tw_prior_is_fixed(o, o->prior.item[k])) return true;
    return false;
}

static bool watch(void *user, const tw_progress *p)
{
    tw_hyper_job *j = user;
    if (!j->stage || strcmp(p->stage, j->stage) != 0) {
        tw_meter_end(&j->meter);
        j->stage = p->stage;
        tw_meter_begin(&j->meter, j->quiet, strcmp(p->stage, "run") == 0 ? "parameters" : p->stage, p->unit);
    }
    return tw_meter_watch(&j->meter, p);
}

static tw_status choose_method(tw_context *ctx, const tw_hyper_flags *flags, const tw_hyper_wish *wish,
                               const tw_hyper_job *j, tw_hyper_method *out)
{
    size_t unknown = 0;
    bool chain = strcmp(flags->method, "chain") == 0, automatic = strcmp(flags->method, "auto") == 0;
    for (size_t k = 0; k < j->priors->count; k++) unknown += j->priors->has[k] && !j->priors->fixed[k];
    if (chain && !wish->draws)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--hyper-method chain cannot estimate the evidence: use is2");
    if (chain && wish->store)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "--hyper-method chain has no checkpoints: use is2, or remove the option");
    chain = chain || (automatic && wish->draws && !wish->store && unknown > MOST_FOR_POINTS);
    *out = chain ? TW_HYPER_CHAIN : TW_HYPER_IS2;
    return TW_OK;
}

tw_status tw_hyper_job_compute(tw_context *ctx, const tw_hyper_flags *flags, const tw_hyper_wish *wish,
                               tw_hyper_job *j)
{
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    o.points = (size_t)flags->points;
    o.particles = (size_t)flags->particles;
    o.temperatures = (size_t)flags->temperatures;
    o.kept = wish->kept;
    o.joint_particles = wish->joint;
    o.store = wish->store;
    TW_TRY(choose_method(ctx, flags, wish, j, &o.method));
    tw_warnings_use(TW_USED_METHOD, "is2"); /* also for chains, which have the same options */
    o.seed = wish->seed;
    o.threads = (size_t)wish->threads;
    o.user = j;
    o.on_progress = watch;
    tw_interrupt_catch();
    tw_status status = tw_hyper_run(j->problem, j->priors, &o, &j->result);
    tw_meter_end(&j->meter);
    if (status == TW_INTERRUPTED)
        return tw_fail(ctx, status, "interrupted before each scramble had two points: no result");
    return status;
}

/* --prior default leaves out what was given, which may have been meant as a first guess. */
static void note_fixed(const tw_hyper_flags *flags, const tw_hyper_job *j)
{
    const tw_problem *problem = j->problem;
    size_t count = problem->likelihood->parameters, first = tw_problem_count(problem) - count;
    for (size_t k = 0; k < count && tw_prior_wants_default(&flags->priors); k++) {
        const tw_parameter *p = tw_problem_parameter(problem, first + k);
        if (!problem->phi_given[k] || j->priors->has[first + k] || j->priors->fixed[first + k]) continue;
        tw_log(
            problem->ctx, TW_LOG_INFO,
            "%s is fixed at %.6g, because its value was given; without it, or with a --prior, it is unknown",
            p->name, tw_parameter_value(p, problem->phi[k]));
    }
}

tw_status tw_hyper_job_run(tw_context *ctx, const tw_model_options *model, const tw_hyper_flags *flags,
                           const tw_hyper_wish *wish, tw_hyper_job *j)
{
    if (model->distribute)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "--distribute cannot be used with unknown parameters (--prior), which have a K at "
                       "each point: use --fix all to fix them at their values");
    TW_TRY(tw_model_options_load(ctx, model, &j->problem));
    TW_TRY(tw_prior_options_make(&flags->priors, j->problem, &j->priors));
    note_fixed(flags, j);
    TW_TRY(tw_hyper_job_compute(ctx, flags, wish, j));
    tw_problem_warn_defaults(j->problem); /* about parameters without a prior */
    tw_warnings_keep(&j->result->warnings);
    return TW_OK;
}

void tw_hyper_job_release(tw_hyper_job *j)
{
    tw_hyper_free(j->result);
    tw_priors_free(j->priors);
    tw_problem_free(j->problem);
}

void tw_hyper_say(const tw_hyper_result *r)
{
    tw_warnings others = {.count = 0};
    for (size_t k = 0; k < r->warnings.count; k++)
        if (r->warnings.warning[k].code != TW_WARN_THETA_COLLAPSED)
            tw_warnings_add(&others, &r->warnings.warning[k]);
    tw_warnings_say(&others);
}

tw_status tw_hyper_judge(tw_context *ctx, const tw_hyper_result *r)
{
    char words[TW_WARNING_BYTES] = "";
    for (size_t k = 0; r->verdict != TW_OK && k < r->warnings.count; k++)
        if (r->warnings.warning[k].code == TW_WARN_THETA_COLLAPSED)
            tw_warning_say(&r->warnings.warning[k], words);
    return r->verdict == TW_OK ? TW_OK : tw_fail(ctx, r->verdict, "%s", words);
}
