/* scratch_file.h: small temporary files for tests of readers and writers, and random bits to fill them. */
#ifndef TALWEG_TESTS_SCRATCH_FILE_H
#define TALWEG_TESTS_SCRATCH_FILE_H

#include <stddef.h>
#include <stdint.h>

/* The path of a scratch file. Remove it with scratch_remove. */
typedef struct scratch_file {
    char path[1024];
} scratch_file;

/* Create a file under TMPDIR (default /tmp) with these bytes, whose name ends in `ending` (".csv"). */
scratch_file scratch_write(const char *ending, const void *bytes, size_t length);
scratch_file scratch_write_text(const char *ending, const char *text);
void scratch_overwrite(const scratch_file *file, const void *bytes, size_t length);
void scratch_remove(const scratch_file *file);

/* splitmix64: the next 64 random bits of a stream. */
uint64_t scratch_bits(uint64_t *state);

#endif
