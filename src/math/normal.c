/* normal.c: log cdf, hazard, curvature and its derivatives of the normal law, one branch-free kernel for all
 * z.
 *
 * Let t = |z|, M the Mills ratio (1 - Phi(t))/phi(t), and u(t) = 1/M - t, which falls like 1/t and is fitted
 * by a ratio N(t)/D(t) of polynomials with positive coefficients (normal_tables.h). With R = t D + N, so 1/M
 * = R/D:
 *
 *   z < 0:   u = N/D            hazard = t + u                 curvature = hazard u
 *            log cdf = -t^2/2 - log sqrt(2 pi) - log(R/D)
 *   z >= 0:  hazard = phi R / (R - phi D)   u = z + hazard     curvature = hazard u
 *            log cdf = log((R - phi D)/R)
 *
 * Nothing cancels: the upper tail never forms 1 - Phi, the lower tail never forms z + hazard. Both logarithms
 * are log(a/b) = 2 atanh((a-b)/(a+b)), where a - b = -phi D is known to full relative precision for z >= 0,
 * and b is D times the power of two next to R/D for z < 0. One division serves hazard and logarithm.
 *
 * The derivatives of the curvature lambda (NUMERICS: w = (z + 1/u)/2) are
 *   slope = 2 lambda (w - u) = hazard (1 - u (u + hazard))
 *   bend  = 2 slope (w - u) + 2 lambda (lambda - w/u)
 * For z < 0 both cancel, so u - w ~ t^-3 and -bend ~ 6 t^-4 have ratios of their own.
 *
 * Beyond t = FAR every function equals its limit to the last bit, and the polynomials stay at FAR.
 */
#include "math/normal.h"

#include "math/elementary.h"

#define FAR 0x1p27
#define DENSITY_ENDS 37.5 /* phi is below 1e-305 from here on, and taken as 0 */
#define LOG_SQRT_2PI 0.91893853320467274178
#define RECIPROCAL_SQRT_2PI 0.39894228040143267794

/* phi(t). t = high + low with 26 bits in high, so high^2 is exact and no digit of t^2 is lost. */
TW_INLINE double density(double t)
{
    double high = tw_from_bits(tw_bits_of(t) & 0xfffffffff8000000u);
    double value = tw_exp_reduced(-0.5 * high * high, -0.5 * (t - high) * (t + high));
    return t > DENSITY_ENDS ? 0.0 : RECIPROCAL_SQRT_2PI * value;
}

/* The power of two next to 1/M(t): 1/M is within 6% of max(t, 0.8 (1 + t)); the factor sqrt(2) rounds. */
TW_INLINE uint64_t power_of_two_bits(double t)
{
    double slanted = 1.1313708498984760 * t + 1.1313708498984760, straight = 1.4142135623730950 * t;
    return tw_bits_of(slanted > straight ? slanted : straight) & 0x7ff0000000000000u;
}

/* k of the bits of 2^k, k >= 0, as a double. */
TW_INLINE double exponent_of(uint64_t power_bits)
{
    return tw_from_bits((power_bits >> 52) | tw_bits_of(0x1p52)) - (0x1p52 + 1023.0);
}

typedef struct lane {
    double log_cdf, hazard, curvature, u;
} lane;

/* The formulas above; t_near = min(t, FAR). */
TW_INLINE lane evaluate(double z, double t, double t_near)
{
    double n = tw_mills_numerator(t_near), d = tw_mills_denominator(t_near), r = t_near * d + n;
    double phi = density(t_near), phi_d = phi * d, upper = r - phi_d;
    uint64_t power = power_of_two_bits(t_near);
    double scaled = d * tw_from_bits(power);

    double difference = z < 0.0 ? r - scaled : -phi_d;
    double sum = z < 0.0 ? r + scaled : r + upper;
    double below = z < 0.0 ? d : upper;
    double reciprocal = 1.0 / (sum * below), over_below = reciprocal * sum;
    double logarithm = tw_twice_atanh(difference * (reciprocal * below));
    double lower_log = -0.5 * t * t - (LOG_SQRT_2PI + (exponent_of(power) * TW_LOG_2 + logarithm));

    double lower_u = n * over_below, upper_hazard = phi * r * over_below;
    double u = z < 0.0 ? lower_u : t_near + upper_hazard;
    double near_hazard = z < 0.0 ? t_near + lower_u : upper_hazard;
    double hazard = z < 0.0 ? t + lower_u : upper_hazard;
    return (lane){z < 0.0 ? lower_log : logarithm, hazard, near_hazard * u, u};
}

