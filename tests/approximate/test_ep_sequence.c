/* EP along a sequence of models: the predictions of sites are exact for polynomials and are not used where
 * they would be bad; the fits equal those from a cold start, in fewer sweeps. */
#include <math.h>
#include <string.h>

#include "support/observe.h"
#include "support/posed.h"
#include "support/support.h"
#include "talweg/approximate.h"

enum { N = 3, ORDERS = 4 }; /* cases; orders of extrapolation: 0 to 3 */

/* An approximation whose arrays are these. */
static tw_approximation approximation_in(double numbers[4][N])
{
    return (tw_approximation){.n = N,
                              .converged = true,
                              .tau = numbers[0],
                              .nu = numbers[1],
                              .mean = numbers[2],
                              .variance = numbers[3]};
}

/* What EP might have found at step t: sites that are polynomials in t of this order. */
static void fake_fit(size_t order, double t, tw_approximation *ep)
{
    for (size_t i = 0; i < N; i++) {
        double offset = 0.1 * (double)i;
        ep->tau[i] = 1.0 + offset + 0.01 * pow(t, (double)order);
        ep->nu[i] = -2.0 + offset - 0.02 * pow(t, (double)order);
        ep->mean[i] = 0.5;
        ep->variance[i] = 0.25;
    }
}

static void polynomials_are_predicted_exactly(void **state)
{
    (void)state;
    double numbers[4][N];
    tw_context *ctx = new_context();
    tw_approximation ep = approximation_in(numbers);
    /* After order + 2 points this order is the only exact one; after many the oldest are forgotten. */
    for (size_t trial = 0; trial < 2 * ORDERS; trial++) {
        size_t order = trial / 2, points = trial % 2 ? 9 : order + 2;
        tw_ep_sequence *sequence = NULL;
        assert_int_equal(tw_ep_sequence_new(ctx, N, &sequence), TW_OK);
        for (size_t t = 0; t < points; t++) {
            fake_fit(order, (double)t, &ep);
            tw_ep_sequence_learn(sequence, &ep);
        }
        tw_ep_options o = TW_EP_DEFAULTS;
        tw_ep_sequence_predict(sequence, &o);
        assert_non_null(o.tau);
        fake_fit(order, (double)points, &ep);
        for (size_t i = 0; i < N; i++) {
            assert_close(o.tau[i], ep.tau[i], 1e-12, "tau");
            assert_close(o.nu[i], ep.nu[i], 1e-12, "nu");
        }
        tw_ep_sequence_free(sequence);
    }
    tw_context_free(ctx);
}

/* Precisions of 0.5, 0.3, 0.1 are followed by no negative one, but by the last again. */
static void a_precision_is_never_extrapolated_below_zero(void **state)
{
    (void)state;
    double tau[N], nu[N], mean[N] = {0.0, 0.0, 0.0}, variance[N] = {1.0, 1.0, 1.0};
    tw_context *ctx = new_context();
    tw_approximation ep = {
        .n = N, .converged = true, .tau = tau, .nu = nu, .mean = mean, .variance = variance};
    tw_ep_options o = TW_EP_DEFAULTS;
    tw_ep_sequence *sequence = NULL;
    assert_int_equal(tw_ep_sequence_new(ctx, N, &sequence), TW_OK);
    for (size_t t = 0; t < 3; t++) {
        for (size_t i = 0; i < N; i++) {
            tau[i] = i == 1 ? 0.5 - 0.2 * (double)t : 1.0;
            nu[i] = 0.3 * (double)t;
        }
        tw_ep_sequence_learn(sequence, &ep);
    }
    tw_ep_sequence_predict(sequence, &o);
    assert_non_null(o.tau);
    for (size_t i = 0; i < N; i++) {
        assert_close(o.tau[i], i == 1 ? 0.1 : 1.0, 1e-14, "tau");
        assert_close(o.nu[i], i == 1 ? 0.6 : 0.9, 1e-14, "nu");
    }
    tw_ep_sequence_free(sequence);
    tw_context_free(ctx);
}

static bool predicts(tw_ep_sequence *sequence)
{
    tw_ep_options o = TW_EP_DEFAULTS;
    tw_ep_sequence_predict(sequence, &o);
    assert_true(!o.tau == !o.nu);
    return o.tau;
}

/* A sequence that is restored from its state predicts the same to the bit; a damaged state is refused. */
static void a_state_comes_back(void **state)
{
    (void)state;
    double numbers[4][N], changed[3 + 8 * N];
    size_t count = 0;
    tw_context *ctx = new_context();
    tw_approximation ep = approximation_in(numbers);
    tw_ep_sequence *first = NULL, *second = NULL;
    assert_int_equal(tw_ep_sequence_new(ctx, N, &first), TW_OK);
    assert_int_equal(tw_ep_sequence_new(ctx, N, &second), TW_OK);
    for (size_t t = 0; t < 6; t++) {
        fake_fit(2, 0.01 * (double)t, &ep);
        tw_ep_sequence_learn(first, &ep);
    }
    const double *kept = tw_ep_sequence_state(first, &count);
    assert_int_equal(count, sizeof changed / sizeof *changed);
    assert_int_equal(tw_ep_sequence_restore(second, count, kept), TW_OK);
    tw_ep_options a = TW_EP_DEFAULTS, b = TW_EP_DEFAULTS;
    tw_ep_sequence_predict(first, &a);
    tw_ep_sequence_predict(second, &b);
    assert_non_null(a.tau);
    assert_memory_equal(a.tau, b.tau, N * sizeof *a.tau);
    assert_memory_equal(a.nu, b.nu, N * sizeof *a.nu);
    assert_int_equal(tw_ep_sequence_restore(second, count - 1, kept), TW_BAD_DATA);
    for (size_t k = 0; k < 2; k++) {
        memcpy(changed, kept, sizeof changed);
        changed[k] = 1e9;
        assert_int_equal(tw_ep_sequence_restore(second, count, changed), TW_BAD_DATA);
    }
    tw_ep_sequence_free(first);
    tw_ep_sequence_free(second);
    tw_context_free(ctx);
}

