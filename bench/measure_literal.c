/* measure_literal.c: time a step of the literal algorithm of the report; see measure.h. */
#include <math.h>

#include "base/context.h"
#include "math/random.h"
#include "measure.h"
#include "model/model.h"
#include "reference/reference.h"

typedef struct literal {
    ref_inputs *in;
    ref_workspace *work;
    double *p, *normals, *scratch, *steps, *potrf; /* n, n, n x n, and one for each position */
} literal;

/* Draw a momentum from the metric at x, and time one step. */
static tw_status time_one(tw_context *ctx, literal *l, const double *x, size_t j, bench_step *out)
{
    int n = l->in->n;
    ref_point *point = &l->work->point;
    tw_stream stream = tw_stream_at(7, TW_STREAM_MOMENTUM, j, 0);
    tw_stream_normals(&stream, (size_t)n, l->normals);
    for (int i = 0; i < n; i++) l->p[i] = 0.0;
    if (ref_point_set(l->in, x, l->p, l->work, point) != REF_FINE ||
        ref_draw_momentum(n, &point->metric, l->normals, l->work, l->p) != REF_FINE ||
        ref_point_set(l->in, x, l->p, l->work, point) != REF_FINE)
        return tw_fail(ctx, TW_NUMERICAL_FAILURE, "the literal metric at a position has no Cholesky factor");
    double start = bench_cpu_seconds();
    ref_verdict verdict = ref_leapfrog_step(l->in, l->work, point);
    l->steps[j] = bench_cpu_seconds() - start;
    if (verdict != REF_FINE) out->failed++;
    return TW_OK;
}

static tw_status time_all(const tw_model *model, literal *l, const double *x, bench_step *out)
{
    size_t n = model->n, count = out->positions;
    if (!l->work) return tw_fail(model->ctx, TW_NO_MEMORY, "no memory for the literal algorithm");
    for (size_t j = 0; j < count; j++) {
        TW_TRY(time_one(model->ctx, l, x + j * n, j, out));
        l->potrf[j] = bench_time_potrf(model, l->scratch);
    }
    out->seconds = bench_median(count, l->steps);
    out->potrf_seconds = bench_median(count, l->potrf);
    out->momentum = out->position = l->in->f_max;
    return TW_OK;
}

bool bench_has_literal(void)
{
    return true;
}

tw_status bench_time_literal(const tw_model *model, const tw_approximation *ep, double beta, double eps,
                             size_t count, const double *x, bench_step *out)
{
    size_t n = model->n;
    literal l = {0};
    *out = (bench_step){.positions = count, .active = (double)n, .tolerance = NAN};
    TW_TRY(tw_allocate_doubles(model->ctx, 2 * n + n * n + 2 * count, 1, "the measurement", &l.p));
    l.normals = l.p + n;
    l.scratch = l.normals + n;
    l.steps = l.scratch + n * n;
    l.potrf = l.steps + count;
    l.in = ref_inputs_new((int)n, model->observed.y, tw_gaussian_dense_matrix(model->prior),
                          ep ? ep->tau : NULL, ep ? ep->nu : NULL);
    tw_status status = TW_OK;
    if (!l.in) {
        status = tw_fail(model->ctx, TW_NOT_POSITIVE_DEFINITE,
                         "K has no Cholesky factor, the literal algorithm cannot begin");
    } else {
        l.in->beta = beta;
        l.in->eps = eps;
        l.work = ref_workspace_new((int)n);
        status = time_all(model, &l, x, out);
    }
    ref_workspace_free(l.work);
    ref_inputs_free(l.in);
    tw_release(model->ctx, l.p);
    return status;
}
