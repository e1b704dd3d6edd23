/* bench_likelihoods.c: nanoseconds per site for the terms of each likelihood, against exp alone, and
 * microseconds for the tilted moments of a site by quadrature; the shortest of several rounds in which the
 * functions alternate.
 *
 * The block is N x P = 767 x 32 latents, as in an ensemble.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "likelihood/likelihood.h"
#include "math/vector.h"

enum { SITES = 767 * 32, ROUNDS = 101, CAVITIES = 500, WORKS = 4 };

typedef struct block {
    tw_observations o;
    double y[SITES], x[SITES];
    double value[SITES], slope[SITES], lambda[SITES], dlambda[SITES];
} block;

typedef void work(block *b);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Latents between -6 and 6, and observations that the likelihood supports. */
static void fill(block *b, const tw_likelihood *likelihood)
{
    b->o = (tw_observations){.likelihood = likelihood, .n = SITES, .y = b->y};
    for (size_t i = 0; i < SITES; i++) {
        b->x[i] = 6.0 * sin(1.7 * (double)i);
        double y = i % 3 ? 1.0 : -1.0;
        const tw_observations one = {.likelihood = likelihood, .n = 1, .y = &y};
        b->y[i] = likelihood->supports(&one, 0) ? y : (double)(i % 40);
    }
}

static void only_exp(block *b)
{
    tw_vector_exp(SITES, b->x, b->value);
}

static void only_slope(block *b)
{
    b->o.likelihood->terms(&b->o, b->x, NULL, b->slope, NULL, NULL);
}

static void three_terms(block *b)
{
    b->o.likelihood->terms(&b->o, b->x, b->value, b->slope, b->lambda, NULL);
}

static void four_terms(block *b)
{
    b->o.likelihood->terms(&b->o, b->x, b->value, b->slope, b->lambda, b->dlambda);
}

static void report_terms(block *b)
{
    work *const works[WORKS] = {only_exp, only_slope, three_terms, four_terms};
    double best[WORKS] = {1e300, 1e300, 1e300, 1e300};
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < WORKS; i++) {
            double start = now();
            works[i](b);
            best[i] = fmin(best[i], 1e9 * (now() - start) / SITES);
        }
    printf("%-8s  slope alone %5.2f, value slope lambda %5.2f, with dlambda %5.2f ns each; exp %.2f, ratio "
           "%.1f\n",
           b->o.likelihood->name, best[1], best[2], best[3], best[0], best[2] / best[0]);
}

/* The mean over cavities with |m| <= 4 and v from 0.1 to 1e4, as in sweeps of EP. */
static void report_tilted(const block *b)
{
    size_t evaluations = 0, failures = 0;
    double start = now();
    for (size_t i = 0; i < CAVITIES; i++) {
        size_t count = 0;
        tw_tilted t;
        double m = 4.0 * sin(1.3 * (double)i), v = 0.1 * pow(1e5, (double)i / CAVITIES);
        tw_status status = tw_tilted_by_quadrature(&b->o, i, m, v, &t, &count);
        if (status != TW_OK) failures++;
        evaluations += count;
    }
    printf("%-8s  tilted moments by quadrature %.1f us, %.0f evaluations each, %zu failures\n",
           b->o.likelihood->name, 1e6 * (now() - start) / CAVITIES, (double)evaluations / CAVITIES, failures);
}

int main(void)
{
    static block b;
    const tw_likelihood *all[] = {&tw_likelihood_probit, &tw_likelihood_logit, &tw_likelihood_poisson,
                                  &tw_likelihood_gaussian};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        fill(&b, all[i]);
        report_terms(&b);
        report_tilted(&b);
    }
    return 0;
}
