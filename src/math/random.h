/* random.h: random streams. A stream is a function of (seed, purpose, chain, iteration) and of nothing else.
 *
 * Underneath is Philox4x64-10 (Salmon, Moraes, Dror & Shaw 2011), a bijection of a 256-bit counter under a
 * 128-bit key. Here
 *     key = (seed, purpose),   counter = (block, chain, iteration, 0),   block = 0, 1, 2, ...
 * so two different streams never meet: they differ in the key or in a word of the counter that never moves.
 * There is no state to share or to save: whoever needs the momentum of chain 3 at iteration 17 makes that
 * stream on the spot, in any order and on any thread, and gets the same numbers.
 *
 * The words and the uniforms are the same to the bit on every machine. So are the normals, but for the 0.03 %
 * beyond 3.65 standard deviations: those call log(), as the exponentials do, and there the last bit is
 * libm's. (An exp() decides 1.5 % of the normals; two libms part only where a comparison is within rounding:
 * 1e-18 a draw.)
 */
#ifndef TALWEG_MATH_RANDOM_H
#define TALWEG_MATH_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* What a stream is for. The number of a purpose is part of the key, and so of every result: add new ones
 * at the end. "Chain" stands for whatever runs side by side: chains, particles, pairs of replicas. */
typedef enum tw_stream_purpose {
    TW_STREAM_START,      /* initial positions and particles */
    TW_STREAM_MOMENTUM,   /* HMC and RMHMC: the momentum */
    TW_STREAM_TRAJECTORY, /* HMC and RMHMC: a random number or size of steps */
    TW_STREAM_ACCEPT,     /* accept or reject */
    TW_STREAM_SLICE,      /* elliptical slice: direction, level and angles */
    TW_STREAM_CHECK,      /* which trajectories are integrated back */
    TW_STREAM_SWAP,       /* parallel tempering: exchange of neighbours */
    TW_STREAM_RESAMPLE,   /* resample-move: the ancestors */
    TW_STREAM_BOOTSTRAP,  /* standard errors over particles */
    TW_STREAM_DATA,       /* simulated observations */
    TW_STREAM_FIT,        /* where searches for parameters start */
    TW_STREAM_SCRAMBLE,   /* scrambles of Sobol points */
    TW_STREAM_PREDICT     /* the latent function at new inputs, given a draw at the others */
} tw_stream_purpose;

/* A place in a stream. Copying it copies the place. */
typedef struct tw_stream {
    uint64_t key[2];
    uint64_t counter[4]; /* of the next block */
    uint64_t words[4];   /* the current block */
    unsigned used;       /* how many of its words are used up */
} tw_stream;

/* The beginning of a stream. */
tw_stream tw_stream_at(uint64_t seed, tw_stream_purpose purpose, uint64_t chain, uint64_t iteration);

/* The next 64 bits. */
uint64_t tw_stream_bits(tw_stream *stream);

/* Uniform on the odd multiples of 2^-53 in the open interval (0, 1): never 0, never 1, symmetric about 1/2.
 */
double tw_stream_uniform(tw_stream *stream);

/* Exponential with mean 1. */
double tw_stream_exponential(tw_stream *stream);

/* Standard normal, by the ziggurat. */
double tw_stream_normal(tw_stream *stream);

/* n standard normals: exactly those that n calls of tw_stream_normal would give, and it leaves the stream
 * where they would. */
void tw_stream_normals(tw_stream *stream, size_t n, double *out);

#endif
