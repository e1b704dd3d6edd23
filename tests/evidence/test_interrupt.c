/* Interrupting a context ends fits, pilot runs and temperatures at once and leaves no memory in use. */
#include "support/gp_case.h"
#include "support/support.h"
#include "talweg/chains.h"
#include "talweg/evidence.h"

/* Says true from the `allowed`-th question on. */
typedef struct patience {
    size_t asked, allowed;
} patience;

static bool runs_out(void *user)
{
    patience *p = user;
    return ++p->asked >= p->allowed;
}

static tw_status fit_ep(const gp_case *c)
{
    tw_approximation *ep = NULL;
    tw_status status = tw_ep_fit(c->model, NULL, &ep);
    tw_approximation_free(ep);
    return status;
}

static tw_status fit_laplace(const gp_case *c)
{
    tw_approximation *laplace = NULL;
    tw_status status = tw_laplace_fit(c->model, NULL, &laplace);
    tw_approximation_free(laplace);
    return status;
}

static tw_status choose(const gp_case *c)
{
    tw_approximation *ep = NULL;
    tw_choice choice;
    tw_context_set_interrupt(c->ctx, NULL, NULL);
    assert_int_equal(tw_ep_fit(c->model, NULL, &ep), TW_OK);
    patience p = {.allowed = 100}; /* in the second pilot: the first has 96 iterations */
    tw_context_set_interrupt(c->ctx, runs_out, &p);
    tw_posterior posterior = {.model = c->model, .beta = 1.0, .approximation = ep};
    tw_status status = tw_auto_choose(&posterior, NULL, &choice);
    assert_int_equal(p.asked, p.allowed);
    tw_approximation_free(ep);
    return status;
}

static tw_status adapt(const gp_case *c)
{
    tw_rm_options o = TW_RM_DEFAULTS;
    double beta[1001];
    size_t steps = 0;
    return tw_schedule_adapt(c->model, c->reference, &o, &steps, beta);
}

static void everything_long_can_be_ended(void **state)
{
    (void)state;
    tw_status (*const jobs[])(const gp_case *) = {fit_ep, fit_laplace, choose, adapt};
    gp_setting setting = {.n = 20, .seed = 3, .cond = 1e4, .scale = 30.0, .form = GP_PRIOR, .beta = 1.0};
    gp_case c = gp_case_new(&setting);
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        for (size_t allowed = 1; allowed <= 3; allowed++) {
            patience p = {.allowed = allowed};
            size_t before = tw_context_bytes_in_use(c.ctx);
            tw_context_set_interrupt(c.ctx, runs_out, &p);
            assert_int_equal(jobs[i](&c), TW_INTERRUPTED);
            assert_string_equal(tw_context_message(c.ctx), "interrupted");
            assert_int_equal(tw_context_bytes_in_use(c.ctx), before);
        }
    gp_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything_long_can_be_ended)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
