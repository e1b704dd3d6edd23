/* pt_case.c: set up and run parallel tempering; see pt_case.h. */
#include "support/pt_case.h"

#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"

pt_case pt_case_new(size_t n, const double *k, const tw_likelihood *likelihood, const double *y,
                    const double *w)
{
    pt_case f = {.ctx = new_context()};
    assert_int_equal(tw_model_new(f.ctx, k, n, OBSERVED(likelihood, n, y, w), 0.0, &f.model), TW_OK);
    assert_int_equal(tw_ep_fit(f.model, NULL, &f.ep), TW_OK);
    assert_int_equal(tw_reference_prior(f.model, &f.prior), TW_OK);
    return f;
}

pt_case pt_case_of(size_t n)
{
    test_problem *p = test_problem_new(n, 21, 100.0);
    pt_case f = pt_case_new(n, p->k, tw_likelihood_find("probit"), p->y, NULL);
    test_problem_free(p);
    return f;
}

void pt_case_free(pt_case *f)
{
    tw_reference_free(f->prior);
    tw_approximation_free(f->ep);
    tw_model_free(f->model);
    assert_int_equal(tw_context_bytes_in_use(f->ctx), 0);
    tw_context_free(f->ctx);
}

tw_pt_options pt_case_options(const pt_case *f, size_t steps, size_t warmup, size_t rounds)
{
    tw_pt_options o = TW_PT_DEFAULTS;
    o.kernel.metric = TW_METRIC_EP;
    o.kernel.gaussian = f->ep->reference;
    o.kernel.threads = 2;
    o.temperatures = steps;
    o.warmup = warmup;
    o.rounds = rounds;
    return o;
}

void pt_case_run(const pt_case *f, const tw_reference *from, const tw_pt_options *o, tw_estimate out[2],
                 tw_pt_report *report)
{
    tw_status status = tw_pt_run(f->model, from, o, NULL, NULL, out, report);
    if (status != TW_OK) fail_msg("%s", tw_context_message(f->ctx));
    assert_string_equal(out[0].method, "stepping-stone");
    assert_string_equal(out[1].method, "thermodynamic");
    assert_int_equal(out[0].particles, o->copies);
    assert_int_equal(out[1].temperatures, o->temperatures);
}
