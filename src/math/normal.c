/* normal.c: log cdf, hazard, curvature and its derivatives of the normal distribution, in one branch-free
 * kernel for all z.
 *
 * Let t = |z|, M the Mills ratio (1 - Phi(t))/phi(t), and u(t) = 1/M - t, which decreases like 1/t and is
 * approximated by a ratio N(t)/D(t) of polynomials with positive coefficients (normal_tables.h). With
 * R = t D + N, so that 1/M = R/D:
 *
 *   z < 0:   v = N/D                 hazard = t + v    curvature = v (t + v)
 *            log cdf = -t^2/2 - log sqrt(2 pi) - k log 2 - log(R / (2^k D)),  2^k near R/D
 *   z >= 0:  v = phi R/(R - phi D)   hazard = v        curvature = v (t + v)
 *            log cdf = -log(R / (R - phi D))
 *
 * Nothing cancels: the upper tail never forms 1 - Phi, and the lower tail never forms z + hazard. Let g = 2^k
 * for z < 0 and phi for z >= 0, m = g D, and x = m for z < 0, R - m for z >= 0. Both logarithms are
 * log(a/b) = 2 atanh(s) with s = (a-b)/(a+b), and both signs share one division, by x (R + x):
 *
 *   v = g (R + x) (N or R) / (x (R + x))      s = m (R - m) / (x (R + x))
 *
 * The derivatives of the curvature lambda are, with u = z + hazard, w = (z + 1/u)/2 and v3 = (z + 1/w)/3,
 *   slope = 2 lambda (w - u) = hazard (1 - u (u + hazard))
 *   bend  = 6 lambda ((w - u)^2 - w (w - v3))
 * For z < 0 the differences cancel; therefore u - w ~ t^-3 and -bend ~ 6 t^-4 have their own rational
 * approximations.
 *
 * Beyond t = FAR every function equals its limit to the last bit, and the polynomials are evaluated at FAR.
 * Short loops process the array in chunks, and the compiler vectorises each; between the loops, the output
 * arrays hold intermediate values. The arguments `logs` and `fused` are compile-time constants; without
 * `logs`, the log cdf is not computed.
 */
#include "math/normal.h"

#include <math.h>

#include "math/constants.h"
#include "math/elementary.h"

#define FAR 0x1p27
#define DENSITY_ENDS 37.5 /* phi is below 1e-305 from here on and is set to 0 */
#define SQRT_2 1.41421356237309504880

enum { CHUNK = 512, PADDING = 24 }; /* without padding, arrays a page apart would share cache sets */

typedef struct outputs {
    double *restrict log_cdf, *restrict hazard, *restrict curvature, *restrict slope;
} outputs;

typedef struct workspace {
    _Alignas(64) double near[CHUNK + PADDING]; /* min(|z|, FAR) */
    _Alignas(64) double g[CHUNK + PADDING];
} workspace;

/* phi(z), from square = z^2 rounded. z^2 + k 2 log 2 must be exact, or phi(37) would lose 3 digits. With fma
 * it is; without, z = high + low with 26 bits in high, so that high^2 is exact. The polynomial computes
 * exp(-x/2) / sqrt(2 pi). */
TW_INLINE double density(double z, double square, bool fused)
{
    const double high_step = 2.0 * TW_LOG_2_HIGH, low_over_high = TW_LOG_2_LOW / TW_LOG_2_HIGH;
    double shifted = square * (-0.5 / TW_LOG_2) + TW_ROUNDING, steps, rest;
    if (fused) {
        steps = __builtin_fma(shifted, high_step, -TW_ROUNDING * high_step);
        rest = __builtin_fma(z, z, steps);
    } else {
        double high = tw_from_bits(tw_bits_of(z) & 0xfffffffff8000000u);
        steps = (shifted - TW_ROUNDING) * high_step;
        rest = (high * high + steps) + (z - high) * (z + high);
    }
    double value = tw_scale(tw_density_polynomial(rest + steps * low_over_high), shifted);
    return square > DENSITY_ENDS * DENSITY_ENDS ? 0.0 : value;
}

/* Compute near, N (in hazard), D (in curvature), phi (in g) and, with `logs`, z^2 (in log_cdf). */
TW_INLINE void evaluate_parts(size_t n, const double *restrict z, outputs out, workspace *restrict w,
                              bool fused, bool logs)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double t = fabs(z[i]);
        w->near[i] = t > FAR ? FAR : t; /* keeps a NaN */
    }
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double t = w->near[i];
        out.hazard[i] = tw_mills_numerator(t);
        out.curvature[i] = tw_mills_denominator(t);
    }
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double square = z[i] * z[i];
        w->g[i] = density(z[i], square, fused);
        if (logs) out.log_cdf[i] = square;
    }
}

/* From these compute x (R + x) (in curvature), v times it (in hazard), s times it (in g), and the term of the
 * log cdf for z < 0 (in log_cdf). 1/M is between 0.6 and 0.71 times sqrt(2) t + 1.2, so with the power of two
 * below the latter, R/m is between 0.6 and 1.42. */
