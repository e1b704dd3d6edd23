/* support_usps.c: read USPS 3-vs-5; see support_usps.h. */
#include "support_usps.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure.h"

void bench_check(const tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "benchmark: %s\n", tw_context_message(ctx));
    exit(tw_status_exit_code(status));
}

bool bench_usps_new(double log_ell, double log_sigma, bench_usps *u)
{
    char path[1024];
    const char *root = getenv("TALWEG_SHARED");
    tw_kernel *se = NULL;
    snprintf(path, sizeof path, "%s/data/usps35_train.csv", root ? root : "../shared");
    if (access(path, R_OK) != 0) {
        printf("skipped: %s is not there (set TALWEG_SHARED)\n", path);
        return false;
    }
    *u = (bench_usps){NULL, NULL, NULL, NULL, NULL};
    if (tw_context_new(NULL, &u->ctx) != TW_OK) exit(3);
    bench_check(u->ctx, tw_data_read(u->ctx, path, NULL, &u->data));
    bench_check(u->ctx, tw_kernel_simple(u->ctx, "se", 1, &log_ell, log_sigma, 0.0, 0.0, &se));
    bench_check(u->ctx, tw_model_from_data(u->data, se, tw_likelihood_find("probit"), NULL, 0.0, &u->model));
    tw_kernel_free(se);
    bench_check(u->ctx, tw_ep_fit(u->model, NULL, &u->ep));
    bench_check(u->ctx, tw_reference_prior(u->model, &u->prior));
    return true;
}

void bench_usps_free(bench_usps *u)
{
    tw_reference_free(u->prior);
    tw_approximation_free(u->ep);
    tw_model_free(u->model);
    tw_data_free(u->data);
    tw_context_free(u->ctx);
}

double *bench_usps_positions(const bench_usps *u, const tw_reference *reference, double beta, size_t count)
{
    double *x = malloc(u->data->n * count * sizeof *x);
    if (!x) exit(3);
    bench_check(u->ctx, bench_positions(u->model, u->ep, reference ? reference : u->prior, beta, count, x));
    return x;
}
