/* prior_options.c: --prior and --fix (prior_options.h). */
#include "cli/prior_options.h"

#include <string.h>

#define FIELD(member) offsetof(tw_prior_options, member)

const tw_option tw_prior_option_rows[TW_PRIOR_OPTION_COUNT] = {
    {.name = "prior",
     .kind = TW_OPTION_TEXTS,
     .offset = FIELD(prior),
     .argument = "'NAME ~ DENSITY'",
     .help = "a prior, as in 'ell ~ gamma(25, 4)' or 'log_sigma ~ normal(0, 1)': a density of the parameter "
             "or of its logarithm (normal, student_t, gamma, inv_gamma, lognormal, half_normal, half_t, "
             "uniform, pc); or default, for all parameters that were not given (with fit, all that are not "
             "fixed): normal densities of logarithms that follow the units of the data. May be repeated; ell "
             "also means ell.1, ell.2, ..."},
    {.name = "fix",
     .kind = TW_OPTION_TEXTS,
     .offset = FIELD(fix),
     .argument = "NAME[=X]",
     .help = "fix a parameter at a value (ell=2, log_sigma=0.5) or at its current value (noise); all: fix "
             "every parameter. A prior of the model file for a fixed parameter is ignored"},
};

void tw_prior_name(const char *text, char name[TW_PRIOR_NAME_BYTES])
{
    size_t length = 0;
    text += strspn(text, " \t");
    for (bool start = true; *text && !strchr(" \t~=", *text) && length < TW_PRIOR_NAME_BYTES - 1; text++) {
        if (start && strncmp(text, "log_", 4) == 0) text += 4;
        start = *text == '.';
        if (*text) name[length++] = *text;
        if (!*text) break;
    }
    name[length] = '\0';
}

bool tw_prior_is_fixed(const tw_prior_options *options, const char *prior)
{
    char name[TW_PRIOR_NAME_BYTES], other[TW_PRIOR_NAME_BYTES];
    tw_prior_name(prior, name);
    for (size_t k = 0; k < options->fix.count; k++) {
        tw_prior_name(options->fix.item[k], other);
        if (strcmp(name, other) == 0 || strcmp(other, "all") == 0) return true;
    }
    return false;
}

bool tw_prior_wants_default(const tw_prior_options *options)
{
    for (size_t k = 0; k < options->prior.count; k++)
        if (strcmp(options->prior.item[k], "default") == 0) return true;
    return false;
}

tw_status tw_prior_options_make(const tw_prior_options *options, tw_problem *problem, tw_priors **out)
{
    tw_status status = tw_priors_new(problem, out);
    for (size_t k = 0; status == TW_OK && k < options->fix.count; k++)
        status = tw_priors_fix(*out, problem, options->fix.item[k]);
    if (status != TW_OK) return tw_fail_within(problem->ctx, status, "--fix: ");
    for (size_t k = 0; status == TW_OK && k < options->prior.count; k++) {
        if (strcmp(options->prior.item[k], "default") == 0) continue;
        if (!tw_prior_is_fixed(options, options->prior.item[k]))
            status = tw_priors_read(*out, problem, options->prior.item[k]);
    }
    if (status == TW_OK && tw_prior_wants_default(options)) status = tw_priors_read(*out, problem, "default");
    return status == TW_OK ? TW_OK : tw_fail_within(problem->ctx, status, "--prior: ");
}

tw_status tw_prior_options_fix(const tw_prior_options *options, tw_problem *problem)
{
    tw_priors *priors = NULL;
    tw_status status = tw_prior_options_make(options, problem, &priors);
    tw_priors_free(priors);
    return status;
}
