/* sample_save.c: see sample_save.h. Blocks: "choice", with the words of the candidates that were not tried; "chains",
 * "columns" for the numbers of the sampler, and "x" for the last draw, by which the run file is recognised. */
#include "cli/sample_save.h"

#include <string.h>

#include "cli/names.h"
#include "cli/terminal.h"
#include "talweg/base.h"
#include "talweg/warning.h"

tw_status tw_sample_save_check(tw_context *ctx, const tw_saver_flags *flags,
                               const tw_sample_file_flags *files)
{
    const char *option = flags->resume ? "resume" : "checkpoint";
    if (!flags->checkpoint && !flags->resume) return TW_OK;
    if (!tw_name_ends_in(files->path, ".nc"))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s needs -o FILE.nc: that is where the draws so far are kept",
                       option);
    if (files->stan_csv)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "--%s does not go with --stan-csv, whose files are made in one go: take the draws from "
            "the run file",
            option);
    return TW_OK;
}

/* ---- the choice ---- */

typedef struct kept_choice {
    tw_choice choice;
    char reason[TW_AUTO_MAX_CANDIDATES][TW_REASON_BYTES];
} kept_choice;

void tw_sample_save_begin(tw_sample_saver *s, const tw_choice *choice)
{
    kept_choice kept = {.choice = *choice};
    for (size_t k = 0; k < choice->count; k++) {
        snprintf(kept.reason[k], TW_REASON_BYTES, "%s", choice->candidates[k].reason);
        kept.choice.candidates[k].reason = NULL;
    }
    tw_saver_put(&s->saver, "choice", sizeof kept, &kept);
    tw_saver_write(&s->saver);
}

/* Names are looked up by these numbers. */
static bool is_choice(const tw_choice *c)
{
    bool is = c->count <= TW_AUTO_MAX_CANDIDATES && c->best < c->count;
    for (size_t k = 0; is && k < c->count; k++)
        is = tw_method_takes(c->candidates[k].method, c->candidates[k].metric);
    return is;
}

bool tw_sample_save_choice(tw_sample_saver *s, tw_choice *out)
{
    const kept_choice *kept = tw_saver_get(&s->saver, "choice", sizeof *kept);
    if (!kept || !is_choice(&kept->choice)) return false;
    *out = kept->choice;
    memcpy(s->reason, kept->reason, sizeof s->reason);
    for (size_t k = 0; k < TW_AUTO_MAX_CANDIDATES; k++) {
        s->reason[k][TW_REASON_BYTES - 1] = '\0';
        out->candidates[k].reason = s->reason[k];
    }
    return true;
}

/* ---- the chains ---- */

typedef struct kept_chains {
    tw_chains_state state;
    double warmup_seconds, sampling_seconds;
    size_t positions; /* numbers in "x" */
} kept_chains;

void tw_sample_save_state(tw_sample_saver *s, const tw_chains_state *state, double warmup_seconds)
{
    if (tw_run_sync(s->files->run) != TW_OK) {
        tw_warn(s->saver.ctx,
                &(tw_warning){.code = TW_WARN_CHECKPOINT, .name = tw_context_message(s->saver.ctx)});
        return;
    }
    kept_chains kept = {.state = *state,
                        .warmup_seconds = warmup_seconds,
                        .sampling_seconds = s->sampling_seconds + tw_wall_seconds() - s->start,
                        .positions = s->files->positions};
    kept.state.numbers = kept.state.x = NULL;
    tw_saver_put(&s->saver, "chains", sizeof kept, &kept);
    tw_saver_put(&s->saver, "columns", state->count * sizeof *state->numbers, state->numbers);
    tw_saver_put(&s->saver, "x", kept.positions * sizeof *state->x, state->x);
    tw_saver_write(&s->saver);
}

void tw_sample_save_resume(tw_sample_saver *s)
{
    const kept_chains *kept = tw_saver_get(&s->saver, "chains", sizeof *kept);
    if (!kept) return;
    const void *columns = tw_saver_get(&s->saver, "columns", kept->state.count * sizeof(double));
    const void *x = tw_saver_get(&s->saver, "x", kept->positions * sizeof(double));
    if (!columns || !x) return;
    s->state = kept->state;
    s->state.numbers = columns;
    s->state.x = x;
    s->positions = kept->positions;
    s->warmup_seconds = kept->warmup_seconds;
    s->sampling_seconds = kept->sampling_seconds;
}
