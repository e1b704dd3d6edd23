/* evidence_file.c: writes the results of talweg evidence to a file: a run file without draws, or JSON. */
#include <math.h>

#include "cli/evidence.h"
#include "cli/names.h"
#include "talweg/base.h"
#include "talweg/files.h"
#include "talweg/run.h"

/* May the file be overwritten? A resumed run writes the file that the interrupted one has written. */
static bool overwrites(const tw_evidence_flags *flags)
{
    return flags->output.force || flags->saver.resume;
}

tw_status tw_evidence_check_file(tw_context *ctx, const tw_evidence_flags *flags)
{
    const char *file = flags->file;
    if (!file) return TW_OK;
    if (tw_name_ends_in(file, ".nc")) return tw_run_check(ctx, file, overwrites(flags));
    if (tw_name_ends_in(file, ".json")) return tw_writer_hold(ctx, file, overwrites(flags));
    return tw_fail(
        ctx, TW_BAD_ARGUMENT,
        "-o %.1000s: the name must end in .nc (the estimates and the problem) or .json (the JSON output)",
        file);
}

static tw_status write_json(tw_context *ctx, const tw_evidence_flags *flags, const tw_evidence_found *found)
{
    tw_writer *writer = NULL;
    TW_TRY(tw_writer_open(ctx, flags->file, overwrites(flags), &writer));
    return tw_writer_close(writer, tw_evidence_print_json(ctx, found, tw_writer_stream(writer)));
}

static tw_status write_run(tw_context *ctx, const tw_evidence_flags *flags, const tw_evidence_found *found)
{
    const tw_evidence_plan *p = found->plan;
    const tw_evidence_result *r = &found->result;
    char kernel[64];
    const tw_run_facts facts = {.data = flags->model.data,
                                .command = flags->command,
                                .from = p->from,
                                .beta = 1.0,
                                .seed = flags->anneal.seed};
    tw_run_evidence evidence = {.laplace = p->fits.laplace->converged ? p->fits.laplace->log_z : NAN,
                                .ep = p->fits.ep->converged ? p->fits.ep->log_z : NAN,
                                .ep_corrected = p->fits.correction.log_z,
                                .from = p->from,
                                .kernel = kernel,
                                .count = r->count};
    snprintf(kernel, sizeof kernel, "%s/%s", p->kernel, p->metric);
    for (size_t i = 0; i < r->count; i++) {
        evidence.estimates[i] = r->estimate[i];
        evidence.seconds[i] = r->seconds[i];
    }
    return tw_run_write_evidence(ctx, flags->file, overwrites(flags), found->problem, &facts, &evidence);
}

tw_status tw_evidence_write_file(tw_context *ctx, const tw_evidence_flags *flags,
                                 const tw_evidence_found *found)
{
    if (!flags->file) return TW_OK;
    return tw_name_ends_in(flags->file, ".nc") ? write_run(ctx, flags, found) : write_json(ctx, flags, found);
}
