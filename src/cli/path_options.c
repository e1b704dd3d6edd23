/* path_options.c: the table of the options of a path, and what is wrong with them at first sight. */
#include "cli/path_options.h"

#include <math.h>
#include <string.h>

#include "cli/common_rows.h"
#include "cli/methods.h"
#include "talweg/base.h"

static const char *schedule_names(void)
{
    return "auto, geometric, linear, sigmoid, adaptive";
}

#define FIELD(member) offsetof(tw_path_options, member)

const tw_option tw_path_option_rows[TW_PATH_OPTION_COUNT] = {
    {.name = "from",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(from),
     .argument = "ep|laplace|prior|APPROX|MEAN,COV",
     .standard = "ep",
     .help = "the distribution q at temperature 0: a fit of EP or Laplace, the prior, an approximation that "
             "talweg approx --save-approx wrote for the same cases, or a mean and a covariance matrix in two "
             "files (.npy or CSV)"},
    {.name = "kernel-method",
     .kind = TW_OPTION_CHOICE,
     .offset = FIELD(kernel_method),
     .argument = "NAME",
     .standard = "auto",
     .also = "auto",
     .choices = tw_method_names,
     .help = "the transitions; auto is hmc",
     .more = tw_methods_help},
    {TW_ROW_METRIC(FIELD(metric)), .standard = "auto", .also = "auto", .choices = tw_metric_names,
     .help =
         "their metric or centre; auto is the default of the method, but prior in place of ep from the prior",
     .more = tw_methods_help_metrics},
    {.name = "schedule",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(schedule),
     .argument = "NAME|FILE",
     .standard = "auto",
     .choices = schedule_names,
     .help = "the inverse temperatures, by name or in a file of numbers that rise from 0 to 1; adaptive ones "
             "are found by a pilot run, at most --temperatures of them, and then frozen; auto is geometric "
             "from the prior, else linear"},
    {.name = "temperatures",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(temperatures),
     .argument = "B",
     .standard = "0",
     .most = 1e6,
     .help = "steps of the schedule; 0 is 400 from the prior, else 50"},
    {.name = "beta-min",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(beta_min),
     .argument = "X",
     .standard = "0",
     .most = 1.0,
     .help = "the first inverse temperature above 0 of the geometric schedule; 0 is 1e-7 from the prior, "
             "else 0.01"},
    {.name = "particles",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(particles),
     .argument = "P",
     .standard = "256",
     .most = 1e8,
     .help = "independent particles, each with a weight of its own"},
    {.name = "moves",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(moves),
     .argument = "M",
     .standard = "1",
     .least = 1,
     .most = 1e6,
     .help = "transitions at each temperature"},
    {.name = "burn-in",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(burn_in),
     .argument = "M",
     .standard = "30",
     .most = 1e6,
     .help = "transitions that make a draw from q one from the posterior, for the way back"},
    {TW_ROW_EPS(FIELD(eps)), .standard = "0", .most = INFINITY,
     .help = "step size; 0: tuned at each temperature in a pilot run and then frozen"},
    {TW_ROW_STEPS(FIELD(steps)), .standard = "0", .most = 1e6,
     .help = "leapfrog steps of a transition; 0: as many as make a trajectory of length pi/2"},
    {TW_ROW_SOLVER_TOL(FIELD(solver_tol)),
     .help = "rmhmc: the implicit equations are solved to X, on the whitened scale"},
    {TW_ROW_FIXED_POINT(FIELD(fixed_point)), .most = 1e4,
     .help = "rmhmc: exactly N plain iterations instead, whatever is left; 0: solve them"},
    {TW_ROW_SEED(FIELD(seed)), .help = "of the random numbers"},
    {TW_ROW_THREADS(FIELD(threads))},
};

/* ---- checks ---- */

tw_status tw_path_options_check(tw_context *ctx, const tw_path_options *o)
{
    if (o->particles < 2)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "with --particles %zu there is no error bar: it takes at least two, and a hundred are "
                       "better",
                       (size_t)o->particles);
    if (strcmp(o->metric, "auto") == 0) return TW_OK;
    const tw_method_info *method = tw_method_find(o->kernel_method);
    return tw_methods_check_metric(ctx, method ? method : tw_method_describe(TW_METHOD_HMC), o->metric);
}
