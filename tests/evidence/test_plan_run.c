/* The run of a plan: its estimates equal those of its methods called directly, also with a goal; it stops
 * when told to, continues from any saved state with the same bits, and warns about doubtful results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_plan.h"
#include "gaussian/gaussian.h"
#include "model/model.h"
#include "support/posed.h"
#include "support/support.h"
#include "talweg/evidence_plan.h"

enum { N = 10 };

static posed pose(void)
{
    static double k[N * N], y[N];
    pose_line(N, k, y);
    return pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
}

/* All methods, in an order of their own, and quick. */
static tw_evidence_options quick(void)
{
    tw_evidence_options o = TW_EVIDENCE_DEFAULTS;
    o.methods = "rm,ais,pt,ais-reverse";
    o.temperatures = 6;
    o.particles = 24;
    o.copies = 8;
    o.rounds = 30;
    return o;
}

static tw_evidence_plan *plan_of(const posed *p, const tw_evidence_options *o)
{
    tw_evidence_plan *plan = NULL;
    assert_int_equal(tw_evidence_plan_new(p->model, o, NULL, &plan), TW_OK);
    return plan;
}

static void assert_same(const tw_estimate *a, const tw_estimate *b)
{
    assert_string_equal(a->method, b->method);
    assert_true(a->log_z == b->log_z && a->se == b->se && a->particles == b->particles);
}

/* ---- numbers ---- */

static void estimates_are_those_of_the_methods(void **state)
{
    (void)state;
    posed p = pose();
    tw_evidence_options o = quick();
    tw_evidence_plan *plan = plan_of(&p, &o);
    tw_evidence_result r;
    tw_estimate by_hand[5];
    tw_ais_options back = plan->ais;
    back.reverse = true;
    assert_int_equal(tw_rm_run(p.model, plan->reference, &plan->rm, NULL, NULL, &by_hand[0]), TW_OK);
    assert_int_equal(tw_ais_run(p.model, plan->reference, &plan->ais, NULL, NULL, NULL, &by_hand[1]), TW_OK);
    assert_int_equal(tw_pt_run(p.model, plan->reference, &plan->pt, NULL, NULL, &by_hand[2], NULL), TW_OK);
    assert_int_equal(tw_ais_run(p.model, plan->reference, &back, NULL, NULL, NULL, &by_hand[4]), TW_OK);
    assert_int_equal(tw_evidence_run(plan, NULL, &r), TW_OK);
    assert_int_equal(r.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_same(&r.estimate[i], &by_hand[i]);
        assert_true(r.seconds[i] >= 0.0 && r.cpu_seconds[i] >= 0.0);
    }
    assert_true(r.tempered && !r.stopped && r.verdict == TW_OK && r.agreement.known);
    tw_evidence_plan_free(plan);
    posed_free(&p);
}

static void no_methods_are_no_estimates(void **state)
{
    (void)state;
    posed p = pose();
    tw_evidence_options o = quick();
    tw_evidence_result r;
    o.methods = "";
    tw_evidence_plan *plan = plan_of(&p, &o);
    assert_int_equal(tw_evidence_run(plan, NULL, &r), TW_OK);
    assert_true(r.count == 0 && r.verdict == TW_OK && !r.agreement.known && r.warnings.count == 0);
    tw_evidence_plan_free(plan);
    posed_free(&p);
}

/* What a second run has, where the first had `effort` and an error s: 1.5 (s / g)^2 times as much, and at most 64. */
static size_t second_effort(double s, double goal, size_t effort)
{
    return (size_t)ceil(fmin(1.5 * pow(s / goal, 2.0), 64.0) * (double)effort);
}

/* Resample-move and tempering towards a goal: a second run with the effort that the first asks for, and with random
 * numbers of its own. */
static void a_second_run_has_the_effort_that_the_goal_takes(void **state)
{
    (void)state;
    posed p = pose();
    tw_evidence_options o = quick();
    tw_evidence_result r;
    tw_estimate rm, pt[2];
    o.methods = "rm,pt";
    tw_evidence_plan *plan = plan_of(&p, &o);
    tw_rm_options rm_again = plan->rm;
    tw_pt_options pt_again = plan->pt;
    assert_int_equal(tw_rm_run(p.model, plan->reference, &plan->rm, NULL, NULL, &rm), TW_OK);
    assert_int_equal(tw_pt_run(p.model, plan->reference, &plan->pt, NULL, NULL, pt, NULL), TW_OK);
    plan->until_se = 0.5 * fmin(rm.se, pt[0].se); /* so that both need more than four times as much */
    rm_again.particles = second_effort(rm.se, plan->until_se, plan->rm.particles);
    pt_again.rounds = second_effort(pt[0].se, plan->until_se, plan->pt.rounds);
    rm_again.first_chain = pt_again.first_chain = TW_STREAMS_SECOND_RUN;
    assert_int_equal(tw_rm_run(p.model, plan->reference, &rm_again, NULL, NULL, &rm), TW_OK);
    assert_int_equal(tw_pt_run(p.model, plan->reference, &pt_again, NULL, NULL, pt, NULL), TW_OK);
    assert_int_equal(tw_evidence_run(plan, NULL, &r), TW_OK);
    assert_int_equal(r.count, 3);
    assert_same(&r.estimate[0], &rm);
    assert_same(&r.estimate[1], &pt[0]);
    assert_same(&r.estimate[2], &pt[1]);
    tw_evidence_plan_free(plan);
    posed_free(&p);
}

