/* bench_csv.c: the speed of reading a CSV file of about 100 MB on one core.
 *
 * One block of lines with seeded random numbers is written repeatedly to a temporary file, which
 * tw_table_read reads three times; the fastest counts, so that the file is in the system's cache.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "talweg/data.h"

enum { FILE_BYTES = 100000000, BLOCK_ROWS = 1000, COLUMNS = 20, READS = 3 };

/* splitmix64, as a number in [0, 1). */
static double next_uniform(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static size_t make_block(const char *format, char *block)
{
    uint64_t state = 20160101;
    size_t length = 0;
    for (size_t i = 0; i < BLOCK_ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++) {
            length += (size_t)sprintf(block + length, format, 200 * next_uniform(&state) - 100);
            block[length++] = j + 1 < COLUMNS ? ',' : '\n';
        }
    return length;
}

static double write_file(int descriptor, const char *format)
{
    static char block[BLOCK_ROWS * COLUMNS * 32];
    size_t length = make_block(format, block), written = 0;
    for (; written < FILE_BYTES; written += length)
        if (write(descriptor, block, length) != (ssize_t)length) return 0;
    return (double)written;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The seconds of one read; 0 after a failure, which is printed. */
static double time_read(const char *path)
{
    tw_context *ctx = NULL;
    tw_table *table = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) return 0;
    double start = seconds();
    tw_status status = tw_table_read(ctx, path, &table);
    double taken = seconds() - start;
    if (status != TW_OK) fprintf(stderr, "bench_csv: %s\n", tw_context_message(ctx));
    tw_table_free(table);
    tw_context_free(ctx);
    return status == TW_OK ? taken : 0;
}

static int run(const char *what, const char *format)
{
    char path[4096];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/talweg_bench_XXXXXX.csv", folder ? folder : "/tmp");
    int descriptor = mkstemps(path, 4);
    if (descriptor < 0) {
        perror(path);
        return 1;
    }
    double bytes = write_file(descriptor, format), best = 0;
    close(descriptor);
    for (int i = 0; i < READS && bytes > 0; i++) {
        double taken = time_read(path);
        if (i == 0 || taken < best) best = taken;
    }
    unlink(path);
    if (best <= 0) return 1;
    printf("csv  %.1f MB  %s  %.0f MB/s\n", bytes * 1e-6, what, bytes * 1e-6 / best);
    return 0;
}

int main(void)
{
    return run("17-digit numbers", "%.17g") + run("short numbers", "%.2f");
}
