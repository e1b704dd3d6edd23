/* The progress of a run: stages in order, counts that increase by one to their total, and the estimate itself
 * at the end; and the run stops when told to, at any time. */
#include <math.h>
#include <string.h>

#include "support/posed.h"
#include "support/support.h"
#include "talweg/evidence.h"

enum { N = 12, STEPS = 8 };

typedef enum kind { FORWARD, REVERSE, UNTIL, TEMPERING, RESAMPLING, KINDS } kind;

typedef struct journal {
    size_t calls, stop_at; /* stop_at 0: never */
    tw_progress last;
    char stages[200]; /* "pilot/run/" */
} journal;

static bool note(void *user, const tw_progress *p)
{
    journal *l = user;
    bool next = l->calls == 0 || strcmp(p->stage, l->last.stage) != 0 || p->done <= l->last.done;
    if (next) {
        strcat(strcat(l->stages, p->stage), "/");
        assert_true(p->done <= 1);
    } else {
        assert_int_equal(p->done, l->last.done + 1);
        assert_int_equal(p->total, l->last.total);
    }
    assert_true(p->total == 0 || p->done <= p->total);
    assert_true(!p->part || p->done < p->total);
    assert_true((p->acceptance > 0.0 && p->acceptance <= 1.0) || (isnan(p->acceptance) && p->done == 1));
    l->last = *p;
    return ++l->calls == l->stop_at;
}

static posed pose(void)
{
    double k[N * N], y[N];
    pose_line(N, k, y);
    return pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
}

static tw_sampler_options kernel_of(const posed *p)
{
    tw_sampler_options kernel = TW_SAMPLER_DEFAULTS;
    kernel.metric = TW_METRIC_EP;
    kernel.gaussian = p->ep->reference;
    return kernel;
}

static tw_estimate run_ais(const posed *p, kind which, journal *l)
{
    double beta[STEPS + 1], needed;
    tw_ais_options o = TW_AIS_DEFAULTS;
    tw_estimate e;
    assert_int_equal(tw_schedule_fill(p->ctx, TW_SCHEDULE_LINEAR, STEPS, 0.0, beta), TW_OK);
    o.kernel = kernel_of(p);
    o.beta = beta;
    o.temperatures = STEPS;
    o.particles = 40;
    o.burn_in = 5;
    o.reverse = which == REVERSE;
    tw_status status = which == UNTIL
                           ? tw_ais_until(p->model, p->ep->reference, &o, 0.002, 200, note, l, &e, &needed)
                           : tw_ais_run(p->model, p->ep->reference, &o, note, l, NULL, &e);
    assert_int_equal(status, TW_OK);
    return e;
}

static tw_estimate run_rm(const posed *p, journal *l)
{
    tw_rm_options o = TW_RM_DEFAULTS;
    tw_estimate e;
    o.kernel = kernel_of(p);
    o.particles = 64;
    assert_int_equal(tw_rm_run(p->model, p->ep->reference, &o, note, l, &e), TW_OK);
    return e;
}

static tw_estimate run_pt(const posed *p, journal *l, tw_pt_report *report)
{
    tw_pt_options o = TW_PT_DEFAULTS;
    tw_estimate e[2];
    o.kernel = kernel_of(p);
    o.temperatures = 4;
    o.copies = 8;
    o.warmup = 20;
    o.rounds = 30;
    assert_int_equal(tw_pt_run(p->model, p->ep->reference, &o, note, l, e, report), TW_OK);
    return e[0];
}

static tw_estimate run(const posed *p, kind which, journal *l)
{
    if (which == TEMPERING) return run_pt(p, l, NULL);
    return which == RESAMPLING ? run_rm(p, l) : run_ais(p, which, l);
}

static void the_last_word_is_the_estimate(void **state)
{
    (void)state;
    static const char *const stages[KINDS] = {"pilot/run/", "pilot/upwards/burn-in/run/", NULL, NULL,
                                              "pilot/run/"};
    posed p = pose();
    for (kind which = 0; which < KINDS; which++) {
        journal l = {0};
        if (!stages[which]) continue;
        tw_estimate e = run(&p, which, &l);
        assert_string_equal(l.stages, stages[which]);
        assert_true(l.last.done == l.last.total && l.last.total == e.temperatures);
        assert_true(l.last.log_z == e.log_z && l.last.se == e.se && !l.last.part);
        assert_string_equal(l.last.unit, "temperatures");
        if (which != RESAMPLING) assert_true(l.last.acceptance > 0.5 && e.particles == 40);
    }
    posed_free(&p);
}

/* Stepping stones from below are summed up as rounds go by, and are those of the report in the end. Their error
 * is that of a mean over copies, the report's is a jackknife: of the same size. */
static void stepping_stones_are_summed_up(void **state)
{
    (void)state;
    posed p = pose();
    journal l = {0};
    tw_pt_report report = {0};
    run_pt(&p, &l, &report);
    assert_string_equal(l.stages, "warm-up/run/");
    assert_true(l.calls == 50 && l.last.done == 30 && l.last.total == 30);
    assert_close(l.last.log_z, report.forward, 1e-12, "stepping stones");
    assert_true(l.last.se > 0.5 * report.forward_se && l.last.se < 2.0 * report.forward_se);
    posed_free(&p);
}

/* With a goal, later runs show what all before them have come to: an error that falls. */
static void a_goal_shows_all_runs(void **state)
{
    (void)state;
    posed p = pose();
    journal l = {0};
    tw_estimate e = run(&p, UNTIL, &l);
    assert_true(e.particles > 40 && strncmp(l.stages, "pilot/run/pilot/run/", 20) == 0);
    assert_true(l.last.se > e.se && fabs(l.last.log_z - e.log_z) < 5.0 * l.last.se);
    posed_free(&p);
}

static void a_run_stops_at_any_moment(void **state)
{
    (void)state;
    posed p = pose();
    for (kind which = 0; which < KINDS; which++) {
        journal whole = {0};
        run(&p, which, &whole);
        for (size_t at = 1; at <= whole.calls; at += 7) {
            journal l = {.stop_at = at};
            tw_estimate e = run(&p, which, &l);
            assert_int_equal(l.calls, at);
            assert_true(which == UNTIL || (e.particles == 0 && isnan(e.log_z) && isnan(e.se)));
        }
    }
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_word_is_the_estimate),
        cmocka_unit_test(stepping_stones_are_summed_up),
        cmocka_unit_test(a_goal_shows_all_runs),
        cmocka_unit_test(a_run_stops_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
