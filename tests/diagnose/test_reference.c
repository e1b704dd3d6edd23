/* R-hat, ESS, MCSE and the rest against R's package posterior, on the draws of tests/diagnose/draws.csv.
 *
 * Both compute the same sums in double precision in different orders; the tolerance 1e-8 allows for that
 * only. The file also contains the results without splitting, ranks or folding, which must differ.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"
#include "talweg/diagnose.h"

enum { MAX_CASES = 80, MAX_COLUMNS = 40, MAX_DRAWS = 4096, NAME = 64, MAX_LINE = 65536 };

static const double tolerance = 1e-8;

typedef struct reference {
    char name[NAME];
    size_t draws, chains;
    double value[MAX_COLUMNS];
    double x[MAX_DRAWS]; /* draws x chains */
} reference;

typedef struct references {
    size_t cases, columns;
    char column[MAX_COLUMNS][NAME];
    reference of[MAX_CASES];
} references;

/* ---- reading ---- */

static char *next_line(FILE *file, char *line)
{
    char *got = fgets(line, MAX_LINE, file);
    if (got) {
        assert_non_null(strchr(line, '\n')); /* else the line is longer than MAX_LINE */
        line[strcspn(line, "\n")] = '\0';
    }
    return got;
}

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be opened: run from the top of the repository", path);
    return file;
}

