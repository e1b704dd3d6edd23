/* scratch_file.c: temporary files; see scratch_file.h. */
#include "support/scratch_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/support.h"

void scratch_overwrite(const scratch_file *file, const void *bytes, size_t length)
{
    FILE *stream = fopen(file->path, "wb");
    assert_non_null(stream);
    if (length) assert_int_equal(fwrite(bytes, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

scratch_file scratch_write(const char *ending, const void *bytes, size_t length)
{
    scratch_file file;
    const char *folder = getenv("TMPDIR");
    snprintf(file.path, sizeof file.path, "%s/talweg_test_XXXXXX%s", folder ? folder : "/tmp", ending);
    int descriptor = mkstemps(file.path, (int)strlen(ending));
    assert_true(descriptor >= 0);
    close(descriptor);
    scratch_overwrite(&file, bytes, length);
    return file;
}

scratch_file scratch_write_text(const char *ending, const char *text)
{
    return scratch_write(ending, text, strlen(text));
}

void scratch_remove(const scratch_file *file)
{
    assert_int_equal(unlink(file->path), 0);
}

uint64_t scratch_bits(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
