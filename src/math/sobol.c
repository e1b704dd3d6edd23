/* sobol.c: Sobol's sequence with a random linear scramble and a digital shift.
 *
 * Coordinate j of point i = (... i_1 i_0)_2 is the exclusive or of the direction numbers V_jk over the bits
 * i_k = 1. The V_jk follow from a primitive polynomial of degree s with inner coefficients a and odd m_1 ..
 * m_s (those of Joe and Kuo 2008):
 *
 *   V_k = m_k 2^(32-k), k <= s;   V_k = V_{k-s} ^ (V_{k-s} >> s) ^ a_1 V_{k-1} ^ ... ^ a_{s-1} V_{k-s+1}, k > s.
 *
 * A scramble multiplies the digits by a random lower triangular matrix over the field of two elements, with
 * ones on the diagonal (Matousek 1998), and adds a random shift. The points stay equally well distributed,
 * each is uniform, and the variance of a mean is that of Owen's nested scramble. The shift has 52 bits, so
 * that a coordinate can be any odd multiple of 2^-53. */
#include "math/sobol.h"

#include "math/random.h"

typedef struct polynomial {
    unsigned degree, inner;
    uint32_t m[7];
} polynomial;

/* The polynomials of dimensions 2, 3, ...; the first dimension is van der Corput's sequence. */
static const polynomial polynomials[TW_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

static void fill_directions(size_t dimension, uint32_t v[TW_SOBOL_BITS])
{
    if (dimension == 0) {
        for (unsigned k = 0; k < TW_SOBOL_BITS; k++) v[k] = UINT32_C(1) << (31 - k);
        return;
    }
    const polynomial *p = &polynomials[dimension - 1];
    unsigned s = p->degree;
    for (unsigned k = 0; k < TW_SOBOL_BITS; k++) {
        if (k < s) {
            v[k] = p->m[k] << (31 - k);
            continue;
        }
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for (unsigned i = 1; i < s; i++)
            if (p->inner >> (s - 1 - i) & 1u) v[k] ^= v[k - i];
    }
}

static uint32_t parity(uint32_t bits)
{
    for (unsigned half = 16; half > 0; half /= 2) bits ^= bits >> half;
    return bits & 1u;
}

/* Multiply by the random matrix. Row i is a mask of the bits that form bit i, counted from the top: bit i
 * itself and random higher bits. */
static void scramble_directions(tw_stream *stream, uint32_t v[TW_SOBOL_BITS])
{
    uint32_t mixed[TW_SOBOL_BITS] = {0};
    for (unsigned i = 0; i < TW_SOBOL_BITS; i++) {
        uint32_t bit = UINT32_C(1) << (31 - i), above = ~(bit | (bit - 1));
        uint32_t mask = ((uint32_t)tw_stream_bits(stream) & above) | bit;
        for (unsigned k = 0; k < TW_SOBOL_BITS; k++)
            if (parity(mask & v[k])) mixed[k] |= bit;
    }
    for (unsigned k = 0; k < TW_SOBOL_BITS; k++) v[k] = mixed[k];
}

void tw_sobol_make(uint64_t seed, uint64_t scramble, size_t dimensions, tw_sobol *out)
{
    out->dimensions = dimensions;
    for (size_t j = 0; j < dimensions; j++) {
        tw_stream stream = tw_stream_at(seed, TW_STREAM_SCRAMBLE, scramble, j);
        fill_directions(j, out->direction[j]);
        scramble_directions(&stream, out->direction[j]);
        out->shift[j] = tw_stream_bits(&stream) >> 12;
    }
}

void tw_sobol_point(const tw_sobol *sobol, uint32_t index, double *u)
{
    for (size_t j = 0; j < sobol->dimensions; j++) {
        uint32_t bits = 0;
        for (unsigned k = 0; k < TW_SOBOL_BITS; k++)
            if (index >> k & 1u) bits ^= sobol->direction[j][k];
        uint64_t digits = ((uint64_t)bits << 20) ^ sobol->shift[j];
        u[j] = ((double)digits + 0.5) * 0x1p-52;
    }
}
