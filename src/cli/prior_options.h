/* prior_options.h: the options --prior and --fix, which make parameters unknown or fixed;
 * both may be repeated. */
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

/* Is the parameter of this prior fixed?
 * A prior (of a model file, for instance) is ignored for a fixed parameter. */
bool tw_prior_is_fixed(const tw_prior_options *options, const char *prior);

/* Is one of the priors default? */
bool tw_prior_wants_default(const tw_prior_options *options);

/* Set the problem's parameters to the values of --fix; for runs without unknown parameters. */
tw_status tw_prior_options_fix(const tw_prior_options *options, tw_problem *problem);

/* Make the priors of a problem, and set its parameters to the values of --fix. */
tw_status tw_prior_options_make(const tw_prior_options *options, tw_problem *problem, tw_priors **out);

/* The parameter of a text: se.ell for "se.log_ell ~ normal(0, 1)", "se.ell=2" and "se.ell". */
enum { TW_PRIOR_NAME_BYTES = 128 };
void tw_prior_name(const char *text, char name[TW_PRIOR_NAME_BYTES]);

#endif
