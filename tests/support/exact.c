/* exact.c: exact log Z by quadrature; see exact.h. */
#include "support/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static const double log_root_two_pi = 0.91893853320467274178;

const exact_case exact_labels = {.name = "labels",
                                 .likelihood = "probit",
                                 .a = 130203.83313520313, /* 0.8 exp(12) */
                                 .b = 32550.958283800783, /* 0.2 exp(12) */
                                 .kinds = 2,
                                 .y = {1.0, -1.0},
                                 .count = {15, 5}};

exact_case exact_counts(double log_sigma)
{
    double half = 0.5 * exp(2.0 * log_sigma);
    return (exact_case){.name = "counts",
                        .likelihood = "poisson",
                        .a = half,
                        .b = half,
                        .kinds = 3,
                        .y = {0.0, 1.0, 2.0},
                        .count = {7, 2, 1}};
}

static double log_likelihood(const exact_case *c, double y, double x)
{
    if (strcmp(c->likelihood, "poisson") == 0) return y * x - exp(x) - lgamma(y + 1.0);
    return -log1p(exp(-y * x)); /* logit */
}

/* The log of the integral of p(y | x) N(x; mean, b) over x. Probit has a closed form. Otherwise use the
 * trapezoidal rule, whose error decreases like exp(-2 pi w / step): both likelihoods are analytic within
 * w = pi/2 of the real line. */
static double site(const exact_case *c, double y, double mean)
{
    if (strcmp(c->likelihood, "probit") == 0) {
        double z = -y * mean / sqrt(2.0 * (1.0 + c->b));
        return z < 25.0 ? log(0.5 * erfc(z)) : -INFINITY; /* exp(-625) */
    }
    double sd = sqrt(c->b), step = fmin(0.02 * sd, 0.2), sum = 0.0;
    long points = (long)(10.0 * sd / step);
    for (long i = -points; i <= points; i++) {
        double e = step * (double)i, term = log_likelihood(c, y, mean + e) - 0.5 * e * e / c->b;
        if (term > -700.0) sum += exp(term);
    }
    return log(sum * step / sd) - log_root_two_pi;
}

double exact_log_z(const exact_case *c)
{
    const double step = 0.01;
    double sum = 0.0;
    for (int i = -1000; i <= 1000; i++) {
        double t = step * i, term = -0.5 * t * t - log_root_two_pi;
        for (size_t k = 0; k < c->kinds && term > -700.0; k++)
            term += (double)c->count[k] * site(c, c->y[k], sqrt(c->a) * t);
        sum += step * exp(term);
    }
    return log(sum);
}

posed exact_pose(const exact_case *c)
{
    size_t n = 0, at = 0;
    for (size_t k = 0; k < c->kinds; k++) n += c->count[k];
    /* NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI): every case has sites */
    double *k = calloc(n * n, sizeof *k), *y = calloc(n, sizeof *y);
    assert_true(k && y);
    for (size_t i = 0; i < n * n; i++) k[i] = c->a + (i % (n + 1) == 0 ? c->b : 0.0);
    for (size_t i = 0; i < c->kinds; i++)
        for (size_t j = 0; j < c->count[i]; j++) y[at++] = c->y[i];
    posed p = pose_in(NULL, n, k, tw_likelihood_find(c->likelihood), y);
    free(k);
    free(y);
    return p;
}
