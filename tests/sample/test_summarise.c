/* The summary of all latents and chains together: the worst values, against hand computation. */
#include "sample/summarise.h"

#include <math.h>

#include "math/random.h"
#include "support/support.h"

static tw_chains_summary summary_of(size_t n, const tw_summary *rows)
{
    tw_context *ctx = new_context();
    tw_chains_summary out = tw_summarise_totals(&(tw_totals){0});
    assert_int_equal(tw_summarise_rows(ctx, n, rows, &out), TW_OK);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    return out;
}

static void the_worst_latent_speaks_for_all(void **state)
{
    (void)state;
    tw_summary rows[4] = {{.sd = 1, .ess_bulk = 300, .ess_tail = 70, .ess_fold = 60, .rhat = 1.00},
                          {.sd = 1, .ess_bulk = 100, .ess_tail = 90, .ess_fold = 85, .rhat = 1.05},
                          {.sd = 1, .ess_bulk = 200, .ess_tail = 80, .ess_fold = 99, .rhat = 1.02},
                          {.sd = 1, .ess_bulk = 500, .ess_tail = 95, .ess_fold = 50, .rhat = 1.01}};
    for (size_t k = 0; k < 4; k++) {
        rows[k].ess = tw_summary_ess(&rows[k]);
        rows[k].rhat_chance = 0.1 + 0.1 * (double)k;
    }
    tw_chains_summary four = summary_of(4, rows), three = summary_of(3, rows);
    assert_close(four.ess_min, 50.0, 0.0, "smallest ESS");
    assert_close(four.ess_median, 70.0, 0.0, "median ESS");
    assert_close(four.ess_bulk_min, 100.0, 0.0, "smallest bulk ESS");
    assert_close(four.ess_fold_min, 50.0, 0.0, "smallest fold ESS");
    assert_close(four.rhat_chance, 1.0 - 0.9 * 0.9 * 0.9 * 0.9, 1e-15, "chance of the largest of four");
    assert_int_equal(four.worst, 3);
    assert_int_equal(three.worst, 0);
    assert_close(four.ess_tail_min, 70.0, 0.0, "smallest tail ESS");
    assert_close(four.rhat_max, 1.05, 0.0, "largest R-hat");
    assert_close(four.ess_bulk_median, 250.0, 0.0, "median of four");
    assert_close(three.ess_bulk_median, 200.0, 0.0, "median of three");
}

/* A latent that was not finite, wherever it is: what is not known of one is not known of all. */
static void an_unknown_latent_makes_all_unknown(void **state)
{
    (void)state;
    for (size_t still = 0; still < 3; still++) {
        tw_summary rows[3] = {{.sd = 1, .ess_bulk = 50, .ess_tail = 70, .ess = 50, .rhat = 1.2},
                              {.sd = 1, .ess_bulk = 400, .ess_tail = 90, .ess = 90, .rhat = 1.0},
                              {.sd = 1, .ess_bulk = 300, .ess_tail = 80, .ess = 80, .rhat = 1.1}};
        rows[still] = (tw_summary){.sd = NAN, .ess_bulk = NAN, .ess_tail = NAN, .ess = NAN, .rhat = NAN};
        tw_chains_summary all = summary_of(3, rows);
        assert_true(isnan(all.ess_min) && isnan(all.ess_median));
        assert_true(isnan(all.ess_bulk_min) && isnan(all.ess_bulk_median) && isnan(all.ess_tail_min));
        assert_true(isnan(all.rhat_max));
        assert_int_equal(all.worst, still);
    }
}

/* A latent whose prior variance is 0 never moves: it is known. Where all stand still, nothing is. */
static void a_latent_without_variance_is_left_out(void **state)
{
    (void)state;
    tw_summary rows[3] = {
        {.sd = 0.0, .ess_bulk = NAN, .ess_tail = NAN, .ess_fold = NAN, .ess = NAN, .rhat = NAN},
        {.sd = 1.0, .ess_bulk = 400, .ess_tail = 90, .ess_fold = 95, .ess = 90, .rhat = 1.1},
        {.sd = 1.0, .ess_bulk = 300, .ess_tail = 80, .ess_fold = 95, .ess = 80, .rhat = 1.0}};
    rows[0].rhat_chance = NAN;
    tw_chains_summary all = summary_of(3, rows), still = summary_of(1, rows);
    assert_true(all.ess_min == 80.0 && all.ess_median == 85.0 && all.worst == 2 && all.rhat_max == 1.1);
    assert_true(isnan(still.ess_min) && isnan(still.rhat_max) && isnan(still.rhat_chance));
}

