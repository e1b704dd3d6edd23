/* terminal.c: messages, colours, progress line and signals of the program (terminal.h). */
#include "cli/terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/warnings.h"
#include "talweg/base.h"
#include "talweg/files.h"

/* Return to the first column and erase the line. */
#define CLEAR_LINE "\r\033[K"

/* The start of a further line of a message, such as a mark under an expression. The indentation distinguishes
 * it from the next message. */
#define LINE "\n    "

enum { USUAL_WIDTH = 80, PLAIN_TEXTS = 8 };

/* ---- Ctrl-C ----
 * Signals belong to the process, and a handler communicates through static variables. So the program handles
 * them, not the library. */

static volatile sig_atomic_t caught, seen; /* tw_interrupt_catch was called; a signal arrived after that */
static bool told;                          /* a signal arrived at another rank */
static tw_context *volatile owner;         /* of unfinished files */

/* What a signal before `caught` says. */
static const char *volatile excuse = "talweg: error: interrupted: there is no result\n";

/* The end at once: no result, and no unfinished files. */
static void end_now(const char *words)
{
    static const char clear[] = CLEAR_LINE;
    ssize_t written = isatty(STDERR_FILENO) ? write(STDERR_FILENO, clear, sizeof clear - 1) : 0;
    if (written >= 0) written = write(STDERR_FILENO, words, strlen(words));
    (void)written;
    if (owner) tw_writer_clean_up(owner);
    _exit(tw_status_exit_code(TW_INTERRUPTED));
}

static void handle(int number)
{
    (void)number;
    if (!caught) end_now(excuse);
    if (seen) end_now("talweg: error: interrupted twice: ended at once\n");
    seen = 1;
}

static void handle_signal(int number)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static bool is_ignored(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void guard(void)
{
    if (!is_ignored(SIGINT)) handle_signal(SIGINT);
    if (!is_ignored(SIGTERM)) handle_signal(SIGTERM);
}

void tw_interrupt_owner(tw_context *ctx)
{
    owner = ctx;
}

void tw_interrupt_excuse(const char *words)
{
    excuse = words;
}

void tw_interrupt_catch(void)
{
    caught = 1;
    handle_signal(SIGINT);
    handle_signal(SIGTERM);
}

/* ---- the start of the program ---- */

/* Open a closed descriptor on /dev/null. Opened for reading only, writes fail, as on the closed stream. */
static void open_on_nothing(int descriptor, int mode)
{
    if (fcntl(descriptor, F_GETFD) >= 0) return;
    int opened = open("/dev/null", mode);
    if (opened < 0 || opened == descriptor) return;
    dup2(opened, descriptor);
    close(opened);
}

static double begun; /* wall time of the start of the command */

void tw_terminal_prepare(void)
{
    begun = tw_wall_seconds();
    open_on_nothing(STDIN_FILENO, O_RDONLY);
    open_on_nothing(STDOUT_FILENO, O_RDONLY);
    open_on_nothing(STDERR_FILENO, O_WRONLY);
    signal(SIGPIPE, SIG_IGN); /* write() then reports a closed pipe, and a file at its size limit */
    signal(SIGXFSZ, SIG_IGN);
    guard();
}

/* ---- properties of the terminal ---- */

static bool is_dumb(void)
{
    const char *term = getenv("TERM");
    return term && strcmp(term, "dumb") == 0;
}

bool tw_terminal_is_live(void)
{
    return isatty(STDERR_FILENO) && !is_dumb();
}

int tw_terminal_width(void)
{
    struct winsize size = {0};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    return width > 0 && width < 10000 ? (int)width : USUAL_WIDTH;
}

const char *tw_terminal_colour(FILE *to, tw_colour colour)
{
    static const char *const codes[] = {"\033[0m", "\033[31m", "\033[32m", "\033[33m"};
    const char *refused = getenv("NO_COLOR");
    bool coloured = isatty(fileno(to)) && !is_dumb() && !(refused && *refused);
    return coloured ? codes[colour] : "";
}

/* ---- messages ---- */

void tw_terminal_say(const char *label, tw_colour colour, const char *text)
{
    fflush(stdout); /* keep the order of results and messages */
    tw_terminal_progress(false, NULL);
    bool plain = colour == TW_COLOUR_NONE;
    fprintf(stderr, "talweg: %s%s:%s ", plain ? "" : tw_terminal_colour(stderr, colour), label,
            plain ? "" : tw_terminal_colour(stderr, TW_COLOUR_NONE));
    for (const char *end = text; end; text = end + 1) { /* of each line */
        char line[TW_WARNING_BYTES];
        end = strstr(text, LINE);
        size_t length = end ? (size_t)(end - text) : strlen(text);
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        fprintf(stderr, "%s\n", tw_make_plain(line));
    }
}

const char *tw_plain(const char *text)
{
    static char kept[PLAIN_TEXTS][TW_WARNING_BYTES];
    static size_t next;
    char *copy = kept[next++ % PLAIN_TEXTS];
    snprintf(copy, TW_WARNING_BYTES, "%s", text);
    return tw_make_plain(copy);
}

static void print_message(void *user, tw_log_level level, const char *text)
{
    (void)user;
    bool warning = level == TW_LOG_WARNING;
    tw_terminal_say(warning ? "warning" : "note", warning ? TW_COLOUR_YELLOW : TW_COLOUR_NONE, text);
}

void tw_terminal_log_to(tw_context *ctx, bool quiet)
{
    tw_context_set_log(ctx, quiet ? NULL : print_message, NULL);
    tw_warnings_receive(ctx);
}

/* Drop warnings, except that a checkpoint could not be written. */
static void drop(void *user, const tw_warning *warning)
{
    if (warning->code == TW_WARN_CHECKPOINT) tw_warnings_hear(user, warning);
}

void tw_terminal_mute(tw_context *ctx)
{
    tw_context_set_log(ctx, NULL, NULL);
    tw_context_set_warn(ctx, drop, NULL);
}

void tw_terminal_progress(bool quiet, const char *text)
{
    if (quiet || !tw_terminal_is_live()) return;
    fprintf(stderr, CLEAR_LINE "%.*s", tw_terminal_width() - 1, text ? tw_plain(text) : "");
    fflush(stderr);
}

void tw_terminal_restart(void)
{
    begun = tw_wall_seconds();
}

double tw_terminal_elapsed(void)
{
    return tw_wall_seconds() - begun;
}

bool tw_interrupt_seen(void)
{
    return seen != 0 || told;
}

void tw_interrupt_tell(void)
{
    told = true;
}

static int exit_code;

void tw_terminal_set_exit_code(int code)
{
    exit_code = code;
}

int tw_terminal_exit_code(void)
{
    return exit_code;
}
