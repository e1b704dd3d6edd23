/* What those who watch are told of EP's sweeps and of pilot runs: every one, in order, to its end. */
#include <math.h>

#include "support/posed.h"
#include "support/support.h"
#include "talweg/chains.h"

enum { N = 150 }; /* several blocks of sites in a sweep */

typedef struct journal {
    size_t sweeps, calls;
    double share, residual;
} journal;

static void note_sweep(void *user, size_t sweep, double share, double residual)
{
    journal *j = user;
    if (sweep != j->sweeps) {
        assert_int_equal(sweep, j->sweeps + 1);
        assert_true(j->sweeps == 0 || j->share == 1.0);
        assert_true(sweep == 1 ? isinf(residual) : residual < 10.0);
        j->share = 0.0;
    }
    assert_true(share > j->share && share <= 1.0);
    *j = (journal){sweep, j->calls + 1, share, residual};
}

static void every_sweep_is_told(void **state)
{
    (void)state;
    static double k[N * N], y[N];
    journal j = {0};
    tw_approximation *ep = NULL;
    tw_ep_options o = TW_EP_DEFAULTS;
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
    o.user = &j;
    o.on_progress = note_sweep;
    assert_int_equal(tw_ep_fit(p.model, &o, &ep), TW_OK);
    assert_true(ep->converged && j.sweeps == ep->iterations && j.share == 1.0);
    assert_true(j.calls >= 2 * j.sweeps && j.residual < 1e-2);
    tw_approximation_free(ep);
    posed_free(&p);
}

typedef struct pilots {
    size_t done, total, runs;
    const tw_candidate *last;
} pilots;

static void note_pilot(void *user, const tw_candidate *candidate, size_t done, size_t total)
{
    pilots *p = user;
    if (done == 1) {
        assert_int_equal(p->done, p->total);
        p->runs++;
    } else {
        assert_int_equal(done, p->done + 1);
        assert_ptr_equal(candidate, p->last);
    }
    p->done = done;
    p->total = total;
    p->last = candidate;
}

static void every_pilot_is_told(void **state)
{
    (void)state;
    double k[12 * 12], y[12];
    pilots seen = {0};
    tw_choice choice;
    tw_auto_options o = TW_AUTO_DEFAULTS;
    pose_line(12, k, y);
    posed p = pose_in(NULL, 12, k, tw_likelihood_find("probit"), y);
    tw_posterior posterior = {.model = p.model, .beta = 1.0, .approximation = p.ep};
    o.user = &seen;
    o.on_progress = note_pilot;
    assert_int_equal(tw_auto_choose(&posterior, &o, &choice), TW_OK);
    size_t tried = 0;
    for (size_t i = 0; i < choice.count; i++) tried += choice.candidates[i].tried;
    assert_true(tried > 0 && seen.runs >= tried && seen.runs <= 2 * tried);
    assert_int_equal(seen.done, seen.total);
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_sweep_is_told),
                                       cmocka_unit_test(every_pilot_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
