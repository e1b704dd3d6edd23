/* measure_no_literal.c: replaces measure_literal.c in builds without the literal algorithm of the report. */
#include "base/context.h"
#include "measure.h"
#include "model/model.h"

bool bench_has_literal(void)
{
    return false;
}

tw_status bench_time_literal(const tw_model *model, const tw_approximation *ep, double beta, double eps,
                             size_t count, const double *x, bench_step *out)
{
    (void)ep, (void)beta, (void)eps, (void)count, (void)x;
    *out = (bench_step){0};
    return tw_fail(model->ctx, TW_BAD_ARGUMENT, "the literal algorithm of the report is not in this program");
}
