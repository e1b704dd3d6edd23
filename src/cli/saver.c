/* saver.c: see saver.h. */
#include "cli/saver.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/identity.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "talweg/base.h"
#include "talweg/files.h"
#include "talweg/warning.h"

#define FIELD(member) offsetof(tw_saver_flags, member)

const tw_option tw_saver_option_rows[TW_SAVER_OPTION_COUNT] = {
    {.name = "checkpoint",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(checkpoint),
     .argument = "FILE",
     .help = "keep in FILE where the computation stands, so that it can go on after a kill or Ctrl-C; the "
             "file is taken away when everything is computed"},
    {.name = "checkpoint-every",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(every),
     .argument = "X",
     .default_value = "10",
     .least = 0,
     .most = 1e6,
     .help = "seconds between two writings of FILE"},
    {.name = "resume",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(resume),
     .argument = "FILE",
     .help = "go on from a checkpoint of the same command, data and options, and keep FILE up to date; the "
             "results are those of an uninterrupted computation, to the bit"},
};

static const char identity_block[] = "identity";

/* ---- the beginning ---- */

static tw_status load(tw_saver *s, const char *path, const char *identity)
{
    char difference[TW_DIFFERENCE_BYTES];
    size_t bytes = 0;
    TW_TRY(tw_checkpoint_load(s->ctx, path, &s->blocks));
    const char *theirs = tw_checkpoint_get(s->blocks, identity_block, &bytes);
    if (!theirs || bytes == 0 || theirs[bytes - 1] != '\0')
        return tw_fail(s->ctx, TW_BAD_DATA, "%.1000s: this checkpoint does not say what it is of", path);
    tw_identity_compare(theirs, identity, difference);
    if (*difference)
        return tw_fail(
            s->ctx, TW_BAD_ARGUMENT,
            "--resume %.1000s: %s; continue with the command that made it, or start again without --resume",
            path, difference);
    return TW_OK;
}

/* A checkpoint that is there may be days of work. */
static tw_status check_place(tw_saver *s, bool force)
{
    if (!force && access(s->path, F_OK) == 0)
        return tw_fail(
            s->ctx, TW_BAD_ARGUMENT,
            "--checkpoint %.1000s already exists: continue from it (--resume %.1000s), or use --force",
            s->path, s->path);
    return tw_writer_check(s->ctx, s->path, true);
}

tw_status tw_saver_begin(tw_saver *s, tw_context *ctx, const tw_saver_flags *flags, const tw_command *command,
                         const void *values, const char *may_change, bool force)
{
    char *identity = NULL;
    *s = (tw_saver){.ctx = ctx, .path = flags->checkpoint ? flags->checkpoint : flags->resume};
    if (!s->path) return TW_OK;
    s->every = flags->every;
    s->next = tw_terminal_seconds() + s->every;
    bool same_file = flags->resume && strcmp(s->path, flags->resume) == 0;
    tw_status status = tw_identity_make(ctx, command, values, may_change, &identity);
    if (status == TW_OK && flags->resume) status = load(s, flags->resume, identity);
    if (status == TW_OK) status = check_place(s, force || same_file);
    if (status == TW_OK && !s->blocks) status = tw_checkpoint_new(ctx, &s->blocks);
    if (status == TW_OK)
        status = tw_checkpoint_put(s->blocks, identity_block, strlen(identity) + 1, identity);
    tw_release(ctx, identity);
    s->begun = status == TW_OK;
    return status;
}

/* ---- blocks ---- */

const void *tw_saver_get(const tw_saver *s, const char *name, size_t bytes)
{
    size_t there = 0;
    const void *data = s->blocks ? tw_checkpoint_get(s->blocks, name, &there) : NULL;
    return there == bytes ? data : NULL;
}

const double *tw_saver_get_numbers(const tw_saver *s, const char *name, size_t *count)
{
    size_t bytes = 0;
    const void *data = s->blocks ? tw_checkpoint_get(s->blocks, name, &bytes) : NULL;
    *count = bytes / sizeof(double);
    return data;
}

static void warn(tw_saver *s)
{
    tw_warn(s->ctx, &(tw_warning){.code = TW_WARN_CHECKPOINT, .name = tw_context_message(s->ctx)});
}

void tw_saver_put(tw_saver *s, const char *name, size_t bytes, const void *data)
{
    if (s->path && tw_checkpoint_put(s->blocks, name, bytes, data) != TW_OK) warn(s);
}

bool tw_saver_is_due(const tw_saver *s)
{
    return s->path && (tw_interrupt_seen() || tw_terminal_seconds() >= s->next);
}

void tw_saver_write(tw_saver *s)
{
    if (!s->path) return;
    if (tw_checkpoint_save(s->blocks, s->path) != TW_OK) warn(s);
    s->next = tw_terminal_seconds() + s->every;
}

/* ---- for the library ---- */

static bool is_due(void *user)
{
    return tw_saver_is_due(user);
}

static void put(void *user, const char *name, size_t bytes, const void *data)
{
    tw_saver_put(user, name, bytes, data);
}

static void commit(void *user)
{
    tw_saver_write(user);
}

static const void *get(void *user, const char *name, size_t *bytes)
{
    const tw_saver *s = user;
    return tw_checkpoint_get(s->blocks, name, bytes);
}

const tw_store *tw_saver_store(tw_saver *s)
{
    s->store = (tw_store){.user = s, .is_due = is_due, .put = put, .commit = commit, .get = get};
    return s->path ? &s->store : NULL;
}

/* ---- the end ---- */

/* Is there a file? Whatever else was written to is not taken away. */
static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

void tw_saver_end(tw_saver *s, bool complete)
{
    if (s->begun && is_file(s->path)) {
        if (complete)
            unlink(s->path);
        else if (tw_interrupt_seen())
            tw_log(s->ctx, TW_LOG_INFO, "to go on, give the same command with --resume %s", s->path);
    }
    tw_checkpoint_free(s->blocks);
    *s = (tw_saver){0};
}
