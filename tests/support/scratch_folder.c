/* scratch_folder.c: temporary folders; see scratch_folder.h. */
#include "support/scratch_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/support.h"

scratch_folder scratch_folder_new(void)
{
    scratch_folder folder = {.path = ""};
    const char *root = getenv("TMPDIR");
    snprintf(folder.path, sizeof folder.path, "%.400s/talweg-test-XXXXXX", root ? root : P_tmpdir);
    assert_non_null(mkdtemp(folder.path));
    return folder;
}

const char *scratch_path(scratch_folder *folder, const char *name)
{
    snprintf(folder->last, sizeof folder->last, "%s/%s", folder->path, name);
    return folder->last;
}

void scratch_folder_remove(scratch_folder *folder)
{
    struct dirent *entry;
    DIR *listing = opendir(folder->path);
    while (listing && (entry = readdir(listing)))
        if (entry->d_name[0] != '.') unlink(scratch_path(folder, entry->d_name));
    if (listing) closedir(listing);
    assert_int_equal(rmdir(folder->path), 0);
}

size_t scratch_count(const scratch_folder *folder)
{
    size_t count = 0;
    struct dirent *entry;
    DIR *listing = opendir(folder->path);
    assert_non_null(listing);
    while ((entry = readdir(listing))) count += entry->d_name[0] != '.';
    closedir(listing);
    return count;
}
