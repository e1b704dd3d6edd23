/* sweep.c: see sweep.h. A process of another machine that writes to the same path at the same moment would look as if it
 * were no more: its next file is whole again. */
#include "cli/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is a name "BASE.PID.N.part", of a process that is no more? */
static bool is_left(const char *name, const char *base)
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

void tw_sweep(const char *path)
{
    char whole[PATH_MAX];
    if (strlen(path) >= sizeof whole) return;
    if (!realpath(path, whole)) strcpy(whole, path); /* not there yet */
    char *slash = strrchr(whole, '/');
    const char *base = slash ? slash + 1 : whole;
    if (slash) *slash = '\0';
    DIR *folder = opendir(!slash ? "." : slash == whole ? "/" : whole);
    if (!folder) return;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        if (is_left(entry->d_name, base)) unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
}
