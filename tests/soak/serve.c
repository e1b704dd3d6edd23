/* serve.c: run the program repeatedly in one process, for scripts/soak, so that leaks accumulate.
 *
 * A line on standard input is a job, with parts separated by tabs: the file for the command's output, the
 * number of the allocation that fails (0: none), and the command's arguments. The answer is a line: the
 * status; the bytes still in use in the context; resident memory in kB; open descriptors.
 */
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "support/support.h"

enum { LINE_BYTES = 8192, MOST_PARTS = 100 };

static size_t split(char *line, char *part[MOST_PARTS])
{
    size_t count = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *rest = line; rest && count < MOST_PARTS;) part[count++] = strsep(&rest, "\t");
    return count;
}

static long resident_kilobytes(void)
{
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2) resident = -1;
    if (file) fclose(file);
    return resident < 0 ? -1 : resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static long open_descriptors(void)
{
    long count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return -1;
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

static void answer(int to, tw_status status, size_t left)
{
    malloc_trim(0); /* what the allocator of the system keeps for later is not in use */
    dprintf(to, "%d %zu %ld %ld\n", (int)status, left, resident_kilobytes(), open_descriptors());
}

/* Standard output to a file, for one command. */
static void speak_to(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) exit(1);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    close(file);
}

static void run_command(int to, size_t count, char **part)
{
    failing_allocator allocator = {.fail_at = strtoul(part[1], NULL, 10)};
    tw_context *ctx = failing_context(&allocator);
    speak_to(part[0]);
    if (!ctx) {
        answer(to, TW_NO_MEMORY, 0);
        return;
    }
    tw_terminal_log_to(ctx, true);
    tw_status status = tw_program_run(ctx, count - 2, (const char *const *)part + 2);
    if (status != TW_OK) printf("error: %s\n", tw_context_message(ctx));
    fflush(stdout);
    size_t left = tw_context_bytes_in_use(ctx);
    tw_context_free(ctx);
    answer(to, status, left);
}

int main(void)
{
    static char line[LINE_BYTES];
    char *part[MOST_PARTS];
    int to = dup(STDOUT_FILENO);
    tw_terminal_prepare();
    if (!freopen("/dev/null", "w", stderr)) return 1;
    while (fgets(line, sizeof line, stdin)) {
        size_t count = split(line, part);
        if (count > 2) run_command(to, count, part);
    }
    return 0;
}
