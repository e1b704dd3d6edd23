/* family.h: the table of the densities of priors. */
#ifndef TALWEG_PRIOR_FAMILY_H
#define TALWEG_PRIOR_FAMILY_H

#include "talweg/prior.h"

/* One density of x with parameters a. */
typedef struct tw_family {
    const char *name;
    size_t least, most;    /* the least and the largest number of arguments */
    const char *arguments; /* "mean, sd" */
    bool positive[3];      /* which arguments must be above 0 */
    bool only_positive;    /* the density is for x > 0 only */
    double (*log_density)(const double *a, double x, double *slope);
    double (*cdf)(const double *a, double x); /* called for x > 0 only, if only_positive */
    double (*quantile)(const double *a, double p);
} tw_family;

const tw_family *tw_family_of(tw_prior_family family);

/* Find a family by name; false if there is none. */
bool tw_family_find(const char *name, size_t length, tw_prior_family *out);

#endif
