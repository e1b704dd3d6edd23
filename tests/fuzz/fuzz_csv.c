/* fuzz_csv.c: CSV files, with a label and an exposure. */
#include "fuzz/fuzz.h"
#include "talweg/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_context *ctx = fuzz_context();
    tw_data *read = NULL;
    tw_scaling *scaling = NULL;
    const char *path = fuzz_write(".csv", data, size);
    tw_status status = tw_data_read_columns(ctx, path, "y", 1, &(tw_column_place){"exposure", "2"}, &read);
    if (status != TW_OK) status = tw_data_read(ctx, path, size % 2 ? "none" : NULL, &read);
    if (status == TW_OK) status = tw_scaling_fit(read, &scaling);
    if (status == TW_OK) status = tw_scaling_apply(scaling, read);
    if (status == TW_OK && read->y) status = tw_data_binary_labels(read);
    tw_scaling_free(scaling);
    tw_data_free(read);
    fuzz_end(ctx, status);
    return 0;
}

const size_t fuzz_variations = 1000;

char *fuzz_seed(size_t k, size_t *length)
{
    static const char *const seeds[] = {"a,b,y\n1,2,1\n3,4.5e-3,-1\n",
                                        "\"a b\";\"c\"\"d\";y\r\n1;2;0\r\n\r\n# comment\r\n\"3\";4;1\r\n",
                                        "1 2.25  1\n 3\t4 -1\n",
                                        "x\ty\n1e308\t1\n-1e308\t-1\n",
                                        "\xef\xbb\xbf-1,12345678901234567890.5,1\n.5,+5e-324,0\n",
                                        "y\n1\n-1\n",
                                        "1,nan,1\n2,,0\n",
                                        ",sex,e,y\n1,M,2,yes\n2,F,3,no\n3,\"a\"\"b\",1,no\n",
                                        "1,M,yes\n2,F,no\n",
                                        NULL};
    return fuzz_text(seeds, k, length);
}
