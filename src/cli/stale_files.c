/* stale_files.c: removes unfinished files of killed processes. A process on another machine that writes to
 * the same path looks as if it had ended, so its unfinished file is removed too; its next file is
 * complete. */
#include "cli/stale_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is the name "BASE.PID.N.part", and has the process PID ended? */
static bool is_stale(const char *name, const char *base)
{
    size_t length = strlen(base);
    char *end = NULL;
    if (strncmp(name, base, length) != 0 || name[length] != '.') return false;
    const char *digits = name + length + 1;
    if (strspn(digits, "0123456789") == 0) return false;
    long pid = strtol(digits, &end, 10);
    if (pid < 1 || pid > INT_MAX || *end != '.') return false;
    size_t attempt = strspn(end + 1, "0123456789");
    if (attempt == 0 || strcmp(end + 1 + attempt, ".part") != 0) return false;
    return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

void tw_remove_stale_files(const char *path)
{
    char whole[PATH_MAX];
    if (strlen(path) >= sizeof whole) return;
    if (!realpath(path, whole)) strcpy(whole, path); /* it does not exist yet */
    char *slash = strrchr(whole, '/');
    const char *base = slash ? slash + 1 : whole;
    if (slash) *slash = '\0';
    DIR *folder = opendir(!slash ? "." : slash == whole ? "/" : whole);
    if (!folder) return;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        if (is_stale(entry->d_name, base)) unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
}
