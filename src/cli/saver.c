/* saver.c: writes and reads the checkpoints of a command (saver.h). */
#include "cli/saver.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/completion.h"
#include "cli/names.h"
#include "cli/terminal.h"
#include "talweg/base.h"
#include "talweg/files.h"
#include "talweg/team.h"
#include "talweg/warning.h"

#define FIELD(member) offsetof(tw_saver_flags, member)

const tw_option tw_saver_option_rows[TW_SAVER_OPTION_COUNT] = {
    {.name = "checkpoint",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(checkpoint),
     .argument = "FILE",
     .help = "save the state in FILE, so that the computation can resume after a kill or Ctrl-C; FILE is "
             "deleted at the end"},
    {.name = "checkpoint-every",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(every),
     .argument = "X",
     .default_value = "10",
     .least = 0,
     .most = 1e6,
     .help = "seconds between two saves"},
    {.name = "resume",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(resume),
     .argument = "FILE",
     .help = "resume from a checkpoint of the same command, data and options, and keep FILE up to date; the "
             "results are bitwise identical to those of an uninterrupted run"},
};

/* ---- the identity of a computation ----
 * A text with the version, the command, every option that the results depend on, and a digest of every file
 * that the options name. Two computations with the same identity have the same results. */

enum { IDENTITY_BYTES = 1 << 16, BLOCK_WORDS = 1 << 10, DIFFERENCE_BYTES = 512 };

/* Options that do not change the results. */
static const char never_matter[] =
    "threads, quiet, no-warnings, json, force, output, plot, checkpoint, checkpoint-every, resume";

/* Add the contents of a regular file to a digest. Returns false if there is no such file. */
static bool digest_file(const char *path, uint64_t *sum)
{
    struct stat about;
    uint64_t block[BLOCK_WORDS];
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    for (size_t bytes = sizeof block; bytes == sizeof block;) {
        memset(block, 0, sizeof block);
        bytes = fread(block, 1, sizeof block, file);
        *sum = tw_checksum(*sum, (bytes + sizeof *block - 1) / sizeof *block, block);
        *sum = tw_checksum(*sum, 1, &(uint64_t){bytes});
    }
    fclose(file);
    return true;
}

/* The digest of a file, or of the files of a comma-separated list. Returns false if none exists. */
static bool digest_files(const char *text, uint64_t *sum)
{
    char name[4096];
    bool any = digest_file(text, sum);
    while (!any && *text) {
        size_t length = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        digest_file(name, sum);
        text += length + (text[length] == ',');
    }
    return *sum != TW_CHECKSUM_START;
}

/* Copy a text; if it is too long, its beginning and a digest. */
static void print_text(const char *words, char *text, size_t bytes)
{
    uint64_t sum = TW_CHECKSUM_START;
    size_t length = strlen(words);
    if (length < bytes) {
        memcpy(text, words, length + 1);
        return;
    }
    for (size_t i = 0; i < length; i++) sum = tw_checksum(sum, 1, &(uint64_t){(unsigned char)words[i]});
    snprintf(text, bytes, "%.80s... (%zu bytes, %016" PRIx64 ")", words, length, sum);
}

/* Print all texts, each in quotes. */
static void print_texts(const tw_operands *texts, char *text, size_t bytes)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t k = 0; k < texts->count && length < bytes; k++)
        length += (size_t)snprintf(text + length, bytes - length, "%s\"%s\"", k ? "," : "", texts->item[k]);
}

static void print_value(const tw_option *option, const void *field, char *text, size_t bytes)
{
    double number;
    uint64_t integer;
    const char *words = NULL;
    switch (option->kind) {
    case TW_OPTION_FLAG: snprintf(text, bytes, "%s", *(const bool *)field ? "on" : "off"); break;
    case TW_OPTION_NUMBER:
        memcpy(&number, field, sizeof number);
        snprintf(text, bytes, "%.17g", number);
        break;
    case TW_OPTION_INTEGER:
        memcpy(&integer, field, sizeof integer);
        snprintf(text, bytes, "%" PRIu64, integer);
        break;
    case TW_OPTION_OPERANDS: text[0] = '\0'; break;
    case TW_OPTION_TEXTS: print_texts(field, text, bytes); break;
    default: memcpy(&words, field, sizeof words); print_text(words ? words : "", text, bytes);
    }
}

/* Print a line of the identity, "name=value", with a digest of the file that the value names. The name of an
 * operand's file is left out, so that it may be renamed. */
