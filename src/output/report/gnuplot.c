/* gnuplot.c: run the program gnuplot. It reads the script from a temporary file and writes the picture to
 * another. No shell is involved, so nothing in a name can become a command. gnuplot does not say that a write
 * failed, so the picture is copied to its place only if its end is there. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "talweg/report.h"

extern char **environ;

/* The environment without what changes gnuplot's figures. Variables behind the first thousand are left out. */
static void make_environment(char *kept[1001])
{
    static const char *const dropped[] = {"GNUPLOT", "GNUTERM", "GDFONTPATH", "FIT_"};
    size_t count = 0;
    for (char **variable = environ; variable && *variable && count < 1000; variable++) {
        bool drops = false;
        for (size_t k = 0; k < sizeof dropped / sizeof *dropped; k++)
            drops |= strncmp(*variable, dropped[k], strlen(dropped[k])) == 0;
        if (!drops) kept[count++] = *variable;
    }
    kept[count] = NULL;
}

/* Run gnuplot with these three as standard input, output and error, and wait for it. Returns -1 if it could
 * not be started, otherwise its exit code; 127 also means that it could not be started, as in a shell. */
static int run(char *const arguments[], int in, int out, int err)
{
    posix_spawn_file_actions_t actions;
    const int from[] = {in, out, err};
    pid_t child = 0;
    int status = 0;
    char *environment[1001];
    make_environment(environment);
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    for (int k = 0; k < 3; k++) posix_spawn_file_actions_adddup2(&actions, from[k], k);
    int error = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

bool tw_gnuplot_available(void)
{
    char name[] = "gnuplot", version[] = "--version", *arguments[] = {name, version, NULL};
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0) return false;
    int code = run(arguments, nowhere, nowhere, nowhere);
    close(nowhere);
    return code == 0;
}

tw_status tw_gnuplot_begin(tw_context *ctx, tw_gnuplot *plot)
{
    *plot = (tw_gnuplot){.ctx = ctx, .script = tmpfile()};
    if (plot->script) return TW_OK;
    return tw_fail(ctx, TW_WRITE_FAILED, "a temporary file cannot be written: %s", strerror(errno));
}

/* gnuplot prints the offending line and, below it, the reason: "line 3: undefined variable: x". */
static tw_status fail_with(tw_context *ctx, FILE *complaints)
{
    char line[200] = "", words[200] = "";
    rewind(complaints);
    while (fgets(line, sizeof line, complaints))
        if (strstr(line, "line ")) snprintf(words, sizeof words, "%.*s", (int)strcspn(line, "\n"), line);
    return tw_fail(ctx, TW_WRITE_FAILED, "gnuplot could not draw the figure%s%s", *words ? ": " : "", words);
}

static tw_status draw(tw_gnuplot *plot, FILE *picture, FILE *complaints)
{
    char name[] = "gnuplot", defaults[] = "-d",
         *arguments[] = {name, defaults, NULL}; /* without ~/.gnuplot */
    bool written = fflush(plot->script) == 0 && !ferror(plot->script);
    if (!written || lseek(fileno(plot->script), 0, SEEK_SET) != 0)
        return tw_fail(plot->ctx, TW_WRITE_FAILED, "a temporary file could not be written completely: %s",
                       strerror(errno));
    if (run(arguments, fileno(plot->script), fileno(picture), fileno(complaints)) == 0) return TW_OK;
    return fail_with(plot->ctx, complaints);
}

/* Does it end as an SVG or a PNG does? */
static bool is_complete(FILE *picture)
{
    char end[33] = "";
    if (fseek(picture, 0, SEEK_END) != 0) return false;
    long length = ftell(picture), read = length < 32 ? length : 32;
    if (read <= 0 || fseek(picture, -read, SEEK_END) != 0) return false;
    read = (long)fread(end, 1, (size_t)read, picture);
    for (long k = 0; k + 4 <= read; k++)
        if (memcmp(end + k, "IEND", 4) == 0 || strncmp(end + k, "</svg>", 6) == 0) return true;
    return false;
}

static tw_status copy(tw_context *ctx, FILE *from, FILE *to)
{
    char bytes[4096];
    size_t count = 0;
    rewind(from);
    errno = 0;
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0 && fwrite(bytes, 1, count, to) == count) {
    }
    if (!ferror(from) && !ferror(to) && fflush(to) == 0) return TW_OK;
    return tw_fail(ctx, TW_WRITE_FAILED, "could not be written completely: %s",
                   strerror(errno ? errno : EIO));
}

static tw_status draw_and_copy(tw_gnuplot *plot, FILE *drawn, FILE *complaints, FILE *picture)
{
    TW_TRY(draw(plot, drawn, complaints));
    if (!is_complete(drawn))
        return tw_fail(plot->ctx, TW_WRITE_FAILED,
                       "gnuplot could not write the whole figure: is there room for temporary files?");
    return copy(plot->ctx, drawn, picture);
}

tw_status tw_gnuplot_end(tw_gnuplot *plot, FILE *picture)
{
    FILE *drawn = tmpfile(), *complaints = drawn ? tmpfile() : NULL;
    tw_status status = complaints ? draw_and_copy(plot, drawn, complaints, picture)
                                  : tw_fail(plot->ctx, TW_WRITE_FAILED,
                                            "a temporary file cannot be written: %s", strerror(errno));
    if (complaints) fclose(complaints);
    if (drawn) fclose(drawn);
    tw_gnuplot_abandon(plot);
    return status;
}

void tw_gnuplot_abandon(tw_gnuplot *plot)
{
    fclose(plot->script);
    plot->script = NULL;
}

/* Within double quotes, and in octal whatever gnuplot could take for more than text: its reader confuses some sequences
 * of single quotes. */
void tw_gnuplot_quote(const char *text, FILE *to)
{
    fputc('"', to);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == 0x7f)
            fputc(' ', to);
        else if (strchr("\"'`\\@$%{}&~^", c))
            fprintf(to, "\\%03o", (unsigned)c);
        else
            fputc(c, to);
    }
    fputc('"', to);
}