/* The effort of a second run is bounded; then the goal may be missed, which is said, with what it would take. */
static void a_goal_that_is_missed_is_said(void **state)
{
    (void)state;
    posed p = pose();
    tw_evidence_options o = quick();
    tw_evidence_result r;
    o.methods = "ais,rm";
    o.max_particles = 48;
    o.until_se = 1e-4;
    tw_evidence_plan *plan = plan_of(&p, &o);
    assert_int_equal(tw_evidence_run(plan, NULL, &r), TW_OK);
    assert_int_equal(r.verdict, TW_NOT_CONVERGED);
    assert_int_equal(r.estimate[0].particles, 48);
    double worst = fmax(r.estimate[0].se, r.estimate[1].se);
    const tw_warning *w = &r.warnings.warning[r.warnings.count - 1];
    assert_int_equal(w->code, TW_WARN_GOAL);
    assert_true(w->number[0] == worst && w->number[1] == 1e-4 && w->number[2] == r.needed);
    assert_true(r.needed > 48.0 * pow(fmin(r.estimate[0].se, r.estimate[1].se) / 1e-4, 2.0) * 0.99);
    tw_evidence_plan_free(plan);
    posed_free(&p);
}

/* Of two weights that differ fewer than two count, and no error is one. */
static void collapsed_weights_are_said(void **state)
{
    (void)state;
    posed p = pose();
    tw_evidence_options o = quick();
    tw_evidence_result r;
    o.methods = "ais";
    o.particles = 2;
    tw_evidence_plan *plan = plan_of(&p, &o);
    assert_int_equal(tw_evidence_run(plan, NULL, &r), TW_OK);
    assert_int_equal(r.verdict, TW_NUMERICAL_FAILURE);
    const tw_warning *w = &r.warnings.warning[0];
    assert_int_equal(w->code, TW_WARN_COLLAPSED);
    assert_string_equal(w->name, "ais");
    assert_true(w->number[0] == r.estimate[0].weight_ess && w->number[1] == 2.0 && w->number[2] == 6.0);
    tw_evidence_plan_free(plan);
    posed_free(&p);
}

/* ---- stopping, and going on ---- */

enum { BLOCKS = 8 };

/* A store in memory, and a watcher that stops after so many calls. */
typedef struct memory {
    struct {
        char name[32];
        size_t bytes;
        void *data;
    } block[BLOCKS], kept[BLOCKS]; /* as put, and as committed last */
    size_t commits;
    size_t told, most; /* calls of progress; 0: no end */
    char stopped_in[32];
} memory;

static void copy(const void *data, size_t bytes, size_t *to_bytes, void **to)
{
    free(*to);
    *to = malloc(bytes + 1);
    assert_non_null(*to);
    if (bytes) memcpy(*to, data, bytes);
    *to_bytes = bytes;
}

static bool is_due(void *user)
{
    (void)user;
    return true;
}

static void put(void *user, const char *name, size_t bytes, const void *data)
{
    memory *m = user;
    size_t k = 0;
    while (m->block[k].name[0] && strcmp(m->block[k].name, name) != 0) k++;
    assert_true(k < BLOCKS);
    snprintf(m->block[k].name, sizeof m->block[k].name, "%s", name);
    copy(data, bytes, &m->block[k].bytes, &m->block[k].data);
}

static void commit(void *user)
{
    memory *m = user;
    m->commits++;
    for (size_t k = 0; k < BLOCKS && m->block[k].name[0]; k++) {
        memcpy(m->kept[k].name, m->block[k].name, sizeof m->kept[k].name);
        copy(m->block[k].data, m->block[k].bytes, &m->kept[k].bytes, &m->kept[k].data);
    }
}

static const void *get(void *user, const char *name, size_t *bytes)
{
    memory *m = user;
    *bytes = 0;
    for (size_t k = 0; k < BLOCKS && m->kept[k].name[0]; k++)
        if (strcmp(m->kept[k].name, name) == 0) {
            *bytes = m->kept[k].bytes;
            return m->kept[k].data;
        }
    return NULL;
}

