/* Random streams: the right words, streams that never overlap, the right distributions.
 *
 * Statistical checks have a fixed seed and a false-alarm rate of about 1e-6 each: a Kolmogorov-Smirnov
 * distance above 2.693/sqrt(n) (2 exp(-2 t^2) = 1e-6), or a z-score above 4.892. There are 25 of them, so a
 * correct generator with another seed fails this file with probability 2.5e-5. With n = 10^6 the
 * Kolmogorov-Smirnov test detects a scale that is off by 2 % (sqrt(n) D = 4.8); with 10^5 it does not (1.5).
 */
#include "math/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "math/ziggurat.h"
#include "support/support.h"

enum { SEED = 20160419, DRAWS = 1000000, WORDS = 100000, STREAMS = 7 };

typedef double draw_function(tw_stream *stream);
typedef double cdf_function(double x);

static const double z_limit = 4.892, ks_limit = 2.693;

static double uniform_cdf(double x)
{
    return x;
}

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x * sqrt(0.5));
}

static double exponential_cdf(double x)
{
    return -expm1(-x);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double *draw(draw_function *next, tw_stream stream, size_t n)
{
    double *x = malloc(n * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) x[i] = next(&stream);
    return x;
}

/* sqrt(n) times the Kolmogorov-Smirnov distance. Sorts x. */
static double kolmogorov_smirnov(size_t n, double *x, cdf_function *cdf)
{
    double distance = 0.0;
    qsort(x, n, sizeof *x, compare_doubles);
    for (size_t i = 0; i < n; i++) {
        double f = cdf(x[i]);
        distance = fmax(distance, fmax((double)(i + 1) / (double)n - f, f - (double)i / (double)n));
    }
    return sqrt((double)n) * distance;
}

/* The mean of (x - centre)^k must be `mean`, where one draw of it has standard deviation sd. */
static void check_moment(const double *x, double centre, int k, double mean, double sd)
{
    double sum = 0.0;
    for (size_t i = 0; i < DRAWS; i++) sum += pow(x[i] - centre, k);
    double z = (sum / DRAWS - mean) / (sd / sqrt(DRAWS));
    if (!(fabs(z) < z_limit)) fail_msg("moment %d is %g, not %g: z = %g", k, sum / DRAWS, mean, z);
}

static void words_are_those_of_philox4x64_10(void **state)
{
    (void)state;
    /* Random123's published known answers: counter, key, block. */
    static const uint64_t known[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x87b092c3013fe90b,
         0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0},
        {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89, 0x452821e638d01377,
         0xbe5466cf34e90c6c, 0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}};
    for (int k = 0; k < 3; k++) {
        tw_stream stream = tw_stream_at(0, TW_STREAM_START, 0, 0);
        memcpy(stream.counter, known[k], sizeof stream.counter);
        memcpy(stream.key, known[k] + 4, sizeof stream.key);
        for (int i = 0; i < 4; i++) assert_true(tw_stream_bits(&stream) == known[k][6 + i]);
    }
    tw_stream first = tw_stream_at(0, (tw_stream_purpose)0, 0, 0);
    assert_true(tw_stream_bits(&first) == known[0][6]);
}

/* A stream and its neighbours in each argument, and one with two arguments exchanged. */
static void neighbours(tw_stream stream[STREAMS])
{
    stream[0] = tw_stream_at(SEED, TW_STREAM_MOMENTUM, 3, 17);
    stream[1] = tw_stream_at(SEED + 1, TW_STREAM_MOMENTUM, 3, 17);
    stream[2] = tw_stream_at(SEED, TW_STREAM_TRAJECTORY, 3, 17);
    stream[3] = tw_stream_at(SEED, TW_STREAM_MOMENTUM, 4, 17);
    stream[4] = tw_stream_at(SEED, TW_STREAM_MOMENTUM, 3, 18);
    stream[5] = tw_stream_at(SEED, TW_STREAM_MOMENTUM, 17, 3);
    stream[6] = tw_stream_at(TW_STREAM_MOMENTUM, (tw_stream_purpose)SEED, 3, 17);
}

/* Only the block moves as a stream is used, and any two streams differ in what does not move. */
static void streams_never_meet_by_construction(void **state)
{
    (void)state;
    tw_stream before[STREAMS], after[STREAMS];
    neighbours(before);
    memcpy(after, before, sizeof after);
    for (int s = 0; s < STREAMS; s++) {
        for (int i = 0; i < 4 * 1000; i++) tw_stream_bits(&after[s]);
        assert_true(after[s].counter[0] == 1000 && before[s].counter[0] == 0);
        assert_memory_equal(after[s].counter + 1, before[s].counter + 1, 3 * sizeof(uint64_t));
        assert_memory_equal(after[s].key, before[s].key, sizeof before[s].key);
        for (int t = 0; t < s; t++) {
            bool same_key = memcmp(before[s].key, before[t].key, sizeof before[s].key) == 0;
            bool same_place = memcmp(before[s].counter, before[t].counter, sizeof before[s].counter) == 0;
            assert_false(same_key && same_place);
        }
    }
}

