/* read.h: parse names of parameters, and priors. */
#ifndef TALWEG_PRIOR_READ_H
#define TALWEG_PRIOR_READ_H

#include "base/context.h"
#include "talweg/prior.h"

/* The parameters that a name refers to: ell, log_ell, se.log_ell, or ell for all of ell.1, ell.2, ... */
typedef struct tw_named {
    char name[TW_PARAMETER_NAME]; /* without log_ */
    bool as_log;
} tw_named;

/* Read the name at the beginning of a text, up to one of the characters `ends`; *rest is after that.
 * TW_BAD_ARGUMENT, with the nearest name, if it refers to no parameter of the problem. */
tw_status tw_name_read(const tw_problem *problem, const char *text, const char *ends, tw_named *out,
                       const char **rest);

/* Whether it refers to parameter j. */
bool tw_name_means(const tw_problem *problem, const tw_named *name, size_t j);

/* Read a density of parameter j, such as "gamma(25, 4)". */
tw_status tw_prior_read(const tw_problem *problem, size_t j, bool as_log, const char *text, tw_prior *out);

#endif
