/* random.h: random streams. A stream is a function of (seed, purpose, chain, iteration) only.
 *
 * The generator is Philox4x64-10 (Salmon, Moraes, Dror & Shaw 2011), a bijection of a 256-bit counter under a
 * 128-bit key, with
 *     key = (seed, purpose),   counter = (block, chain, iteration, 0),   block = 0, 1, 2, ...
 * Two different streams never overlap: they differ in the key or in a constant word of the counter. There is
 * no state to share or to save: code that needs the momentum of chain 3 at iteration 17 makes that stream, in
 * any order and on any thread, and gets the same numbers.
 *
 * The words and the uniforms are the same to the bit on every machine. So are the normals, except the 0.03 %
 * beyond 3.65 standard deviations: these call log(), like the exponentials, and their last bit depends on
 * libm. (An exp() decides 1.5 % of the normals; two libms differ only if a comparison is within rounding,
 * with probability 1e-18 per draw.)
 */
#ifndef TALWEG_MATH_RANDOM_H
#define TALWEG_MATH_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The purpose of a stream. Its number is part of the key and so affects every result: add new ones at the
 * end. "Chain" means whatever runs in parallel: chains, particles, pairs of replicas. */
typedef enum tw_stream_purpose {
    TW_STREAM_START,      /* initial positions and particles */
    TW_STREAM_MOMENTUM,   /* HMC and RMHMC: the momentum */
    TW_STREAM_TRAJECTORY, /* HMC and RMHMC: a random number or size of steps */
    TW_STREAM_ACCEPT,     /* accept or reject */
    TW_STREAM_SLICE,      /* elliptical slice: direction, level and angles */
    TW_STREAM_CHECK,      /* the choice of trajectories to integrate back */
    TW_STREAM_SWAP,       /* parallel tempering: exchange of neighbours */
    TW_STREAM_RESAMPLE,   /* resample-move: the ancestors */
    TW_STREAM_BOOTSTRAP,  /* standard errors over particles */
    TW_STREAM_DATA,       /* simulated observations */
    TW_STREAM_FIT,        /* starting points of parameter searches */
    TW_STREAM_SCRAMBLE,   /* scrambles of Sobol points */
    TW_STREAM_PREDICT,    /* the latent function at new inputs, given a draw at the others */
    TW_STREAM_LINE,       /* slice sampling: the lines of a transition */
    TW_STREAM_REACH       /* predictions: chains that look for what draws do not reach */
} tw_stream_purpose;

/* A position in a stream; it can be copied. */
typedef struct tw_stream {
    uint64_t key[2];
    uint64_t counter[4]; /* of the next block */
    uint64_t words[4];   /* the current block */
    unsigned used;       /* number of its words already used */
} tw_stream;

/* The beginning of a stream. */
tw_stream tw_stream_at(uint64_t seed, tw_stream_purpose purpose, uint64_t chain, uint64_t iteration);

/* The next 64 bits. */
uint64_t tw_stream_bits(tw_stream *stream);

/* Uniform on the odd multiples of 2^-53 in the open interval (0, 1): never 0 or 1, and symmetric about 1/2. */
double tw_stream_uniform(tw_stream *stream);

/* Exponential with mean 1. */
double tw_stream_exponential(tw_stream *stream);

/* Standard normal, by the ziggurat. */
double tw_stream_normal(tw_stream *stream);

/* n standard normals, the same as from n calls of tw_stream_normal. */
void tw_stream_normals(tw_stream *stream, size_t n, double *out);

#endif
