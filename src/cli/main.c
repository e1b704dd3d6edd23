/* main.c: the program talweg. Results go to standard output; an error is one paragraph on standard error, and
 * the exit code says what kind it is (talweg/base.h). */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/ranks.h"
#include "cli/terminal.h"
#include "talweg/base.h"
#include "talweg/team.h"

/* Results that did not arrive are a failure, however well they were computed. */
static tw_status flush_results(tw_context *ctx)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return TW_OK;
    return tw_fail(ctx, TW_WRITE_FAILED, "standard output could not be written: %s",
                   errno ? strerror(errno) : "an earlier write failed");
}

/* Did whoever read standard output go away, as head does? */
static bool reader_is_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/* Then there is nothing to say: end as programs do that are stopped by a closed pipe. */
static void end_by_closed_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

/* HDF5 tidies up as a process ends, and crashes over a file that it could not flush to a full disk: so it does
 * not get to do that. */
static void leave(int code)
{
    fflush(NULL);
    _exit(code);
}

static const char no_room[] =
    "the memory limit (ulimit -v) leaves less than the 256 MB that linear algebra needs: raise it";

/* OpenBLAS asks for its work space again and again, for ever, where a limit on the memory of the process (ulimit -v)
 * leaves no room for it. */
static bool has_room_for_blas(void)
{
    const size_t work_space = (size_t)256 << 20; /* of its threads and the heaps that they open */
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    void *room = mmap(NULL, work_space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return false;
    munmap(room, work_space);
    return true;
}

/* Ranks that were started with other arguments would wait for each other, or mix two answers. */
static tw_status agree_on_arguments(tw_context *ctx, int argc, char **argv)
{
    uint64_t sum = tw_checksum_text(TW_CHECKSUM_START, tw_version());
    for (int k = 1; k < argc; k++) sum = tw_checksum_text(sum, argv[k]);
    return tw_team_agree(ctx, sum, "arguments (or versions of talweg)");
}

/* Join the other ranks, if there are any. MPI takes some memory. */
static tw_status join_ranks(tw_context *ctx, int argc, char **argv)
{
    TW_TRY(tw_ranks_begin(ctx));
    if (!has_room_for_blas()) return tw_fail(ctx, TW_NO_MEMORY, "%s", no_room);
    return agree_on_arguments(ctx, argc, argv);
}

/* The library's words, and what to do about them in this program. */
static void print_error(const tw_context *ctx, tw_status status)
{
    char words[4096];
    const char *advice = status == TW_FILE_EXISTS    ? "; use --force to overwrite it"
                         : status == TW_NEW_CATEGORY ? "; use --new-categories to predict it from the prior"
                                                     : "";
    snprintf(words, sizeof words, "%s%s", tw_context_message(ctx), advice);
    tw_terminal_say("error", TW_COLOUR_RED, words);
}

int main(int argc, char **argv)
{
    tw_context *ctx = NULL;
    tw_terminal_prepare();
    if (!has_room_for_blas()) {
        tw_terminal_say("error", TW_COLOUR_RED, no_room);
        leave(tw_status_exit_code(TW_NO_MEMORY)); /* its threads would be waited for */
    }
    tw_status status = tw_context_new(NULL, &ctx);
    if (status != TW_OK) {
        tw_terminal_say("error", TW_COLOUR_RED, tw_status_text(status));
        return tw_status_exit_code(status);
    }
    tw_terminal_log_to(ctx, false);
    status = join_ranks(ctx, argc, argv);
    if (status == TW_OK)
        status = tw_program_run(ctx, argc > 0 ? (size_t)argc - 1 : 0, (const char *const *)argv + 1);
    if (status == TW_OK) status = flush_results(ctx);
    status = tw_ranks_end(ctx, status);
    if (status == TW_WRITE_FAILED && reader_is_gone()) end_by_closed_pipe();
    if (status != TW_OK) print_error(ctx, status);
    tw_context_free(ctx);
    if (status == TW_WRITE_FAILED) leave(tw_status_exit_code(status));
    return status == TW_OK ? tw_terminal_exit_code() : tw_status_exit_code(status);
}
