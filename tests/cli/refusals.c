/* refusals FILE: calls that the program must refuse, many in one process. A row of FILE is an exit code,
 * words of the message and the arguments, separated by tabs. Every call must exit with that code, print
 * nothing to standard output, and give a message of one paragraph with these words. errors.sh writes the
 * rows; starting the program for each would take a hundred times as long. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "talweg/base.h"

enum { most_words = 16, longest_row = 4096 };

/* Split a row at its tabs (an empty word is a word); the number of words. */
static size_t split(char *row, char *words[most_words])
{
    size_t count = 0;
    row[strcspn(row, "\n")] = '\0';
    for (char *next = row; next && count < most_words;) {
        words[count++] = next;
        next = strchr(next, '\t');
        if (next) *next++ = '\0';
    }
    return count;
}

/* Further lines of a message are indented. */
static bool is_one_paragraph(const char *message)
{
    for (const char *line = strchr(message, '\n'); line; line = strchr(line + 1, '\n'))
        if (strncmp(line + 1, "    ", 4) != 0) return false;
    return message[0] != '\0';
}

static bool is_refused(size_t count, char *const *words)
{
    tw_context *ctx = NULL;
    if (count < 3 || tw_context_new(NULL, &ctx) != TW_OK) return false;
    const int code = tw_status_exit_code(tw_program_run(ctx, count - 2, (const char *const *)words + 2));
    fflush(stdout);
    const bool silent = lseek(STDOUT_FILENO, 0, SEEK_CUR) == 0;
    lseek(STDOUT_FILENO, 0, SEEK_SET);
    const char *message = tw_context_message(ctx);
    const bool right =
        code == atoi(words[0]) && silent && is_one_paragraph(message) && strstr(message, words[1]);
    if (!right) {
        fprintf(stderr, "FAILED: talweg");
        for (size_t k = 2; k < count; k++) fprintf(stderr, " %s", words[k]);
        fprintf(stderr, ": exit %d%s; did not say '%s' but: %s\n", code, silent ? "" : ", with output",
                words[1], message);
    }
    tw_context_free(ctx);
    return right;
}

int main(int argc, char **argv)
{
    static char row[longest_row];
    char *words[most_words];
    size_t rows = 0, wrong = 0;
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    FILE *out = tmpfile();
    if (!file || !out || dup2(fileno(out), STDOUT_FILENO) < 0) return 2;
    for (; fgets(row, sizeof row, file); rows++) wrong += !is_refused(split(row, words), words);
    fclose(file);
    fclose(out);
    fprintf(stderr, "%zu of %zu calls were not refused as they should be\n", wrong, rows);
    return wrong > 0 || rows == 0;
}
