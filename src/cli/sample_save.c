/* sample_save.c: the store for checkpoints of talweg sample: passes everything to the saver's store, but
 * syncs the run file before each checkpoint (sample_save.h). */
#include "cli/sample_save.h"

#include "cli/names.h"
#include "talweg/base.h"
#include "talweg/warning.h"

tw_status tw_sample_save_check(tw_context *ctx, const tw_saver_flags *flags,
                               const tw_sample_file_flags *files)
{
    const char *option = flags->resume ? "resume" : "checkpoint";
    if (!flags->checkpoint && !flags->resume) return TW_OK;
    if (!tw_name_ends_in(files->path, ".nc"))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s needs -o FILE.nc, which holds the draws so far", option);
    if (files->stan_csv)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "--%s cannot be used with --stan-csv, whose files are written at the end: use -o FILE.nc",
            option);
    return TW_OK;
}

static bool is_due(void *user)
{
    const tw_sample_saver *s = user;
    return s->inner->is_due(s->inner->user);
}

static void put(void *user, const char *name, size_t bytes, const void *data)
{
    const tw_sample_saver *s = user;
    s->inner->put(s->inner->user, name, bytes, data);
}

static const void *get(void *user, const char *name, size_t *bytes)
{
    const tw_sample_saver *s = user;
    return s->inner->get(s->inner->user, name, bytes);
}

static void commit(void *user)
{
    tw_sample_saver *s = user;
    if (!s->files->run || tw_run_sync(s->files->run) == TW_OK)
        s->inner->commit(s->inner->user);
    else
        tw_saver_warn(&s->saver);
}

const tw_store *tw_sample_saver_store(tw_sample_saver *s, const tw_sample_files *files)
{
    s->files = files;
    s->inner = tw_saver_store(&s->saver);
    s->store = (tw_store){.user = s, .is_due = is_due, .put = put, .commit = commit, .get = get};
    return s->inner ? &s->store : NULL;
}