/* n is a multiple of TW_GROUP. */
TW_INLINE void three_groups(size_t n, const double *restrict z, double *restrict log_cdf,
                            double *restrict hazard, double *restrict curvature)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double t = z[i] < 0.0 ? -z[i] : z[i];
        lane at = evaluate(z[i], t, t > FAR ? FAR : t);
        log_cdf[i] = at.log_cdf;
        hazard[i] = at.hazard;
        curvature[i] = at.curvature;
    }
}

/* dlambda/dz of one lane; far = min(t, FAR)/t continues the power law t^-3. */
TW_INLINE double slope_of(double z, double t, double t_near, lane at)
{
    double far = (1.0 + t_near) / (1.0 + t);
    double gap = far * far * far * (tw_slope_numerator(t_near) / tw_slope_denominator(t_near));
    return z < 0.0 ? -2.0 * at.curvature * gap : at.hazard * (1.0 - at.u * (at.u + at.hazard));
}

/* The same with the slope. */
TW_INLINE void four_groups(size_t n, const double *restrict z, double *restrict log_cdf,
                           double *restrict hazard, double *restrict curvature, double *restrict slope)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double t = z[i] < 0.0 ? -z[i] : z[i], t_near = t > FAR ? FAR : t;
        lane at = evaluate(z[i], t, t_near);
        log_cdf[i] = at.log_cdf;
        hazard[i] = at.hazard;
        curvature[i] = at.curvature;
        slope[i] = slope_of(z[i], t, t_near, at);
    }
}

#define GROUPS(machine, target)                                                                    \
    target static void groups##machine(size_t n, const double *z, double *log_cdf, double *hazard, \
                                       double *curvature, double *slope)                           \
    {                                                                                              \
        n = n / TW_GROUP * TW_GROUP;                                                               \
        if (slope)                                                                                 \
            four_groups(n, z, log_cdf, hazard, curvature, slope);                                  \
        else                                                                                       \
            three_groups(n, z, log_cdf, hazard, curvature);                                        \
    }
TW_FOR_EACH_MACHINE(GROUPS)

void tw_normal_block(size_t n, const double *z, double *log_cdf, double *hazard, double *curvature,
                     double *slope)
{
    size_t whole = n / TW_GROUP * TW_GROUP, rest = (n - whole) * sizeof *z;
    TW_ON_THIS_MACHINE(groups, whole, z, log_cdf, hazard, curvature, slope);
    if (rest == 0) return;
    double last[5][TW_GROUP] = {
        {0}}; /* the last group, padded with zeros, goes through the same instructions */
    memcpy(last[0], z + whole, rest);
    TW_ON_THIS_MACHINE(groups, TW_GROUP, last[0], last[1], last[2], last[3], slope ? last[4] : NULL);
    memcpy(log_cdf + whole, last[1], rest);
    memcpy(hazard + whole, last[2], rest);
    memcpy(curvature + whole, last[3], rest);
    if (slope) memcpy(slope + whole, last[4], rest);
}

/* d2lambda/dz2. For z < 0 far^4 continues the power law t^-4; for z >= 0, lambda = 0 means that all is 0. */
static double bend_of(double z, const tw_normal_terms *at)
{
    if (z < 0.0) {
        double t = -z, t_near = t > FAR ? FAR : t, far = (1.0 + t_near) / (1.0 + t);
        return -(far * far) * (far * far) * (tw_bend_numerator(t_near) / tw_bend_denominator(t_near));
    }
    if (at->curvature == 0.0) return 0.0;
    double u = z + at->hazard, w = 0.5 * (z + 1.0 / u);
    return 2.0 * at->slope * (w - u) + 2.0 * at->curvature * (at->curvature - w / u);
}

tw_normal_terms tw_normal_at(double z)
{
    tw_normal_terms at;
    tw_normal_block(1, &z, &at.log_cdf, &at.hazard, &at.curvature, &at.slope);
    at.bend = bend_of(z, &at);
    return at;
}
