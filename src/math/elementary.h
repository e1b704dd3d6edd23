/* elementary.h: parts of exp, log and division that vectorise: no branches, tables or library calls. */
#ifndef TALWEG_MATH_ELEMENTARY_H
#define TALWEG_MATH_ELEMENTARY_H

#include <stdint.h>
#include <string.h>

#include "math/machine.h"
#include "math/normal_tables.h"

#define TW_LOG_2 0x1.62e42fefa39efp-1
#define TW_LOG_2_HIGH 0x1.62e42fefap-1 /* 17 trailing zero bits: exact times |k| < 2^17 */
#define TW_LOG_2_LOW 0x1.cf79abc9e3b3ap-40
#define TW_ROUNDING 0x1.8p52 /* adding it rounds to an integer, which is then in the low bits */

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

/* 2^k x, where k is the integer in the low bits of `shifted`. The result must not overflow or underflow. */
TW_INLINE double tw_scale(double x, double shifted)
{
    return tw_from_bits(tw_bits_of(x) + (tw_bits_of(shifted) << 52));
}

/* exp(x) for -708.39 <= x <= 709.78, as 2^k exp(x - k log 2) with k = round(x / log 2). */
TW_INLINE double tw_exp_inside(double x)
{
    double shifted = x * (1.0 / TW_LOG_2) + TW_ROUNDING;
    double k = shifted - TW_ROUNDING;
    double rest = (x - k * TW_LOG_2_HIGH) - k * TW_LOG_2_LOW;
    return tw_scale(tw_exp_polynomial(rest), shifted);
}

/* The bits of the largest power of two 2^k <= x, for x >= 1: those of x without its fraction. */
TW_INLINE uint64_t tw_power_bits(double x)
{
    return tw_bits_of(x) & 0x7ff0000000000000u;
}

/* k as a double, from the bits of 2^k: the exponent bits become the integer in 2^52 + 1023 + k. */
TW_INLINE double tw_exponent(uint64_t power_bits)
{
    return tw_from_bits((power_bits >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
}

/* 1/x for 2^-1000 < x < 2^1000, with a relative error of 5e-16, in 8 cheap instructions: a vector division is
 * slow. Subtracting the bits of x from a constant gives y = (1 - e)/x with |e| < 0.051; then
 * y (1 + e)(1 + e^2) has the error e^4 < 6.7e-6, and y (1 + e + e^2) the cube of that. */
TW_INLINE double tw_reciprocal(double x)
{
    double y = tw_from_bits(0x7fde620000000000u - tw_bits_of(x));
    double e = 1.0 - x * y;
    y = y + y * e;
    y = y + y * (e * e);
    e = 1.0 - x * y;
    return y + y * (e + e * e);
}

#endif