static bool count_calls(void *user, const tw_progress *progress)
{
    memory *m = user;
    assert_non_null(progress->method);
    if (++m->told != m->most) return false;
    snprintf(m->stopped_in, sizeof m->stopped_in, "%s", progress->method);
    return true;
}

static void forget(memory *m)
{
    for (size_t k = 0; k < BLOCKS; k++) {
        free(m->block[k].data);
        free(m->kept[k].data);
    }
}

static void run(const tw_evidence_plan *plan, memory *m, size_t most, tw_evidence_result *r)
{
    const tw_store store = {m, is_due, put, commit, get};
    const tw_evidence_watch watch = {.user = m, .progress = count_calls, .store = &store};
    m->told = 0;
    m->most = most;
    assert_int_equal(tw_evidence_run(plan, &watch, r), TW_OK);
}

/* Stopped at any call of progress, and gone on with, it is as if it had never been. */
static void a_run_goes_on_to_the_bit(void **state)
{
    (void)state;
    posed p = pose();
    tw_evidence_options o = quick();
    tw_evidence_result whole, part, rest;
    o.until_se = 0.04; /* so that second runs are cut too */
    o.max_particles = 100;
    tw_evidence_plan *plan = plan_of(&p, &o);
    memory all = {0};
    run(plan, &all, 0, &whole);
    size_t calls = all.told, seen[TW_EVIDENCE_METHODS] = {0};
    for (size_t most = 1; most < calls; most += 13) {
        memory m = {0};
        run(plan, &m, most, &part);
        assert_true(part.stopped && part.count < whole.count);
        assert_int_equal(part.warnings.warning[0].code, TW_WARN_INTERRUPTED_METHODS);
        for (size_t i = 0; i < part.count; i++) assert_same(&part.estimate[i], &whole.estimate[i]);
        for (unsigned k = 0; k < TW_EVIDENCE_METHODS; k++)
            seen[k] += strcmp(m.stopped_in, tw_evidence_method_name((tw_evidence_method)k)) == 0;
        run(plan, &m, 0, &rest);
        assert_true(!rest.stopped && rest.count == whole.count && rest.needed == whole.needed);
        for (size_t i = 0; i < rest.count; i++) assert_same(&rest.estimate[i], &whole.estimate[i]);
        assert_true(rest.tempering.forward == whole.tempering.forward);
        forget(&m);
    }
    for (unsigned k = 0; k < TW_EVIDENCE_METHODS; k++) assert_true(seen[k] > 0);
    forget(&all);
    tw_evidence_plan_free(plan);
    posed_free(&p);
}

/* A state of another version, or cut short, is refused; nothing is read beyond its end. */
static void damaged_states_are_refused(void **state)
{
    (void)state;
    posed p = pose();
    tw_evidence_options o = quick();
    tw_evidence_result r;
    tw_evidence_plan *plan = plan_of(&p, &o);
    for (size_t k = 0; k < 3; k++) { /* methods, run, run numbers */
        memory m = {0};
        const tw_store store = {&m, is_due, put, commit, get};
        const tw_evidence_watch watch = {.store = &store};
        run(plan, &m, 60, &r);
        size_t there = 0;
        const char *names[] = {"methods", "run", "run numbers"};
        assert_non_null(get(&m, names[k], &there));
        assert_true(there > 8);
        for (size_t i = 0; i < BLOCKS; i++)
            if (strcmp(m.kept[i].name, names[k]) == 0) m.kept[i].bytes -= 8;
        assert_int_equal(tw_evidence_run(plan, &watch, &r), TW_BAD_DATA);
        assert_non_null(strstr(tw_context_message(p.ctx), "the saved state of this run is damaged"));
        forget(&m);
    }
    tw_evidence_plan_free(plan);
    posed_free(&p);
}

/* ---- verdicts ---- */

static tw_estimate make(const char *method, double log_z, double se)
{
    return (tw_estimate){.method = method, .log_z = log_z, .se = se, .weight_ess = NAN};
}

/* A plan whose prior's determinant has all its digits. */
static tw_evidence_plan exact_plan(double goal)
{
    static tw_gaussian prior = {.rounding = 0.0};
    static tw_model model = {.prior = &prior};
    static tw_reference reference = {.kind = TW_REFERENCE_PRIOR};
    return (tw_evidence_plan){.until_se = goal, .model = &model, .reference = &reference};
}

static tw_evidence_result judged(tw_estimate e, double goal)
{
    const tw_evidence_plan plan = exact_plan(goal);
    tw_evidence_result r = {.count = 1, .estimate = {e}};
    tw_evidence_judge(&plan, &r);
    return r;
}

static bool warns(const tw_evidence_result *r, tw_warning_code code)
{
    return r->warnings.count == 1 && r->warnings.warning[0].code == code;
}

