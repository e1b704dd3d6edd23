/* ranks_distributed.c: the model whose matrices are distributed over processes against the local one:
 * Laplace, EP, its marginals, the variances of predictions, a transition of HMC and of RMHMC from the same
 * random numbers, to 1e-8; a singular K is refused with a jitter that helps.
 *
 *   mpirun -n 4 ranks_distributed [N [memory]]     memory: no local model; one sweep of EP, and the memory of each rank
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "talweg/distributed.h"
#include "talweg/talweg.h"

static int rank, size, wrong;

static void check(tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "rank %d: %s\n", rank, tw_context_message(ctx));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The largest |a - b| relative to the largest |b|. */
static void compare(const char *what, size_t count, const double *a, const double *b, double tolerance)
{
    double most = 0.0, apart = 0.0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(b[i]));
        apart = fmax(apart, isfinite(a[i]) ? fabs(a[i] - b[i]) : INFINITY);
    }
    bool good = apart <= tolerance * most;
    if (!good) wrong++;
    if (rank == 0) printf("%-28s %.2e%s\n", what, apart / most, good ? "" : "   too much");
}

/* Where three chains are after some transitions. */
static void move(tw_context *ctx, const tw_model *model, tw_method method, tw_metric metric, double *x)
{
    enum { CHAINS = 3, MOVES = 2 };
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_reference *q = NULL;
    tw_target *target = NULL;
    tw_sampler *sampler = NULL;
    tw_record records[CHAINS];
    size_t n = tw_model_describe(model).n;
    o.method = method;
    o.metric = metric;
    o.threads = 2;
    check(ctx, tw_reference_prior(model, &q));
    check(ctx, tw_target_new(model, q, method == TW_METHOD_RMHMC ? TW_FORM_FOLDED : TW_FORM_OPEN, &target));
    check(ctx, tw_target_set_temperature(target, 1.0));
    check(ctx, tw_sampler_new(target, &o, CHAINS, &sampler));
    check(ctx, tw_sampler_start(sampler, q, 0.3, 5));
    for (size_t k = 0; k < MOVES; k++) {
        tw_move step = {.eps = 0.02, .steps = 3, .seed = 9, .iteration = k};
        tw_sampler_advance(sampler, &step, records);
    }
    memcpy(x, tw_sampler_positions(sampler), n * CHAINS * sizeof *x);
    tw_sampler_free(sampler);
    tw_target_free(target);
    tw_reference_free(q);
}

static void compare_moves(tw_context *ctx, tw_model *const model[2], const char *what, tw_method method,
                          tw_metric metric)
{
    size_t count = 3 * tw_model_describe(model[0]).n;
    double *x[2] = {calloc(count, sizeof(double)), calloc(count, sizeof(double))};
    if (!x[0] || !x[1]) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        abort(); /* for analysers, who do not know that the former does not return */
    }
    for (size_t m = 0; m < 2; m++) move(ctx, model[m], method, metric, x[m]);
    compare(what, count, x[1], x[0], 1e-8);
    free(x[0]);
    free(x[1]);
}

static void compare_fits(tw_context *ctx, tw_model *const model[2])
{
    tw_ep_options tight = TW_EP_DEFAULTS;
    tw_approximation *ep[2], *laplace[2];
    tight.site_tolerance = 1e-11;
    for (size_t m = 0; m < 2; m++) {
        check(ctx, tw_laplace_fit(model[m], NULL, &laplace[m]));
        check(ctx, tw_ep_fit(model[m], &tight, &ep[m]));
    }
    compare("Laplace, log Z", 1, &laplace[1]->log_z, &laplace[0]->log_z, 1e-8);
    compare("Laplace, variances", ep[0]->n, laplace[1]->variance, laplace[0]->variance, 1e-8);
    compare("EP, log Z", 1, &ep[1]->log_z, &ep[0]->log_z, 1e-8);
    compare("EP, means", ep[0]->n, ep[1]->mean, ep[0]->mean, 1e-8);
    compare("EP, variances", ep[0]->n, ep[1]->variance, ep[0]->variance, 1e-8);
    for (size_t m = 0; m < 2; m++) {
        tw_approximation_free(ep[m]);
        tw_approximation_free(laplace[m]);
    }
}

