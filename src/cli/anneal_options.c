/* anneal_options.c: the options of the path and its transitions (anneal_options.h). */
#include "cli/anneal_options.h"

#include <math.h>
#include <string.h>

#include "cli/common_rows.h"
#include "cli/methods.h"
#include "cli/names.h"
#include "cli/reference_file.h"
#include "talweg/base.h"

static const char *schedule_names(void)
{
    return "auto, geometric, linear, sigmoid, adaptive";
}

#define FIELD(member) offsetof(tw_anneal_options, member)

const tw_option tw_anneal_option_rows[TW_ANNEAL_OPTION_COUNT] = {
    {.name = "from",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(from),
     .argument = "ep|laplace|prior|APPROX|MEAN,COV",
     .default_value = "ep",
     .help = "the distribution q at inverse temperature 0: EP's or Laplace's Gaussian, the prior, an "
             "approximation saved by talweg approx --save-approx for the same cases, or a mean and a "
             "covariance matrix in two files (.npy or CSV)"},
    {.name = "kernel-method",
     .kind = TW_OPTION_CHOICE,
     .offset = FIELD(kernel_method),
     .argument = "NAME",
     .default_value = "auto",
     .also = "auto",
     .choices = tw_method_names,
     .help = "the transitions; auto: hmc",
     .more = tw_methods_help},
    {TW_ROW_METRIC(FIELD(metric)), .default_value = "auto", .also = "auto", .choices = tw_metric_names,
     .help = "the metric or centre of the transitions; auto: the default of the method, except prior instead "
             "of ep for a path from the prior",
     .more = tw_methods_help_metrics},
    {.name = "schedule",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(schedule),
     .argument = "NAME|FILE",
     .default_value = "auto",
     .choices = schedule_names,
     .help = "the inverse temperatures: a name, or a file of increasing numbers from 0 to 1; adaptive: a "
             "pilot run chooses at most --temperatures of them, which are then frozen; auto: geometric from "
             "the prior, otherwise linear"},
    {.name = "temperatures",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(temperatures),
     .argument = "B",
     .default_value = "0",
     .most = 1e6,
     .help = "steps of the schedule; 0: 400 from the prior, otherwise 50"},
    {.name = "beta-min",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(beta_min),
     .argument = "X",
     .default_value = "0",
     .most = 1.0,
     .help = "the first inverse temperature above 0 of the geometric schedule; 0: 1e-7 from the prior, "
             "otherwise 0.01"},
    {.name = "particles",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(particles),
     .argument = "P",
     .default_value = "256",
     .most = 1e8,
     .help = "independent particles, each with its own weight"},
    {.name = "moves",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(moves),
     .argument = "M",
     .default_value = "1",
     .least = 1,
     .most = 1e6,
     .help = "transitions at each temperature"},
    {.name = "burn-in",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(burn_in),
     .argument = "M",
     .default_value = "30",
     .most = 1e6,
     .help = "ais-reverse: transitions at the posterior before annealing back"},
    {TW_ROW_EPS(FIELD(eps)), .default_value = "0", .most = INFINITY,
     .help = "step size; 0: tuned at each temperature in a pilot run, then frozen"},
    {TW_ROW_STEPS(FIELD(steps)), .default_value = "0", .most = 1e6,
     .help = "leapfrog steps per transition; 0: a trajectory of length pi/2"},
    {TW_ROW_SOLVER_TOL(FIELD(solver_tol)),
     .help = "rmhmc: tolerance of the implicit equations, on the whitened scale"},
    {TW_ROW_FIXED_POINT(FIELD(fixed_point)), .most = 1e4,
     .help = "rmhmc: run exactly N plain iterations of each implicit equation instead, converged or not; 0: "
             "solve the equations"},
    {TW_ROW_SEED(FIELD(seed)), .help = "seed of the random numbers"},
    {TW_ROW_THREADS(FIELD(threads))},
};

/* ---- translation to the library's options ---- */

static bool is_fit(const char *from)
{
    return tw_name_is_among(from, "ep, laplace");
}

/* Read the schedule from a file, unless it is a name or has been read. */
static tw_status read_schedule(tw_context *ctx, const char *path, tw_anneal_files *files)
{
    if (files->schedule || tw_name_is_among(path, schedule_names())) return TW_OK;
    TW_TRY(tw_table_read(ctx, path, &files->schedule));
    const tw_table *t = files->schedule;
    tw_status status = TW_OK;
    if (t->rows != 1 && t->columns != 1)
        status = tw_fail(ctx, TW_BAD_DATA, "a schedule must be one row or one column, not %zu x %zu numbers",
                         t->rows, t->columns);
    if (status == TW_OK) status = tw_schedule_check(ctx, t->rows * t->columns - 1, t->values);
    return status == TW_OK ? TW_OK : tw_fail_within(ctx, status, "%.1000s: ", path);
}

static tw_evidence_options options_of(const tw_anneal_options *o, const tw_anneal_files *files)
{
    tw_evidence_options out = TW_EVIDENCE_DEFAULTS;
    out.from = o->from;
    out.kernel_method = o->kernel_method;
    out.metric = o->metric;
    out.schedule = o->schedule;
    out.temperatures = (size_t)o->temperatures;
    out.beta_min = o->beta_min;
    out.particles = (size_t)o->particles;
    out.moves = (size_t)o->moves;
    out.burn_in = (size_t)o->burn_in;
    out.eps = o->eps;
    out.steps = (size_t)o->steps;
    out.solver_tolerance = o->solver_tol;
    out.fixed_point = (size_t)o->fixed_point;
    out.seed = o->seed;
    out.threads = (size_t)o->threads;
    if (files->schedule) {
        out.beta = files->schedule->values;
        out.temperatures = files->schedule->rows * files->schedule->columns - 1;
    }
    return out;
}

tw_status tw_anneal_options_check(tw_context *ctx, const tw_anneal_options *o, const char *methods,
                                  tw_anneal_files *files)
{
    TW_TRY(read_schedule(ctx, o->schedule, files));
    tw_evidence_options options = options_of(o, files);
    options.methods = methods;
    if (!is_fit(o->from)) options.from = "prior"; /* a file is checked later, with the model */
    return tw_evidence_options_check(ctx, &options);
}

tw_status tw_anneal_translate(tw_context *ctx, const tw_anneal_options *o, const tw_model *model,
                              tw_model_maker *make_model, tw_anneal_files *files, tw_evidence_options *out)
{
    *out = options_of(o, files);
    if (is_fit(o->from) || strcmp(o->from, "prior") == 0) return TW_OK;
    TW_TRY(tw_reference_read(ctx, model, make_model, o->from, &out->from, &files->reference));
    out->reference = files->reference;
    return TW_OK;
}

void tw_anneal_close(tw_anneal_files *files)
{
    tw_reference_free(files->reference);
    tw_table_free(files->schedule);
    *files = (tw_anneal_files){0};
}
