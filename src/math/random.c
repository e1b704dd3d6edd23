/* random.c: Philox words, and uniform, exponential and normal variates from them.
 *
 * Normals come from the ziggurat of Marsaglia & Tsang (2000) with 256 layers of equal area under exp(-x^2/2).
 * Unlike the original, separate bits of one 64-bit word give layer, sign and position (Doornik 2005), and the
 * position has 53 bits. Rejection is exact: if the position is below the edge of the next layer (98.5 %), the
 * draw is one product; otherwise the density itself, or the tail beyond the last edge, decides.
 */
#include "math/random.h"

#include <math.h>
#include <stdbool.h>

#include <Random123/philox.h>

#include "math/ziggurat.h"

static const double two_to_minus_53 = 0x1p-53;

tw_stream tw_stream_at(uint64_t seed, tw_stream_purpose purpose, uint64_t chain, uint64_t iteration)
{
    tw_stream stream = {.key = {seed, (uint64_t)purpose}, .counter = {0, chain, iteration, 0}, .used = 4};
    return stream;
}

static void next_block(tw_stream *stream)
{
    const uint64_t *c = stream->counter;
    philox4x64_ctr_t counter = {{c[0], c[1], c[2], c[3]}};
    philox4x64_key_t key = {{stream->key[0], stream->key[1]}};
    philox4x64_ctr_t block = philox4x64(counter, key);
    for (int i = 0; i < 4; i++) stream->words[i] = block.v[i];
    stream->counter[0]++;
    stream->used = 0;
}

static inline uint64_t next_word(tw_stream *stream)
{
    if (stream->used == 4) next_block(stream);
    return stream->words[stream->used++];
}

/* An odd multiple of 2^-53: the top 53 bits with the last one set. */
static inline double uniform(tw_stream *stream)
{
    return (double)((next_word(stream) >> 11) | 1) * two_to_minus_53;
}

/* |x| given |x| > r (Marsaglia 1964): x = r + e/r with e exponential, accepted with probability
 * exp(-(e/r)^2 / 2). */
static double normal_beyond(tw_stream *stream, double r)
{
    for (;;) {
        double excess = -log(uniform(stream)) / r;
        double level = -log(uniform(stream));
        if (2.0 * level > excess * excess) return r + excess;
    }
}

/* Whether a uniform height between the densities at the layer's two edges is below the density at x. */
static bool under_the_curve(tw_stream *stream, double outer, double inner, double x)
{
    double low = exp(-0.5 * outer * outer), high = exp(-0.5 * inner * inner);
    return low + uniform(stream) * (high - low) < exp(-0.5 * x * x);
}

/* Bits 0-7 of the word select the layer. Bits 10-63, with the last one set and shifted to be symmetric about
 * zero, give the signed position in it: an odd multiple of 2^-53 in (-1, 1). */
static inline double normal(tw_stream *stream)
{
    for (;;) {
        uint64_t word = next_word(stream);
        unsigned layer = (unsigned)(word & 255);
        int64_t position = (int64_t)((word >> 10) | 1) - ((int64_t)1 << 53);
        double x = (double)position * two_to_minus_53 * tw_ziggurat_edge[layer];
        if (fabs(x) < tw_ziggurat_edge[layer + 1]) return x;
        if (layer == 0) return copysign(normal_beyond(stream, tw_ziggurat_edge[1]), x);
        if (under_the_curve(stream, tw_ziggurat_edge[layer], tw_ziggurat_edge[layer + 1], x)) return x;
    }
}

uint64_t tw_stream_bits(tw_stream *stream)
{
    return next_word(stream);
}

double tw_stream_uniform(tw_stream *stream)
{
    return uniform(stream);
}

double tw_stream_exponential(tw_stream *stream)
{
    return -log(uniform(stream));
}

double tw_stream_normal(tw_stream *stream)
{
    return normal(stream);
}

void tw_stream_normals(tw_stream *stream, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) out[i] = normal(stream);
}
