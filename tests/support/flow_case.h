/* flow_case.h: a small posterior with a frame (dynamics/frame.h) and its leapfrog, in every combination of
 * target and constant metric that the tests of frames and of the leapfrog use. */
#ifndef TALWEG_TESTS_FLOW_CASE_H
#define TALWEG_TESTS_FLOW_CASE_H

#include "dynamics/leapfrog.h"
#include "support/gp_case.h"

enum { FLOW_N = 6, FLOW_P = 5 }; /* sites; the largest number of columns */

typedef struct flow_setting {
    const char *name;
    gp_form form;
    double beta;
    tw_metric metric;
    gp_form metric_of; /* the form of the Gaussian whose precision is the metric */
    bool linear, turns;
} flow_setting;

/* Their numbers, in the order of the table. */
enum {
    FLOW_IDENTITY_PRIOR,
    FLOW_IDENTITY_OPEN,
    FLOW_IDENTITY_DENSE,
    FLOW_PRIOR_PRIOR,
    FLOW_PRIOR_OPEN,
    FLOW_PRIOR_FOLDED,
    FLOW_PRIOR_DENSE,
    FLOW_EP_PRIOR,
    FLOW_EP_OPEN,
    FLOW_EP_FOLDED,
    FLOW_EP_DENSE,
    FLOW_DENSE_PRIOR,
    FLOW_DENSE_DENSE,
    FLOW_PRIOR_OPEN_TURNS,
    FLOW_PRIOR_FOLDED_TURNS,
    FLOW_EP_PRIOR_TURNS,
    FLOW_SETTINGS
};
extern const flow_setting flow_settings[FLOW_SETTINGS];

typedef struct flow_case {
    gp_case gp;
    tw_reference *gaussian;
    tw_frame frame;
    tw_leapfrog *flow;
    double w[FLOW_N * FLOW_P], p[FLOW_N * FLOW_P]; /* a start */
} flow_case;

/* One case exists at a time. */
flow_case *flow_case_new(const flow_setting *s, size_t columns);
void flow_case_free(flow_case *f);

/* Set positions and momenta of all columns, and evaluate there. */
void flow_case_start(flow_case *f, size_t columns, const double *w, const double *p);

double largest_difference(size_t count, const double *a, const double *b);

#endif
