/* softabs_flow.c: an independent SoftAbs flow; see softabs_flow.h. */
#include "support/softabs_flow.h"

#include <math.h>
#include <string.h>

/* For a 2 x 2 matrix A with eigenvalues l_1, l_2, f(A) = f(l_1) + f[l_1, l_2] (A - l_1). */
double softabs_energy(const tw_general_target *target, double alpha, const double *z)
{
    double a[4];
    const double *p = z + 2;
    target->hessian(target->user, z, a);
    double mean = 0.5 * (a[0] + a[3]), half = hypot(0.5 * (a[0] - a[3]), a[1]);
    double l1 = mean + half, l2 = mean - half, f1 = l1 / tanh(alpha * l1), f2 = l2 / tanh(alpha * l2);
    double rate = (f1 - f2) / (l1 - l2);
    double g00 = f1 + rate * (a[0] - l1), g11 = f1 + rate * (a[3] - l1), g01 = rate * a[1];
    double det = g00 * g11 - g01 * g01;
    double quadratic = (g11 * p[0] * p[0] - 2.0 * g01 * p[0] * p[1] + g00 * p[1] * p[1]) / det;
    return -target->value(target->user, z) + 0.5 * log(det) + 0.5 * quadratic;
}

void softabs_slopes(const tw_general_target *target, double alpha, const double *z, double *slopes)
{
    const double h = 0x1p-12, move[4] = {h, -h, 0.5 * h, -0.5 * h};
    for (int i = 0; i < 4; i++) {
        double e[4], near[4];
        for (int k = 0; k < 4; k++) {
            memcpy(near, z, sizeof near);
            near[i] += move[k];
            e[k] = softabs_energy(target, alpha, near);
        }
        slopes[i] = (8.0 * (e[2] - e[3]) - (e[0] - e[1])) / (6.0 * h);
    }
}

/* dz/dt = (dH/dp, -dH/dx) at z + h rate. */
static void motion(const tw_general_target *target, double alpha, const double *z, double h,
                   const double *rate, double *out)
{
    double there[4], s[4];
    for (int i = 0; i < 4; i++) there[i] = z[i] + h * rate[i];
    softabs_slopes(target, alpha, there, s);
    for (int i = 0; i < 2; i++) {
        out[i] = s[i + 2];
        out[i + 2] = -s[i];
    }
}

void softabs_flow(const tw_general_target *target, double alpha, double time, size_t steps, double *z)
{
    const double h = time / (double)steps, still[4] = {0.0};
    for (size_t n = 0; n < steps; n++) {
        double a[4], b[4], c[4], d[4];
        motion(target, alpha, z, 0.0, still, a);
        motion(target, alpha, z, 0.5 * h, a, b);
        motion(target, alpha, z, 0.5 * h, b, c);
        motion(target, alpha, z, h, c, d);
        for (int i = 0; i < 4; i++) z[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
    }
}
