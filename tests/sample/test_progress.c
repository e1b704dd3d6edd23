/* The progress reports of EP's sweeps and of pilot runs: every one, in order, to the end. */
#include <math.h>
#include <string.h>

#include "support/posed.h"
#include "support/support.h"
#include "talweg/chains.h"
#include "talweg/fits.h"

enum { N = 150 }; /* several blocks of sites in a sweep */

typedef struct journal {
    size_t sweeps, calls;
    double share, residual;
} journal;

static bool note_sweep(void *user, const tw_progress *p)
{
    journal *j = user;
    size_t sweep = p->done;
    double share = p->share, residual = p->residual;
    assert_string_equal(p->stage, "expectation propagation");
    assert_string_equal(p->unit, "sweeps");
    if (sweep != j->sweeps) {
        assert_int_equal(sweep, j->sweeps + 1);
        assert_true(j->sweeps == 0 || j->share == 1.0);
        assert_true(sweep == 1 ? isinf(residual) : residual < 10.0);
        j->share = 0.0;
    }
    assert_true(share > j->share && share <= 1.0);
    *j = (journal){sweep, j->calls + 1, share, residual};
    return false;
}

static bool stop(void *user, const tw_progress *p)
{
    (void)p;
    return --*(size_t *)user == 0;
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

/* A fit is of no use without its end. */
static void a_fit_that_is_stopped_is_interrupted(void **state)
{
    (void)state;
    static double k[N * N], y[N];
    tw_approximation *ep = NULL;
    tw_fits fits;
    tw_ep_options o = TW_EP_DEFAULTS;
    tw_fits_options both = TW_FITS_DEFAULTS;
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
    for (size_t calls = 1; calls < 6; calls += 2) {
        size_t left = calls;
        o.user = both.user = &left;
        o.on_progress = both.on_progress = stop;
        assert_int_equal(tw_ep_fit(p.model, &o, &ep), TW_INTERRUPTED);
        assert_null(ep);
        left = calls; /* the first call is that of Laplace's approximation */
        assert_int_equal(tw_fits_make(p.model, &both, &fits), TW_INTERRUPTED);
        tw_fits_release(&fits);
    }
    posed_free(&p);
}

typedef struct pilots {
    size_t done, total, runs, cut; /* cut: legs that ended early */
    const char *method, *metric;
} pilots;

static bool note_pilot(void *user, const tw_progress *now)
{
    pilots *p = user;
    assert_string_equal(now->stage, "pilot");
    if (now->done == 1) {
        p->cut += p->done != p->total;
        p->runs++;
    } else {
        assert_int_equal(now->done, p->done + 1);
        assert_true(now->method == p->method && now->metric == p->metric);
    }
    *p = (pilots){now->done, now->total, p->runs, p->cut, now->method, now->metric};
    return false;
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
    size_t tried = 0, stopped = 0;
    for (size_t i = 0; i < choice.count; i++) {
        tried += choice.candidates[i].tried;
        stopped += strncmp(choice.candidates[i].reason, "stopped early", 13) == 0;
    }
    assert_true(tried > 0 && seen.runs >= 2 * tried && seen.runs <= 2 * choice.count); /* two legs each */
    assert_true(seen.cut + (seen.done != seen.total) <= stopped);
    size_t left = 30;
    o.user = &left;
    o.on_progress = stop;
    assert_int_equal(tw_auto_choose(&posterior, &o, &choice), TW_INTERRUPTED);
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_sweep_is_told),
                                       cmocka_unit_test(a_fit_that_is_stopped_is_interrupted),
                                       cmocka_unit_test(every_pilot_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
