/* elementary.h: the pieces of exp and log that vectorise: no branches, no tables, no library calls. */
#ifndef TALWEG_MATH_ELEMENTARY_H
#define TALWEG_MATH_ELEMENTARY_H

#include <stdint.h>
#include <string.h>

#include "math/machine.h"
#include "math/normal_tables.h"

#define TW_LOG_2 0x1.62e42fefa39efp-1
#define TW_LOG_2_HIGH 0x1.62e42fefap-1 /* 17 trailing zero bits: exact times |k| < 2^17 */
#define TW_LOG_2_LOW 0x1.cf79abc9e3b3ap-40
#define TW_ROUNDING 0x1.8p52 /* adding it rounds to an integer, kept in the low bits */

TW_INLINE uint64_t tw_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

TW_INLINE double tw_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* exp(x + rest) for -708 < x < 709 and |rest| small against 1: with k = round(x / log 2) and
 * f = x - k log 2 + rest the value is 2^k (1 + f + f^2 p(f)); k is added to the exponent's bits. */
TW_INLINE double tw_exp_reduced(double x, double rest)
{
    double shifted = x * (1.0 / TW_LOG_2) + TW_ROUNDING;
    double k = shifted - TW_ROUNDING;
    double f = (x - k * TW_LOG_2_HIGH) + (rest - k * TW_LOG_2_LOW);
    double value = (f * f) * tw_exp_polynomial(f) + f + 1.0;
    return tw_from_bits(tw_bits_of(value) + (tw_bits_of(shifted) << 52));
}

/* 2 atanh(s) = log((1+s)/(1-s)) for |s| <= 1/3. */
TW_INLINE double tw_twice_atanh(double s)
{
    double q = s * s;
    return 2.0 * s + s * (q * tw_atanh_polynomial(q));
}

#endif
