/* summary_print.c: prints the results of talweg summary (summary_print.h). */
#include "cli/summary_print.h"

#include <math.h>

#include "cli/model_options.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/files.h"

enum { WORST_ROWS = 10, COLUMNS = 14, SHOWN = 11 };

/* The columns of files. New ones are added at the end, so that programs can rely on the order. */
static const char *const csv_names[COLUMNS] = {
    "mean",     "mcse_mean",      "sd",   "q5",       "median", "q95",       "ess_bulk",
    "ess_tail", "ess_bulk_per_s", "rhat", "ess_fold", "ess",    "ess_per_s", "rhat_chance"};

/* The columns of the printed table, as indices into csv_names. */
static const size_t shown[SHOWN] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 12, 9};

/* The values of a row, in the order of csv_names. */
static void fill_row(const tw_summary_table *table, const tw_summary *row, double values[COLUMNS])
{
    double seconds = table->pool->sampling_seconds;
    const double all[COLUMNS] = {row->mean,
                                 row->mcse_mean,
                                 row->sd,
                                 row->q5,
                                 row->median,
                                 row->q95,
                                 row->ess_bulk,
                                 row->ess_tail,
                                 row->ess_bulk / seconds,
                                 row->rhat,
                                 row->ess_fold,
                                 row->ess,
                                 row->ess / seconds,
                                 row->rhat_chance};
    for (size_t k = 0; k < COLUMNS; k++) values[k] = all[k];
}

/* ---- unknown parameters ---- */

static size_t count_parameters(const tw_summary_table *table)
{
    return table->pool->theta ? table->pool->theta->unknown : 0;
}

/* A parameter as a row; its mean, sd and quantiles are those of the weighted points. */
static tw_summary parameter_row(const tw_summary_table *table, size_t k)
{
    const tw_run_theta *t = table->pool->theta;
    const tw_hyper_row *p = &t->row[k];
    return (tw_summary){.mean = p->mean,
                        .mcse_mean = p->mcse,
                        .sd = p->sd,
                        .q5 = p->q05,
                        .median = p->q50,
                        .q95 = p->q95,
                        .ess_bulk = p->ess_bulk,
                        .ess_tail = isnan(p->ess_tail) ? p->ess_bulk : p->ess_tail,
                        .ess_fold = p->ess_bulk,
                        .ess = fmin(p->ess_bulk, p->ess_tail),
                        .rhat = p->rhat,
                        .rhat_chance = NAN};
}

/* ---- the table ---- */

static void print_row(const tw_summary_table *table, const char *name, const tw_summary *row)
{
    static const char *const format[SHOWN] = {"%11.4g", "%10.2g", "%10.4g", "%10.4g", "%10.4g", "%10.4g",
                                              "%10.0f", "%10.0f", "%10.0f", "%10.1f", "%9.4f"};
    double values[COLUMNS];
    fill_row(table, row, values);
    printf("%-14s", tw_plain(name));
    for (size_t k = 0; k < SHOWN; k++) {
        double value = values[shown[k]];
        if (isnan(value))
            printf(k == 0 ? "%11s" : k == SHOWN - 1 ? "%9s" : "%10s", "-");
        else
            printf(format[k], value);
    }
    printf("\n");
}

static void print_latents(const tw_summary_table *table)
{
    size_t n = table->pool->n, count = table->all || n < WORST_ROWS ? n : WORST_ROWS;
    if (count < n)
        printf("\nThe %zu latents with the smallest ESS, of %zu (--all: all of them):\n", count, n);
    for (size_t k = 0; k < count; k++) {
        size_t latent = count < n ? table->worst[k] : k;
        char name[32];
        snprintf(name, sizeof name, "x.%zu", latent + 1);
        print_row(table, name, &table->latent[latent]);
    }
}

static void print_files(const tw_pool *pool)
{
    for (size_t k = 0; k < pool->files; k++) {
        const tw_run_facts *f = tw_run_describe(pool->run[k]);
        if (f->draws == 0)
            printf("%s: no draws\n", tw_plain(pool->path[k]));
        else
            printf("%s: %s, metric %s; %zu chain%s of %zu draw%s; %.2f s of warm-up, %.2f s of sampling\n",
                   tw_plain(pool->path[k]), tw_plain(f->method), tw_plain(f->metric), f->chains,
                   f->chains == 1 ? "" : "s", f->draws, f->draws == 1 ? "" : "s", f->warmup_seconds,
                   f->sampling_seconds);
        if (f->draws > 0 && f->beta != 1.0)
            printf("%s: draws from the path from %s to the posterior at beta = %g, not from the posterior\n",
                   tw_plain(pool->path[k]), tw_plain(f->from), f->beta);
    }
}

/* Were the parameters drawn by chains? Only weighted points have estimates of log p(y | theta). */
static bool is_chain(const tw_pool *pool)
{
    return isnan(pool->theta->log_z[0]);
}

