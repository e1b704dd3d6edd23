/* The numbers that the figures of a page show. This program keeps the scripts that gnuplot would get: its functions stand
 * before those of report/gnuplot.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/run_case.h"
#include "support/scratch_folder.h"
#include "support/support.h"
#include "talweg/report.h"

enum { DRAWS = 40, BINS = 41, MOST_NUMBERS = 6 };

static char scripts[1 << 20]; /* all of a page, one after the other */
static size_t length;

bool tw_gnuplot_available(void)
{
    return true;
}

tw_status tw_gnuplot_begin(tw_context *ctx, tw_gnuplot *plot)
{
    *plot = (tw_gnuplot){.ctx = ctx, .script = tmpfile()};
    assert_non_null(plot->script);
    return TW_OK;
}

tw_status tw_gnuplot_end(tw_gnuplot *plot, FILE *picture)
{
    rewind(plot->script);
    length += fread(scripts + length, 1, sizeof scripts - 1 - length, plot->script);
    scripts[length] = '\0';
    fclose(plot->script);
    fputs("<svg viewBox=\"0 0 6 3\"\n>\n</svg>\n", picture);
    return TW_OK;
}

void tw_gnuplot_abandon(tw_gnuplot *plot)
{
    fclose(plot->script);
}

void tw_gnuplot_quote(const char *text, FILE *to)
{
    fprintf(to, "'%s'", text);
}

/* Draw the page of a run of this kind. */
static void draw_page(run_kind kind)
{
    tw_context *ctx = new_context();
    scratch_folder folder = scratch_folder_new();
    char run[600], page[600];
    const char *path = run;
    tw_problem *problem = NULL;
    tw_pool *pool = NULL;
    const tw_report_options options = TW_REPORT_DEFAULTS;
    const tw_run_options plain = {.threads = 1};
    snprintf(run, sizeof run, "%s", scratch_path(&folder, "run.nc"));
    snprintf(page, sizeof page, "%s", scratch_path(&folder, "page.html"));
    assert_int_equal(run_problem_new(ctx, kind, &problem), TW_OK);
    assert_int_equal(run_write(ctx, run, &plain, problem, DRAWS), TW_OK);
    assert_int_equal(tw_pool_open(ctx, 1, &path, &pool), TW_OK);
    length = 0;
    if (tw_report_write(pool, page, &options) != TW_OK) fail_msg("%s", tw_context_message(ctx));
    tw_pool_close(pool);
    tw_problem_free(problem);
    scratch_folder_remove(&folder);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* The rows of a data block with `columns` numbers each; returns how many there are. */
static size_t read_block(const char *name, size_t columns, size_t most, double (*row)[MOST_NUMBERS])
{
    char begin[64];
    size_t count = 0;
    snprintf(begin, sizeof begin, "$%s << END\n", name);
    const char *at = strstr(scripts, begin);
    if (!at) {
        fail_msg("no figure has the data %s", name);
        return 0;
    }
    for (at += strlen(begin); strncmp(at, "END", 3) != 0; count++) {
        char *end = NULL;
        assert_true(count < most);
        for (size_t k = 0; k < columns; k++, at = end) row[count][k] = strtod(at, &end);
        assert_true(*end == '\n');
        at = end + 1;
    }
    return count;
}

/* ---- energies ---- */

static double energy_at(size_t chain, size_t draw)
{
    double t = (double)draw + 0.1 * (double)chain; /* see run_draw_make */
    return 5.0 + sin(t * t);
}

/* The outline of a histogram from -reach to reach: a point at 0, two for each bin, and one at 0. */
static void assert_histogram(const char *name, double reach, const double *density)
{
    static double row[2 * BINS + 3][MOST_NUMBERS];
    assert_int_equal(read_block(name, 2, 2 * BINS + 3, row), 2 * BINS + 2);
    double width = 2.0 * reach / BINS;
    for (size_t b = 0; b < BINS; b++)
        for (size_t k = 0; k < 2; k++) {
            const double *corner = row[1 + 2 * b + k];
            assert_close(corner[0], -reach + (double)(b + k) * width, 1e-5, "an edge");
            assert_close(corner[1], density[b], 1e-5, name);
        }
}

/* E minus its mean in each chain, and the changes of E, of all chains, in 41 bins from -reach to reach, 1.0001 times the
 * largest of both; in units of density. */
static void energies_are_counted_over_all_chains(void **state)
{
    (void)state;
    double mean[RUN_CHAINS] = {0.0}, reach = 0.0, marginal[BINS] = {0.0}, change[BINS] = {0.0};
    draw_page(RUN_KERNEL);
    for (size_t c = 0; c < RUN_CHAINS; c++)
        for (size_t i = 0; i < DRAWS; i++) mean[c] += energy_at(c, i) / DRAWS;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t c = 0; c < RUN_CHAINS; c++)
            for (size_t i = 0; i < DRAWS; i++) {
                double e = energy_at(c, i) - mean[c], d = i > 0 ? energy_at(c, i) - energy_at(c, i - 1) : 0.0;
                if (pass == 0) {
                    reach = fmax(reach, 1.0001 * fmax(fabs(e), fabs(d)));
                    continue;
                }
                double width = 2.0 * reach / BINS;
                marginal[(size_t)((e + reach) / width)] += 1.0 / (RUN_CHAINS * DRAWS * width);
                if (i > 0) change[(size_t)((d + reach) / width)] += 1.0 / (RUN_CHAINS * (DRAWS - 1) * width);
            }
    }
    assert_histogram("marginal", reach, marginal);
    assert_histogram("change", reach, change);
}

/* ---- calibration ---- */

/* Predicted and observed frequency, Wilson's interval, and 0.3 times the share of the cases: the shares add up to 1, and
 * the ends p of the interval solve (p - observed)^2 = 1.96^2 p (1 - p)/n. */
static void calibration_has_the_intervals_of_its_bins(void **state)
{
    (void)state;
    static double row[16][MOST_NUMBERS];
    double all = 0.0, positive = 0.0;
    draw_page(RUN_MATRIX);
    size_t count = read_block("bins", 5, 16, row);
    assert_true(count > 2); /* the first is empty, for plots without a bin */
    for (size_t b = 1; b < count; b++) {
        double share = row[b][4] / 0.3, n = share * RUN_N;
        all += share;
        positive += share * row[b][1];
        assert_close(n, round(n), 1e-3, "a number of cases");
        for (size_t k = 2; k < 4; k++) {
            double p = row[b][k], away = p - row[b][1];
            assert_close(away * away, 1.959964 * 1.959964 * p * (1.0 - p) / n, 1e-4, "an end");
            assert_true(k == 2 ? away <= 0.0 : away >= 0.0);
        }
    }
    assert_close(all, 1.0, 1e-4, "all cases");
    assert_close(positive, 8.0 / RUN_N, 1e-4, "the labels +1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_are_counted_over_all_chains),
        cmocka_unit_test(calibration_has_the_intervals_of_its_bins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
