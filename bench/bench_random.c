/* bench_random.c: nanoseconds per variate, the shortest of several rounds. */
#include <stdio.h>
#include <time.h>

#include "math/random.h"

enum { BLOCK = 4096, BLOCKS = 500, ROUNDS = 9 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void uniforms(tw_stream *stream, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) out[i] = tw_stream_uniform(stream);
}

static void normals_one_by_one(tw_stream *stream, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) out[i] = tw_stream_normal(stream);
}

static void exponentials(tw_stream *stream, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) out[i] = tw_stream_exponential(stream);
}

static void report(const char *name, void (*fill)(tw_stream *, size_t, double *))
{
    static double out[BLOCK];
    double best = 1e300, sum = 0.0;
    tw_stream stream = tw_stream_at(1, TW_STREAM_MOMENTUM, 0, 0);
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int block = 0; block < BLOCKS; block++) {
            fill(&stream, BLOCK, out);
            sum += out[block % BLOCK];
        }
        double each = (now() - start) / (BLOCKS * (double)BLOCK);
        if (each < best) best = each;
    }
    printf("random  %-22s %6.2f ns each   (sum %.3g)\n", name, 1e9 * best, sum);
}

int main(void)
{
    report("uniform", uniforms);
    report("exponential", exponentials);
    report("normal, one by one", normals_one_by_one);
    report("normal, in blocks", tw_stream_normals);
    return 0;
}
