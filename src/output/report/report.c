/* report.c: write a page about runs: collect the data, then print the sections. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "data/number.h"
#include "output/report/expected.h"
#include "output/report/parts.h"
#include "talweg/files.h"

/* ---- gathering ---- */

static tw_status gather_draws(tw_report *r)
{
    tw_pool *pool = r->pool;
    void *memory = NULL;
    if (pool->chained == 0) return TW_OK;
    TW_TRY(tw_allocate(r->ctx, pool->n, sizeof *r->rows, "the summaries of the latents", &memory));
    r->rows = memory;
    TW_TRY(tw_pool_summarise(pool, r->options->threads, r->rows, &r->summary));
    tw_pool_judge(pool, &r->summary, &r->warnings);
    TW_TRY(tw_allocate(r->ctx, pool->n, sizeof *r->worst, "the order of the latents", &memory));
    r->worst = memory;
    TW_TRY(tw_pool_order(pool, r->rows, r->worst));
    return pool->has_x ? tw_expected_observations(pool, &r->expected) : TW_OK;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Is this estimate, of the same draws, in a file before? A sample and an evidence of the same seed both have it. */
static bool is_repeated(const tw_report *r, const tw_estimate *e)
{
    for (size_t k = 0; k < r->estimates; k++) {
        const tw_estimate *other = &r->estimate[k];
        if (e->draws != 0 && other->draws == e->draws && strcmp(other->method, e->method) == 0 &&
            same(other->log_z, e->log_z) && same(other->se, e->se))
            return true;
    }
    return false;
}

static void take_estimates(tw_report *r, const tw_run_evidence *e)
{
    if (isnan(r->laplace)) r->laplace = e->laplace;
    if (isnan(r->ep)) r->ep = e->ep;
    if (isnan(r->ep_corrected)) r->ep_corrected = e->ep_corrected;
    for (size_t k = 0; k < e->count; k++) {
        if (is_repeated(r, &e->estimates[k])) continue;
        r->estimate[r->estimates] = e->estimates[k];
        r->about[r->estimates++] = (tw_report_estimate){e->from, e->kernel, e->seconds[k]};
    }
}

static tw_status gather_estimates(tw_report *r)
{
    size_t count = 0;
    void *memory = NULL;
    r->laplace = r->ep = r->ep_corrected = NAN;
    for (size_t k = 0; k < r->pool->files; k++) count += tw_run_read_evidence(r->pool->run[k])->count;
    TW_TRY(tw_allocate(r->ctx, count, sizeof *r->estimate, "the estimates", &memory));
    r->estimate = memory;
    TW_TRY(tw_allocate(r->ctx, count, sizeof *r->about, "the estimates", &memory));
    r->about = memory;
    for (size_t k = 0; k < r->pool->files; k++) take_estimates(r, tw_run_read_evidence(r->pool->run[k]));
    r->agreement = tw_evidence_agree(r->estimates, r->estimate);
    r->best = tw_evidence_best(r->estimates, r->estimate);
    if (r->pool->chained > 0 || r->estimates > 0) return TW_OK;
    return tw_fail(r->ctx, TW_BAD_DATA, "%.500s has neither draws nor estimates of log Z", r->pool->path[0]);
}

static void free_gathered(tw_report *r)
{
    tw_release(r->ctx, r->rows);
    tw_release(r->ctx, r->worst);
    tw_release(r->ctx, r->expected);
    tw_release(r->ctx, r->estimate);
    tw_release(r->ctx, r->about);
}

/* ---- printing ---- */

static tw_status print_page(tw_report *r)
{
    tw_report_head(r);
    tw_report_verdict(r);
    TW_TRY(tw_report_parameters(r));
    TW_TRY(tw_report_evidence(r));
    TW_TRY(tw_report_predictions(r));
    TW_TRY(tw_report_mixing(r));
    TW_TRY(tw_report_traces(r));
    TW_TRY(tw_report_energy(r));
    TW_TRY(tw_report_time(r));
    tw_report_setting(r);
    tw_report_foot(r);
    return TW_OK;
}

static tw_status write_page(tw_report *r, const char *path)
{
    tw_writer *writer = NULL;
    tw_number_locale locale;
    TW_TRY(tw_writer_open(r->ctx, path, r->options->overwrite, &writer));
    r->page = tw_writer_stream(writer);
    r->figures = (tw_figures){.ctx = r->ctx, .page = r->page, .drawn = tw_gnuplot_available()};
    tw_status status = tw_number_locale_begin(r->ctx, &locale);
    if (status == TW_OK) {
        status = print_page(r);
        tw_number_locale_end(&locale);
    }
    return tw_writer_close(writer, status);
}

tw_status tw_report_write(tw_pool *pool, const char *path, const tw_report_options *options)
{
    tw_report_options defaults = TW_REPORT_DEFAULTS;
    tw_report report = {.ctx = pool->ctx, .pool = pool, .options = options ? options : &defaults};
    TW_TRY(tw_writer_check(pool->ctx, path, report.options->overwrite));
    tw_status status = gather_draws(&report);
    if (status == TW_OK) status = gather_estimates(&report);
    if (status == TW_OK) status = write_page(&report, path);
    free_gathered(&report);
    return status;
}