static int print_line(const tw_option *option, const void *field, char *to, size_t bytes)
{
    char value[8192];
    uint64_t sum = TW_CHECKSUM_START;
    print_value(option, field, value, sizeof value);
    for (char *c = value; *c; c++)
        if (*c == '\n') *c = '?';
    bool file = tw_completion_of(option).files && digest_files(value, &sum);
    if (!file) return snprintf(to, bytes, "%s=%s\n", option->name, value);
    return snprintf(to, bytes, "%s=%s #%016" PRIx64 "\n", option->name,
                    tw_option_is_operand(option) ? "" : value, sum);
}

/* Make the identity, without the options named in `but`. */
static tw_status make_identity(tw_context *ctx, const tw_command *command, const void *values,
                               const char *but, char **out)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(ctx, IDENTITY_BYTES, 1, "the options as text", &memory));
    char *text = *out = memory;
    int length =
        snprintf(text, IDENTITY_BYTES, "talweg=%s\ncommand=talweg %s\n", tw_version(), command->name);
    const tw_option *option = NULL;
    for (size_t g = 0; g < command->group_count; g++)
        for (size_t i = 0; (option = tw_group_option(&command->groups[g], i)) && length < IDENTITY_BYTES;
             i++) {
            const tw_option_group *group = &command->groups[g];
            if (tw_name_is_among(option->name, never_matter) || tw_name_is_among(option->name, but)) continue;
            length += print_line(option, (const char *)values + group->offset + option->offset, text + length,
                                 (size_t)(IDENTITY_BYTES - length));
        }
    if (length < IDENTITY_BYTES) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT, "the options are too long for a checkpoint");
}

/* ---- comparison of identities ---- */

/* A line "name=value #digest", without its digest. */
typedef struct line {
    size_t length; /* of the whole line, without '\n' */
    char name[64], value[160];
} line;

static line read_line(const char *text)
{
    line l = {.length = strcspn(text, "\n")};
    size_t name = strcspn(text, "=\n");
    snprintf(l.name, sizeof l.name, "%.*s", (int)name, text);
    if (name < l.length)
        snprintf(l.value, sizeof l.value, "%.*s", (int)(l.length - name - 1), text + name + 1);
    char *digest = strrchr(l.value, '#');
    if (digest && strlen(digest) == 17) *(digest > l.value ? digest - 1 : digest) = '\0';
    return l;
}

/* Describe the difference between a line of the checkpoint and one of this command. */
static void describe(const line *theirs, const line *ours, char words[DIFFERENCE_BYTES])
{
    bool operand = strcspn(ours->name, "abcdefghijklmnopqrstuvwxyz") == strlen(ours->name);
    if (strcmp(theirs->name, ours->name) != 0 || strcmp(ours->name, "command") == 0)
        snprintf(words, DIFFERENCE_BYTES, "it was made by %s, not %s", theirs->value, ours->value);
    else if (strcmp(ours->name, "talweg") == 0)
        snprintf(words, DIFFERENCE_BYTES, "it was made by talweg %s, but this is %s", theirs->value,
                 ours->value);
    else if (operand || strcmp(theirs->value, ours->value) == 0)
        snprintf(words, DIFFERENCE_BYTES, "it was made with different contents of %s%s%s%s",
                 operand ? "" : "--", ours->name, operand ? "" : " ", operand ? "" : ours->value);
    else
        snprintf(words, DIFFERENCE_BYTES, "it was made with --%s %s, but this is --%s %s", ours->name,
                 *theirs->value ? theirs->value : "not given", ours->name,
                 *ours->value ? ours->value : "not given");
}

/* The line of that name in a text; NULL: none. */
static const char *find_line(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strncmp(text, name, length) == 0 && text[length] == '=') return text;
    return NULL;
}

static bool same_line(const char *a, const char *b)
{
    size_t length = strcspn(a, "\n");
    return length == strcspn(b, "\n") && memcmp(a, b, length) == 0;
}

/* Does a line say that its option was not given? Then it may be missing in the other identity. */
static bool not_given(const line *l)
{
    return !*l->value || strcmp(l->value, "nan") == 0 || strcmp(l->value, "off") == 0;
}

/* Find the first line of `from` that differs in `to`. Returns false if there is none. */
static bool find_difference(const char *from, const char *to, line *one, line *other)
{
    for (; *from; from += strcspn(from, "\n"), from += *from == '\n') {
        *one = read_line(from);
        const char *found = find_line(to, one->name);
        if (found ? same_line(from, found) : not_given(one)) continue;
        *other = found ? read_line(found) : (line){0};
        if (!found) snprintf(other->name, sizeof other->name, "%s", one->name);
        return true;
    }
    return false;
}

