/* The report page: its contents for draws, for a summary only and for estimates only; it contains no text of
 * a user as markup, is the same for any number of threads, and survives failing allocations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "output/report/expected.h"
#include "support/run_case.h"
#include "support/scratch_folder.h"
#include "support/support.h"
#include "talweg/report.h"

enum { DRAWS = 40 };

typedef struct pages {
    tw_context *ctx;
    scratch_folder folder;
    tw_problem *problem;
    char page[600];
} pages;

static pages pages_new(run_kind kind)
{
    pages p = {.ctx = new_context(), .folder = scratch_folder_new()};
    assert_int_equal(run_problem_new(p.ctx, kind, &p.problem), TW_OK);
    snprintf(p.page, sizeof p.page, "%s", scratch_path(&p.folder, "page.html"));
    return p;
}

static void pages_free(pages *p)
{
    tw_problem_free(p->problem);
    scratch_folder_remove(&p->folder);
    assert_int_equal(tw_context_bytes_in_use(p->ctx), 0);
    tw_context_free(p->ctx);
}

/* The page of one file; the caller frees it. */
static char *make_page(pages *p, const char *path, const tw_report_options *options)
{
    tw_pool *pool = NULL;
    assert_int_equal(tw_pool_open(p->ctx, 1, &path, &pool), TW_OK);
    if (tw_report_write(pool, p->page, options) != TW_OK) fail_msg("%s", tw_context_message(p->ctx));
    tw_pool_close(pool);
    FILE *file = fopen(p->page, "r");
    char *text = calloc(1, 4 << 20);
    assert_true(file && text);
    assert_true(fread(text, 1, (4 << 20) - 1, file) < (2 << 20)); /* 2 MB at most */
    fclose(file);
    return text;
}

static void holds(const char *page, const char *words)
{
    if (!strstr(page, words)) fail_msg("the page does not hold \"%s\"", words);
}

static void lacks(const char *page, const char *words)
{
    if (strstr(page, words)) fail_msg("the page holds \"%s\": %.80s", words, strstr(page, words));
}

/* Every tag that is opened is closed, in the right order. */
static void assert_well_formed(const char *page)
{
    static const char *const alone[] = {"!DOCTYPE", "meta", "link"};
    char open[64][24];
    size_t depth = 0;
    for (const char *at = strchr(page, '<'); at; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        char name[24] = "";
        assert_non_null(end);
        sscanf(at, "</%22[A-Za-z0-9!]", name);
        if (at[1] == '/') {
            assert_true(depth > 0);
            assert_string_equal(name, open[--depth]);
            continue;
        }
        bool is_alone = end[-1] == '/';
        sscanf(at, "<%22[A-Za-z0-9!]", name);
        for (size_t k = 0; k < sizeof alone / sizeof *alone; k++) is_alone |= strcmp(name, alone[k]) == 0;
        assert_true(depth < 64);
        if (!is_alone) strcpy(open[depth++], name);
    }
    assert_int_equal(depth, 0);
}

static void write_draws(pages *p, const char *name, bool summary_only, char path[600])
{
    snprintf(path, 600, "%s", scratch_path(&p->folder, name));
    tw_run_options options = {.threads = 1, .summary_only = summary_only};
    assert_int_equal(run_write(p->ctx, path, &options, p->problem, DRAWS), TW_OK);
}

static void a_page_about_draws(void **state)
{
    (void)state;
    char path[600];
    pages p = pages_new(RUN_KERNEL);
    tw_report_options options = TW_REPORT_DEFAULTS;
    options.title = "<script>alert(1)</script> & \"more\"";
    write_draws(&p, "<img src=x onerror=alert(2)>'&.nc", false, path);
    char *page = make_page(&p, path, &options);
    assert_well_formed(page);
    holds(page, "<h1>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;</h1>");
    holds(page, "&lt;img src=x onerror=alert(2)&gt;&#39;&amp;.nc");
    lacks(page, "<img");
    lacks(page, "<script");
    lacks(page, "://");
    holds(page, "Content-Security-Policy");
    holds(page, "Check this before you use the draws");
    holds(page, ". Sample longer, or with another method.</li>"); /* advice without the program's options */
    lacks(page, "--draws");
    holds(page, "exposure from 0.5 to 1.6");
    holds(page, "Predicted mean of y for exposure 1");
    holds(page, "Ranks of the draws of x.");
    holds(page, "18446744073709551610"); /* the seed */
    holds(page, "<span>talweg</span> <span>sample</span> <span>&#39;some</span> <span>data.csv&#39;</span> "
                "<span>-o</span> <span>run.nc</span>"); /* the command, which wraps between its words only */
    free(page);
    pages_free(&p);
}

