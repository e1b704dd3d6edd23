/* fuzz_expression.c: expressions of kernels. One that is accepted is printed and parsed again to the same kernel and
 * theta, and has a Gram matrix and a gradient. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "talweg/covariance.h"

enum { N = 3, D = 2 };

static const double inputs[N * D] = {0.1, 0.7, 2.0, -1.0, 0.3, 0.4};

static void compute(const tw_kernel *kernel, double *gradient)
{
    const double w[N * N] = {1.0, 0.5, 0.2, 0.5, 1.0, 0.1, 0.2, 0.1, 1.0};
    double k[N * N];
    if (tw_kernel_gram(kernel, N, D, inputs, N, k, N) != TW_OK) return; /* no memory */
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++)
            if (k[i + j * N] != k[j + i * N] && !isnan(k[i + j * N])) fuzz_fail("K is not symmetric");
    (void)tw_kernel_contract(kernel, N, D, inputs, N, w, N, gradient);
}

static void check(tw_context *ctx, const tw_data *data, const tw_kernel *kernel)
{
    char *text = NULL;
    double *gradient = NULL;
    tw_kernel *again = NULL;
    if (tw_kernel_print(kernel, &text) == TW_OK) {
        tw_status status = tw_kernel_parse_for(ctx, text, data, &again);
        if (status != TW_OK && status != TW_NO_MEMORY) fuzz_fail("what was printed is refused");
        if (status == TW_OK && !tw_kernel_same(kernel, again))
            fuzz_fail("what was printed is another kernel");
    }
    if (tw_allocate_doubles(ctx, tw_kernel_count(kernel), 1, "a gradient", &gradient) == TW_OK)
        compute(kernel, gradient);
    tw_release(ctx, gradient);
    tw_kernel_free(again);
    tw_release(ctx, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[D] = {"age", "a b"};
    tw_context *ctx = fuzz_context();
    tw_kernel *kernel = NULL;
    tw_data *known = NULL;
    char *text = calloc(1, size + 1);
    if (!text) fuzz_fail("no memory");
    if (size) memcpy(text, data, size);
    tw_status status = tw_data_new(ctx, N, D, inputs, N, NULL, &known);
    if (status == TW_OK) status = tw_data_set_names(known, names);
    if (status == TW_OK) status = tw_kernel_parse_for(ctx, text, known, &kernel);
    if (status == TW_OK) check(ctx, known, kernel);
    tw_kernel_free(kernel);
    tw_data_free(known);
    free(text);
    fuzz_end(ctx, status);
    return 0;
}

const size_t fuzz_variations = 3000;

char *fuzz_seed(size_t k, size_t *length)
{
    static const char *const seeds[] = {
        "se",
        "se(ell=2, sigma=1.5) + constant(variance=0.5) + white(variance=0.1)",
        "rbf(ard, log_sigma=-0.5) * (matern32(ell=(1, 2)) + 3 * matern12)",
        "((matern52(log_ell=(0.1,-1e-3))))*white+0.5",
        "matern52(ell=1e150) + se(ell=1e-150, sigma=1e150)",
        "se + sea",
        "(se + white",
        "rq(1, ell=2, alpha=0.3) * periodic(2, period=7, ard) + cosine(2, 1, period=(1, 2))",
        "linear(ard) + polynomial(1, degree=3, offset=0.5) * categorical(2)",
        "se(age) + linear(\"a b\", ell=(1, 2))",
        "\xc3\xa4 + se(ell=1, ell=2)",
        NULL,
    };
    return fuzz_text(seeds, k, length);
}
