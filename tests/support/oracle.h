/* oracle.h: the exact cases of TALWEG_SHARED/oracles as models. Tests are skipped if these are absent. */
#ifndef TALWEG_TESTS_ORACLE_H
#define TALWEG_TESTS_ORACLE_H

#include "talweg/model.h"

enum { ORACLE_MAX_KINDS = 4 };

typedef struct oracle_case {
    char name[64];
    const tw_likelihood *likelihood;
    size_t n;
    double *k, *y;
    double log_z;
    /* Kinds of sites: all sites of a kind have the same observation and the same posterior mean and sd. 0:
     * unknown. */
    size_t kinds;
    size_t first[ORACLE_MAX_KINDS]; /* a site of each kind */
    double mean[ORACLE_MAX_KINDS], sd[ORACLE_MAX_KINDS];
} oracle_case;

/* All cases of equicorrelated.json, or of orthant3.json; free with oracle_free. */
oracle_case *oracle_equicorrelated(size_t *count);
oracle_case *oracle_orthant3(size_t *count);
void oracle_free(oracle_case *cases, size_t count);

#endif
