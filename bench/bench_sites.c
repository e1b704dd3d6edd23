/* bench_sites.c: the cost of the site functions in nanoseconds per element, against exp alone.
 *
 * A block is N x P = 767 x 32 latents of an ensemble, distributed like a typical posterior or like a prior
 * with sigma = 160. The functions alternate; medians are compared.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "math/normal.h"
#include "math/vector.h"
#include "support_time.h"

enum { ROWS = 767, COLUMNS = 32, ELEMENTS = ROWS * COLUMNS, REPEATS = 501 };

typedef struct block {
    _Alignas(64) double z[ELEMENTS], exponent[ELEMENTS];
    double log_cdf[ELEMENTS], hazard[ELEMENTS], curvature[ELEMENTS], slope[ELEMENTS];
} block;

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

/* z normal with the given mean and standard deviation (Box and Muller); the exponents are -|z|, at least
 * -700. */
static void fill(block *b, double mean, double deviation)
{
    uint64_t state = 20160601;
    for (size_t i = 0; i < ELEMENTS; i++) {
        double radius = sqrt(-2.0 * log(uniform(&state)));
        b->z[i] = mean + deviation * radius * cos(6.283185307179586 * uniform(&state));
        b->exponent[i] = fmax(-fabs(b->z[i]), -700.0);
    }
}

static void only_exp(void *data)
{
    block *b = data;
    tw_vector_exp(ELEMENTS, b->exponent, b->log_cdf);
}

static void three_terms(void *data)
{
    block *b = data;
    tw_normal_block(ELEMENTS, b->z, b->log_cdf, b->hazard, b->curvature, NULL);
}

static void four_terms(void *data)
{
    block *b = data;
    tw_normal_block(ELEMENTS, b->z, b->log_cdf, b->hazard, b->curvature, b->slope);
}

static void report(block *b, const char *spread)
{
    const bench_work work[] = {only_exp, three_terms, four_terms};
    double seconds[3];
    bench_medians(3, work, b, REPEATS, seconds);
    const double each = 1e9 / ELEMENTS;
    printf("normal block %dx%d, z ~ %s: log cdf+hazard+curvature %.2f ns/element, exp %.2f ns/element, "
           "ratio %.2f (limit 4)\n",
           ROWS, COLUMNS, spread, each * seconds[1], each * seconds[0], seconds[1] / seconds[0]);
    printf("normal block %dx%d, z ~ %s: log cdf+hazard+curvature+slope %.2f ns/element, ratio %.2f\n", ROWS,
           COLUMNS, spread, each * seconds[2], seconds[2] / seconds[0]);
}

int main(void)
{
    static block b;
    fill(&b, 1.0, 3.0);
    report(&b, "N(1, 3^2)");
    fill(&b, 0.0, 160.0);
    report(&b, "N(0, 160^2)");
    return 0;
}
