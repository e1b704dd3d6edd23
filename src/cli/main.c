/* main.c: the program talweg. Results go to standard output. An error prints one paragraph to standard error,
 * and the exit code gives its kind (talweg/base.h). */
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

/* Fail if standard output could not be written. */
static tw_status flush_results(tw_context *ctx)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return TW_OK;
    return tw_fail(ctx, TW_WRITE_FAILED, "standard output could not be written: %s",
                   errno ? strerror(errno) : "an earlier write failed");
}

/* Has the reader of standard output closed the pipe, as head does? */
static bool reader_is_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/* End without a message by SIGPIPE, as other programs do when the pipe is closed. */
static void end_by_closed_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

/* Exit without exit handlers: that of HDF5 crashes if it could not flush a file to a full disk. */
static void leave(int code)
{
    fflush(NULL);
    _exit(code);
}

static const char no_room[] =
    "the memory limit (ulimit -v) leaves less than the 256 MB that linear algebra needs: raise it";

/* If a limit on the memory of the process (ulimit -v) leaves no room for OpenBLAS's work space, OpenBLAS
 * retries the allocation forever, so the program checks for room first. */
static bool has_room_for_blas(void)
{
    const size_t work_space = (size_t)256 << 20; /* for its threads and their heaps */
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    void *room = mmap(NULL, work_space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return false;
    munmap(room, work_space);
    return true;
}

/* Fail if the ranks have different arguments: they would deadlock or mix two results. */
static tw_status agree_on_arguments(tw_context *ctx, int argc, char **argv)
{
    uint64_t sum = tw_checksum_text(TW_CHECKSUM_START, tw_version());
    for (int k = 1; k < argc; k++) sum = tw_checksum_text(sum, argv[k]);
    return tw_team_agree(ctx, sum, "arguments (or versions of talweg)");
}

/* Join the other ranks, if there are any. MPI takes memory, so check again for room. */
static tw_status join_ranks(tw_context *ctx, int argc, char **argv)
{
    TW_TRY(tw_ranks_begin(ctx));
    if (!has_room_for_blas()) return tw_fail(ctx, TW_NO_MEMORY, "%s", no_room);
    return agree_on_arguments(ctx, argc, argv);
}

/* Print the library's message, with the option that helps. */
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
        leave(tw_status_exit_code(TW_NO_MEMORY)); /* exit() would wait for OpenBLAS's threads */
    }
    tw_status status = tw_context_new(NULL, &ctx);
    if (status != TW_OK) {
        tw_terminal_say("error", TW_COLOUR_RED, tw_status_text(status));
        return tw_status_exit_code(status);
    }
    tw_interrupt_owner(ctx);
    tw_terminal_log_to(ctx, false);
    status = join_ranks(ctx, argc, argv);
    if (status == TW_OK)
        status = tw_program_run(ctx, argc > 0 ? (size_t)argc - 1 : 0, (const char *const *)argv + 1);
    if (status == TW_OK) status = flush_results(ctx);
    status = tw_ranks_end(ctx, status);
    if (status == TW_WRITE_FAILED && reader_is_gone()) end_by_closed_pipe();
    if (status != TW_OK) print_error(ctx, status);
    tw_interrupt_owner(NULL);
    tw_context_free(ctx);
    if (status == TW_WRITE_FAILED) leave(tw_status_exit_code(status));
    return status == TW_OK ? tw_terminal_exit_code() : tw_status_exit_code(status);
}
