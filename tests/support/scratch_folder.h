/* scratch_folder.h: a temporary folder, for tests that check the files in it. */
#ifndef TALWEG_TESTS_SCRATCH_FOLDER_H
#define TALWEG_TESTS_SCRATCH_FOLDER_H

#include <stddef.h>

typedef struct scratch_folder {
    char path[512];
    char last[1024]; /* the last result of scratch_path */
} scratch_folder;

/* Create a folder under TMPDIR (default /tmp). scratch_folder_remove also removes its files. */
scratch_folder scratch_folder_new(void);
void scratch_folder_remove(scratch_folder *folder);

/* folder/name, valid until the next call. */
const char *scratch_path(scratch_folder *folder, const char *name);

/* The number of files in it. */
size_t scratch_count(const scratch_folder *folder);

#endif
