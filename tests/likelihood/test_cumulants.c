/* Cumulants of the tilted distribution to order eight, against the trapezoidal rule in long double, which
 * converges exponentially for these integrands, with central moments and the textbook formulas; for probit
 * also against the derivatives of log Phi. */
#include <math.h>
#include <stdio.h>

#include "likelihood/likelihood.h"
#include "support/cloglog.h"
#include "support/observe.h"
#include "support/support.h"

enum { ORDERS = 8 };

typedef struct problem {
    const tw_likelihood *likelihood;
    double y, w, m, v;
} problem;

static long double log_likelihood(const problem *p, long double x)
{
    long double z = (long double)p->y * x, w = p->w;
    if (p->likelihood == &tw_likelihood_probit) {
        long double tail = 0.5L * erfcl(fabsl(z) * sqrtl(0.5L));
        return z < 0.0L ? logl(tail) : log1pl(-tail);
    }
    if (p->likelihood == &tw_likelihood_logit) return z < 0.0L ? z - log1pl(expl(z)) : -log1pl(expl(-z));
    if (p->likelihood == &cloglog_likelihood) return -expl(x); /* y = -1 alone */
    return z + (long double)p->y * logl(w) - w * expl(x) - lgammal((long double)p->y + 1.0L);
}

static long double log_integrand(const problem *p, long double x)
{
    long double away = x - (long double)p->m;
    return log_likelihood(p, x) - 0.5L * away * away / (long double)p->v;
}

/* central[k] = E (x - centre)^k by the trapezoidal rule on a grid that holds the narrower of prior and
 * likelihood many times over, and reaches 45 beyond twelve prior deviations, where every mode below lies;
 * *log_z its normaliser. */
static void grid_moments(const problem *p, long double centre, long double *central, long double *log_z)
{
    long double sd = sqrtl((long double)p->v), h = fminl(sd, 1.0L) / 16.0L, top = -INFINITY;
    long count = (long)ceill((12.0L * sd + 45.0L) / h);
    for (long i = -count; i <= count; i++) {
        long double f = log_integrand(p, (long double)p->m + h * (long double)i);
        if (f > top) top = f;
    }
    for (int k = 0; k <= ORDERS; k++) central[k] = 0.0L;
    for (long i = -count; i <= count; i++) {
        long double x = (long double)p->m + h * (long double)i, term = expl(log_integrand(p, x) - top);
        for (int k = 0; k <= ORDERS; k++, term *= x - centre) central[k] += term;
    }
    *log_z = top + logl(central[0] * h / sd) - 0.918938533204672741780329736405617640L;
    for (int k = ORDERS; k >= 0; k--) central[k] /= central[0];
}

/* Cumulants from central moments: the formulas as they stand in handbooks. */
static void expected(const problem *p, double *c)
{
    long double u[ORDERS + 1], log_z;
    grid_moments(p, (long double)p->m, u, &log_z);
    long double mean = (long double)p->m + u[1];
    grid_moments(p, mean, u, &log_z);
    long double v = u[2], v2 = v * v;
    const long double k[ORDERS + 1] = {
        log_z,
        mean,
        v,
        u[3],
        u[4] - 3.0L * v2,
        u[5] - 10.0L * u[3] * v,
        u[6] - 15.0L * u[4] * v - 10.0L * u[3] * u[3] + 30.0L * v2 * v,
        u[7] - 21.0L * u[5] * v - 35.0L * u[4] * u[3] + 210.0L * u[3] * v2,
        u[8] - 28.0L * u[6] * v - 56.0L * u[5] * u[3] - 35.0L * u[4] * u[4] + 420.0L * u[4] * v2 +
            560.0L * u[3] * u[3] * v - 630.0L * v2 * v2,
    };
    for (int l = 0; l <= ORDERS; l++) c[l] = (double)k[l];
}

/* In units of the tilted standard deviation, moments of order l are good to 1e-11, and c_l is a sum of l!
 * products of them at worst. */
static double tolerance(size_t order, double variance)
{
    return 1e-11 * tgamma((double)order + 1.0) * pow(variance, 0.5 * (double)order);
}

static void assert_cumulants(const problem *p, const double *want, const double *is, size_t orders)
{
    char what[120];
    for (size_t l = 0; l <= orders; l++) {
        snprintf(what, sizeof what, "%s y=%g m=%g v=%g: c%zu", p->likelihood->name, p->y, p->m, p->v, l);
        double rounding = l == 1 ? 1e-14 * fabs(want[1]) : l == 0 ? 1e-13 * fabs(want[0]) : 0.0;
        assert_close(is[l], want[l], tolerance(l, want[2]) + rounding, what);
    }
}