/* 7 x 10^5 words of 64 bits: a repeated one by chance has probability 1.3e-8. */
static void words_of_neighbouring_streams_are_distinct(void **state)
{
    (void)state;
    uint64_t *words = malloc(STREAMS * WORDS * sizeof *words);
    tw_stream stream[STREAMS];
    neighbours(stream);
    assert_non_null(words);
    for (size_t i = 0; i < (size_t)STREAMS * WORDS; i++) words[i] = tw_stream_bits(&stream[i / WORDS]);
    qsort(words, STREAMS * WORDS, sizeof *words, compare_words);
    for (size_t i = 1; i < STREAMS * WORDS; i++) assert_true(words[i - 1] != words[i]);
    free(words);
}

static void order_of_use_does_not_matter(void **state)
{
    (void)state;
    enum { N = 1000 };
    tw_stream a = tw_stream_at(SEED, TW_STREAM_MOMENTUM, 0, 5),
              b = tw_stream_at(SEED, TW_STREAM_ACCEPT, 9, 1);
    double mixed[2][N];
    for (int i = 0; i < N; i++) {
        mixed[1][i] = tw_stream_exponential(&b);
        mixed[0][i] = tw_stream_normal(&a);
    }
    a = tw_stream_at(SEED, TW_STREAM_MOMENTUM, 0, 5);
    for (int i = 0; i < N; i++) assert_true(tw_stream_normal(&a) == mixed[0][i]);
    b = tw_stream_at(SEED, TW_STREAM_ACCEPT, 9, 1);
    for (int i = 0; i < N; i++) assert_true(tw_stream_exponential(&b) == mixed[1][i]);
}

/* Blocks of every length from 0 to 100 against single draws, and the place afterwards. */
static void a_block_of_normals_is_the_normals_one_by_one(void **state)
{
    (void)state;
    double block[100];
    tw_stream a = tw_stream_at(SEED, TW_STREAM_MOMENTUM, 1, 2), b = a;
    for (size_t n = 0; n <= 100; n++) {
        tw_stream_normals(&a, n, block);
        for (size_t i = 0; i < n; i++) assert_true(block[i] == tw_stream_normal(&b));
        assert_memory_equal(&a, &b, sizeof a);
    }
}

/* The equations at the head of ziggurat.h. Neighbouring edges differ by as little as 1/300 of themselves, so
 * their rounding shows a few hundred times larger in the area. */
static void layers_have_equal_area(void **state)
{
    (void)state;
    const double *x = tw_ziggurat_edge, r = x[1];
    double area = r * exp(-0.5 * r * r) + sqrt(2.0 * atan(1.0)) * erfc(r * sqrt(0.5));
    assert_true(relative_error(x[0] * exp(-0.5 * r * r), area) < 1e-14);
    assert_true(x[256] == 0.0);
    for (int i = 1; i < 256; i++) {
        assert_true(x[i] > x[i + 1]);
        /* f(inner) - f(outer) = f(outer) (exp((outer^2 - inner^2) / 2) - 1), which does not cancel */
        double rise = exp(-0.5 * x[i] * x[i]) * expm1(0.5 * (x[i] - x[i + 1]) * (x[i] + x[i + 1]));
        assert_true(relative_error(x[i] * rise, area) < 2e-13);
    }
}

static void uniforms_are_uniform_and_inside(void **state)
{
    (void)state;
    double *x = draw(tw_stream_uniform, tw_stream_at(SEED, TW_STREAM_ACCEPT, 0, 0), DRAWS);
    check_moment(x, 0.5, 1, 0.0, sqrt(1.0 / 12));
    check_moment(x, 0.5, 2, 1.0 / 12, sqrt(1.0 / 180));
    assert_true(kolmogorov_smirnov(DRAWS, x, uniform_cdf) < ks_limit);
    assert_true(x[0] > 0.0 && x[DRAWS - 1] < 1.0);
    free(x);
    /* The smallest and the largest that any word gives. */
    tw_stream edge = {.words = {0, UINT64_MAX}, .used = 0};
    assert_true(tw_stream_uniform(&edge) == 0x1p-53);
    assert_true(tw_stream_uniform(&edge) == 1.0 - 0x1p-53);
}

/* Moments 1-4 and 6 about 0; E x^k = (k-1)!!, and the variance of x^k is E x^2k - (E x^k)^2. */
static void normals_are_normal(void **state)
{
    (void)state;
    double *x = draw(tw_stream_normal, tw_stream_at(SEED, TW_STREAM_MOMENTUM, 0, 0), DRAWS);
    check_moment(x, 0.0, 1, 0.0, 1.0);
    check_moment(x, 0.0, 2, 1.0, sqrt(2.0));
    check_moment(x, 0.0, 3, 0.0, sqrt(15.0));
    check_moment(x, 0.0, 4, 3.0, sqrt(96.0));
    check_moment(x, 0.0, 6, 15.0, sqrt(10170.0));
    assert_true(kolmogorov_smirnov(DRAWS, x, normal_cdf) < ks_limit);
    free(x);
}