/* Describe the first difference between two identities; "" if there is none. */
static void compare_identities(const char *theirs, const char *ours, char words[DIFFERENCE_BYTES])
{
    line a, b;
    words[0] = '\0';
    if (find_difference(ours, theirs, &b, &a) || find_difference(theirs, ours, &a, &b))
        describe(&a, &b, words);
}

static const char identity_block[] = "identity";

/* ---- the beginning ---- */

/* Load a checkpoint, and check that it belongs to this computation. */
static tw_status load(tw_saver *s, const char *path, const char *identity)
{
    char difference[DIFFERENCE_BYTES];
    size_t bytes = 0;
    tw_writer_sweep(path); /* it may have been killed before it had saved anything */
    TW_TRY(tw_checkpoint_load(s->ctx, path, &s->blocks));
    const char *theirs = tw_checkpoint_get(s->blocks, identity_block, &bytes);
    if (!theirs || bytes == 0 || theirs[bytes - 1] != '\0')
        return tw_fail(s->ctx, TW_BAD_DATA, "%.1000s: this checkpoint does not name its command", path);
    compare_identities(theirs, identity, difference);
    if (*difference)
        return tw_fail(
            s->ctx, TW_BAD_ARGUMENT,
            "--resume %.1000s: %s; resume with the command that made it, or start again without --resume",
            path, difference);
    return TW_OK;
}

/* Check that the file can be written. An existing checkpoint may hold days of work, so it is not overwritten
 * without --force. */
static tw_status check_place(tw_saver *s, bool force)
{
    struct stat about;
    if (stat(s->path, &about) == 0 && S_ISFIFO(about.st_mode))
        return tw_fail(s->ctx, TW_BAD_ARGUMENT,
                       "--checkpoint %.1000s is a pipe, which cannot be read again: choose another name",
                       s->path);
    if (!force && access(s->path, F_OK) == 0)
        return tw_fail(
            s->ctx, TW_BAD_ARGUMENT,
            "--checkpoint %.1000s already exists: resume from it (--resume %.1000s), or use --force", s->path,
            s->path);
    return tw_writer_hold(s->ctx, s->path, true);
}

tw_status tw_saver_begin(tw_saver *s, tw_context *ctx, const tw_saver_flags *flags, const tw_command *command,
                         const void *values, const char *may_change, bool force)
{
    char *identity = NULL;
    *s = (tw_saver){.ctx = ctx, .path = flags->checkpoint ? flags->checkpoint : flags->resume};
    if (!s->path) return TW_OK;
    s->every = flags->every;
    s->next = tw_wall_seconds() + s->every;
    bool same_file = flags->resume && strcmp(s->path, flags->resume) == 0;
    tw_status status = make_identity(ctx, command, values, may_change, &identity);
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
    size_t found = 0;
    const void *data = s->blocks ? tw_checkpoint_get(s->blocks, name, &found) : NULL;
    return found == bytes ? data : NULL;
}

const double *tw_saver_get_numbers(const tw_saver *s, const char *name, size_t *count)
{
    size_t bytes = 0;
    const void *data = s->blocks ? tw_checkpoint_get(s->blocks, name, &bytes) : NULL;
    *count = bytes / sizeof(double);
    return data;
}

void tw_saver_warn(tw_saver *s)
{
    if (s->warned) return;
    s->warned = true;
    tw_warn(s->ctx, &(tw_warning){.code = TW_WARN_CHECKPOINT, .name = tw_context_message(s->ctx)});
}

void tw_saver_put(tw_saver *s, const char *name, size_t bytes, const void *data)
{
    if (s->path && tw_checkpoint_put(s->blocks, name, bytes, data) != TW_OK) tw_saver_warn(s);
}

bool tw_saver_is_due(const tw_saver *s)
{
    return s->path && (tw_interrupt_seen() || tw_wall_seconds() >= s->next);
}

void tw_saver_write(tw_saver *s)
{
    if (!s->path) return;
    if (tw_checkpoint_save(s->blocks, s->path) == TW_OK)
        s->warned = false;
    else
        tw_saver_warn(s);
    s->next = tw_wall_seconds() + s->every;
}

/* ---- the store for the library ---- */

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

/* Is this a regular file? Nothing else is deleted. */
static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

void tw_saver_end(tw_saver *s, bool complete)
{
    if (s->begun && tw_team_leads(s->ctx) && is_file(s->path)) {
        if (complete)
            unlink(s->path);
        else if (tw_interrupt_seen())
            tw_log(s->ctx, TW_LOG_INFO, "to continue, run the same command with --resume %s", s->path);
    }
    tw_checkpoint_free(s->blocks);
    *s = (tw_saver){0};
}
