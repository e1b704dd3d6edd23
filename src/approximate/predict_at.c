/* predict_at.c: predictions of the latent function at any number of new inputs, in batches of
 * tw_predict_batch(n) columns, so that memory does not grow with the number of inputs. */
#include "approximate/approximate.h"

size_t tw_predict_batch(size_t n)
{
    const size_t most = (size_t)1 << 22;
    size_t columns = n > 0 ? most / n : TW_PREDICT_BATCH;
    return columns > TW_PREDICT_BATCH ? TW_PREDICT_BATCH : columns < 16 ? 16 : columns;
}

static tw_status predict_batches(const tw_predictor *predictor, const tw_kernel *kernel, const tw_data *train,
                                 const tw_data *at, double *cross, double *mean, double *variance)
{
    double diagonal[TW_PREDICT_BATCH];
    size_t batch = tw_predict_batch(train->n);
    for (size_t start = 0; start < at->n; start += batch) {
        size_t m = at->n - start < batch ? at->n - start : batch;
        TW_TRY(tw_model_cross(tw_predictor_model(predictor), kernel, train, at, start, m, cross, diagonal));
        TW_TRY(tw_predictor_apply(predictor, m, cross, diagonal, mean + start, variance + start));
    }
    return TW_OK;
}

tw_status tw_predictor_at(const tw_predictor *predictor, const tw_kernel *kernel, const tw_data *train,
                          const tw_data *at, double *mean, double *variance)
{
    double *cross = NULL;
    if (at->d != train->d)
        return tw_fail(train->ctx, TW_BAD_DATA,
                       "the new data have %zu inputs, but the model has %zu: give the same columns", at->d,
                       train->d);
    size_t batch = tw_predict_batch(train->n), columns = at->n < batch ? at->n : batch;
    TW_TRY(tw_allocate_doubles(train->ctx, train->n, columns, "the cross-covariances", &cross));
    tw_status status = predict_batches(predictor, kernel, train, at, cross, mean, variance);
    tw_release(train->ctx, cross);
    return status;
}
