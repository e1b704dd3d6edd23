/* predict_joint.c: joint draws of the latent function at new inputs (talweg/predict.h).
 *
 * With K = L L', k = L U and x_s = L v_s, f* = U' v_s + C z where C C' = k** - U'U and z ~ N(0, I). U and C
 * are computed once; each block of draws then takes two matrix products. If the new cases are linear
 * combinations of the variables of a sparse precision, k** - U'U = 0 and f* = U' v_s.
 */
#include "gaussian/dense.h"
#include "linalg/vector.h"
#include "math/random.h"
#include "sample/predict.h"

/* Added to the diagonal of k** - U'U, relative to the largest prior variance: the rounding error of U'U,
 * about 1e-15 times the condition number of K, can make the difference indefinite. */
static const double RELATIVE_JITTER = 1e-10;

struct tw_joint {
    tw_draws_predictor *predictor;
    tw_gaussian *rest; /* N(0, k** - U'U); NULL: k** - U'U = 0 */
    size_t m;
    uint64_t seed;
    double *u; /* rank x m */
    double *z; /* m x draws of a block: z */
    double *c; /* m x draws of a block: C z */
};

static double largest(size_t n, const double *values)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++) most = values[i] > most ? values[i] : most;
    return most;
}

static tw_status allocate(tw_joint *j, tw_context *ctx)
{
    size_t rank = j->predictor->model->prior->r;
    TW_TRY(tw_allocate_doubles(ctx, rank, j->m, "the whitened covariances", &j->u));
    TW_TRY(tw_allocate_doubles(ctx, j->m, j->predictor->block, "joint draws", &j->z));
    return tw_allocate_doubles(ctx, j->m, j->predictor->block, "joint draws", &j->c);
}

/* Set U for new cases that x_s determines: k** - U'U = 0. */
static tw_status set_determined(tw_joint *j, const tw_kernel *kernel, const tw_data *train, const tw_data *at)
{
    const tw_model *model = j->predictor->model;
    double *cross = NULL;
    TW_TRY(tw_allocate_doubles(model->ctx, train->n, j->m, "the covariances", &cross));
    tw_status status = tw_model_cross_determined(model, kernel, train, at, cross, j->z);
    if (status == TW_OK) tw_gaussian_solve(model->prior, j->m, cross, j->u);
    tw_release(model->ctx, cross);
    return status;
}

/* Set U and the factor of k** - U'U. */
static tw_status condition(tw_joint *j, const tw_kernel *kernel, const tw_data *train, const tw_data *at)
{
    const tw_gaussian *prior = j->predictor->model->prior;
    tw_context *ctx = j->predictor->ctx;
    tw_gaussian_report report;
    double *cross = NULL;
    TW_TRY(tw_gaussian_dense_new(ctx, j->m, NULL, j->m, &j->rest));
    TW_TRY(tw_allocate_doubles(ctx, train->n, j->m, "the covariances", &cross));
    tw_status status =
        tw_kernel_cross(kernel, train->n, train->d, train->x, train->n, j->m, at->x, at->n, cross, train->n);
    if (status == TW_OK) tw_gaussian_solve(prior, j->m, cross, j->u);
    tw_release(ctx, cross);
    TW_TRY(status);
    double *covariance = tw_gaussian_dense_matrix(j->rest);
    TW_TRY(tw_kernel_diagonal(kernel, j->m, at->d, at->x, at->n, j->z));
    TW_TRY(tw_kernel_gram(kernel, j->m, at->d, at->x, at->n, covariance, j->m));
    tw_gaussian_dense_explain(j->rest, prior->r, j->u);
    return tw_gaussian_dense_factor(j->rest, RELATIVE_JITTER * largest(j->m, j->z), &report);
}

tw_status tw_joint_new(tw_draws_predictor *predictor, const tw_kernel *kernel, const tw_data *train,
                       const tw_data *at, uint64_t seed, tw_joint **out)
{
    void *memory = NULL;
    *out = NULL;
    if (predictor->source.places)
        return tw_fail(predictor->ctx, TW_BAD_ARGUMENT,
                       "joint draws at new inputs need draws with one set of parameters, but these draws "
                       "differ in their parameters");
    TW_TRY(tw_allocate(predictor->ctx, 1, sizeof(tw_joint), "joint draws", &memory));
    tw_joint *j = memory;
    *j = (tw_joint){.predictor = predictor, .m = at->n, .seed = seed};
    tw_status status = allocate(j, predictor->ctx);
    if (status == TW_OK)
        status = tw_model_sees_variables(kernel) ? set_determined(j, kernel, train, at)
                                                 : condition(j, kernel, train, at);
    if (status == TW_OK)
        *out = j;
    else
        tw_joint_free(j);
    return status;
}

void tw_joint_free(tw_joint *j)
{
    if (!j) return;
    tw_context *ctx = j->predictor->ctx;
    tw_gaussian_free(j->rest);
    tw_release(ctx, j->u);
    tw_release(ctx, j->z);
    tw_release(ctx, j->c);
    tw_release(ctx, j);
}

/* Joint draws for at most p->block draws of a chain. */
static tw_status draw_block(tw_joint *j, size_t chain, size_t first, size_t count, double *f)
{
    const double *v = NULL;
    size_t rank = j->predictor->model->prior->r;
    TW_TRY(tw_predict_whitened(j->predictor, chain, first, count, &v));
    tw_dots(j->m, count, rank, j->u, v, f);
    if (!j->rest) return TW_OK;
    for (size_t i = 0; i < count; i++) {
        tw_stream stream = tw_stream_at(j->seed, TW_STREAM_PREDICT, chain, first + i);
        tw_stream_normals(&stream, j->rest->r, j->z + i * j->rest->r);
    }
    tw_gaussian_spread(j->rest, count, j->z, j->c);
    for (size_t i = 0; i < j->m * count; i++) f[i] += j->c[i];
    return TW_OK;
}

tw_status tw_joint_draws(tw_joint *joint, size_t chain, size_t first, size_t count, double *f)
{
    size_t most = joint->predictor->block;
    for (size_t done = 0; done < count; done += most) {
        size_t block = count - done < most ? count - done : most;
        TW_TRY(draw_block(joint, chain, first + done, block, f + done * joint->m));
    }
    return TW_OK;
}
