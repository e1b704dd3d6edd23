/* fuzz_libsvm.c: sparse text. */
#include "fuzz/fuzz.h"
#include "talweg/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_context *ctx = fuzz_context();
    tw_data *read = NULL;
    tw_status status = tw_data_read(ctx, fuzz_write(".libsvm", data, size), size % 2 ? "none" : NULL, &read);
    if (status == TW_OK) status = tw_data_widen(read, read->d + 1);
    tw_data_free(read);
    fuzz_end(ctx, status);
    return 0;
}

const size_t fuzz_variations = 1000;

char *fuzz_seed(size_t k, size_t *length)
{
    static const char *const seeds[] = {"+1 1:0.5 3:-2e3 # comment\n-1 2:1\n",
                                        "# none\n\n1\t7:1e-300\r\n0 1:99999999999999999999\r\n",
                                        "1 4294967296:1\n", "-1 1:nan\n1 :2\n", NULL};
    return fuzz_text(seeds, k, length);
}
