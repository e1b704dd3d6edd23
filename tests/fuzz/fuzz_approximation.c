/* fuzz_approximation.c: saved approximations; one that is accepted predicts its own cases. */
#include "base/context.h"
#include "fuzz/fuzz.h"
#include "support/run_case.h"

static tw_status predict(tw_context *ctx, const tw_problem *problem, const tw_approximation *approximation)
{
    const tw_data *data = problem->data;
    double *latent = NULL;
    tw_predictor *predictor = NULL;
    if (tw_kernel_matrix(problem->kernel, NULL)) return TW_OK;
    TW_TRY(tw_predictor_new(problem->model, approximation, &predictor));
    tw_status status = tw_allocate_doubles(ctx, data->n, 2, "latents", &latent);
    if (status == TW_OK)
        status = tw_predictor_at(predictor, problem->kernel, data, data, latent, latent + data->n);
    tw_release(ctx, latent);
    tw_predictor_free(predictor);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_context *ctx = fuzz_context();
    tw_problem *problem = NULL;
    tw_approximation *approximation = NULL;
    tw_status status = tw_approximation_load(ctx, fuzz_write(".json", data, size), &problem, &approximation);
    if (status == TW_OK) status = predict(ctx, problem, approximation);
    tw_approximation_free(approximation);
    tw_problem_free(problem);
    fuzz_end(ctx, status);
    return 0;
}

const size_t fuzz_variations = 1000;

/* With a kernel, scaling and constants; and with a given matrix. */
char *fuzz_seed(size_t k, size_t *length)
{
    tw_context *ctx = fuzz_context();
    tw_problem *problem = NULL;
    tw_approximation *ep = NULL;
    const char *path = fuzz_path(".json");
    tw_status status = run_problem_new(ctx, k ? RUN_MATRIX : RUN_KERNEL, &problem);
    if (status == TW_OK) status = tw_ep_fit(problem->model, NULL, &ep);
    if (status == TW_OK) status = tw_approximation_save(problem, ep, path, true);
    if (status != TW_OK) fuzz_fail(tw_context_message(ctx));
    tw_approximation_free(ep);
    tw_problem_free(problem);
    fuzz_end(ctx, status);
    return k < 2 ? fuzz_bytes(path, length) : NULL;
}
