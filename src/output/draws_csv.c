/* draws_csv.c: write draws as CSV while sampling: all chains in one file, or one file for each chain in
 * CmdStan's format. */
#include <limits.h>

#include "data/number.h"
#include "output/csv.h"

/* ---- common to both ---- */

/* Whether the trajectory failed in any way. */
static bool failed(const tw_record *r)
{
    return r->energy_divergence || r->implicit_failure || r->irreversible || r->factorisation;
}

/* Print the names ",x.1,...,x.n" and end the line. */
static void print_names(size_t n, FILE *to)
{
    for (size_t i = 1; i <= n; i++) fprintf(to, ",x.%zu", i);
    fputc('\n', to);
}

static void print_latents(const tw_draw *draw, size_t chain, FILE *to)
{
    fputc(',', to);
    tw_csv_put_numbers(draw->n, draw->x + chain * draw->n, to);
    fputc('\n', to);
}

/* ---- all chains in one file ---- */

void tw_draws_csv_header(size_t n, FILE *to)
{
    fputs("chain,draw,lp,acceptance_rate,step_size,n_steps,diverging,energy", to);
    print_names(n, to);
}

tw_status tw_draws_csv_add(tw_context *ctx, const tw_draw *draw, FILE *to)
{
    tw_number_locale locale;
    TW_TRY(tw_number_locale_begin(ctx, &locale));
    for (size_t c = 0; c < draw->chains; c++) {
        const tw_record *r = &draw->records[c];
        const double values[] = {
            (double)(c + 1), (double)(draw->index + 1), r->log_density,        r->acceptance_rate,
            draw->eps,       (double)r->steps,          failed(r) ? 1.0 : 0.0, r->energy};
        tw_csv_put_numbers(sizeof values / sizeof *values, values, to);
        print_latents(draw, c, to);
    }
    tw_number_locale_end(&locale);
    return TW_OK;
}

/* ---- one file for each chain ---- */

struct tw_stan_csv {
    tw_context *ctx;
    size_t chains;
    bool started;     /* a draw has been written */
    tw_writer **file; /* one for each chain; NULL: not open */
};

static tw_status name_file(tw_context *ctx, const char *prefix, size_t chain, char path[PATH_MAX])
{
    if (snprintf(path, PATH_MAX, "%s_%zu.csv", prefix, chain + 1) < PATH_MAX) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT, "%.100s...: this name is too long", prefix);
}

tw_status tw_stan_csv_check(tw_context *ctx, const char *prefix, bool overwrite, size_t chains)
{
    char path[PATH_MAX];
    for (size_t c = 0; c < chains; c++) {
        TW_TRY(name_file(ctx, prefix, c, path));
        TW_TRY(tw_writer_hold(ctx, path, overwrite));
    }
    return TW_OK;
}

static void print_settings(const tw_stan_settings *s, size_t chain, FILE *to)
{
    char data[1024];
    snprintf(data, sizeof data, "%s", s->data);
    fprintf(to, "# talweg_version = %s\n# model = %s\n", tw_version(), tw_make_plain(data));
    fprintf(to, "# method = sample (Default)\n#   sample\n#     num_samples = %zu\n#     num_warmup = %zu\n",
            s->draws, s->warmup);
    fprintf(to, "#     save_warmup = 0 (Default)\n#     thin = %zu\n#     adapt\n#       engaged = %d\n",
            s->thin, s->warmup > 0);
    fprintf(to, "#       delta = %g\n#     algorithm = %s\n#       metric = %s\n", s->target_accept,
            s->method, s->metric);
    fprintf(to, "#     num_chains = %zu\n# id = %zu\n# random\n#   seed = %llu\n", s->chains, chain + 1,
            (unsigned long long)s->seed);
    fputs("lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__", to);
    print_names(s->n, to);
}

static tw_status open_files(tw_stan_csv *csv, const char *prefix, bool overwrite, const tw_stan_settings *s)
{
    void *files = NULL;
    char path[PATH_MAX];
    TW_TRY(tw_allocate(csv->ctx, s->chains, sizeof *csv->file, "the files of the chains", &files));
    csv->file = files;
    csv->chains = s->chains;
    for (size_t c = 0; c < s->chains; c++) {
        TW_TRY(name_file(csv->ctx, prefix, c, path));
        TW_TRY(tw_writer_open(csv->ctx, path, overwrite, &csv->file[c]));
        print_settings(s, c, tw_writer_stream(csv->file[c]));
    }
    return TW_OK;
}

tw_status tw_stan_csv_open(tw_context *ctx, const char *prefix, bool overwrite,
                           const tw_stan_settings *settings, tw_stan_csv **out)
{
    void *memory = NULL;
    tw_number_locale locale;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_stan_csv), "the files of the chains", &memory));
    tw_stan_csv *csv = memory;
    csv->ctx = ctx;
    tw_status status = tw_number_locale_begin(ctx, &locale);
    if (status == TW_OK) {
        status = open_files(csv, prefix, overwrite, settings);
        tw_number_locale_end(&locale);
    }
    if (status == TW_OK)
        *out = csv;
    else
        tw_stan_csv_abandon(csv);
    return status;
}

/* The smallest depth d of a tree with 2^d - 1 >= steps. */
static size_t tree_depth(size_t steps)
{
    size_t depth = 0;
    while (steps >> depth) depth++;
    return depth;
}

static void print_draw(const tw_draw *draw, size_t chain, FILE *to)
{
    const tw_record *r = &draw->records[chain];
    const double values[] = {r->log_density,   r->acceptance_rate,    draw->eps, (double)tree_depth(r->steps),
                             (double)r->steps, failed(r) ? 1.0 : 0.0, r->energy};
    tw_csv_put_numbers(sizeof values / sizeof *values, values, to);
    print_latents(draw, chain, to);
}

tw_status tw_stan_csv_add(tw_stan_csv *csv, const tw_draw *draw)
{
    tw_number_locale locale;
    TW_TRY(tw_number_locale_begin(csv->ctx, &locale));
    for (size_t c = 0; c < csv->chains; c++) {
        FILE *to = tw_writer_stream(csv->file[c]);
        if (!csv->started) fprintf(to, "# Adaptation terminated\n# Step size = %.17g\n", draw->eps);
        print_draw(draw, c, to);
    }
    csv->started = true;
    tw_number_locale_end(&locale);
    return TW_OK;
}

static void print_time(FILE *to, double warmup, double sampling)
{
    fprintf(to, "# \n#  Elapsed Time: %.3f seconds (Warm-up)\n", warmup);
    fprintf(to, "#                %.3f seconds (Sampling)\n", sampling);
    fprintf(to, "#                %.3f seconds (Total)\n# \n", warmup + sampling);
}

tw_status tw_stan_csv_close(tw_stan_csv *csv, double warmup_seconds, double sampling_seconds)
{
    tw_number_locale locale;
    tw_status status = tw_number_locale_begin(csv->ctx, &locale);
    bool begun = status == TW_OK;
    for (size_t c = 0; c < csv->chains && status == TW_OK; c++) {
        print_time(tw_writer_stream(csv->file[c]), warmup_seconds, sampling_seconds);
        status = tw_writer_close(csv->file[c], TW_OK);
        csv->file[c] = NULL;
    }
    if (begun) tw_number_locale_end(&locale);
    tw_stan_csv_abandon(csv);
    return status;
}

void tw_stan_csv_abandon(tw_stan_csv *csv)
{
    if (!csv) return;
    for (size_t c = 0; c < csv->chains; c++) tw_writer_abandon(csv->file[c]);
    tw_release(csv->ctx, csv->file);
    tw_release(csv->ctx, csv);
}
