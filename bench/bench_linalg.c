/* bench_linalg.c: the matrix operations of a model against the library calls that they contain.
 *
 * The Gram matrix of n = 767 inputs in d = 256 dimensions (the size of USPS 3-vs-5) against its syrk; a sum
 * of two leaves, and the contraction of dK/dtheta, against the Gram matrix; the Cholesky factor of the active
 * block (300 of 767 sites) against the full one; the conditioned factor L C^-T against a Cholesky factor. All
 * alternate, and medians are compared.
 */
#include <stdio.h>
#include <stdlib.h>

#include "linalg/cholesky.h"
#include "linalg/factor.h"
#include "linalg/product.h"
#include "math/random.h"
#include "support_time.h"
#include "talweg/covariance.h"

enum { N = 767, D = 256, ACTIVE = 300, REPEATS = 31, WORKS = 9 };

typedef struct matrices {
    tw_context *ctx;
    tw_kernel *kernel, *two, *ard;
    double gradient[D + 1];
    double *x, *k, *l, *scratch, *work;
    double s[N], t[N];
    size_t index[N];
    tw_factor *base, *conditioned;
} matrices;

static void gram(void *data)
{
    matrices *m = data;
    if (tw_kernel_gram(m->kernel, N, D, m->x, N, m->scratch, N) != TW_OK) abort();
}

/* Two leaves that share their distances. */
static void gram_of_two(void *data)
{
    matrices *m = data;
    if (tw_kernel_gram(m->two, N, D, m->x, N, m->scratch, N) != TW_OK) abort();
}

static void contract(void *data)
{
    matrices *m = data;
    if (tw_kernel_contract(m->kernel, N, D, m->x, N, m->k, N, m->gradient) != TW_OK) abort();
}

static void contract_ard(void *data)
{
    matrices *m = data;
    if (tw_kernel_contract(m->ard, N, D, m->x, N, m->k, N, m->gradient) != TW_OK) abort();
}

static void syrk(void *data)
{
    matrices *m = data;
    tw_product_self(N, D, m->x, N, m->scratch, N);
}

static void full(void *data)
{
    matrices *m = data;
    tw_pivot failed;
    if (!tw_cholesky_active(N, m->index, m->s, m->k, N, m->scratch, tw_cholesky_leading(N), m->work, &failed))
        abort();
}

static void active(void *data)
{
    matrices *m = data;
    tw_pivot failed;
    if (!tw_cholesky_active(ACTIVE, m->index, m->s, m->k, N, m->scratch, tw_cholesky_leading(ACTIVE), m->work,
                            &failed))
        abort();
}

static void bare(void *data)
{
    matrices *m = data;
    tw_pivot failed;
    if (!tw_cholesky(N, m->k, N, m->l, N, &failed)) abort();
}

static void condition(void *data)
{
    matrices *m = data;
    double log_det;
    if (!tw_factor_condition(m->base, m->t, m->conditioned, &log_det)) abort();
}

static void fill(matrices *m)
{
    tw_stream stream = tw_stream_at(1, TW_STREAM_DATA, 0, 0);
    tw_factor_report report;
    tw_stream_normals(&stream, (size_t)N * D, m->x);
    if (tw_kernel_gram(m->kernel, N, D, m->x, N, m->k, N) != TW_OK) abort();
    for (size_t i = 0; i < N; i++) {
        m->s[i] = 0.5 + 0.001 * (double)i;
        m->t[i] = m->s[i] * m->s[i];
        m->index[i] = i;
    }
    /* Active sites are not contiguous: take every second one first. */
    for (size_t i = 0; i < N; i++) m->index[i] = i * 2 < N ? i * 2 : i * 2 - N;
    for (size_t i = 1; i < ACTIVE; i++)
        if (m->index[i] <= m->index[i - 1]) abort();
    if (tw_factor_new(m->ctx, N, m->k, N, 0.0, &m->base, &report) != TW_OK) abort();
    if (tw_factor_copy(m->base, &m->conditioned) != TW_OK) abort();
}

int main(void)
{
    const bench_work work[WORKS] = {gram,      syrk,        full,     active,      bare,
                                    condition, gram_of_two, contract, contract_ard};
    double seconds[WORKS];
    static matrices m;
    if (tw_context_new(NULL, &m.ctx) != TW_OK) return 3;
    double **arrays[] = {&m.x, &m.k, &m.l, &m.scratch, &m.work};
    size_t longest = tw_cholesky_leading(N);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (tw_allocate_doubles(m.ctx, longest, N, "the benchmark", arrays[i]) != TW_OK) return 3;
    if (tw_kernel_parse(m.ctx, "se(log_ell=2.85, log_sigma=2.35)", D, &m.kernel) != TW_OK) return 3;
    if (tw_kernel_parse(m.ctx, "se(log_ell=2.85) + matern32(log_ell=4)", D, &m.two) != TW_OK) return 3;
    if (tw_kernel_parse(m.ctx, "se(log_ell=2.85, log_sigma=2.35, ard)", D, &m.ard) != TW_OK) return 3;
    fill(&m);
    bench_medians(WORKS, work, &m, REPEATS, seconds);
    printf("Gram matrix, n = %d, d = %d:  %.2f ms, bare syrk %.2f ms, ratio %.2f\n", N, D, 1e3 * seconds[0],
           1e3 * seconds[1], seconds[0] / seconds[1]);
    printf("sum of two leaves:  %.2f ms, ratio to one %.2f\n", 1e3 * seconds[6], seconds[6] / seconds[0]);
    printf("sum W dK/dtheta, 2 parameters:  %.2f ms, ratio to the Gram matrix %.2f; %d parameters:  %.2f ms, "
           "ratio %.2f\n",
           1e3 * seconds[7], seconds[7] / seconds[0], D + 1, 1e3 * seconds[8], seconds[8] / seconds[0]);
    printf("Cholesky of B, %d active of %d:  %.2f ms, all active %.2f ms, ratio %.3f (flops: %.3f)\n", ACTIVE,
           N, 1e3 * seconds[3], 1e3 * seconds[2], seconds[3] / seconds[2],
           (double)ACTIVE * ACTIVE * ACTIVE / ((double)N * N * N));
    printf("conditioned factor L C^-T, n = %d:  %.2f ms, plain Cholesky %.2f ms, ratio %.1f (flops: 3)\n", N,
           1e3 * seconds[5], 1e3 * seconds[4], seconds[5] / seconds[4]);
    tw_kernel_free(m.kernel);
    tw_kernel_free(m.two);
    tw_kernel_free(m.ard);
    tw_factor_free(m.base);
    tw_factor_free(m.conditioned);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(m.ctx, *arrays[i]);
    tw_context_free(m.ctx);
    return 0;
}