/* An estimate that is as it should be has no warning; each fault has its own, and a verdict if there is no result. */
static void every_fault_of_an_estimate_is_said(void **state)
{
    (void)state;
    tw_estimate good = make("ais", -5.0, 0.1), e = good;
    good.weight_ess = e.weight_ess = 50.0;
    tw_evidence_result r = judged(good, 0.2);
    assert_true(r.verdict == TW_OK && r.warnings.count == 0);
    r = judged(good, 0.05);
    assert_true(r.verdict == TW_NOT_CONVERGED && warns(&r, TW_WARN_GOAL));
    e.failures = 0.009;
    r = judged(e, 0.0);
    assert_true(r.verdict == TW_OK && r.warnings.count == 0);
    e.failures = 0.011;
    r = judged(e, 0.0);
    assert_true(r.verdict == TW_OK && warns(&r, TW_WARN_FAILURES));
    assert_close(r.warnings.warning[0].number[0], 1.1, 1e-12, "per cent");
    e = good;
    e.weight_ess = 1.9;
    r = judged(e, 0.0);
    assert_true(r.verdict == TW_NUMERICAL_FAILURE && warns(&r, TW_WARN_COLLAPSED));
    e = make("stepping-stone", NAN, NAN);
    r = judged(e, 0.0);
    assert_true(r.verdict == TW_NUMERICAL_FAILURE && warns(&r, TW_WARN_NO_NUMBER));
    e.method = "thermodynamic"; /* the stepping-stone estimate of the same run decides */
    r = judged(e, 0.0);
    assert_true(r.verdict == TW_OK && r.warnings.count == 0);
    e = make("thermodynamic", -5.0, 0.3); /* no goal for it */
    r = judged(e, 0.2);
    assert_true(r.verdict == TW_OK && r.warnings.count == 0);
}

static void estimates_apart_are_said_unless_they_prove_nothing(void **state)
{
    (void)state;
    tw_evidence_plan plan = exact_plan(0.0);
    tw_evidence_result r = {.count = 2, .estimate = {make("ais", -5.0, 0.1), make("rm", -7.0, 0.1)}};
    tw_evidence_judge(&plan, &r);
    assert_true(warns(&r, TW_WARN_DISAGREE) && !r.agreement.agree);
    assert_string_equal(r.warnings.warning[0].other, "rm");
    plan.one_mode = true;
    r = (tw_evidence_result){.count = 2, .estimate = {make("ais", -5.0, 0.1), make("rm", -5.1, 0.1)}};
    tw_evidence_judge(&plan, &r);
    assert_true(r.warnings.count == 0 && r.agreement.one_mode && !r.agreement.known && !r.agreement.agree);
}

/* The digits lost are those of q's log Z and of the terms log t_n on a path from q, or on one from the prior the larger of
 * q's and half those of the prior's determinant. */
static void digits_that_are_lost_are_said(void **state)
{
    (void)state;
    double nu[] = {3e13, -1e14}, mean[] = {2.0, 0.5};
    const tw_approximation q = {.n = 2, .nu = nu, .mean = mean, .rounding = 0.03};
    tw_gaussian prior = {.rounding = 0.05, .off = -0.1};
    const tw_model model = {.prior = &prior};
    tw_reference reference = {.kind = TW_REFERENCE_SITES};
    tw_evidence_plan plan = {.model = &model, .reference = &reference, .fits = {.gaussian = &q}};
    tw_evidence_result r = {.count = 1, .estimate = {make("ais", -5.0, 0.1)}};
    tw_evidence_judge(&plan, &r);
    assert_true(warns(&r, TW_WARN_ROUNDING) && r.verdict == TW_OK);
    assert_close(r.warnings.warning[0].number[0], 0.03 + 0x1p-52 * (6e13 + 5e13), 1e-15, "lost from q");
    reference.kind = TW_REFERENCE_PRIOR;
    r = (tw_evidence_result){.count = 1, .estimate = {make("ais", -5.0, 0.1)}};
    tw_evidence_judge(&plan, &r);
    assert_close(r.warnings.warning[0].number[0], 0.05, 1e-15, "lost from the prior");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_are_those_of_the_methods),
        cmocka_unit_test(no_methods_are_no_estimates),
        cmocka_unit_test(a_second_run_has_the_effort_that_the_goal_takes),
        cmocka_unit_test(a_goal_that_is_missed_is_said),
        cmocka_unit_test(collapsed_weights_are_said),
        cmocka_unit_test(a_run_goes_on_to_the_bit),
        cmocka_unit_test(damaged_states_are_refused),
        cmocka_unit_test(every_fault_of_an_estimate_is_said),
        cmocka_unit_test(estimates_apart_are_said_unless_they_prove_nothing),
        cmocka_unit_test(digits_that_are_lost_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
