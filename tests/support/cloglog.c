/* cloglog.c: the terms of the complementary log-log link; see cloglog.h. With a = exp(x):
 *   y = -1:  l = -a, and all its derivatives are -a;
 *   y = +1:  l = log(1 - exp(-a)), l' = a/(exp(a) - 1), and with q = a/(1 - exp(-a)):
 *            lambda = l' (q - 1), dlambda = -lambda (q - 1) + l' q (1 - l').
 * For small a, q - 1 = a/2 + a^2/12 and 1 - l' = a/2 - a^2/12, with a relative error of about a^4/360.
 */
#include "support/cloglog.h"

#include <math.h>

typedef struct site_terms {
    double value, slope, lambda, dlambda;
} site_terms;

static site_terms no_event(double a)
{
    return (site_terms){-a, -a, a, a};
}

/* For large x, exp(-a) = 0 and a = inf: return the limits, 0, and never inf * 0. */
static site_terms event(double x, double a)
{
    if (a < 1e-16) return (site_terms){x, 1.0, 0.5 * a, 0.5 * a};
    if (a > 740.0) return (site_terms){0.0, 0.0, 0.0, 0.0};
    double tail = exp(-a), q = a / -expm1(-a), slope = q * tail;
    double q_minus_1 = a < 1e-3 ? a * (0.5 + a / 12.0) : q - 1.0;
    double one_minus_slope = a < 1e-3 ? a * (0.5 - a / 12.0) : 1.0 - slope;
    double lambda = slope * q_minus_1;
    double value = a < 0.5 ? log(-expm1(-a)) : log1p(-tail);
    return (site_terms){value, slope, lambda, -lambda * q_minus_1 + slope * q * one_minus_slope};
}

static bool supports(const tw_observations *o, size_t i)
{
    return o->y[i] == 1.0 || o->y[i] == -1.0;
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    for (size_t i = 0; i < o->n; i++) {
        site_terms at = o->y[i] < 0.0 ? no_event(exp(x[i])) : event(x[i], exp(x[i]));
        if (value) value[i] = at.value;
        if (slope) slope[i] = at.slope;
        if (lambda) lambda[i] = at.lambda;
        if (dlambda) dlambda[i] = at.dlambda;
    }
}

const tw_likelihood cloglog_likelihood = {
    .name = "cloglog",
    .support = "-1 or +1",
    .two_classes = true,
    .supports = supports,
    .terms = terms,
};
