/* prior_options.h: the options that say which parameters are unknown: --prior and --fix, each as often as one likes. */
#ifndef TALWEG_CLI_PRIOR_OPTIONS_H
#define TALWEG_CLI_PRIOR_OPTIONS_H

#include "cli/options.h"
#include "talweg/prior.h"

typedef struct tw_prior_options {
    tw_operands prior, fix;
} tw_prior_options;

enum { TW_PRIOR_OPTION_COUNT = 2 };
extern const tw_option tw_prior_option_rows[TW_PRIOR_OPTION_COUNT];
#define TW_PRIOR_OPTION_GROUP(type, member)                                                       \
    {                                                                                             \
        "Unknown parameters", tw_prior_option_rows, TW_PRIOR_OPTION_COUNT, offsetof(type, member) \
    }

/* Is the parameter of that prior fixed? What is fixed has no use for a prior, which may be that of a model file. */
bool tw_prior_is_fixed(const tw_prior_options *options, const char *prior);

/* Where no parameter has a prior: move the problem to the values that are fixed. */
tw_status tw_prior_options_fix(const tw_prior_options *options, tw_problem *problem);

/* The priors of a problem, which moves to the values that are fixed. */
tw_status tw_prior_options_make(const tw_prior_options *options, tw_problem *problem, tw_priors **out);

/* The name of the parameter that a text is about: "se.log_ell ~ normal(0, 1)", "se.ell=2" and "se.ell" are all of se.ell. */
enum { TW_PRIOR_NAME_BYTES = 128 };
void tw_prior_name(const char *text, char name[TW_PRIOR_NAME_BYTES]);

#endif