/* E-BFMI = sum (E_i - E_{i-1})^2 / sum (E_i - mean)^2, for each chain by hand. */
static void the_smallest_fraction_counts(void **state)
{
    (void)state;
    const double energy[2 * 4] = {0, 1, 0, 1, /* 3 / 1 */ 0, 1, 2, 3 /* 3 / 5 */};
    assert_close(tw_summarise_energies(4, 1, energy), 3.0, 1e-15, "a chain that jumps");
    assert_close(tw_summarise_energies(4, 2, energy), 0.6, 1e-15, "one that creeps beside it");
    const double other[2 * 4] = {0, 1, 2, 3, 0, 1, 0, 1};
    assert_close(tw_summarise_energies(4, 2, other), 0.6, 1e-15, "in the other order");
}

/* The energies of a run lie draw by draw, all chains of a draw together. */
static void energies_are_those_of_a_chain(void **state)
{
    (void)state;
    const double energy[2][4] = {{0, 1, 0, 1}, {0, 1, 2, 3}};
    tw_record records[8] = {{0}};
    tw_chains_summary out;
    tw_context *ctx = new_context();
    for (size_t i = 0; i < 8; i++) records[i].energy = energy[i % 2][i / 2];
    tw_draws d = {.ctx = ctx, .method = TW_METHOD_HMC, .n = 1, .chains = 2, .draws = 4, .records = records};
    assert_int_equal(tw_draws_summarise(&d, 1, NULL, &out), TW_OK);
    assert_close(out.ebfmi_min, 0.6, 1e-15, "E-BFMI");
    tw_context_free(ctx);
}

static void records_are_added_up(void **state)
{
    (void)state;
    const tw_record records[2] = {
        {.steps = 3, .acceptance_rate = 0.25, .energy_divergence = true, .irreversible = true},
        {.steps = 4, .acceptance_rate = 0.5, .implicit_failure = true, .factorisation = true}};
    tw_totals t = {.transitions = 10,
                   .leapfrog_steps = 20,
                   .acceptance = 1.0,
                   .energy_divergence = 1,
                   .implicit_failure = 2,
                   .irreversible = 3,
                   .factorisation = 4};
    tw_totals_add(&t, 2, records);
    assert_true(t.transitions == 12 && t.leapfrog_steps == 27 && t.acceptance == 1.75);
    assert_true(t.energy_divergence == 2 && t.implicit_failure == 3 && t.irreversible == 4 &&
                t.factorisation == 5);
    assert_close(tw_summarise_totals(&t).acceptance, 1.75 / 12.0, 1e-15, "acceptance");
}

/* Four chains of 200 independent numbers for each of 160 latents; one latent of them is slow, in steps of 1/10, or stands still. */
enum { LATENTS = 160, CHAINS = 4, DRAWS = 200 };

static void fill_draws(double *x, size_t odd, bool stands_still)
{
    tw_stream stream = tw_stream_at(1, TW_STREAM_DATA, 0, 0);
    tw_stream_normals(&stream, LATENTS * CHAINS * DRAWS, x);
    for (size_t i = 0; i < DRAWS; i++)
        for (size_t c = 0; c < CHAINS; c++) {
            double *here = x + (i * CHAINS + c) * LATENTS + odd;
            *here = stands_still ? 1.0 : 0.1 * *here + (i > 0 ? here[-LATENTS * CHAINS] : 0.0);
        }
}

/* A few of them tell that all fall short only where all do: never against the summary of all, and a slow one among the few is enough. */
static void a_few_latents_tell_that_all_fall_short(void **state)
{
    (void)state;
    static double x[LATENTS * CHAINS * DRAWS];
    tw_context *ctx = new_context();
    tw_draws d = {.ctx = ctx, .n = LATENTS, .chains = CHAINS, .draws = DRAWS, .x = x};
    tw_chains_summary all;
    size_t found = 0;
    bool falls_short;
    for (size_t odd = 0; odd < 10; odd++) {
        fill_draws(x, odd, false);
        assert_int_equal(tw_draws_fall_short(&d, 1, 100.0, &falls_short), TW_OK);
        assert_int_equal(tw_draws_summarise(&d, 1, NULL, &all), TW_OK);
        assert_true(all.ess_min < 100.0 && !tw_summary_reaches(&all, 100.0));
        found += falls_short;
    }
    assert_int_equal(found, 2); /* each fifth one of 160 is looked at */
    fill_draws(x, 0, true);
    assert_int_equal(tw_draws_fall_short(&d, 1, 100.0, &falls_short), TW_OK);
    assert_int_equal(tw_draws_summarise(&d, 1, NULL, &all), TW_OK);
    assert_true(!falls_short && tw_summary_reaches(&all, 100.0));
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_latent_speaks_for_all),
        cmocka_unit_test(an_unknown_latent_makes_all_unknown),
        cmocka_unit_test(a_latent_without_variance_is_left_out),
        cmocka_unit_test(the_smallest_fraction_counts),
        cmocka_unit_test(energies_are_those_of_a_chain),
        cmocka_unit_test(records_are_added_up),
        cmocka_unit_test(a_few_latents_tell_that_all_fall_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
