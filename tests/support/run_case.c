/* run_case.c: problems and draws for run files; see run_case.h. */
#include "support/run_case.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "support/support.h"

/* ---- problems ---- */

static tw_status name_inputs(tw_data *data)
{
    static const char *const names[] = {"sepal length", "constant", "Breite \xc3\xa4"};
    void *block = NULL;
    TW_TRY(tw_allocate(data->ctx, 3, sizeof(char *) + 32, "names", &block));
    data->names = block;
    for (size_t j = 0; j < 3; j++) data->names[j] = strcpy((char *)(data->names + 3) + 32 * j, names[j]);
    return TW_OK;
}

static tw_status fill_kernel(tw_context *ctx, tw_problem_parts *parts, const double *x, double *y, double *w)
{
    for (size_t i = 0; i < RUN_N; i++) {
        y[i] = (double)(i % 4);
        w[i] = 0.5 + 0.1 * (double)i;
    }
    parts->likelihood = tw_likelihood_find("poisson");
    parts->jitter = 1e-7;
    const double log_ell[2] = {0.1, -1.0 / 3.0};
    TW_TRY(tw_kernel_simple(ctx, "matern32", 2, log_ell, 0.3, 0.1, 0.01, &parts->kernel));
    TW_TRY(tw_data_new(ctx, RUN_N, 3, x, RUN_N, y, &parts->data));
    TW_TRY(tw_data_set_column(parts->data, "exposure", w));
    TW_TRY(name_inputs(parts->data));
    TW_TRY(tw_scaling_fit(parts->data, &parts->scaling));
    return tw_scaling_apply(parts->scaling, parts->data);
}

static tw_status fill_matrix(tw_context *ctx, tw_problem_parts *parts, const double *x, double *y)
{
    double *matrix = NULL;
    for (size_t i = 0; i < RUN_N; i++) y[i] = i % 3 ? 1.0 : -1.0;
    parts->likelihood = tw_likelihood_find("probit");
    TW_TRY(tw_data_new(ctx, RUN_N, 2, x, RUN_N, y, &parts->data));
    TW_TRY(tw_allocate_doubles(ctx, RUN_N, RUN_N, "K", &matrix));
    for (size_t i = 0; i < RUN_N; i++)
        for (size_t j = 0; j < RUN_N; j++) matrix[i + j * RUN_N] = exp(-fabs((double)i - (double)j) / 3.0);
    return tw_kernel_given(ctx, RUN_N, matrix, &parts->kernel);
}

tw_status run_problem_new(tw_context *ctx, run_kind kind, tw_problem **out)
{
    double x[RUN_N * 3], y[RUN_N], w[RUN_N];
    tw_problem_parts parts = {0};
    for (size_t i = 0; i < RUN_N; i++) {
        x[i] = sin(1.7 * (double)i);
        x[i + RUN_N] = 4.0;
        x[i + 2 * RUN_N] = 100.0 + cos(0.9 * (double)i);
    }
    *out = NULL;
    tw_status status =
        kind == RUN_KERNEL ? fill_kernel(ctx, &parts, x, y, w) : fill_matrix(ctx, &parts, x, y);
    if (status == TW_OK) return tw_problem_new(ctx, &parts, out);
    tw_problem_parts_free(&parts);
    return status;
}

tw_run_facts run_facts(const tw_problem *problem)
{
    return (tw_run_facts){.n = problem->data->n,
                          .chains = RUN_CHAINS,
                          .data = "some data.csv",
                          .command = "talweg sample 'some data.csv' -o run.nc",
                          .method = "hmc",
                          .metric = "ep",
                          .from = "prior",
                          .beta = 0.75,
                          .warmup = 501,
                          .thin = 2,
                          .seed = UINT64_MAX - 5,
                          .tuning = {0.3, 7, true},
                          .warmup_totals = {11, 12, 10.5, 1, 2, 3, 4},
                          .sampling = {21, 22, 20.5, 5, 6, 7, 8},
                          .warmup_seconds = 1.25,
                          .sampling_seconds = 2.5};
}

/* ---- draws ---- */

void run_draw_make(const tw_problem *problem, size_t index, run_draw *out)
{
    const tw_observations observed = tw_problem_observed(problem);
    for (size_t c = 0; c < RUN_CHAINS; c++) {
        double values[RUN_N], t = (double)index + 0.1 * (double)c;
        for (size_t i = 0; i < RUN_N; i++)
            out->x[i + RUN_N * c] = sin(12.9898 * (t + 1.0) + 78.233 * (double)i) / 3.0;
        observed.likelihood->terms(&observed, out->x + RUN_N * c, values, NULL, NULL, NULL);
        out->log_likelihood[c] = 0.0;
        for (size_t i = 0; i < RUN_N; i++) out->log_likelihood[c] += values[i];
        out->records[c] = (tw_record){.log_density = -3.0 - t,
                                      .energy = 5.0 + sin(t * t),
                                      .energy_error = index % 5 == 4 ? NAN : 0.01 * t,
                                      .acceptance_rate = 1.0 / (1.0 + t),
                                      .steps = 3 + index % 4,
                                      .accepted = index % 2 == 0,
                                      .energy_divergence = index % 7 == 3,
                                      .implicit_failure = index % 7 == 4,
                                      .irreversible = index % 7 == 5,
                                      .factorisation = index % 7 == 6};
    }
    out->draw = (tw_draw){index, RUN_N, RUN_CHAINS, out->x, out->log_likelihood, out->records, 0.3};
}

tw_status run_begin(tw_context *ctx, const char *path, const tw_run_options *options,
                    const tw_problem *problem, size_t draws, tw_run_writer **out)
{
    tw_run_facts facts = run_facts(problem);
    run_draw draw;
    TW_TRY(tw_run_create(ctx, path, options, problem, &facts, out));
    for (size_t i = 0; i < draws; i++) {
        run_draw_make(problem, i, &draw);
        tw_status status = tw_run_append(*out, &draw.draw);
        if (status == TW_OK) continue;
        tw_run_abandon(*out);
        *out = NULL;
        return status;
    }
    return TW_OK;
}

tw_status run_write(tw_context *ctx, const char *path, const tw_run_options *options,
                    const tw_problem *problem, size_t draws)
{
    tw_run_writer *writer = NULL;
    tw_run_facts facts = run_facts(problem);
    TW_TRY(run_begin(ctx, path, options, problem, draws, &writer));
    return tw_run_finish(writer, &facts);
}
