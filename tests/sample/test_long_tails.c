/* Coverage in the tails: 69 posteriors of one and two latents under all 17 likelihoods (support/tail_case.h), by the
 * automatic choice and by each method by name, over 400 runs for each likelihood, against quadrature: mean, sd, 5 %
 * and 95 % quantile in units of their reported errors, and visits to the tails of 1 % on either side.
 *
 * It takes about 15 minutes: make test-long. With arguments METHOD METRIC RUNS [LIKELIHOOD] it prints one table, and
 * checks nothing: `build/tests/test_sample_long_tails ess ep 400 poisson`; METHOD perfect: independent draws, of which
 * METRIC says how many each of 32 chains has.
 *
 * Expectation: of 2,048 independent draws 0.3 to 0.7 % of scores are beyond 3, of 512 1.7 %, not 0.27 %, since errors are
 * themselves estimated and tails are skew. Scores of a run are correlated: the number beyond 3 has about twice the variance of a
 * binomial one. With 1 % beyond 3, a likelihood of 1,600 scores exceeds 2.2 % with probability 1e-3; all limits
 * together 4 % for the file, with fixed seeds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"
#include "support/tail_case.h"

enum { RUNS = 400, FEW_RUNS = 40, METHODS = 11 };

static const char *const methods[METHODS][2] = {
    {"ess", "ep"},        {"ess", "prior"},    {"hmc", "ep"},        {"hmc", "prior"},
    {"hmc", "identity"},  {"mgrad", "ep"},     {"mgrad", "prior"},   {"rmhmc", "smoothed"},
    {"rmhmc", "hessian"}, {"rmhmc", "fisher"}, {"rmhmc", "anchored"}};

static bool same_likelihood(const tail_case *a, const tail_case *b)
{
    return strcmp(a->likelihood, b->likelihood) == 0;
}

static void run_case(size_t index, const char *method, const char *metric, size_t runs, tail_tally *t)
{
    size_t count;
    const tail_case *c = &tail_cases(&count)[index];
    bool perfect = strcmp(method, "perfect") == 0;
    tail_truth truth[2];
    if (perfect && c->n > 1) return;
    tail_integrate(c, truth);
    for (size_t k = 0; k < runs; k++) {
        uint64_t seed = 1 + 1000 * index + k;
        if (perfect)
            tail_run_perfect(c, truth, (size_t)atoi(metric), seed, t);
        else
            tail_run(c, truth, method, metric, seed, t);
    }
}

/* Mean visits to a tail, as a fraction of what is expected, and their standard error. */
static double visits(const tail_tally *t, size_t side, double *se)
{
    double runs = (double)(t->runs - t->flagged), mean = t->visits[side] / runs;
    *se = sqrt((t->square_visits[side] / runs - mean * mean) / (runs - 1.0));
    return mean;
}

static double beyond(const tail_tally *t)
{
    return t->scores > 0 ? (double)t->beyond / (double)t->scores : 0.0;
}

static double rms(const tail_tally *t)
{
    return t->scores > 0 ? sqrt(t->square / (double)t->scores) : 1.0;
}

static void print_row(const char *what, const char *method, const char *metric, const tail_tally *t)
{
    double se[2], low = visits(t, 0, &se[0]), high = visits(t, 1, &se[1]);
    printf("%-22s %-7s %-9s %5zu runs, %4zu flagged (%4zu right); of the others %5.2f %% beyond 3, rms %.3f, "
           "largest "
           "%4.1f, visits %.3f(%.0f) and %.3f(%.0f)",
           what, method, metric, t->runs, t->flagged, t->right_flagged, 100.0 * beyond(t), rms(t), t->largest,
           low, 1e3 * se[0], high, 1e3 * se[1]);
    for (int m = 0; m < TW_METHOD_COUNT; m++)
        for (int k = 0; k < TW_METRIC_COUNT; k++)
            if (strcmp(method, "auto") == 0 && t->won[m][k])
                printf(" %s/%s %zu", tw_method_name((tw_method)m), tw_metric_name((tw_metric)k),
                       t->won[m][k]);
    for (int k = 0; k < TW_WARNING_COUNT; k++)
        if (t->warned[k]) printf(" %s %zu", tw_warning_name((tw_warning_code)k), t->warned[k]);
    printf("\n");
    fflush(stdout);
}

/* Run the cases of all likelihoods whose name contains `only`, `runs` for each likelihood; one row and one call of
 * `check` for each. */
static void run_all(const char *method, const char *metric, size_t runs, const char *only,
                    void (*check)(const tail_tally *t))
{
    size_t count;
    const tail_case *all = tail_cases(&count);
    tail_tally total = {0};
    for (size_t i = 0, next; i < count; i = next) {
        tail_tally t = {0};
        for (next = i; next < count && same_likelihood(&all[i], &all[next]); next++) continue;
        if (!strstr(all[i].likelihood, only)) continue;
        for (size_t k = i; k < next; k++) run_case(k, method, metric, (runs + next - i - 1) / (next - i), &t);
        print_row(all[i].likelihood, method, metric, &t);
        if (check) check(&t);
        tail_add(&t, &total);
    }
    print_row("all", method, metric, &total);
}

/* Slice sampling from EP's ellipse alone has 2.3 % of its scores beyond 3, up to 7 % by likelihood, and visits exponential tails 0.72
 * to 0.9 times as often as it should. */
static void check_choice(const tail_tally *t)
{
    assert_true(beyond(t) < 0.022 && t->largest < 7.0);
    assert_true(rms(t) > 0.9 && rms(t) < 1.2);
    assert_true(t->right_flagged * 50 <= t->runs);
    for (size_t side = 0; side < 2; side++) {
        double se, mean = visits(t, side, &se);
        assert_true(fabs(mean - 1.0) < 4.0 * se + 0.02);
    }
}

static void the_automatic_choice_covers_tails(void **state)
{
    (void)state;
    run_all("auto", "auto", RUNS, "", check_choice);
}

/* A method by name may be too slow for a posterior, and says so; where it says nothing it is right. */
static void check_named(const tail_tally *t)
{
    assert_true(t->beyond <= 4 + t->scores / 25);
}

static void methods_by_name_cover_tails_or_warn(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) run_all(methods[m][0], methods[m][1], FEW_RUNS, "", check_named);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_automatic_choice_covers_tails),
                                       cmocka_unit_test(methods_by_name_cover_tails_or_warn)};
    if (argc < 4) return cmocka_run_group_tests(tests, NULL, NULL);
    run_all(argv[1], argv[2], (size_t)atoi(argv[3]), argc > 4 ? argv[4] : "", NULL);
    return 0;
}
