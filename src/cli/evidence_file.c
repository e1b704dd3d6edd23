/* evidence_file.c: the results of talweg evidence in a file: a run file without draws, or JSON. */
#include <math.h>

#include "cli/evidence.h"
#include "cli/names.h"
#include "talweg/base.h"
#include "talweg/files.h"
#include "talweg/run.h"

tw_status tw_evidence_check_file(tw_context *ctx, const tw_evidence_options *options)
{
    const char *file = options->file;
    if (!file) return TW_OK;
    if (tw_name_ends_in(file, ".nc")) return tw_run_check(ctx, file, options->output.force);
    if (tw_name_ends_in(file, ".json")) return tw_writer_check(ctx, file, options->output.force);
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   "-o %.1000s: a name that ends in .nc gets the estimates and the problem, one that ends in "
                   ".json what --json prints",
                   file);
}

static tw_status write_json(tw_context *ctx, const tw_evidence_options *options, const tw_evidence_results *r)
{
    tw_writer *writer = NULL;
    TW_TRY(tw_writer_open(ctx, options->file, options->output.force, &writer));
    return tw_writer_close(writer, tw_evidence_print_json(ctx, r, tw_writer_stream(writer)));
}

static tw_status write_run(tw_context *ctx, const tw_evidence_options *options, const tw_evidence_results *r)
{
    const tw_path *p = &r->path;
    char kernel[64];
    const tw_run_facts facts = {.data = options->model.data,
                                .command = options->command,
                                .from = p->from,
                                .beta = 1.0,
                                .seed = options->path.seed};
    tw_run_evidence evidence = {.laplace = p->laplace->converged ? p->laplace->log_z : NAN,
                                .ep = p->ep->converged ? p->ep->log_z : NAN,
                                .ep_corrected = p->correction.log_z,
                                .from = p->from,
                                .kernel = kernel,
                                .count = r->count};
    snprintf(kernel, sizeof kernel, "%s/%s", p->kernel, p->metric);
    for (size_t i = 0; i < r->count; i++) {
        evidence.estimates[i] = r->estimate[i];
        evidence.seconds[i] = r->seconds[i];
    }
    return tw_run_write_evidence(ctx, options->file, options->output.force, r->problem, &facts, &evidence);
}

tw_status tw_evidence_write_file(tw_context *ctx, const tw_evidence_options *options,
                                 const tw_evidence_results *r)
{
    if (!options->file) return TW_OK;
    return tw_name_ends_in(options->file, ".nc") ? write_run(ctx, options, r) : write_json(ctx, options, r);
}
