/* read.h: names of parameters, and priors, as they are written. */
#ifndef TALWEG_PRIOR_READ_H
#define TALWEG_PRIOR_READ_H

#include "base/context.h"
#include "talweg/prior.h"

/* Which parameters a name means: ell, log_ell, se.log_ell, or ell for all of ell.1, ell.2, ... */
typedef struct tw_named {
    char name[TW_PARAMETER_NAME]; /* without log_ */
    bool as_log;
} tw_named;

/* Take the name at the beginning of a text, up to one of `ends`; *rest is behind that. TW_BAD_ARGUMENT where it means no
 * parameter of the problem, with the nearest name. */
tw_status tw_name_read(const tw_problem *problem, const char *text, const char *ends, tw_named *out,
                       const char **rest);

/* Does it mean parameter j? */
bool tw_name_means(const tw_problem *problem, const tw_named *name, size_t j);

/* A density, "gamma(25, 4)", of the parameter j. */
tw_status tw_prior_read(const tw_problem *problem, size_t j, bool as_log, const char *text, tw_prior *out);

#endif