void tw_summary_use(const tw_pool *pool)
{
    static char methods[512], metrics[512]; /* static, because warnings are worded later */
    size_t used[2] = {0, 0};
    for (size_t k = 0; k < pool->files; k++) {
        const tw_run_facts *f = tw_run_describe(pool->run[k]);
        if (f->draws == 0 || used[0] + 64 > sizeof methods || used[1] + 64 > sizeof metrics) continue;
        used[0] += (size_t)snprintf(methods + used[0], 64, "%.60s, ", f->method);
        used[1] += (size_t)snprintf(metrics + used[1], 64, "%.60s, ", f->metric);
    }
    tw_warnings_use(TW_USED_METHOD, methods);
    tw_warnings_use(TW_USED_METRIC, metrics);
}

/* Print "tail 239", or "tail unknown" for NaN. */
static void print_size(const char *name, double size)
{
    if (isnan(size))
        printf("%s unknown", name);
    else
        printf("%s %.0f", name, size);
}

void tw_summary_print_sizes(const tw_chains_summary *summary)
{
    print_size("bulk", summary->ess_bulk_min);
    print_size(", tail", summary->ess_tail_min);
    print_size(", fold", summary->ess_fold_min);
    printf(" at least");
}

static void print_worst(const tw_pool *pool, const tw_chains_summary *s)
{
    if (pool->theta)
        printf("\nAll %zu latents and %zu parameters: ESS %.0f, %s%s of %zu %s\n", pool->n,
               pool->theta->unknown, pool->theta->weight_ess,
               is_chain(pool) ? "that of the worst parameter" : "the effective number",
               is_chain(pool) ? "," : "", pool->theta->points,
               is_chain(pool) ? "draws of chains" : "weighted points");
    else if (isnan(s->rhat_max) || isnan(s->ess_min))
        printf("\nAll %zu latents: ESS and R-hat are unknown\n", pool->n);
    else {
        printf("\nAll %zu latents: ESS at least %.0f (x.%zu), %.0f in the median; ", pool->n, s->ess_min,
               s->worst + 1, s->ess_median);
        tw_summary_print_sizes(s);
        printf("; R-hat at most %.4f\n", s->rhat_max);
    }
}

void tw_summary_print(const tw_summary_table *table)
{
    const tw_pool *pool = table->pool;
    const tw_chains_summary *s = &table->summary;
    tw_model_print(pool->problem, stdout);
    print_files(pool);
    printf("\n%-14s%11s%10s%10s%10s%10s%10s%10s%10s%10s%10s%9s\n", "", "mean", "MCSE", "sd", "5%", "50%",
           "95%", "ESS bulk", "ESS tail", "ESS fold", "ESS/s", "R-hat");
    for (size_t k = 0; k < TW_SUMMARY_STATISTICS; k++)
        print_row(table, table->statistic_name[k], &table->statistic[k]);
    for (size_t k = 0; k < count_parameters(table); k++) {
        tw_summary row = parameter_row(table, k);
        print_row(table, table->pool->theta->row[k].name, &row);
    }
    print_latents(table);
    print_worst(pool, s);
    printf("%zu chain%s of %zu draw%s; acceptance %.3f", pool->chains, pool->chains == 1 ? "" : "s",
           pool->draws, pool->draws == 1 ? "" : "s", s->acceptance);
    if (isfinite(s->ebfmi_min)) printf("; E-BFMI at least %.2f", s->ebfmi_min);
    printf("; %s\n", table->warnings.count ? "see the warnings" : "no warnings");
}

/* ---- CSV and JSON ---- */

static tw_status print_csv_row(tw_context *ctx, const tw_summary_table *table, const tw_summary *row,
                               FILE *to)
{
    double values[COLUMNS];
    fill_row(table, row, values);
    fputc(',', to);
    TW_TRY(tw_csv_numbers(ctx, COLUMNS, values, to));
    fputc('\n', to);
    return TW_OK;
}

tw_status tw_summary_print_csv(tw_context *ctx, const tw_summary_table *table, FILE *to)
{
    fputs("name", to);
    for (size_t k = 0; k < COLUMNS; k++) fprintf(to, ",%s", csv_names[k]);
    fputc('\n', to);
    for (size_t k = 0; k < TW_SUMMARY_STATISTICS; k++) {
        fputs(table->statistic_name[k], to);
        TW_TRY(print_csv_row(ctx, table, &table->statistic[k], to));
    }
    for (size_t k = 0; k < count_parameters(table); k++) {
        tw_summary row = parameter_row(table, k);
        tw_csv_text(table->pool->theta->row[k].name, to);
        TW_TRY(print_csv_row(ctx, table, &row, to));
    }
    for (size_t i = 0; i < table->pool->n; i++) {
        fprintf(to, "x.%zu", i + 1);
        TW_TRY(print_csv_row(ctx, table, &table->latent[i], to));
    }
    return TW_OK;
}