static void compare_all(tw_context *ctx, const tw_data *data, const tw_kernel *kernel)
{
    const tw_likelihood *probit = tw_likelihood_find("probit");
    tw_model *model[2];
    check(ctx, tw_model_from_data(data, kernel, probit, NULL, 0.0, &model[0]));
    check(ctx, tw_model_distributed(data, kernel, probit, NULL, 0.0, MPI_COMM_WORLD, &model[1]));
    compare_fits(ctx, model);
    compare_moves(ctx, model, "a transition of HMC", TW_METHOD_HMC, TW_METRIC_PRIOR);
    compare_moves(ctx, model, "a transition of RMHMC", TW_METHOD_RMHMC, TW_METRIC_HESSIAN);
    tw_model_free(model[0]);
    tw_model_free(model[1]);
}

/* A smooth kernel without noise: refused; with the jitter that the message names: taken. */
static void refuse_singular(tw_context *ctx, const tw_data *data)
{
    tw_kernel *kernel = NULL;
    tw_model *model = NULL;
    double jitter = 0.0;
    check(ctx, tw_kernel_parse(ctx, "se(ell=50)", data->d, &kernel));
    tw_status status =
        tw_model_distributed(data, kernel, tw_likelihood_find("probit"), NULL, 0.0, MPI_COMM_WORLD, &model);
    const char *words = strstr(tw_context_message(ctx), "a jitter of ");
    if (status != TW_NOT_POSITIVE_DEFINITE || !words ||
        sscanf(words, "a jitter of %lf helps", &jitter) != 1) {
        fprintf(stderr, "a singular K: status %d, %s\n", (int)status, tw_context_message(ctx));
        wrong++;
    }
    if (rank == 0) printf("a singular K: %s\n", tw_context_message(ctx));
    check(ctx, tw_model_distributed(data, kernel, tw_likelihood_find("probit"), NULL, jitter, MPI_COMM_WORLD,
                                    &model));
    tw_model_free(model);
    tw_kernel_free(kernel);
}

static void measure_memory(tw_context *ctx, const tw_data *data, const tw_kernel *kernel)
{
    tw_model *model = NULL;
    tw_approximation *ep = NULL;
    tw_ep_options o = TW_EP_DEFAULTS;
    o.max_sweeps = 1;
    double start = MPI_Wtime();
    check(ctx, tw_model_distributed(data, kernel, tw_likelihood_find("probit"), NULL, 0.0, MPI_COMM_WORLD,
                                    &model));
    double factored = MPI_Wtime();
    check(ctx, tw_ep_fit(model, &o, &ep));
    double peak = 1e-6 * (double)tw_context_bytes_peak(ctx), most = 0.0;
    MPI_Reduce(&peak, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("n = %zu on %d ranks: at most %.1f MB on a rank, 8 n^2 = %.1f MB; %.1f s to K and L, %.1f s "
               "for a "
               "sweep of EP\n",
               data->n, size, most, 8e-6 * (double)data->n * (double)data->n, factored - start,
               MPI_Wtime() - factored);
    tw_approximation_free(ep);
    tw_model_free(model);
}

int main(int argc, char **argv)
{
    int provided = 0;
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
    tw_context *ctx = NULL;
    tw_data *data = NULL;
    tw_kernel *kernel = NULL;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (tw_context_new(NULL, &ctx) != TW_OK) MPI_Abort(MPI_COMM_WORLD, 1);
    check(ctx, tw_data_two_classes(ctx, n, 1, 0, &data));
    check(ctx, tw_kernel_parse(ctx, "matern32(log_ell=0.3, log_sigma=1) + white(variance=0.01)", data->d,
                               &kernel));
    if (argc > 2) {
        measure_memory(ctx, data, kernel);
    } else {
        compare_all(ctx, data, kernel);
        refuse_singular(ctx, data);
    }
    tw_kernel_free(kernel);
    tw_data_free(data);
    if (tw_context_bytes_in_use(ctx) != 0) wrong++;
    tw_context_free(ctx);
    MPI_Finalize();
    return wrong > 0;
}