/* Nothing is known of a sequence's first step, jumps are not predicted, and a fit that failed ends a sequence. */
static void what_is_not_known_is_not_predicted(void **state)
{
    (void)state;
    double numbers[4][N];
    tw_context *ctx = new_context();
    tw_approximation ep = approximation_in(numbers);
    tw_ep_sequence *sequence = NULL;
    assert_int_equal(tw_ep_sequence_new(ctx, N, &sequence), TW_OK);
    assert_false(predicts(sequence));
    fake_fit(1, 0.0, &ep);
    tw_ep_sequence_learn(sequence, &ep);
    assert_false(predicts(sequence));
    tw_ep_sequence_learn(sequence, &ep);
    assert_true(predicts(sequence));
    ep.nu[1] += 10.0;
    tw_ep_sequence_learn(sequence, &ep);
    assert_false(predicts(sequence));
    tw_ep_sequence_learn(sequence, &ep);
    assert_true(predicts(sequence));
    ep.converged = false;
    tw_ep_sequence_learn(sequence, &ep);
    assert_false(predicts(sequence));
    tw_ep_sequence_free(sequence);
    tw_context_free(ctx);
}

/* N = 60 cases on a line, labels in runs of three, the kernel's amplitude growing by a twentieth a step. */
static void the_fit_is_that_from_a_cold_start(void **state)
{
    (void)state;
    enum { SIZE = 60, STEPS = 12 };
    static double k[SIZE * SIZE], scaled[SIZE * SIZE];
    double y[SIZE];
    tw_context *ctx = new_context();
    tw_ep_sequence *sequence = NULL;
    size_t cold = 0, along = 0, predicted = 0;
    pose_line(SIZE, k, y);
    assert_int_equal(tw_ep_sequence_new(ctx, SIZE, &sequence), TW_OK);
    for (size_t t = 0; t < STEPS; t++) {
        for (size_t i = 0; i < SIZE * SIZE; i++) scaled[i] = k[i] * exp(0.05 * (double)t);
        tw_model *model = NULL;
        tw_approximation *one = NULL, *other = NULL;
        tw_ep_options o = TW_EP_DEFAULTS;
        assert_int_equal(tw_model_new(ctx, scaled, SIZE,
                                      OBSERVED(tw_likelihood_find("probit"), SIZE, y, NULL), 0.0, &model),
                         TW_OK);
        tw_ep_sequence_predict(sequence, &o);
        predicted += o.tau != NULL;
        assert_int_equal(tw_ep_fit(model, NULL, &one), TW_OK);
        assert_int_equal(tw_ep_fit(model, &o, &other), TW_OK);
        assert_true(one->converged && other->converged);
        tw_ep_sequence_learn(sequence, other);
        assert_close(other->log_z, one->log_z, 1e-8, "log Z");
        for (size_t i = 0; i < SIZE; i++) {
            assert_close(other->mean[i], one->mean[i], 1e-5 * sqrt(one->variance[i]), "mean");
            assert_close(other->variance[i], one->variance[i], 1e-5 * one->variance[i], "variance");
        }
        cold += one->iterations;
        along += other->iterations;
        tw_approximation_free(one);
        tw_approximation_free(other);
        tw_model_free(model);
    }
    print_message("%d points, %zu of them predicted: %zu sweeps, from cold starts %zu\n", STEPS, predicted,
                  along, cold);
    assert_true(predicted == STEPS - 2 && along + STEPS / 2 < cold);
    tw_ep_sequence_free(sequence);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* Sites may be anything that is proper; the answer is the same. Half a pair is refused. */
static void any_start_leads_to_the_same_end(void **state)
{
    (void)state;
    enum { SIZE = 20 };
    double k[SIZE * SIZE], y[SIZE], tau[SIZE], nu[SIZE];
    pose_line(SIZE, k, y);
    posed p = pose_in(NULL, SIZE, k, tw_likelihood_find("probit"), y);
    for (size_t i = 0; i < SIZE; i++) {
        tau[i] = i % 3 == 0 ? 0.0 : 5.0;
        nu[i] = i % 2 == 0 ? 3.0 : -1.0;
    }
    tw_ep_options o = TW_EP_DEFAULTS;
    tw_approximation *ep = NULL;
    o.tau = tau;
    assert_int_equal(tw_ep_fit(p.model, &o, &ep), TW_BAD_ARGUMENT);
    o.nu = nu;
    assert_int_equal(tw_ep_fit(p.model, &o, &ep), TW_OK);
    assert_true(ep->converged);
    assert_close(ep->log_z, p.ep->log_z, 1e-8, "log Z");
    tw_approximation_free(ep);
    tau[4] = NAN;
    assert_int_equal(tw_ep_fit(p.model, &o, &ep), TW_OK);
    assert_true(ep->converged);
    tw_approximation_free(ep);
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_are_predicted_exactly),
        cmocka_unit_test(a_precision_is_never_extrapolated_below_zero),
        cmocka_unit_test(a_state_comes_back),
        cmocka_unit_test(what_is_not_known_is_not_predicted),
        cmocka_unit_test(the_fit_is_that_from_a_cold_start),
        cmocka_unit_test(any_start_leads_to_the_same_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
