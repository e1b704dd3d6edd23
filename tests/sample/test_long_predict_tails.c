/* The judge of predictions from draws: means of y, their standard deviations and log scores of closed cases with
 * posteriors from narrow to broad, against quadrature. TAIL_ONLY=LIKELIHOOD or the number of a case, and
 * TAIL_SEEDS, run a part of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/far_mean.h"
#include "support/support.h"

enum { SEEDS = 50, CHAINS = 4, DRAWS = 1000 };

/* What became of one kind of average, over cases and seeds. */
typedef struct verdict {
    size_t given, withheld, beyond;
    double squares, most;
} verdict;

static void judge(double value, double mcse, double exact, verdict *v)
{
    if (isnan(value)) {
        v->withheld++;
        return;
    }
    double z = fabs(value - exact) / mcse;
    if (value == exact) z = 0.0;
    v->given++;
    v->squares += z * z;
    v->beyond += z > 4.5;
    v->most = fmax(v->most, z);
}

static void print(const char *name, double sigma, const char *what, const verdict *v)
{
    printf("%-22s sigma %-4g %-5s %5zu given %5zu withheld   rms z %5.2f   largest %6.2f   beyond %zu\n",
           name, sigma, what, v->given, v->withheld, sqrt(v->squares / (double)v->given), v->most, v->beyond);
}

static const double SIGMAS[] = {0.5, 1.0, 2.0, 3.0, 4.5, 6.0};

static void add(verdict *all, const verdict *v)
{
    all->given += v->given;
    all->withheld += v->withheld;
    all->beyond += v->beyond;
    all->squares += v->squares;
    all->most = fmax(all->most, v->most);
}

static const far_mean_case cases[] = {
    {"exponential", 1, 1.0, 0, {0}, {1}, {1}, 30},
    {"exponential", 2, 1.0, 0, {0}, {1, 2}, {1, 1}, 30},
    {"exponential", 2, 3.0, 0, {0}, {1, 2}, {1, 1}, 30},
    {"exponential", 3, 1.0, 0, {0}, {1, 0.3, 2}, {1, 0, 1}, 30},
    {"exponential", 3, 3.0, 0, {0}, {1, 0.3, 2}, {0, 0, 0}, 30},
    {"weibull", 1, 1.0, 0, {-0.5}, {1}, {1}, 30},
    {"weibull", 2, 1.5, 0, {0.5}, {1, 2}, {1, 0}, 30},
    {"poisson", 1, 1.0, 0, {0}, {0}, {1}, 50},
    {"poisson", 2, 1.5, 0, {0}, {3, 0}, {1, 0.01}, 50},
    {"poisson", 3, 0.7, 0, {0}, {0, 20, 0}, {0.01, 1, 0.1}, 50},
    {"gamma", 1, 1.0, 0, {-1}, {0.2}, {0}, 40},
    {"gamma", 2, 1.5, 0, {0.5}, {0.2, 7}, {0}, 40},
    {"negative_binomial", 1, 1.0, 0, {-1}, {3}, {1}, 60},
    {"negative_binomial", 2, 1.5, 0, {0}, {0, 9}, {1, 1}, 60},
    {"negative_binomial", 3, 0.7, 0, {1}, {0, 9, 2}, {1, 1, 0.1}, 60},
    {"stochastic_volatility", 1, 1.0, 0, {0}, {0.7}, {0}, 12},
    {"stochastic_volatility", 2, 1.5, 0, {0}, {0.7, -3}, {0}, 12},
    {"student_t", 1, 1.0, 0, {0, 0.4054651081081644}, {4}, {0}, 9},
    {"student_t", 2, 1.5, 0, {-0.7, 1.1}, {4, -1}, {0}, 9},
    {"gaussian", 2, 1.5, 0, {-0.7}, {4, -1}, {0.5, 0.5}, 9},
    {"exponential", 2, 1.0, 0, {0}, {1, 50}, {0, 0}, 30},
    {"exponential", 2, 1.0, 0, {0}, {100, 0.1}, {1, 1}, 30},
    {"weibull", 1, 1.0, 0, {-0.6931471805599453}, {2}, {0}, 30},
    {"weibull", 1, 1.0, 0, {-1.2039728043259361}, {2}, {1}, 30},
    {"weibull", 2, 1.0, 0, {-0.6931471805599453}, {2, 0.1}, {0, 0}, 30},
    {"weibull", 2, 1.0, 0, {-0.35667494393873245}, {2, 0.1}, {1, 0}, 30},
    {"weibull", 3, 1.5, 0, {-0.10536051565782628}, {1, 0.2, 5}, {0, 1, 0}, 30},
    {"gamma", 2, 1.0, 0, {-1.2039728043259361}, {1, 20}, {0}, 40},
    {"gamma", 2, 1.0, 0, {0.6931471805599453}, {2, 1}, {0}, 40},
    {"gamma", 3, 1.0, 0, {0.6931471805599453}, {2, 1, 0.1}, {0}, 40},
    {"negative_binomial", 2, 1.0, 0, {-1.6094379124341003}, {0, 3}, {1, 1}, 60},
    {"poisson", 2, 1.0, 0, {0}, {0, 7}, {1, 1}, 50},
    {"poisson", 3, 1.0, 0, {0}, {1, 0, 4}, {1, 1, 1}, 50},
    {"stochastic_volatility", 1, 1.0, 0, {0}, {0.01}, {0}, 12},
    {"stochastic_volatility", 2, 1.0, 0, {0}, {0.01, 5}, {0}, 12},
    {"stochastic_volatility", 3, 1.0, 0, {0}, {0.5, 1, -2}, {0}, 12},
};

static void predictions_are_right_or_withheld(void **state)
{
    (void)state;
    const char *only = getenv("TAIL_ONLY");
    const char *given = getenv("TAIL_SEEDS");
    size_t seeds = given ? (size_t)atoi(given) : SEEDS;
    verdict total[3] = {{0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t s = 0; s < sizeof SIGMAS / sizeof *SIGMAS; s++) {
            far_mean_case c = cases[i];
            verdict v[3] = {{0}};
            char name[64];
            c.sigma = SIGMAS[s];
            if (only && strcmp(only, c.likelihood) != 0 && (size_t)atoi(only) != i + 1) continue;
            far_mean_values exact = far_mean_exact(&c);
            for (uint64_t seed = 1; seed <= seeds; seed++) {
                far_mean_predictions p = far_mean_predict(&c, CHAINS, DRAWS, 1000 * i + seed, false);
                for (size_t j = 0; j < TAIL_NEW; j++) {
                    judge(p.at.mean[j], p.mcse.mean[j], exact.mean[j], &v[0]);
                    if (isfinite(p.at.sd[j]) || isnan(p.at.sd[j]))
                        judge(p.at.sd[j], p.mcse.sd[j], exact.sd[j], &v[1]);
                    judge(p.at.score[j], p.mcse.score[j], exact.score[j], &v[2]);
                }
            }
            snprintf(name, sizeof name, "%s %zu/%g", c.likelihood, c.n, c.ell);
            print(name, c.sigma, "mean", &v[0]);
            print(name, c.sigma, "sd", &v[1]);
            print(name, c.sigma, "score", &v[2]);
            fflush(stdout);
            for (size_t k = 0; k < 3; k++) add(&total[k], &v[k]);
        }
    print("all", 0, "mean", &total[0]);
    print("all", 0, "sd", &total[1]);
    print("all", 0, "score", &total[2]);
    for (size_t k = 0; k < 3; k++) assert_int_equal(total[k].beyond, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(predictions_are_right_or_withheld)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
