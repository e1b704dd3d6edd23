/* pareto.c: the tail of importance weights: the shape k of a generalised Pareto distribution, and smoothed
 * weights.
 *
 * Weights whose tail falls like w^(-1/k) have a variance if k < 1/2 and a mean if k < 1. The fit is that of
 * Pareto-smoothed importance sampling (Vehtari, Simpson, Gelman, Yao & Gabry 2024). It takes the
 * M = min(n / 5, 3 sqrt(n), MOST_TAIL) largest weights as exceedances x_1 <= ... <= x_M over the next one,
 * and estimates k by the profile of Zhang & Stephens (2009). With theta = -k / sigma, on
 * J = 30 + floor(sqrt(M)) points
 *   theta_j = 1 / x_M + (1 - sqrt(J / (j - 1/2))) / (3 x_*),     x_* the first quartile,
 *   k(theta) = mean log(1 - theta x),   l_j = M (log(-theta_j / k(theta_j)) - k(theta_j) - 1),
 *   theta = sum_j theta_j exp(l_j) / sum_j exp(l_j),   k = k(theta).
 * A weak prior shrinks k towards 1/2 with the weight of ten exceedances: (M k + 5) / (M + 10).
 *
 * Exceedances do not depend on the origin, so the tails of any numbers are fitted in the same way, as those of
 * the weights x - min x and max x - x.
 */
#include <math.h>

#include "talweg/diagnose.h"

enum { MOST_TAIL = 1024, LEAST_TAIL = 5, GRID = 30 + 32, WEAK = 10, FAR = 6 };

/* Exceedances below this fraction of the largest weight are rounding errors. */
static const double no_tail = 1e-9;

/* Numbers whose standard deviation is below this fraction of their mean differ by the errors of quadrature. */
static const double no_spread = 1e-6;

/* Restore a min-heap whose element at `top` may be too large. */
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

/* The `count` largest of n >= count numbers, in decreasing order. */
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

/* The estimate of k, and of theta, from exceedances x in decreasing order. */
static double fit(size_t n, const double *x, double *theta_found)
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
    *theta_found = best / sum;
    return shape_at(n, x, *theta_found);
}

/* The tail of the weights: log weights in decreasing order, of which the last is the threshold; and
 * exceedances over the threshold, relative to the largest weight. */
typedef struct tail {
    size_t count;
    double log_weight[MOST_TAIL + 1], x[MOST_TAIL + 1];
    double largest, cut;
    double k, theta; /* the fit, with k before shrinkage */
} tail;

/* The shape k of the tail, after shrinkage; NaN or infinite if there is no tail to fit. */
static double fit_tail(size_t n, const double *log_weight, tail *t)
{
    size_t most = (size_t)ceil(3.0 * sqrt((double)n)), count = n / 5 < most ? n / 5 : most;
    t->count = count = count > MOST_TAIL ? MOST_TAIL : count;
    t->largest = -INFINITY;
    t->k = t->theta = NAN;
    for (size_t i = 0; i < n; i++) {
        if (isnan(log_weight[i])) return NAN;
        t->largest = fmax(t->largest, log_weight[i]);
    }
    if (count < LEAST_TAIL || !isfinite(t->largest)) return NAN;
    take_largest(n, log_weight, count + 1, t->log_weight);
    t->cut = exp(t->log_weight[count] - t->largest);
    for (size_t i = 0; i < count; i++) t->x[i] = exp(t->log_weight[i] - t->largest) - t->cut;
    if (t->x[0] < no_tail) return NAN;
    if (!(t->x[count - (size_t)((double)count / 4.0 + 0.5)] > 0.0)) return INFINITY;
    t->k = fit(count, t->x, &t->theta);
    return (t->k * (double)count + 0.5 * WEAK) / (double)(count + WEAK);
}

double tw_weights_pareto_k(size_t n, const double *log_weight)
{
    tail t;
    return fit_tail(n, log_weight, &t);
}

/* The rank of a weight in the tail: the number of larger weights. */
static size_t rank_of(const tail *t, double log_weight)
{
    size_t low = 0, high = t->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->log_weight[middle] > log_weight)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The log weight of rank r of M: the quantile p = 1 - (r + 1/2)/M of the fitted distribution,
 *     cut + sigma ((1 - p)^-k - 1)/k,   sigma = -k/theta with k before shrinkage,
 * but at most the largest weight. */
static double smooth_one(const tail *t, double k, size_t r)
{
    double sigma = -t->k / t->theta, rest = ((double)r + 0.5) / (double)t->count;
    double exceedance = fabs(k) > 1e-8 ? sigma * expm1(-k * log(rest)) / k : -sigma * log(rest);
    return t->largest + fmin(log(t->cut + exceedance), 0.0);
}

double tw_weights_smooth(size_t n, double *log_weight)
{
    tail t = {.count = 0};
    double k = fit_tail(n, log_weight, &t);
    if (!isfinite(k) || !isfinite(t.k / t.theta)) return k;
    for (size_t i = 0; i < n; i++)
        if (log_weight[i] > t.log_weight[t.count])
            log_weight[i] = smooth_one(&t, k, rank_of(&t, log_weight[i]));
    return k;
}

/* The shape of the upper tail of sign x; -x has its origin at the other end. */
static double upper_tail(size_t n, const double *x, double sign, double origin, double *work)
{
    for (size_t i = 0; i < n; i++) work[i] = log(sign * (x[i] - origin));
    return tw_weights_pareto_k(n, work);
}

double tw_mean_pareto_k(size_t n, const double *x, double *work)
{
    double mean = 0.0, squares = 0.0, least = INFINITY, most = -INFINITY, k = 0.0;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
    }
    double sd = sqrt(squares / (double)n);
    if (!isfinite(squares)) return INFINITY;
    if (n / 5 < LEAST_TAIL || sd <= no_spread * fabs(mean)) return 0.0;
    if (most - mean > FAR * sd) k = upper_tail(n, x, 1.0, least, work);
    if (mean - least > FAR * sd) k = fmax(k, upper_tail(n, x, -1.0, most, work));
    return isnan(k) ? 0.0 : k;
}

double tw_pareto_limit(size_t n)
{
    return n > 10 ? fmin(1.0 - 1.0 / log10((double)n), TW_PARETO_LIMIT) : 0.0;
}