/* Nothing but tables where the draws were not kept; and a given matrix has no inputs to map. */
static void a_page_about_a_summary(void **state)
{
    (void)state;
    char path[600];
    pages p = pages_new(RUN_MATRIX);
    write_draws(&p, "run.nc", true, path);
    char *page = make_page(&p, path, NULL);
    assert_well_formed(page);
    holds(page, "<h1>some data.csv</h1>");
    holds(page, "a given matrix");
    lacks(page, "Traces and ranks");
    holds(page, "ESS bulk");
    lacks(page, "Calibration");
    lacks(page, "Trace of x.");
    free(page);
    pages_free(&p);
}

static tw_run_evidence two_estimates(double apart)
{
    tw_run_evidence e = {.laplace = -19.5,
                         .ep = -10.25,
                         .ep_corrected = -10.2,
                         .from = "ep",
                         .kernel = "hmc/ep",
                         .count = 2,
                         .seconds = {1.0, 2.0}};
    e.estimates[0] = (tw_estimate){.method = "ais",
                                   .log_z = -10.125,
                                   .se = 0.02,
                                   .se_bootstrap = 0.02,
                                   .weight_ess = 99.5,
                                   .acceptance = 0.8,
                                   .particles = 128,
                                   .temperatures = 32,
                                   .unbiased = true,
                                   .pareto_k = 0.9,
                                   .missed = NAN};
    e.estimates[1] = (tw_estimate){.method = "stepping-stone",
                                   .log_z = -10.125 + apart,
                                   .se = 0.01,
                                   .se_bootstrap = NAN,
                                   .weight_ess = NAN,
                                   .acceptance = 0.8,
                                   .particles = 16,
                                   .temperatures = 12,
                                   .pareto_k = NAN,
                                   .missed = NAN,
                                   .trips = 3.0};
    return e;
}

static void a_page_about_estimates(void **state)
{
    (void)state;
    pages p = pages_new(RUN_MATRIX);
    tw_run_facts facts = run_facts(p.problem);
    tw_report_options options = TW_REPORT_DEFAULTS;
    options.overwrite = true;
    for (int k = 0; k < 2; k++) {
        tw_run_evidence e = two_estimates(k == 0 ? 0.05 : 0.5);
        const char *path = scratch_path(&p.folder, "evidence.nc");
        assert_int_equal(tw_run_write_evidence(p.ctx, path, true, p.problem, &facts, &e), TW_OK);
        char *page = make_page(&p, path, &options);
        assert_well_formed(page);
        holds(page, k == 0 ? "The estimates of log Z agree" : "The estimates of log Z do not agree");
        holds(page, "<p>ais: the weights have a heavy tail: Pareto k is 0.90, ");
        (k == 0 ? holds : lacks)(page, "EP is 0.175 nats below");
        (k == 0 ? holds : lacks)(page, "<section class=\"verdict bad\">\n<h2>The approximations differ by "
                                       "more than Monte Carlo error</h2>");
        (k == 0 ? holds : lacks)(page, "log Z with its standard error");
        holds(page, "<td>stepping-stone</td>");
        holds(page, "99.5 of 128");
        holds(page, "Laplace (dotted) -19.500 (further left)");
        holds(page, "All paths start at q = ep and use hmc/ep.");
        lacks(page, "R-hat of all latents");
        free(page);
    }
    pages_free(&p);
}