/* Given |x| > r, Phi is uniform on what is left: the tail routine has a test of its own. About 7,700 of
 * 3 x 10^7 draws are there, and r = edge[1] is not passed to the code under test. Beyond 4.5 there are 204, and there
 * would be 353 if the tail were exponential, as it is before its rejections. */
static void tails_are_normal_too(void **state)
{
    (void)state;
    const double r = 3.6541528853610088, beyond = 0.5 * erfc(r * sqrt(0.5));
    tw_stream stream = tw_stream_at(SEED, TW_STREAM_SLICE, 0, 0);
    static double left[10000];
    size_t n = 0, total = 30 * (size_t)DRAWS, positive = 0, far = 0;
    for (size_t i = 0; i < total; i++) {
        double x = tw_stream_normal(&stream);
        if (fabs(x) <= r) continue;
        assert_true(n < 10000);
        positive += x > 0;
        far += fabs(x) > 4.5;
        left[n++] = 0.5 * erfc(fabs(x) * sqrt(0.5)) / beyond;
    }
    double expected = (double)total * 2.0 * beyond;
    assert_true(fabs((double)n - expected) < z_limit * sqrt(expected));
    assert_true(fabs((double)positive - 0.5 * (double)n) < z_limit * 0.5 * sqrt((double)n));
    assert_true(kolmogorov_smirnov(n, left, uniform_cdf) < ks_limit);
    double further = (double)total * erfc(4.5 * sqrt(0.5));
    assert_true(fabs((double)far - further) < z_limit * sqrt(further));
}

static void exponentials_are_exponential(void **state)
{
    (void)state;
    double *x = draw(tw_stream_exponential, tw_stream_at(SEED, TW_STREAM_SLICE, 0, 0), DRAWS);
    check_moment(x, 1.0, 1, 0.0, 1.0);
    check_moment(x, 1.0, 2, 1.0, sqrt(8.0));
    assert_true(kolmogorov_smirnov(DRAWS, x, exponential_cdf) < ks_limit);
    free(x);
}

/* The z-score of the correlation between two streams, one of them ahead by `lag` draws. */
static double cross_correlation(tw_stream a, tw_stream b, size_t lag)
{
    double sum = 0.0;
    for (size_t i = 0; i < lag; i++) tw_stream_normal(&a);
    for (size_t i = 0; i < WORDS; i++) sum += tw_stream_normal(&a) * tw_stream_normal(&b);
    return sum / sqrt(WORDS);
}

static void neighbouring_streams_are_uncorrelated(void **state)
{
    (void)state;
    tw_stream stream[STREAMS];
    neighbours(stream);
    for (int s = 1; s < 5; s++) {
        assert_true(fabs(cross_correlation(stream[0], stream[s], 0)) < z_limit);
        assert_true(fabs(cross_correlation(stream[0], stream[s], 1)) < z_limit);
    }
    assert_true(fabs(cross_correlation(stream[0], stream[0], 1)) < z_limit);
    /* The first normals of successive chains and iterations are a sample, too. */
    double *x = malloc(DRAWS * sizeof *x);
    assert_non_null(x);
    for (uint64_t i = 0; i < DRAWS; i++) {
        tw_stream first = tw_stream_at(SEED, TW_STREAM_MOMENTUM, i % 1000, i / 1000);
        x[i] = tw_stream_normal(&first);
    }
    assert_true(kolmogorov_smirnov(DRAWS, x, normal_cdf) < ks_limit);
    free(x);
}

/* The checks have teeth: normals 2 % too wide, normals shifted by 0.01, and a stream that repeats itself. */
static void broken_generators_are_found(void **state)
{
    (void)state;
    double *x = draw(tw_stream_normal, tw_stream_at(SEED, TW_STREAM_MOMENTUM, 0, 0), DRAWS);
    for (size_t i = 0; i < DRAWS; i++) x[i] *= 1.02;
    assert_true(kolmogorov_smirnov(DRAWS, x, normal_cdf) > ks_limit);
    for (size_t i = 0; i < DRAWS; i++) x[i] = x[i] / 1.02 + 0.01;
    assert_true(kolmogorov_smirnov(DRAWS, x, normal_cdf) > ks_limit);
    free(x);
    tw_stream a = tw_stream_at(SEED, TW_STREAM_MOMENTUM, 0, 0), b = a;
    tw_stream_normal(&b);
    assert_true(fabs(cross_correlation(a, b, 1)) > z_limit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_philox4x64_10),
        cmocka_unit_test(streams_never_meet_by_construction),
        cmocka_unit_test(words_of_neighbouring_streams_are_distinct),
        cmocka_unit_test(order_of_use_does_not_matter),
        cmocka_unit_test(a_block_of_normals_is_the_normals_one_by_one),
        cmocka_unit_test(layers_have_equal_area),
        cmocka_unit_test(uniforms_are_uniform_and_inside),
        cmocka_unit_test(normals_are_normal),
        cmocka_unit_test(tails_are_normal_too),
        cmocka_unit_test(exponentials_are_exponential),
        cmocka_unit_test(neighbouring_streams_are_uncorrelated),
        cmocka_unit_test(broken_generators_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
