/* normal_single.c: the derivative of log Phi in single precision, for forces. normal.c derives the formulas.
 *
 * With t = |z|, Mills's ratio M, u = 1/M - t = N/D and R = t D + N, the hazard is
 *   z < 0:   t + N/D        z >= 0:   phi R/(R - phi D),
 * so one division serves both signs. The polynomials N and D have lower degrees than in double precision.
 * Beyond t = FAR, where N/D is below the last digit of t, they are evaluated at FAR. The loop is vectorised;
 * the last, partial group of numbers is padded, so that it uses the same instructions.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/machine.h"
#include "math/normal.h"
#include "math/normal_tables.h"

#define FAR 0x1p12f
#define DENSITY_ENDS 170.0f         /* for larger z^2 phi is below 5e-38 and set to 0 */
#define ROUNDING 0x1.8p23f          /* adding it rounds to an integer, which is then in the low bits */
#define TWO_LOG_2_HIGH 0x1.62e4p+0f /* 7 trailing zero bits, so its product with |k| < 2^7 is exact */
#define TWO_LOG_2_LOW 0x1.7f7d1cp-19f
#define HALF_OVER_LOG_2 0x1.715476p-1f

enum { GROUP = 2 * TW_GROUP }; /* floats of the widest vector */

/* phi(z) from z^2: phi = 2^k exp(-(z^2 + 2 k log 2)/2) / sqrt(2 pi) with k = round(-z^2 / (2 log 2)). */
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

/* The derivative of log Phi(sign x) with respect to x. */
TW_INLINE float slope_at(float sign, float x)
{
    float z = sign * x, size = fabsf(z), t = size > FAR ? FAR : size; /* t is NaN if z is */
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
