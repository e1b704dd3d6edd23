/* crabs.c: read the crabs data; see crabs.h. */
#include "support/crabs.h"

#include "support/support.h"
#include "talweg/covariance.h"
#include "talweg/data.h"

tw_model *crabs_model(tw_context *ctx)
{
    return crabs_with(ctx, "se(log_ell=1, log_sigma=3)");
}

tw_model *crabs_with(tw_context *ctx, const char *expression)
{
    char path[1024];
    tw_kernel *kernel = new_kernel(ctx, expression);
    tw_data *data = NULL;
    tw_scaling *scaling = NULL;
    tw_model *model = NULL;
    shared_path("data/crabs.csv", path, sizeof path);
    assert_int_equal(tw_data_read(ctx, path, NULL, &data), TW_OK);
    assert_int_equal(tw_data_binary_labels(data), TW_OK);
    assert_int_equal(tw_scaling_fit(data, &scaling), TW_OK);
    assert_int_equal(tw_scaling_apply(scaling, data), TW_OK);
    assert_int_equal(tw_model_from_data(data, kernel, tw_likelihood_find("probit"), NULL, 0.0, &model),
                     TW_OK);
    tw_kernel_free(kernel);
    tw_scaling_free(scaling);
    tw_data_free(data);
    return model;
}
