/* family.c: the densities of priors: log p(x), its derivative, its cdf and its quantiles.
 *
 *   normal       -z^2/2 - log s - log(2 pi)/2,  z = (x - m)/s
 *   student_t    log Gamma((v+1)/2) - log Gamma(v/2) - log(pi v)/2 - log s - (v+1)/2 log(1 + z^2/v)
 *   gamma        a log b - log Gamma(a) + (a-1) log x - b x
 *   inv_gamma    a log b - log Gamma(a) - (a+1) log x - b/x
 *   lognormal    that of a normal at log x, minus log x
 *   half_...     twice the density centred at 0, for x > 0
 *   pc           exponential with rate r = -log(alpha)/u; for a length scale x, x^-k is exponential with rate
 *                r = -log(alpha) u^k, k = d/2
 */
#include "prior/family.h"

#include <math.h>
#include <string.h>

#include "math/beta.h"
#include "math/constants.h"
#include "math/gamma_distribution.h"
#include "math/normal.h"

/* ---- normal, lognormal, half normal ---- */

static double normal_density(const double *a, double x, double *slope)
{
    double z = (x - a[0]) / a[1];
    *slope = -z / a[1];
    return -0.5 * z * z - log(a[1]) - TW_HALF_LOG_TWO_PI;
}

static double normal_cdf(const double *a, double x)
{
    return 0.5 * erfc(-(x - a[0]) / (a[1] * sqrt(2.0)));
}

static double normal_quantile(const double *a, double p)
{
    return a[0] + a[1] * tw_normal_quantile(p);
}

static double lognormal_density(const double *a, double x, double *slope)
{
    double value = normal_density(a, log(x), slope) - log(x);
    *slope = (*slope - 1.0) / x;
    return value;
}

static double lognormal_cdf(const double *a, double x)
{
    return normal_cdf(a, log(x));
}

static double lognormal_quantile(const double *a, double p)
{
    return exp(normal_quantile(a, p));
}

static double half_normal_density(const double *a, double x, double *slope)
{
    const double about_zero[2] = {0.0, a[0]};
    return normal_density(about_zero, x, slope) + log(2.0);
}

static double half_normal_cdf(const double *a, double x)
{
    return erf(x / (a[0] * sqrt(2.0)));
}

static double half_normal_quantile(const double *a, double p)
{
    return -a[0] * tw_normal_quantile(0.5 - 0.5 * p);
}

/* ---- Student's t ---- */

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign); /* lgamma() would write a global variable */
}

static double student_density(const double *a, double x, double *slope)
{
    double df = a[0], z = (x - a[1]) / a[2];
    double constant =
        log_gamma(0.5 * (df + 1.0)) - log_gamma(0.5 * df) - 0.5 * log(acos(-1.0) * df) - log(a[2]);
    *slope = -(df + 1.0) * z / ((df + z * z) * a[2]);
    return constant - 0.5 * (df + 1.0) * log1p(z * z / df);
}

/* P(T < -t) = 1/2 I_{v/(v + t^2)}(v/2, 1/2), t > 0. */
static double student_tail(double df, double t)
{
    return 0.5 * tw_beta_cdf(df / (df + t * t), 0.5 * df, 0.5);
}

static double student_cdf(const double *a, double x)
{
    double z = (x - a[1]) / a[2], tail = student_tail(a[0], fabs(z));
    return z < 0.0 ? tail : 1.0 - tail;
}

/* P(-t < T < t), t > 0, accurate also if it is small. */
static double student_within(double df, double t)
{
    return tw_beta_cdf(t * t / (df + t * t), 0.5, 0.5 * df);
}

/* The t > 0 where share(df, t) = p, for a share that increases (`rises`) or decreases with t: by bisection in
 * log t, since tails may be heavy. */
static double solve_student(double (*share)(double, double), bool rises, double df, double p)
{
    double low = -40.0, high = 300.0;
    for (int step = 0; step < 200 && high - low > 1e-14; step++) {
        double middle = 0.5 * (low + high);
        if ((share(df, exp(middle)) < p) == rises)
            low = middle;
        else
            high = middle;
    }
    return exp(0.5 * (low + high));
}

/* The t > 0 with P(T < -t) = p < 1/2. */
static double student_tail_quantile(double df, double p)
{
    return solve_student(student_tail, false, df, p);
}

static double student_quantile(const double *a, double p)
{
    double t = p == 0.5 ? 0.0 : student_tail_quantile(a[0], p < 0.5 ? p : 1.0 - p);
    return a[1] + a[2] * (p < 0.5 ? -t : t);
}

static double half_t_density(const double *a, double x, double *slope)
{
    const double about_zero[3] = {a[0], 0.0, a[1]};
    return student_density(about_zero, x, slope) + log(2.0);
}

static double half_t_cdf(const double *a, double x)
{
    return student_within(a[0], x / a[1]);
}

static double half_t_quantile(const double *a, double p)
{
    return a[1] * (p < 0.5 ? solve_student(student_within, true, a[0], p)
                           : student_tail_quantile(a[0], 0.5 - 0.5 * p));
}

/* ---- gamma ---- */