static void there_must_be_something_to_report(void **state)
{
    (void)state;
    char path[600];
    pages p = pages_new(RUN_MATRIX);
    tw_pool *pool = NULL;
    const char *name = path;
    snprintf(path, sizeof path, "%s", scratch_path(&p.folder, "empty.nc"));
    assert_int_equal(run_write(p.ctx, path, &(tw_run_options){.threads = 1}, p.problem, 0), TW_OK);
    assert_int_equal(tw_pool_open(p.ctx, 1, &name, &pool), TW_OK);
    assert_int_equal(tw_report_write(pool, p.page, NULL), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(p.ctx), "neither draws nor estimates"));
    assert_int_equal(scratch_count(&p.folder), 1); /* and no page */
    tw_pool_close(pool);
    pages_free(&p);
}

/* A page is a function of its files: not of threads, and not of the time. */
static void pages_repeat_and_are_not_overwritten(void **state)
{
    (void)state;
    char path[600];
    pages p = pages_new(RUN_KERNEL);
    tw_report_options options = TW_REPORT_DEFAULTS;
    tw_pool *pool = NULL;
    const char *name = path;
    write_draws(&p, "run.nc", false, path);
    char *one = make_page(&p, path, &options);
    assert_int_equal(tw_pool_open(p.ctx, 1, &name, &pool), TW_OK);
    assert_int_equal(tw_report_write(pool, p.page, &options), TW_FILE_EXISTS);
    tw_pool_close(pool);
    options.threads = 3;
    options.overwrite = true;
    char *two = make_page(&p, path, &options);
    assert_string_equal(one, two);
    free(one);
    free(two);
    pages_free(&p);
}

/* E[y | x] = w exp(x), averaged over every draw. */
static void expected_observations_are_means_over_draws(void **state)
{
    (void)state;
    char path[600];
    const char *name = path;
    double *expected = NULL;
    tw_pool *pool = NULL;
    pages p = pages_new(RUN_KERNEL);
    write_draws(&p, "run.nc", false, path);
    assert_int_equal(tw_pool_open(p.ctx, 1, &name, &pool), TW_OK);
    assert_int_equal(tw_expected_observations(pool, &expected), TW_OK);
    for (size_t k = 0; k < RUN_N; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < DRAWS; i++) {
            run_draw draw;
            run_draw_make(p.problem, i, &draw);
            for (size_t c = 0; c < RUN_CHAINS; c++)
                sum += tw_data_column(p.problem->data, "exposure")[k] * exp(draw.x[k + RUN_N * c]);
        }
        assert_close(expected[k], sum / (DRAWS * RUN_CHAINS), 1e-13, "E[y]");
    }
    tw_release(p.ctx, expected);
    tw_pool_close(pool);
    pages_free(&p);
}

/* The n-th allocation fails, for every n: an error, no page, and nothing is left. Without gnuplot, which would
 * be run a thousand times: PATH is empty. */
static void no_memory(void **state)
{
    (void)state;
    char path[600];
    const char *name = path, *before = getenv("PATH");
    char *kept = strdup(before ? before : "");
    pages p = pages_new(RUN_KERNEL);
    tw_status status = TW_NO_MEMORY;
    write_draws(&p, "run.nc", false, path);
    setenv("PATH", "", 1);
    for (size_t n = 1; status != TW_OK; n++) {
        failing_allocator allocator = {.fail_at = n};
        tw_context *ctx = failing_context(&allocator);
        tw_pool *pool = NULL;
        if (!ctx) continue;
        status = tw_pool_open(ctx, 1, &name, &pool);
        if (status == TW_OK) status = tw_report_write(pool, p.page, NULL);
        assert_true(status == TW_OK || status == TW_NO_MEMORY);
        assert_int_equal(access(p.page, F_OK) == 0, status == TW_OK);
        tw_pool_close(pool);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
        assert_true(n < 2000);
    }
    setenv("PATH", kept, 1);
    free(kept);
    pages_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_about_draws),
        cmocka_unit_test(a_page_about_a_summary),
        cmocka_unit_test(a_page_about_estimates),
        cmocka_unit_test(there_must_be_something_to_report),
        cmocka_unit_test(pages_repeat_and_are_not_overwritten),
        cmocka_unit_test(expected_observations_are_means_over_draws),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