TW_INLINE void evaluate_fractions(size_t n, const double *restrict z, outputs out, workspace *restrict w,
                                  bool logs)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double t = w->near[i], top = out.hazard[i], d = out.curvature[i], phi = w->g[i], r = t * d + top;
        double half_square = logs ? 0.5 * out.log_cdf[i] + TW_HALF_LOG_TWO_PI : 0.0;
        uint64_t power = tw_power_bits(SQRT_2 * t + 1.2);
        uint64_t bits = z[i] < 0.0 ? power : tw_bits_of(phi);
        double shift = tw_exponent(bits) * TW_LOG_2 + half_square;
        double g = tw_from_bits(bits), m = g * d, difference = r - m;
        double x = z[i] < 0.0 ? m : difference, factor = z[i] < 0.0 ? top : r, sum = r + x;
        if (logs) out.log_cdf[i] = z[i] < 0.0 ? shift : 0.0;
        out.curvature[i] = x * sum;
        out.hazard[i] = (g * sum) * factor;
        w->g[i] = m * difference;
    }
}

/* The division, hazard, curvature and logarithm. Adding 1e-40 keeps s^2 from being subnormal, which is slow. */
TW_INLINE void combine(size_t n, const double *restrict z, outputs out, workspace *restrict w, bool logs)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double reciprocal = tw_reciprocal(out.curvature[i]), v = out.hazard[i] * reciprocal;
        w->g[i] *= reciprocal;
        out.hazard[i] = z[i] < 0.0 ? v - z[i] : v;
        out.curvature[i] = v * (w->near[i] + v);
    }
    if (!logs) return;
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double s = w->g[i];
        out.log_cdf[i] = s * tw_log_polynomial(s * s + 1e-40) - out.log_cdf[i];
    }
}

/* dlambda/dz. The factor far^3 continues the power law t^-3 beyond FAR (it is not used at z = 0). */
TW_INLINE void evaluate_slope(size_t n, const double *restrict z, outputs out, const workspace *restrict w)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double t = w->near[i], h = out.hazard[i], u = t + h, far = t / fabs(z[i]);
        double gap = (far * far * far) * (tw_slope_numerator(t) / tw_slope_denominator(t));
        double lower = -2.0 * out.curvature[i] * gap, upper = h * (1.0 - u * (u + h));
        out.slope[i] = z[i] < 0.0 ? lower : upper;
    }
}

/* Process a whole number of groups, chunk by chunk, with vector instructions only. */
TW_INLINE void evaluate_groups(size_t n, const double *z, outputs out, bool fused, bool logs)
{
    workspace w;
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = n - start < CHUNK ? (n - start) / TW_GROUP * TW_GROUP : CHUNK;
        outputs at = {logs ? out.log_cdf + start : NULL, out.hazard + start, out.curvature + start, NULL};
        evaluate_parts(count, z + start, at, &w, fused, logs);
        evaluate_fractions(count, z + start, at, &w, logs);
        combine(count, z + start, at, &w, logs);
        if (!out.slope) continue;
        at.slope = out.slope + start;
        evaluate_slope(count, z + start, at, &w);
    }
}

#define GROUPS(machine, target, fused)                                         \
    target static void groups##machine(size_t n, const double *z, outputs out) \
    {                                                                          \
        if (out.log_cdf)                                                       \
            evaluate_groups(n, z, out, fused, true);                           \
        else                                                                   \
            evaluate_groups(n, z, out, fused, false);                          \
    }
TW_FOR_EACH_MACHINE(GROUPS)

void tw_normal_block(size_t n, const double *z, double *log_cdf, double *hazard, double *curvature,
                     double *slope)
{
    size_t whole = n / TW_GROUP * TW_GROUP, rest = (n - whole) * sizeof *z;
    TW_ON_THIS_MACHINE(groups, whole, z, (outputs){log_cdf, hazard, curvature, slope});
    if (rest == 0) return;
    double last[5][TW_GROUP] = {{0}}; /* the last group is padded, so that the same instructions process it */
    memcpy(last[0], z + whole, rest);
    TW_ON_THIS_MACHINE(groups, TW_GROUP, last[0],
                       (outputs){log_cdf ? last[1] : NULL, last[2], last[3], slope ? last[4] : NULL});
    if (log_cdf) memcpy(log_cdf + whole, last[1], rest);
    memcpy(hazard + whole, last[2], rest);
    memcpy(curvature + whole, last[3], rest);
    if (slope) memcpy(slope + whole, last[4], rest);
}

/* d2lambda/dz2. For z < 0 the factor far^4 continues the power law t^-4; for z >= 0, lambda = 0 implies a
 * result of 0. */
static double bend_of(double z, const tw_normal_terms *at)
{
    if (z < 0.0) {
        double t = z < -FAR ? FAR : -z, far = t / -z;
        return -(far * far) * (far * far) * (tw_bend_numerator(t) / tw_bend_denominator(t));
    }
    if (at->curvature == 0.0) return 0.0;
    double u = z + at->hazard, w = (z + 1.0 / u) / 2.0, v3 = (z + 1.0 / w) / 3.0;
    return 6.0 * at->curvature * ((w - u) * (w - u) - w * (w - v3));
}

tw_normal_terms tw_normal_at(double z)
{
    tw_normal_terms at;
    tw_normal_block(1, &z, &at.log_cdf, &at.hazard, &at.curvature, &at.slope);
    at.bend = bend_of(z, &at);
    return at;
}
