/* prior.c: a prior as a density of theta. If theta = log v, the density p of v becomes the density p(v) v of
 * theta. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fault.h"
#include "prior/family.h"

/* Whether the density is one of the value v and theta = log v. */
static bool is_of_value(const tw_prior *prior, const tw_parameter *parameter)
{
    return !prior->of_log && parameter->transform == TW_TRANSFORM_LOG;
}

/* The probability of values below 0, which a positive parameter cannot have. */
static double share_below(const tw_family *family, const tw_prior *prior)
{
    return family->only_positive ? 0.0 : family->cdf(prior->a, 0.0);
}

/* log |dv / dtheta| and its derivative. */
static double add_jacobian(double theta, double *slope)
{
    *slope += TW_FAULTY(TW_FAULT_JACOBIAN, 1.0, 0.0);
    return TW_FAULTY(TW_FAULT_JACOBIAN, theta, 0.0);
}

double tw_prior_log_density(const tw_prior *prior, const tw_parameter *parameter, double theta, double *slope)
{
    const tw_family *family = tw_family_of(prior->family);
    bool of_value = is_of_value(prior, parameter);
    double x = of_value ? exp(theta) : theta, d = 0.0, value = 0.0;
    if (family->only_positive && !(x > 0.0))
        value = -INFINITY;
    else if (!prior->flat)
        value = family->log_density(prior->a, x, &d);
    if (of_value && isfinite(value)) {
        d *= x;
        value += add_jacobian(theta, &d);
        if (!prior->flat) value -= log1p(-share_below(family, prior));
    }
    if (slope) *slope = isfinite(value) ? d : 0.0;
    return value;
}

double tw_prior_quantile(const tw_prior *prior, const tw_parameter *parameter, double p)
{
    const tw_family *family = tw_family_of(prior->family);
    if (prior->flat) return NAN;
    if (!is_of_value(prior, parameter)) return family->quantile(prior->a, p);
    double below = share_below(family, prior);
    return log(family->quantile(prior->a, below + p * (1.0 - below)));
}

double tw_prior_cdf(const tw_prior *prior, const tw_parameter *parameter, double theta)
{
    const tw_family *family = tw_family_of(prior->family);
    if (prior->flat) return NAN;
    bool of_value = is_of_value(prior, parameter);
    double x = of_value ? exp(theta) : theta, below = of_value ? share_below(family, prior) : 0.0;
    if (family->only_positive && !(x > 0.0)) return 0.0;
    return fmin(fmax((family->cdf(prior->a, x) - below) / (1.0 - below), 0.0), 1.0);
}

/* Print with the fewest digits that restore the number, from `digits` on, or with `digits` alone if that is
 * below 15; with a decimal point in every locale. */
static void print_number(double number, int digits, char text[40])
{
    for (int d = digits; d <= (digits < 15 ? digits : 17); d++) {
        snprintf(text, 40, "%.*g", d, number);
        if (strtod(text, NULL) == number) break;
    }
    for (char *c = text; *c; c++)
        if (*c == ',') *c = '.';
}

static void print(const tw_prior *prior, const tw_parameter *parameter, int digits, char *words, size_t bytes)
{
    const tw_family *family = tw_family_of(prior->family);
    char number[40];
    size_t length = (size_t)snprintf(words, bytes, "%s%s ~ %s", prior->of_log ? "log_" : "", parameter->name,
                                     family->name);
    for (size_t k = 0; k < family->most && !prior->flat && length < bytes; k++) {
        print_number(prior->a[k], digits, number);
        length += (size_t)snprintf(words + length, bytes - length, "%s%s", k ? ", " : "(", number);
    }
    if (!prior->flat && length < bytes) snprintf(words + length, bytes - length, ")");
}

void tw_prior_print(const tw_prior *prior, const tw_parameter *parameter, char *words, size_t bytes)
{
    print(prior, parameter, 15, words, bytes);
}

void tw_prior_show(const tw_prior *prior, const tw_parameter *parameter, char *words, size_t bytes)
{
    print(prior, parameter, 5, words, bytes);
}
