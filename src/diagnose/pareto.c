/* pareto.c: how heavy the tail of importance weights is: the shape k of a generalised Pareto distribution.
 *
 * Weights whose tail falls like w^(-1/k) have a variance for k < 1/2 and a mean for k < 1. The fit is that of
 * Pareto-smoothed importance sampling (Vehtari, Simpson, Gelman, Yao & Gabry 2024): the M = min(n / 5, 3 sqrt(n))
 * largest weights, as exceedances x_1 <= ... <= x_M over the next one, and k by the profile of Zhang & Stephens
 * (2009). With theta = -k / sigma, on a grid of J = 30 + floor(sqrt(M)) points
 *   theta_j = 1 / x_M + (1 - sqrt(J / (j - 1/2))) / (3 x_*),     x_* the first quartile,
 *   k(theta) = mean log(1 - theta x),   l_j = M (log(-theta_j / k(theta_j)) - k(theta_j) - 1),
 *   theta = sum_j theta_j exp(l_j) / sum_j exp(l_j),   k = k(theta),
 * and k is drawn towards 1/2 as ten more exceedances would: (M k + 5) / (M + 10).
 */
#include <math.h>

#include "talweg/diagnose.h"

enum { MOST_TAIL = 1024, LEAST_TAIL = 5, GRID = 30 + 32, WEAK = 10 };

/* Below this, as a fraction of the largest weight, differences are rounding. */
static const double no_tail = 1e-9;

/* Let the number at `top` of a heap, whose smallest comes first, sink to its place. */
static void sink(size_t n, double *heap, size_t top)
{
    for (size_t child = 2 * top + 1; child < n; child = 2 * top + 1) {
        if (child + 1 < n && heap[child + 1] < heap[child]) child++;
        if (heap[top] <= heap[child]) return;
        double kept = heap[top];
        heap[top] = heap[child];
        heap[child] = kept;
        top = child;
    }
}

/* The `count` largest of n >= count numbers, the largest first. */
static void take_largest(size_t n, const double *x, size_t count, double *largest)
{
    for (size_t i = 0; i < count; i++) largest[i] = x[i];
    for (size_t i = count; i-- > 0;) sink(count, largest, i);
    for (size_t i = count; i < n; i++)
        if (x[i] > largest[0]) {
            largest[0] = x[i];
            sink(count, largest, 0);
        }
    for (size_t left = count; left-- > 1;) {
        double smallest = largest[0];
        largest[0] = largest[left];
        largest[left] = smallest;
        sink(left, largest, 0);
    }
}

static double shape_at(size_t n, const double *x, double theta)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += log1p(-theta * x[i]);
    return sum / (double)n;
}

/* x: exceedances, the largest first. */
static double fit(size_t n, const double *x)
{
    size_t points = 30 + (size_t)sqrt((double)n);
    double theta[GRID], level[GRID], most = -INFINITY, sum = 0.0, best = 0.0;
    double quartile = x[n - (size_t)((double)n / 4.0 + 0.5)];
    for (size_t j = 0; j < points; j++) {
        theta[j] = 1.0 / x[0] + (1.0 - sqrt((double)points / ((double)j + 0.5))) / (3.0 * quartile);
        double k = shape_at(n, x, theta[j]);
        level[j] = (double)n * (log(-theta[j] / k) - k - 1.0);
        most = fmax(most, level[j]);
    }
    for (size_t j = 0; j < points; j++) {
        double weight = isfinite(level[j]) ? exp(level[j] - most) : 0.0;
        sum += weight;
        best += weight * theta[j];
    }
    return shape_at(n, x, best / sum);
}

double tw_weights_pareto_k(size_t n, const double *log_weight)
{
    double x[MOST_TAIL + 1] = {0.0}, largest = -INFINITY;
    size_t most = (size_t)ceil(3.0 * sqrt((double)n)), tail = n / 5 < most ? n / 5 : most;
    if (tail > MOST_TAIL) tail = MOST_TAIL;
    for (size_t i = 0; i < n; i++) {
        if (isnan(log_weight[i])) return NAN;
        largest = fmax(largest, log_weight[i]);
    }
    if (tail < LEAST_TAIL || !isfinite(largest)) return NAN;
    take_largest(n, log_weight, tail + 1, x);
    double cut = exp(x[tail] - largest);
    for (size_t i = 0; i < tail; i++) x[i] = exp(x[i] - largest) - cut;
    if (x[0] < no_tail) return NAN;
    if (!(x[tail - (size_t)((double)tail / 4.0 + 0.5)] > 0.0)) return INFINITY;
    double k = fit(tail, x);
    return (k * (double)tail + 0.5 * WEAK) / (double)(tail + WEAK);
}
