/* student_t.c: real observations with heavy tails, y = x + s e, where e has Student's t distribution with nu
 * degrees of freedom. The parameters are `scale`, phi_1 = log s, and `df`, phi_2 = log nu.
 *
 * With d = (y - x)/s, u = d/sqrt(nu) and q = 1/(1 + u^2) in (0, 1]:
 *   l       = log Gamma((nu+1)/2) - log Gamma(nu/2) - log(nu pi)/2 - log s + (nu+1)/2 log q
 *   l'      = (nu+1)/(s sqrt(nu)) u q
 *   lambda  = (nu+1)/(nu s^2) q (2 q - 1)
 *   dlambda = -(nu+1)/(nu^(3/2) s^3) 2 u q^2 (1 - 4 q)
 * For |d| > sqrt(nu) the curvature is negative: p is not log-concave, and a posterior may have several modes.
 * Nothing overflows for |u| < 1e150.
 *   dl/dphi_1      = (nu+1) (1 - q) - 1
 *   dl'/dphi_1     = -2 q l'
 *   dlambda/dphi_1 = (nu+1)/(nu s^2) q^2 (6 - 8 q)
 *   dl/dphi_2      = nu/2 (digamma((nu+1)/2) - digamma(nu/2) + log q) - 1/2 + (nu+1)/2 (1 - q)
 *   dl'/dphi_2     = u q/(s sqrt(nu)) (nu (1 - q) - q)
 *   dlambda/dphi_2 = q/(nu s^2) (nu (2 q - 1) + (nu+1) q (3 - 4 q)).
 *
 * The expected information is the constant (nu+1)/((nu+3) s^2); the smoothed curvature is the same with
 * s^2 + s2 for s^2. The mean of y is x (for nu <= 1, its median), and its variance nu/(nu-2) s^2, infinite
 * for nu <= 2. Tilted moments come from quadrature with panels around y and around the Gaussian's mean.
 */
#include <math.h>

#include "likelihood/likelihood.h"
#include "math/gamma.h"

enum { SCALE, DF };

static const double LOG_PI = 1.14472988584940017414;

static const tw_parameter PARAMETERS[] = {
    {.name = "scale",
     .transform = TW_TRANSFORM_LOG,
     .initial = 1.0,
     .in_units_of_y = true,
     .help = "the scale of Student's t noise, in units of y"},
    {.name = "df",
     .transform = TW_TRANSFORM_LOG,
     .initial = 4.0,
     .help = "the degrees of freedom of the noise; fewer mean heavier tails"}};

/* The parameters, and sqrt(nu). */
typedef struct noise {
    double s, nu, root; /* root = sqrt(nu) */
} noise;

static noise noise_of(const tw_observations *o)
{
    double nu = tw_observations_parameter(o, DF);
    return (noise){tw_observations_parameter(o, SCALE), nu, sqrt(nu)};
}

static bool supports(const tw_observations *o, size_t i)
{
    return isfinite(o->y[i]);
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    noise p = noise_of(o);
    double constant = tw_log_rising(0.5 * p.nu, 0.5) - 0.5 * (log(p.nu) + LOG_PI) - log(p.s);
    double unit = p.s * p.root, first = (p.nu + 1.0) / unit;
    for (size_t i = 0; i < o->n; i++) {
        double u = (o->y[i] - x[i]) / unit, q = 1.0 / (1.0 + u * u);
        if (value) value[i] = constant - 0.5 * (p.nu + 1.0) * log1p(u * u);
        if (slope) slope[i] = first * u * q;
        if (lambda) lambda[i] = first / unit * q * (2.0 * q - 1.0);
        if (dlambda) dlambda[i] = -2.0 * first / (unit * unit) * (u * q) * q * (1.0 - 4.0 * q);
    }
}

static void d_scale(const tw_observations *o, const double *x, double *value, double *slope, double *lambda)
{
    noise p = noise_of(o);
    double unit = p.s * p.root, first = (p.nu + 1.0) / unit;
    for (size_t i = 0; i < o->n; i++) {
        double u = (o->y[i] - x[i]) / unit, q = 1.0 / (1.0 + u * u);
        if (value) value[i] = (p.nu + 1.0) * (1.0 - q) - 1.0;
        if (slope) slope[i] = -2.0 * q * (first * u * q);
        if (lambda) lambda[i] = first / unit * q * q * (6.0 - 8.0 * q);
    }
}

static void d_df(const tw_observations *o, const double *x, double *value, double *slope, double *lambda)
{
    noise p = noise_of(o);
    double unit = p.s * p.root, nu = p.nu, digammas = tw_d_log_rising(0.5 * nu, 0.5);
    for (size_t i = 0; i < o->n; i++) {
        double u = (o->y[i] - x[i]) / unit, q = 1.0 / (1.0 + u * u);
        if (value) value[i] = 0.5 * nu * (digammas - log1p(u * u)) - 0.5 + 0.5 * (nu + 1.0) * (1.0 - q);
        if (slope) slope[i] = u * q / unit * (nu * (1.0 - q) - q);
        if (lambda) lambda[i] = q / (unit * unit) * (nu * (2.0 * q - 1.0) + (nu + 1.0) * q * (3.0 - 4.0 * q));
    }
}

static void d_parameter(const tw_observations *o, size_t k, const double *x, double *value, double *slope,
                        double *lambda)
{
    if (k == SCALE)
        d_scale(o, x, value, slope, lambda);
    else
        d_df(o, x, value, slope, lambda);
}

static void peak(const tw_observations *o, size_t i, double *x, double *width)
{
    noise p = noise_of(o);
    *x = o->y[i];
    *width = p.s * fmin(p.root, 1.0);
}

/* The expected information of one observation whose noise has the squared scale s2. */
static double information(double nu, double s2)
{
    return (nu + 1.0) / ((nu + 3.0) * s2);
}

static void smoothed(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda)
{
    noise p = noise_of(o);
    (void)x;
    for (size_t i = 0; i < o->n; i++) {
        if (lambda) lambda[i] = information(p.nu, p.s * p.s + s2[i]);
        if (dlambda) dlambda[i] = 0.0;
    }
}

static void fisher(const tw_observations *o, const double *x, double *lambda, double *dlambda)
{
    noise p = noise_of(o);
    (void)x;
    for (size_t i = 0; i < o->n; i++) {
        if (lambda) lambda[i] = information(p.nu, p.s * p.s);
        if (dlambda) dlambda[i] = 0.0;
    }
}

static void predict(const tw_observations *o, const double *m, double v, double *mean, double *variance)
{
    noise p = noise_of(o);
    for (size_t i = 0; i < o->n; i++) {
        if (mean) mean[i] = m[i];
        if (variance) variance[i] = p.nu > 2.0 ? v + p.s * p.s * p.nu / (p.nu - 2.0) : INFINITY;
    }
}

static void expect(const tw_observations *o, const double *x, double *mean, double *variance)
{
    predict(o, x, 0.0, mean, variance);
}

const tw_likelihood tw_likelihood_student_t = {
    .name = "student_t",
    .support = "a finite number",
    .parameters = 2,
    .parameter = PARAMETERS,
    .supports = supports,
    .terms = terms,
    .d_parameter = d_parameter,
    .peak = peak,
    .smoothed = smoothed,
    .fisher = fisher,
    .expect = expect,
    .predict = predict,
};
