/* chebyshev.c: piecewise Chebyshev interpolation by bisection.
 *
 * On [-1, 1] with the P points t_k = cos(pi (k + 1/2) / P), the interpolant of f is sum_j c_j T_j(t) with
 *   c_j = (2 - [j = 0]) / P sum_k f(t_k) T_j(t_k),     T_{j+1} = 2 t T_j - T_{j-1}.
 * For a smooth f the c_j decrease geometrically, so the error is about as large as the last of them. An
 * interval is halved if one of its last three is above the tolerance. Clenshaw's recurrence evaluates the
 * sum:
 *   b_j = c_j + 2 t b_{j+1} - b_{j+2},   f = c_0 + t b_1 - b_2.
 */
#include "math/chebyshev.h"

#include <float.h>
#include <math.h>

enum { POINTS = TW_CHEBYSHEV_POINTS, PIECES = TW_CHEBYSHEV_PIECES, TAIL = 3 };

static const double PI = 3.14159265358979323846;

/* The coefficients on [a, b], and the largest |f| in *size; false if f cannot be evaluated. */
static bool interpolate(tw_chebyshev_function *f, void *user, double a, double b, double *c, double *size)
{
    *size = 0.0;
    for (size_t j = 0; j < POINTS; j++) c[j] = 0.0;
    for (size_t k = 0; k < POINTS; k++) {
        double t = cos(PI * ((double)k + 0.5) / POINTS), value;
        if (!f(user, 0.5 * (a + b) + 0.5 * (b - a) * t, &value) || !isfinite(value)) return false;
        *size = fmax(*size, fabs(value));
        double before = t, now = 1.0; /* T_{-1} = T_1 = t */
        for (size_t j = 0; j < POINTS; j++) {
            c[j] += value * now;
            double next = 2.0 * t * now - before;
            before = now;
            now = next;
        }
    }
    for (size_t j = 0; j < POINTS; j++) c[j] *= (j ? 2.0 : 1.0) / POINTS;
    return true;
}

static bool good_enough(const double *c, double tolerance, double size)
{
    double limit = fmax(tolerance, 16.0 * DBL_EPSILON * size);
    for (size_t j = POINTS - TAIL; j < POINTS; j++)
        if (!(fabs(c[j]) <= limit)) return false;
    return true;
}

bool tw_chebyshev_fit(tw_chebyshev_function *f, void *user, double a, double b, double tolerance, size_t most,
                      tw_chebyshev *out)
{
    double end[PIECES] = {b}, size; /* a stack of right ends, the nearest on top */
    size_t waiting = 1, evaluations = 0;
    out->pieces = 0;
    out->edge[0] = a;
    while (waiting > 0) {
        double left = out->edge[out->pieces], right = end[waiting - 1];
        evaluations += POINTS;
        if (evaluations > most || !interpolate(f, user, left, right, out->c[out->pieces], &size))
            return false;
        if (good_enough(out->c[out->pieces], tolerance, size)) {
            out->edge[++out->pieces] = right;
            waiting--;
        } else {
            double middle = 0.5 * (left + right);
            if (out->pieces + waiting >= PIECES || !(left < middle && middle < right)) return false;
            end[waiting++] = middle;
        }
    }
    return true;
}

static size_t piece_of(const tw_chebyshev *approximation, double x)
{
    size_t low = 0, high = approximation->pieces;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(x < approximation->edge[middle] ? &high : &low) = middle;
    }
    return low;
}

void tw_chebyshev_evaluate(const tw_chebyshev *approximation, size_t n, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        size_t piece = piece_of(approximation, x[i]);
        double left = approximation->edge[piece], right = approximation->edge[piece + 1];
        double t = ((x[i] - left) - (right - x[i])) / (right - left), after = 0.0, b = 0.0;
        const double *c = approximation->c[piece];
        for (size_t j = POINTS - 1; j > 0; j--) {
            double next = c[j] + 2.0 * t * b - after;
            after = b;
            b = next;
        }
        y[i] = c[0] + t * b - after;
    }
}
