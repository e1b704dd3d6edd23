/* flow_case.c: see flow_case.h. */
#include "support/flow_case.h"

#include <math.h>
#include <string.h>

#include "support/support.h"

const flow_setting flow_settings[FLOW_SETTINGS] = {
    [FLOW_IDENTITY_PRIOR] = {"identity, q = prior", GP_PRIOR, 1.0, TW_METRIC_IDENTITY, GP_PRIOR, true, false},
    [FLOW_IDENTITY_OPEN] = {"identity, q = sites", GP_OPEN, 0.4, TW_METRIC_IDENTITY, GP_PRIOR, true, false},
    [FLOW_IDENTITY_DENSE] = {"identity, q = dense", GP_DENSE, 0.4, TW_METRIC_IDENTITY, GP_PRIOR, true, false},
    [FLOW_PRIOR_PRIOR] = {"prior, q = prior", GP_PRIOR, 0.7, TW_METRIC_PRIOR, GP_PRIOR, false, false},
    [FLOW_PRIOR_OPEN] = {"prior, q = sites open", GP_OPEN, 0.5, TW_METRIC_PRIOR, GP_PRIOR, false, false},
    [FLOW_PRIOR_FOLDED] = {"prior, q = sites folded", GP_FOLDED, 0.5, TW_METRIC_PRIOR, GP_PRIOR, false,
                           false},
    [FLOW_PRIOR_DENSE] = {"prior, q = dense", GP_DENSE, 0.5, TW_METRIC_PRIOR, GP_PRIOR, false, false},
    [FLOW_EP_PRIOR] = {"ep, q = prior", GP_PRIOR, 1.0, TW_METRIC_EP, GP_OPEN, false, false},
    [FLOW_EP_OPEN] = {"ep, q = sites open", GP_OPEN, 0.3, TW_METRIC_EP, GP_OPEN, false, false},
    [FLOW_EP_FOLDED] = {"ep, q = sites folded", GP_FOLDED, 0.3, TW_METRIC_EP, GP_OPEN, true, false},
    [FLOW_EP_DENSE] = {"ep, q = dense", GP_DENSE, 0.3, TW_METRIC_EP, GP_OPEN, true, false},
    [FLOW_DENSE_PRIOR] = {"dense, q = prior", GP_PRIOR, 1.0, TW_METRIC_DENSE, GP_DENSE, true, false},
    [FLOW_DENSE_DENSE] = {"dense, q = dense", GP_DENSE, 0.6, TW_METRIC_DENSE, GP_DENSE, true, false},
    [FLOW_PRIOR_OPEN_TURNS] = {"prior that turns, q = sites open", GP_OPEN, 0.5, TW_METRIC_PRIOR, GP_PRIOR,
                               false, true},
    [FLOW_PRIOR_FOLDED_TURNS] = {"prior that turns, q = sites folded", GP_FOLDED, 0.5, TW_METRIC_PRIOR,
                                 GP_PRIOR, false, true},
    [FLOW_EP_PRIOR_TURNS] = {"ep that turns, q = prior", GP_PRIOR, 1.0, TW_METRIC_EP, GP_OPEN, false, true},
};

flow_case *flow_case_new(const flow_setting *s, size_t columns)
{
    static flow_case f;
    gp_setting gp = {.n = FLOW_N, .seed = 6, .cond = 1e2, .scale = 3, .form = s->form, .beta = s->beta};
    test_random random = {14};
    f.gp = gp_case_new(&gp);
    f.gaussian = s->metric_of == GP_PRIOR ? NULL : gp_reference(f.gp.problem, f.gp.model, s->metric_of);
    assert_int_equal(tw_frame_make(f.gp.target, s->metric, f.gaussian, &f.frame), TW_OK);
    assert_int_equal(f.frame.linear, s->linear);
    f.frame.turns = s->turns;
    assert_int_equal(tw_leapfrog_new(&f.frame, columns, &f.flow), TW_OK);
    test_normals(&random, FLOW_N * FLOW_P, f.w);
    test_normals(&random, FLOW_N * FLOW_P, f.p);
    return &f;
}

void flow_case_free(flow_case *f)
{
    tw_leapfrog_free(f->flow);
    tw_reference_free(f->gaussian);
    gp_case_free(&f->gp);
}

void flow_case_start(flow_case *f, size_t columns, const double *w, const double *p)
{
    memcpy(f->flow->w, w, FLOW_N * columns * sizeof *w);
    memcpy(f->flow->p, p, FLOW_N * columns * sizeof *p);
    tw_leapfrog_refresh(f->flow);
}

double largest_difference(size_t count, const double *a, const double *b)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}