static const double MEANS[] = {-30.0, -4.1, -0.7, 0.0, 1.3, 6.0, 25.0};
static const double VARIANCES[] = {0.03, 0.2, 1.0, 9.0, 400.0};

static void sweep(const tw_likelihood *likelihood, double y, double w)
{
    for (size_t i = 0; i < sizeof MEANS / sizeof MEANS[0]; i++)
        for (size_t j = 0; j < sizeof VARIANCES / sizeof VARIANCES[0]; j++) {
            problem p = {likelihood, y, w, MEANS[i], VARIANCES[j]};
            double want[ORDERS + 1], is[ORDERS + 1];
            expected(&p, want);
            for (size_t orders = 0; orders <= ORDERS; orders++) {
                assert_int_equal(
                    tw_likelihood_cumulants(OBSERVED_ONE(likelihood, y, w), 0, p.m, p.v, orders, is), TW_OK);
                assert_cumulants(&p, want, is, orders);
            }
        }
}

static void every_likelihood_agrees_with_a_fine_grid(void **state)
{
    (void)state;
    sweep(&tw_likelihood_probit, 1.0, 1.0);
    sweep(&tw_likelihood_probit, -1.0, 1.0);
    sweep(&tw_likelihood_logit, 1.0, 1.0);
    sweep(&tw_likelihood_logit, -1.0, 1.0);
    sweep(&tw_likelihood_poisson, 0.0, 1.0);
    sweep(&tw_likelihood_poisson, 4.0, 0.7);
    sweep(&cloglog_likelihood, -1.0, 1.0);
}

/* d^l log Phi/dz^l for l = 1..8: with r' = -r (z + r), all higher derivatives by the rule of Leibniz. */
static void log_phi_derivatives(long double z, long double *d)
{
    long double r[ORDERS], u[ORDERS];
    r[0] = expl(-0.5L * z * z) * 0.398942280401432677939946059934381868L / (0.5L * erfcl(-z * sqrtl(0.5L)));
    for (int k = 0; k < ORDERS; k++) {
        long double binomial = 1.0L;
        u[k] = r[k] + (k == 0 ? z : k == 1 ? 1.0L : 0.0L);
        d[k + 1] = r[k];
        if (k + 1 == ORDERS) break;
        r[k + 1] = 0.0L;
        for (int j = 0; j <= k; j++) {
            r[k + 1] -= binomial * r[j] * u[k - j];
            binomial *= (long double)(k - j) / (long double)(j + 1);
        }
    }
}

/* c_l = (y alpha)^l d^l log Phi/dz^l, l >= 3; the recursion cancels for z << 0, so -4 < z < 4. */
static void probit_agrees_with_derivatives_of_log_phi(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++)
        for (int half = -8; half <= 8; half++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double v = 0.1 * pow(3.0, i), z = 0.5 * half, y = sign;
                double s = sqrt(1.0 + v), c[ORDERS + 1], alpha = y * v / s;
                problem p = {&tw_likelihood_probit, y, 1.0, y * z * s, v};
                long double d[ORDERS + 1];
                log_phi_derivatives(z, d);
                assert_int_equal(
                    tw_likelihood_cumulants(OBSERVED_ONE(p.likelihood, y, 1.0), 0, p.m, v, ORDERS, c), TW_OK);
                for (int l = 3; l <= ORDERS; l++)
                    assert_close(c[l], (double)d[l] * pow(alpha, l), tolerance((size_t)l, c[2]),
                                 "derivative of log Phi");
            }
}

static void what_is_outside_its_range_is_refused(void **state)
{
    (void)state;
    double c[ORDERS + 2];
    const tw_likelihood *logit = &tw_likelihood_logit;
    assert_int_equal(tw_likelihood_cumulants(OBSERVED_ONE(logit, 1.0, 1.0), 0, 0.0, 1.0, ORDERS + 1, c),
                     TW_BAD_ARGUMENT);
    assert_int_equal(tw_likelihood_cumulants(OBSERVED_ONE(logit, 1.0, 1.0), 0, 0.0, 0.0, ORDERS, c),
                     TW_BAD_ARGUMENT);
    assert_int_equal(tw_likelihood_cumulants(OBSERVED_ONE(logit, 1.0, 1.0), 0, NAN, 1.0, ORDERS, c),
                     TW_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_likelihood_agrees_with_a_fine_grid),
        cmocka_unit_test(probit_agrees_with_derivatives_of_log_phi),
        cmocka_unit_test(what_is_outside_its_range_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