static void encode_row(const tw_summary_table *table, const char *name, const tw_summary *row, json_t *into,
                       bool *ok)
{
    double values[COLUMNS];
    json_t *object = json_object();
    fill_row(table, row, values);
    for (size_t k = 0; k < COLUMNS; k++) tw_json_set(object, csv_names[k], tw_json_number(values[k]), ok);
    tw_json_set(into, name, object, ok);
}

static json_t *encode_rows(const tw_summary_table *table, bool *ok)
{
    json_t *object = json_object();
    for (size_t k = 0; k < TW_SUMMARY_STATISTICS; k++)
        encode_row(table, table->statistic_name[k], &table->statistic[k], object, ok);
    for (size_t k = 0; k < count_parameters(table); k++) {
        tw_summary row = parameter_row(table, k);
        encode_row(table, table->pool->theta->row[k].name, &row, object, ok);
    }
    for (size_t i = 0; i < table->pool->n; i++) {
        char name[32];
        snprintf(name, sizeof name, "x.%zu", i + 1);
        encode_row(table, name, &table->latent[i], object, ok);
    }
    return object;
}

static json_t *encode_counters(const tw_totals *t, bool *ok)
{
    json_t *object = json_object();
    tw_json_set(object, "energy_divergence", tw_json_count(t->energy_divergence), ok);
    tw_json_set(object, "implicit_failure", tw_json_count(t->implicit_failure), ok);
    tw_json_set(object, "irreversible", tw_json_count(t->irreversible), ok);
    tw_json_set(object, "factorisation", tw_json_count(t->factorisation), ok);
    return object;
}

void tw_summary_encode(const tw_chains_summary *summary, const tw_totals *sampling, json_t *object, bool *ok)
{
    json_t *all = json_object(), *bulk = json_object(), *tail = json_object(), *fold = json_object();
    tw_json_set(all, "min", tw_json_number(summary->ess_min), ok);
    tw_json_set(all, "median", tw_json_number(summary->ess_median), ok);
    tw_json_set(bulk, "min", tw_json_number(summary->ess_bulk_min), ok);
    tw_json_set(bulk, "median", tw_json_number(summary->ess_bulk_median), ok);
    tw_json_set(tail, "min", tw_json_number(summary->ess_tail_min), ok);
    tw_json_set(fold, "min", tw_json_number(summary->ess_fold_min), ok);
    tw_json_set(object, "ess", all, ok);
    tw_json_set(object, "ess_bulk", bulk, ok);
    tw_json_set(object, "ess_tail", tail, ok);
    tw_json_set(object, "ess_fold", fold, ok);
    tw_json_set(object, "rhat_max", tw_json_number(summary->rhat_max), ok);
    tw_json_set(object, "rhat_chance", tw_json_number(summary->rhat_chance), ok);
    tw_json_set(object, "ebfmi_min", tw_json_number(summary->ebfmi_min), ok);
    tw_json_set(object, "counters", encode_counters(sampling, ok), ok);
}

void tw_work_encode(const tw_method_info *method, size_t steps, json_t *object, bool *ok)
{
    bool leaps = method && method->has_steps;
    tw_json_set(object, "leapfrog_steps", leaps ? tw_json_count(steps) : json_null(), ok);
    if (method && !leaps) tw_json_set(object, "evaluations", tw_json_count(steps), ok);
}

/* Add the work of all files; null if their methods count different things, or if parameters are unknown. */
static void encode_work(const tw_pool *pool, json_t *object, bool *ok)
{
    const tw_method_info *common = NULL;
    for (size_t k = 0; k < pool->files; k++) {
        const tw_run_facts *f = tw_run_describe(pool->run[k]);
        if (f->draws == 0) continue;
        const tw_method_info *method = tw_method_find(f->method);
        if (!method || (common && common->has_steps != method->has_steps)) {
            common = NULL;
            break;
        }
        common = method;
    }
    tw_work_encode(common, pool->sampling.leapfrog_steps, object, ok);
}

tw_status tw_summary_print_json(tw_context *ctx, const tw_summary_table *table)
{
    bool ok = true;
    const tw_pool *pool = table->pool;
    json_t *object = json_object();
    tw_json_set(object, "n", tw_json_count(pool->n), &ok);
    tw_json_set(object, "chains", tw_json_count(pool->chains), &ok);
    tw_json_set(object, "draws", tw_json_count(pool->draws), &ok);
    tw_json_set(object, "warmup_seconds", tw_json_number(pool->warmup_seconds), &ok);
    tw_json_set(object, "sampling_seconds", tw_json_number(pool->sampling_seconds), &ok);
    tw_json_set(object, "acceptance", tw_json_number(table->summary.acceptance), &ok);
    tw_summary_encode(&table->summary, &pool->sampling, object, &ok);
    encode_work(pool, object, &ok);
    tw_json_set(object, "rows", encode_rows(table, &ok), &ok);
    return tw_result_print_json(ctx, pool->problem, object, ok, stdout);
}
