/* terminal.c: see terminal.h. */
#include "cli/terminal.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/warnings.h"
#include "talweg/base.h"

/* Back to the first column, and nothing to its right. */
#define CLEAR_LINE "\r\033[K"

/* A message may have further lines, such as an expression with a mark under it: they are indented, and only so can they
 * be told from the next message. */
#define LINE "\n    "

enum { USUAL_WIDTH = 80 };

/* ---- the start of the program ---- */

/* /dev/null for reading only: what is written there fails, as it would on the closed stream. */
static void open_on_nothing(int descriptor, int mode)
{
    if (fcntl(descriptor, F_GETFD) >= 0) return;
    int opened = open("/dev/null", mode);
    if (opened < 0 || opened == descriptor) return;
    dup2(opened, descriptor);
    close(opened);
}

static double begun; /* when the command did */

void tw_terminal_prepare(void)
{
    begun = tw_wall_seconds();
    open_on_nothing(STDIN_FILENO, O_RDONLY);
    open_on_nothing(STDOUT_FILENO, O_RDONLY);
    open_on_nothing(STDERR_FILENO, O_WRONLY);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe and a file that may grow no more: write() says so */
    signal(SIGXFSZ, SIG_IGN);
    if (tw_terminal_is_live()) tw_interrupt_guard();
}

/* ---- what is in front of the program ---- */

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

/* ---- words ---- */

void tw_terminal_say(const char *label, tw_colour colour, const char *text)
{
    fflush(stdout); /* what was printed before comes before */
    tw_terminal_progress(false, NULL);
    bool plain = colour == TW_COLOUR_NONE;
    fprintf(stderr, "talweg: %s%s:%s ", plain ? "" : tw_terminal_colour(stderr, colour), label,
            plain ? "" : tw_terminal_colour(stderr, TW_COLOUR_NONE));
    for (; *text; text++) {
        bool further = strncmp(text, LINE, strlen(LINE)) == 0;
        fputc(iscntrl((unsigned char)*text) && !further ? '?' : *text, stderr);
    }
    fputc('\n', stderr);
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

/* That nothing is kept of a long computation is said all the same. */
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
    fprintf(stderr, CLEAR_LINE "%.*s", tw_terminal_width() - 1, text ? text : "");
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

/* ---- Ctrl-C: a signal handler can only speak through a variable of the whole process, and signals belong to the
 * process: so this is the program's, not the library's ---- */

static volatile sig_atomic_t caught, seen;
static bool told;                   /* by another rank */
static const char *volatile excuse; /* for an end before `caught`; NULL: the signal ends the program */

static void handle(int number)
{
    static const char clear[] = "\r\033[K";
    if (caught && !seen) {
        seen = 1;
        return;
    }
    if (!caught && excuse) {
        if (isatty(STDERR_FILENO) && write(STDERR_FILENO, clear, sizeof clear - 1) < 0) _exit(128 + number);
        if (write(STDERR_FILENO, excuse, strlen(excuse)) < 0) _exit(128 + number);
        _exit(tw_status_exit_code(TW_INTERRUPTED));
    }
    signal(number, SIG_DFL);
    if (isatty(STDERR_FILENO) && write(STDERR_FILENO, clear, sizeof clear - 1) < 0) _exit(128 + number);
    raise(number); /* comes through when this returns */
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

void tw_interrupt_guard(void)
{
    if (!is_ignored(SIGINT)) handle_signal(SIGINT);
    if (!is_ignored(SIGTERM)) handle_signal(SIGTERM);
}

void tw_interrupt_excuse(const char *words)
{
    excuse = words;
    tw_interrupt_guard();
}

void tw_interrupt_catch(void)
{
    caught = 1;
    handle_signal(SIGINT);
    handle_signal(SIGTERM);
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
