/* fuzz.c: shared by all fuzzers; see fuzz.h. */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A context puts 16 bytes in front of a block and moves it to the next multiple of 64, for which it asks for 80
 * bytes. A start 49 bytes behind a multiple of 64 makes it move by 63: one byte is then left behind the block. */
enum { ALIGNMENT = 64, START = 49, MEMORY = 64 << 20 };

_Noreturn void fuzz_fail(const char *what)
{
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

/* How far behind a multiple of 64 blocks start: 0 for the context's own. */
static size_t start;

static void *allocate(void *user, size_t bytes)
{
    void *block = NULL;
    (void)user;
    return posix_memalign(&block, ALIGNMENT, start + bytes) == 0 ? (char *)block + start : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    if (memory) free((char *)memory - (uintptr_t)memory % ALIGNMENT);
}

tw_context *fuzz_context(void)
{
    const tw_allocator tight = {allocate, release, NULL};
    tw_context *ctx = NULL;
    start = 0;
    if (tw_context_new(&tight, &ctx) != TW_OK) fuzz_fail("no memory for a context");
    start = START;
    tw_context_set_byte_limit(ctx, MEMORY);
    return ctx;
}

void fuzz_end(tw_context *ctx, tw_status status)
{
    if (status != TW_OK && !*tw_context_message(ctx)) fuzz_fail("a failure without a message");
    if (tw_context_bytes_in_use(ctx) != 0) fuzz_fail("memory is left in use");
    tw_context_free(ctx);
}

/* ---- files ---- */

static char path[512];

static void take_away(void)
{
    unlink(path);
}

const char *fuzz_path(const char *ending)
{
    const char *folder = getenv("TMPDIR");
    if (*path) return path;
    snprintf(path, sizeof path, "%s/talweg_fuzz_XXXXXX%s", folder ? folder : "/tmp", ending);
    int file = mkstemps(path, (int)strlen(ending));
    if (file < 0 || close(file) != 0) fuzz_fail("a file cannot be made");
    if (atexit(take_away) != 0) fuzz_fail("no room for atexit");
    return path;
}

/* Written over and then cut: some file systems flush a file to the disk that is first cut to nothing. */
void fuzz_write_to(const char *name, const void *bytes, size_t size)
{
    int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size || ftruncate(file, (off_t)size) != 0)
        fuzz_fail("a file cannot be written");
    close(file);
}

const char *fuzz_write(const char *ending, const void *bytes, size_t size)
{
    fuzz_write_to(fuzz_path(ending), bytes, size);
    return path;
}

char *fuzz_bytes(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) fuzz_fail("a seed cannot be read");
    long end = ftell(file);
    char *bytes = malloc((size_t)end + 1);
    rewind(file);
    if (!bytes || fread(bytes, 1, (size_t)end, file) != (size_t)end) fuzz_fail("a seed cannot be read");
    fclose(file);
    *length = (size_t)end;
    return bytes;
}

/* ---- seeds ---- */

char *fuzz_text(const char *const *texts, size_t k, size_t *length)
{
    for (size_t i = 0; i < k && *texts; i++) texts++;
    *length = *texts ? strlen(*texts) : 0;
    return *texts ? strdup(*texts) : NULL;
}

/* libFuzzer calls this first: leave the seeds where TALWEG_FUZZ_SEEDS says. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *folder = getenv("TALWEG_FUZZ_SEEDS");
    size_t length = 0;
    char *bytes = NULL;
    (void)argc;
    (void)argv;
    for (size_t k = 0; folder && (bytes = fuzz_seed(k, &length)); k++) {
        char name[1024];
        snprintf(name, sizeof name, "%s/seed_%zu", folder, k);
        fuzz_write_to(name, bytes, length);
        free(bytes);
    }
    return 0;
}
