/* family.h: the densities that priors are made of, as a table. */
#ifndef TALWEG_PRIOR_FAMILY_H
#define TALWEG_PRIOR_FAMILY_H

#include "talweg/prior.h"

/* One density of x with parameters a. */
typedef struct tw_family {
    const char *name;
    size_t least, most;    /* how many parameters are written */
    const char *arguments; /* "mean, sd" */
    bool positive[3];      /* must be above 0 */
    bool only_positive;    /* x > 0 by itself */
    double (*log_density)(const double *a, double x, double *slope);
    double (*cdf)(const double *a, double x); /* of x > 0 where it is only positive */
    double (*quantile)(const double *a, double p);
} tw_family;

const tw_family *tw_family_of(tw_prior_family family);

/* The family of a name; false: there is none. */
bool tw_family_find(const char *name, size_t length, tw_prior_family *out);

#endif