static double gamma_density(const double *a, double x, double *slope)
{
    *slope = (a[0] - 1.0) / x - a[1];
    return a[0] * log(a[1]) - log_gamma(a[0]) + (a[0] - 1.0) * log(x) - a[1] * x;
}

static double gamma_cdf(const double *a, double x)
{
    return tw_gamma_cdf(a[1] * x, a[0]);
}

static double gamma_quantile(const double *a, double p)
{
    return tw_gamma_quantile(p, a[0]) / a[1];
}

static double inv_gamma_density(const double *a, double x, double *slope)
{
    *slope = -(a[0] + 1.0) / x + a[1] / (x * x);
    return a[0] * log(a[1]) - log_gamma(a[0]) - (a[0] + 1.0) * log(x) - a[1] / x;
}

static double inv_gamma_cdf(const double *a, double x)
{
    return 1.0 - tw_gamma_cdf(a[1] / x, a[0]);
}

static double inv_gamma_quantile(const double *a, double p)
{
    return a[1] / tw_gamma_quantile(1.0 - p, a[0]);
}

/* ---- uniform ---- */

static double uniform_density(const double *a, double x, double *slope)
{
    *slope = 0.0;
    return x >= a[0] && x <= a[1] ? -log(a[1] - a[0]) : -INFINITY;
}

static double uniform_cdf(const double *a, double x)
{
    return fmin(fmax((x - a[0]) / (a[1] - a[0]), 0.0), 1.0);
}

static double uniform_quantile(const double *a, double p)
{
    return a[0] + p * (a[1] - a[0]);
}

/* ---- penalised complexity ---- */

static double pc_density(const double *a, double x, double *slope)
{
    double k = a[2], rate = -log(a[1]) * (k > 0.0 ? pow(a[0], k) : 1.0 / a[0]);
    if (k == 0.0) {
        *slope = -rate;
        return log(rate) - rate * x;
    }
    double power = pow(x, -k);
    *slope = (-(k + 1.0) + k * rate * power) / x;
    return log(k * rate) - (k + 1.0) * log(x) - rate * power;
}

static double pc_cdf(const double *a, double x)
{
    double k = a[2];
    if (k == 0.0) return -expm1(log(a[1]) * x / a[0]);
    return exp(log(a[1]) * pow(a[0] / x, k));
}

static double pc_quantile(const double *a, double p)
{
    double k = a[2];
    if (k == 0.0) return log1p(-p) / log(a[1]) * a[0];
    return a[0] * pow(log(a[1]) / log(p), 1.0 / k);
}

/* ---- the table ---- */

static const tw_family families[] = {
    [TW_PRIOR_NORMAL] = {"normal",
                         2,
                         2,
                         "mean, sd",
                         {false, true, false},
                         false,
                         normal_density,
                         normal_cdf,
                         normal_quantile},
    [TW_PRIOR_STUDENT_T] = {"student_t",
                            3,
                            3,
                            "df, location, scale",
                            {true, false, true},
                            false,
                            student_density,
                            student_cdf,
                            student_quantile},
    [TW_PRIOR_GAMMA] =
        {"gamma", 2, 2, "shape, rate", {true, true, false}, true, gamma_density, gamma_cdf, gamma_quantile},
    [TW_PRIOR_INV_GAMMA] = {"inv_gamma",
                            2,
                            2,
                            "shape, scale",
                            {true, true, false},
                            true,
                            inv_gamma_density,
                            inv_gamma_cdf,
                            inv_gamma_quantile},
    [TW_PRIOR_LOGNORMAL] = {"lognormal",
                            2,
                            2,
                            "mean, sd",
                            {false, true, false},
                            true,
                            lognormal_density,
                            lognormal_cdf,
                            lognormal_quantile},
    [TW_PRIOR_HALF_NORMAL] = {"half_normal",
                              1,
                              1,
                              "sd",
                              {true, false, false},
                              true,
                              half_normal_density,
                              half_normal_cdf,
                              half_normal_quantile},
    [TW_PRIOR_HALF_T] =
        {"half_t", 2, 2, "df, scale", {true, true, false}, true, half_t_density, half_t_cdf, half_t_quantile},
    [TW_PRIOR_UNIFORM] = {"uniform",
                          0,
                          2,
                          "low, high",
                          {false, false, false},
                          false,
                          uniform_density,
                          uniform_cdf,
                          uniform_quantile},
    [TW_PRIOR_PC] = {"pc", 2, 2, "u, alpha", {true, true, false}, true, pc_density, pc_cdf, pc_quantile},
};
enum { FAMILIES = sizeof families / sizeof *families };

const tw_family *tw_family_of(tw_prior_family family)
{
    return &families[family];
}

bool tw_family_find(const char *name, size_t length, tw_prior_family *out)
{
    for (size_t k = 0; k < FAMILIES; k++) {
        if (strlen(families[k].name) != length || memcmp(families[k].name, name, length) != 0) continue;
        *out = (tw_prior_family)k;
        return true;
    }
    return false;
}

const char *tw_prior_names(void)
{
    return "normal, student_t, gamma, inv_gamma, lognormal, half_normal, half_t, uniform, pc";
}
