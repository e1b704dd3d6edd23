/* normal_single.c: the slope of log Phi in single precision, for forces; see normal.h and, for the formulas, normal.c.
 *
 * With t = |z|, u = 1/M - t = N/D and R = t D + N, the hazard is
 *   z < 0:   t + N/D        z >= 0:   phi R/(R - phi D)
 * with one division for both signs. N and D have lower degrees than in double precision. Beyond t = FAR, where N/D is below the last digit
 * of t, they stay at FAR. The whole is one loop of vector instructions, and the last, partial group goes through them too, padded.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/machine.h"
#include "math/normal.h"
#include "math/normal_tables.h"

#define FAR 0x1p12f
#define DENSITY_ENDS 170.0f         /* z^2: phi is below 5e-38 from here on, and taken as 0 */
#define ROUNDING 0x1.8p23f          /* adding it rounds to an integer, which then stands in the low bits */
#define TWO_LOG_2_HIGH 0x1.62e4p+0f /* 7 trailing zero bits: exact times |k| < 2^7 */
#define TWO_LOG_2_LOW 0x1.7f7d1cp-19f
#define HALF_OVER_LOG_2 0x1.715476p-1f

enum { GROUP = 2 * TW_GROUP }; /* floats in the widest vector */

/* phi(z) from z^2: with k = round(-z^2 / (2 log 2)) it is 2^k exp(-(z^2 + 2 k log 2)/2) / sqrt(2 pi). */
TW_INLINE float density(float square)
{
    float shifted = square * -HALF_OVER_LOG_2 + ROUNDING, k = shifted - ROUNDING;
    float value = tw_density_polynomial_single((square + k * TWO_LOG_2_HIGH) + k * TWO_LOG_2_LOW);
    uint32_t bits, power;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&power, &shifted, sizeof power);
    bits += power << 23;
    memcpy(&value, &bits, sizeof value);
    return square > DENSITY_ENDS ? 0.0f : value;
}

TW_INLINE float slope_at(float sign, float x)
{
    float z = sign * x, size = fabsf(z), t = size > FAR ? FAR : size; /* a NaN stays */
    float top = tw_mills_single_numerator(t), d = tw_mills_single_denominator(t), r = t * d + top;
    float phi = density(z * z);
    float over = z < 0.0f ? top : phi * r, under = z < 0.0f ? d : r - phi * d;
    float v = over / under;
    return sign * (z < 0.0f ? v + size : v);
}

#define GROUPS(machine, target, fused)                                                                 \
    target static void groups##machine(size_t n, const double *restrict sign, const float *restrict x, \
                                       float *restrict slope)                                          \
    {                                                                                                  \
        _Pragma("omp simd") for (size_t i = 0; i < n / GROUP * GROUP; i++) slope[i] =                  \
            slope_at((float)sign[i], x[i]);                                                            \
    }
TW_FOR_EACH_MACHINE(GROUPS)

void tw_normal_slopes_single(size_t n, const double *sign, const float *x, float *slope)
{
    size_t whole = n / GROUP * GROUP, rest = n - whole;
    double signs[GROUP] = {0};
    float last[GROUP] = {0}, found[GROUP];
    TW_ON_THIS_MACHINE(groups, whole, sign, x, slope);
    if (rest == 0) return;
    memcpy(signs, sign + whole, rest * sizeof *sign);
    memcpy(last, x + whole, rest * sizeof *x);
    TW_ON_THIS_MACHINE(groups, GROUP, signs, last, found);
    memcpy(slope + whole, found, rest * sizeof *slope);
}
