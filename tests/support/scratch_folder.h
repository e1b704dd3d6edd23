/* scratch_folder.h: a folder for tests that look at what is left in it. */
#ifndef TALWEG_TESTS_SCRATCH_FOLDER_H
#define TALWEG_TESTS_SCRATCH_FOLDER_H

#include <stddef.h>

typedef struct scratch_folder {
    char path[512];
    char last[1024]; /* what scratch_path returned last */
} scratch_folder;

/* A new folder under TMPDIR (default /tmp). scratch_folder_remove takes the files in it away too. */
scratch_folder scratch_folder_new(void);
void scratch_folder_remove(scratch_folder *folder);

/* folder/name, valid until the next call. */
const char *scratch_path(scratch_folder *folder, const char *name);

/* How many files are in it. */
size_t scratch_count(const scratch_folder *folder);

#endif
