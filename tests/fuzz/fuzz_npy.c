/* fuzz_npy.c: NumPy's arrays. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "support/npy_file.h"
#include "talweg/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_context *ctx = fuzz_context();
    tw_table *table = NULL;
    tw_status status = tw_table_read(ctx, fuzz_write(".npy", data, size), &table);
    tw_table_free(table);
    fuzz_end(ctx, status);
    return 0;
}

const size_t fuzz_variations = 1000;

char *fuzz_seed(size_t k, size_t *length)
{
    static const struct {
        int version;
        const char *descr, *order, *shape;
        size_t bytes;
    } seeds[] = {{1, "'<f8'", "False", "(2, 3)", 48}, {2, "'<f4'", "True", "(3,)", 12},
                 {1, "'<i8'", "True", "(2, 1)", 16},  {3, "'|b1'", "False", "(1, 4)", 4},
                 {1, "'<u2'", "False", "(2, 2)", 8},  {1, "'<f8'", "False", "(4294967296, 536870912)", 8}};
    if (k >= sizeof seeds / sizeof *seeds) return NULL;
    char *bytes = calloc(1, 1024);
    if (!bytes) fuzz_fail("no memory");
    *length = seeds[k].bytes + npy_header((unsigned char *)bytes, seeds[k].version, seeds[k].descr,
                                          seeds[k].order, seeds[k].shape);
    return bytes;
}