static void read_header(references *all, char *line)
{
    char *rest = NULL;
    int skipped = 0; /* case, draws, chains */
    for (char *word = strtok_r(line, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (skipped++ < 3) continue;
        assert_true(all->columns < MAX_COLUMNS);
        snprintf(all->column[all->columns++], NAME, "%s", word);
    }
}

static void read_case(references *all, char *line)
{
    char *rest = NULL;
    assert_true(all->cases < MAX_CASES);
    reference *r = &all->of[all->cases++];
    snprintf(r->name, NAME, "%s", strtok_r(line, ",", &rest));
    r->draws = strtoul(strtok_r(NULL, ",", &rest), NULL, 10);
    r->chains = strtoul(strtok_r(NULL, ",", &rest), NULL, 10);
    assert_true(r->draws * r->chains <= MAX_DRAWS);
    for (size_t i = 0; i < all->columns; i++) r->value[i] = strtod(strtok_r(NULL, ",", &rest), NULL);
}

/* The next chain of the file belongs to case r. */
static void read_chain(reference *r, char *line, double *x)
{
    char *rest = NULL;
    assert_string_equal(strtok_r(line, ",", &rest), r->name);
    for (size_t i = 0; i < r->draws; i++) x[i] = strtod(strtok_r(NULL, ",", &rest), NULL);
    assert_null(strtok_r(NULL, ",", &rest));
}

static int read_references(void **state)
{
    static references all;
    static char line[MAX_LINE];
    FILE *file = open_file("tests/diagnose/reference.csv");
    all = (references){0};
    assert_non_null(next_line(file, line));
    read_header(&all, line);
    while (next_line(file, line)) read_case(&all, line);
    fclose(file);
    file = open_file("tests/diagnose/draws.csv");
    for (size_t k = 0; k < all.cases; k++)
        for (size_t c = 0; c < all.of[k].chains; c++) {
            assert_non_null(next_line(file, line));
            read_chain(&all.of[k], line, all.of[k].x + c * all.of[k].draws);
        }
    fclose(file);
    *state = &all;
    return 0;
}

static double column(const references *all, const reference *r, const char *name)
{
    for (size_t i = 0; i < all->columns; i++)
        if (strcmp(all->column[i], name) == 0) return r->value[i];
    fail_msg("reference.csv has no column %s", name);
    return NAN;
}

/* ---- comparing ---- */

/* R-hat of chains that stand still is infinite; R's is what rounding leaves of that, above 1e12. */
static void check(const references *all, const reference *r, const char *name, double found)
{
    double expected = column(all, r, name);
    if (isnan(expected) ? isnan(found) : found == expected) return;
    if (expected > 1e12 && strcmp(name, "rhat") == 0 && found == INFINITY) return;
    double size = fabs(expected) > 0.0 ? fabs(expected) : 1.0;
    if (!(fabs(found - expected) <= tolerance * size))
        fail_msg("%s of %s: %.17g is not %.17g", name, r->name, found, expected);
}

static tw_diagnose *load(tw_context *ctx, const reference *r)
{
    tw_diagnose *d = NULL;
    assert_int_equal(tw_diagnose_new(ctx, r->draws, r->chains, &d), TW_OK);
    tw_diagnose_load(d, r->x, r->draws);
    return d;
}

static void check_case(const references *all, const reference *r, tw_diagnose *d)
{
    check(all, r, "mean", tw_diagnose_mean(d));
    check(all, r, "sd", tw_diagnose_sd(d));
    check(all, r, "q5", tw_diagnose_quantile(d, 0.05));
    check(all, r, "median", tw_diagnose_quantile(d, 0.5));
    check(all, r, "q95", tw_diagnose_quantile(d, 0.95));
    check(all, r, "rhat", tw_diagnose_rhat(d));
    check(all, r, "ess_bulk", tw_diagnose_ess_bulk(d));
    check(all, r, "ess_tail", tw_diagnose_ess_tail(d));
    check(all, r, "ess_mean", tw_diagnose_ess_mean(d));
    check(all, r, "ess_sd", tw_diagnose_ess_sd(d));
    check(all, r, "ess_q5", tw_diagnose_ess_quantile(d, 0.05));
    check(all, r, "ess_median", tw_diagnose_ess_quantile(d, 0.5));
    check(all, r, "ess_q95", tw_diagnose_ess_quantile(d, 0.95));
    check(all, r, "ess_q0", tw_diagnose_ess_quantile(d, 0.0));
    check(all, r, "ess_q100", tw_diagnose_ess_quantile(d, 1.0));
    check(all, r, "mcse_mean", tw_diagnose_mcse_mean(d));
    check(all, r, "mcse_sd", tw_diagnose_mcse_sd(d));
    check(all, r, "mcse_q5", tw_diagnose_mcse_quantile(d, 0.05));
    check(all, r, "mcse_median", tw_diagnose_mcse_quantile(d, 0.5));
    check(all, r, "mcse_q95", tw_diagnose_mcse_quantile(d, 0.95));
}

static void every_statistic_is_that_of_posterior(void **state)
{
    const references *all = *state;
    tw_context *ctx = new_context();
    assert_true(all->cases >= 50);
    for (size_t k = 0; k < all->cases; k++) {
        tw_diagnose *d = load(ctx, &all->of[k]);
        check_case(all, &all->of[k], d);
        tw_diagnose_free(d);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void check_summary(const references *all, const reference *r, tw_summary row)
{
    check(all, r, "mean", row.mean);
    check(all, r, "mcse_mean", row.mcse_mean);
    check(all, r, "sd", row.sd);
    check(all, r, "q5", row.q5);
    check(all, r, "median", row.median);
    check(all, r, "q95", row.q95);
    check(all, r, "ess_bulk", row.ess_bulk);
    check(all, r, "ess_tail", row.ess_tail);
    check(all, r, "rhat", row.rhat);
}

/* Two variables side by side, draws of both together as a sampler stores them; the second is the first
 * reversed in sign, which swaps the quantiles and changes nothing else. */
static void a_summary_over_strides_is_the_same(void **state)
{
    const references *all = *state;
    static double both[2 * MAX_DRAWS];
    tw_context *ctx = new_context();
    for (size_t k = 0; k < all->cases; k++) {
        const reference *r = &all->of[k];
        size_t total = r->draws * r->chains;
        for (size_t i = 0; i < total; i++) {
            both[2 * i] = r->x[i];
            both[2 * i + 1] = -r->x[i];
        }
        tw_diagnose *d = load(ctx, r);
        tw_summary row[2];
        check_summary(all, r, tw_diagnose_summary(d));
        tw_diagnose_run(d, 2, both, (tw_strides){.draw = 2, .chain = 2 * r->draws, .variable = 1}, row);
        check_summary(all, r, row[0]);
        check(all, r, "rhat", row[1].rhat);
        check(all, r, "ess_bulk", row[1].ess_bulk);
        check(all, r, "sd", row[1].sd);
        check(all, r, "q5", -row[1].q95);
        tw_diagnose_free(d);
    }
    tw_context_free(ctx);
}

/* ---- teeth ---- */

/* In how many cases does a wrong statistic differ from the right one by more than a hundred tolerances? */
static size_t told_apart(const references *all, const char *right, const char *wrong)
{
    size_t cases = 0;
    for (size_t k = 0; k < all->cases; k++) {
        double a = column(all, &all->of[k], right), b = column(all, &all->of[k], wrong);
        cases += fabs(a - b) > 100.0 * tolerance * fabs(a);
    }
    return cases;
}

static void the_draws_tell_wrong_statistics_from_right_ones(void **state)
{
    const references *all = *state;
    assert_true(told_apart(all, "rhat", "wrong_rhat_no_split") >= 30);
    assert_true(told_apart(all, "rhat", "wrong_rhat_no_ranks") >= 30);
    assert_true(told_apart(all, "rhat", "wrong_rhat_no_folding") >= 8);
    assert_true(told_apart(all, "ess_bulk", "wrong_ess_no_split") >= 30);
    assert_true(told_apart(all, "ess_bulk", "wrong_ess_no_ranks") >= 25);
    assert_true(told_apart(all, "ess_tail", "ess_q5") >= 8);
    assert_true(told_apart(all, "ess_tail", "ess_q95") >= 8);
}

static void chains_that_disagree_are_flagged(void **state)
{
    const references *all = *state;
    const char *bad[] = {"shifted", "apart", "scales", "trend", "random_walk", "ar_099"};
    size_t found = 0;
    for (size_t k = 0; k < all->cases; k++)
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            if (strcmp(all->of[k].name, bad[i]) == 0) {
                assert_true(column(all, &all->of[k], "rhat") > 1.05);
                found++;
            }
    assert_int_equal(found, sizeof bad / sizeof *bad);
}

/* ---- what posterior is not asked ---- */

/* Halves of one draw have no variance. (With several chains posterior, by dropping a dimension, takes them
 * for as many draws.) */
static void fewer_than_four_draws_have_no_diagnostics(void **state)
{
    (void)state;
    const double x[12] = {0.3, -1.1, 0.8, 2.0, -0.4, 0.1, 1.7, -0.9, 0.5, -2.1, 0.6, 1.2};
    tw_context *ctx = new_context();
    for (size_t draws = 1; draws < 4; draws++) {
        tw_diagnose *d = NULL;
        assert_int_equal(tw_diagnose_new(ctx, draws, 4, &d), TW_OK);
        assert_true(isnan(tw_diagnose_summary(d).mean)); /* nothing taken yet */
        tw_diagnose_load(d, x, 3);
        tw_summary row = tw_diagnose_summary(d);
        assert_true(isfinite(row.mean) && isfinite(row.sd) && isfinite(row.q5));
        assert_true(isnan(row.rhat) && isnan(row.ess_bulk) && isnan(row.ess_tail) && isnan(row.mcse_mean));
        tw_diagnose_free(d);
    }
    tw_context_free(ctx);
}

static void bad_sizes_and_probabilities_are_refused(void **state)
{
    const references *all = *state;
    tw_context *ctx = new_context();
    tw_diagnose *d = NULL;
    assert_int_equal(tw_diagnose_new(ctx, 0, 4, &d), TW_BAD_ARGUMENT);
    assert_int_equal(tw_diagnose_new(ctx, 4, 0, &d), TW_BAD_ARGUMENT);
    assert_int_equal(tw_diagnose_new(ctx, SIZE_MAX / 2, 4, &d), TW_BAD_ARGUMENT);
    assert_null(d);
    d = load(ctx, &all->of[0]);
    const double p[] = {-0.1, 1.1, NAN};
    for (size_t i = 0; i < 3; i++) {
        assert_true(isnan(tw_diagnose_quantile(d, p[i])));
        assert_true(isnan(tw_diagnose_ess_quantile(d, p[i])));
        assert_true(isnan(tw_diagnose_mcse_quantile(d, p[i])));
    }
    tw_diagnose_free(d);
    tw_diagnose_free(NULL);
    tw_context_free(ctx);
}

/* Squares beyond the largest double. */
static void an_overflow_is_nan(void **state)
{
    (void)state;
    double x[40];
    for (int i = 0; i < 40; i++) x[i] = (i * 7 % 11 - 5) * 1e200;
    tw_context *ctx = new_context();
    tw_diagnose *d = NULL;
    assert_int_equal(tw_diagnose_new(ctx, 20, 2, &d), TW_OK);
    tw_diagnose_load(d, x, 20);
    assert_true(isnan(tw_diagnose_ess_mean(d)) && isnan(tw_diagnose_mcse_mean(d)));
    assert_true(isfinite(tw_diagnose_rhat(d)) && isfinite(tw_diagnose_ess_bulk(d)));
    tw_diagnose_free(d);
    tw_context_free(ctx);
}

static void every_allocation_may_fail_and_a_run_makes_none(void **state)
{
    const references *all = *state;
    const reference *r = &all->of[0];
    failing_allocator allocator = {.fail_at = 1};
    tw_status status = TW_NO_MEMORY;
    while (status != TW_OK) {
        tw_context *ctx = failing_context(&allocator);
        tw_diagnose *d = NULL;
        status = tw_diagnose_new(ctx, r->draws, r->chains, &d);
        assert_true(status == (d ? TW_OK : TW_NO_MEMORY));
        size_t calls = allocator.calls;
        tw_summary row;
        if (d) tw_diagnose_run(d, 1, r->x, (tw_strides){.draw = 1, .chain = r->draws, .variable = 0}, &row);
        assert_int_equal(allocator.calls, calls);
        tw_diagnose_free(d);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
        allocator.fail_at++;
    }
    assert_true(allocator.fail_at > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_statistic_is_that_of_posterior),
        cmocka_unit_test(a_summary_over_strides_is_the_same),
        cmocka_unit_test(the_draws_tell_wrong_statistics_from_right_ones),
        cmocka_unit_test(chains_that_disagree_are_flagged),
        cmocka_unit_test(fewer_than_four_draws_have_no_diagnostics),
        cmocka_unit_test(bad_sizes_and_probabilities_are_refused),
        cmocka_unit_test(an_overflow_is_nan),
        cmocka_unit_test(every_allocation_may_fail_and_a_run_makes_none),
    };
    return cmocka_run_group_tests(tests, read_references, NULL);
}
