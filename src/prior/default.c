/* default.c: default priors that are scaled to the data; see tw_prior_default. */
#include <math.h>
#include <stdlib.h>

#include "covariance/kernel.h"
#include "prior/read.h"
#include "prior/scale.h"

/* The most pairs whose distances are used, at equal steps through all pairs. */
enum { PAIRS = 4096 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double distance2(const tw_data *data, const tw_length *length, size_t i, size_t j)
{
    double sum = 0.0;
    for (size_t c = length->first; c < length->first + length->count; c++) {
        size_t k = length->inputs ? length->inputs[c] : c;
        double difference = data->x[i + k * data->n] - data->x[j + k * data->n];
        sum += difference * difference;
    }
    return sum;
}

/* List the squared distances of pairs that differ; returns their number. */
static size_t list_distances(const tw_data *data, const tw_length *length, double *d2)
{
    size_t n = data->n - data->hidden, pairs = n * (n - 1) / 2, step = pairs / PAIRS + 1, count = 0;
    for (size_t i = 1, j = 0; i < n;) {
        double d = distance2(data, length, i, j);
        if (d > 0.0 && isfinite(d)) d2[count++] = d;
        for (j += step; i < n && j >= i; i++) j -= i; /* row by row through the pairs j < i */
    }
    return count;
}

/* The logarithm of the median distance; 0 if no two cases differ. */
static tw_status median_log_distance(const tw_data *data, const tw_length *length, double *out)
{
    double *d2 = NULL;
    TW_TRY(tw_allocate_doubles(data->ctx, PAIRS + 1, 1, "distances", &d2));
    size_t count = data->n > 1 ? list_distances(data, length, d2) : 0;
    qsort(d2, count, sizeof *d2, compare);
    *out = count > 0 ? 0.5 * log(d2[count / 2]) : 0.0;
    tw_release(data->ctx, d2);
    return TW_OK;
}

/* ---- amplitudes ---- */

/* Is parameter j the first length of a leaf that has lengths instead of an amplitude, as linear(ard)? */
static bool begins_weights(const tw_kernel *kernel, size_t j)
{
    size_t slot = 0;
    const tw_node *node = tw_kernel_slot(kernel, j, &slot);
    return node && node->leaf->slots[slot].role == TW_ROLE_WEIGHT && j == node->slot[slot].first &&
           !tw_node_is_relative(kernel, node);
}

/* The number of terms, which share the spread; and whether a constant is added to them. */
static size_t count_terms(const tw_kernel *kernel, bool *has_level)
{
    size_t terms = 0;
    tw_amplitude a;
    *has_level = false;
    for (size_t j = 0; j < tw_kernel_count(kernel); j++) {
        terms += begins_weights(kernel, j);
        if (!tw_kernel_amplitude(kernel, j, &a) || a.relative) continue;
        *has_level = *has_level || a.level;
        terms += !a.level;
    }
    return terms;
}

/* The standard deviation of a leaf's values. A constant reaches from 0 to the latents' centre. Without one, the
 * other terms have to, except white noise. */
static tw_status size_of(const tw_problem *problem, const tw_amplitude *a, double *out)
{
    bool has_level;
    size_t terms = count_terms(problem->kernel, &has_level);
    tw_scale scale;
    *out = 1.0;
    if (a->relative) return TW_OK;
    TW_TRY(tw_scale_of(problem, &scale));
    double whole = hypot(scale.centre, scale.spread);
    *out = a->level                      ? whole
           : has_level || a->independent ? scale.spread / sqrt((double)terms)
                                         : whole / sqrt((double)terms);
    return TW_OK;
}

/* ---- leaves whose amplitude depends on the unit of their inputs ---- */

typedef struct moments {
    double variance, square, range; /* about the mean, about 0; the largest minus the smallest */
} moments;

static moments moments_of(const tw_data *data, size_t k)
{
    size_t n = data->n - data->hidden;
    const double *x = data->x + k * data->n;
    double sum = 0.0, low = INFINITY, high = -INFINITY;
    moments m = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < n; i++) {
        sum += x[i] / (double)n;
        m.square += x[i] * x[i] / (double)n;
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    for (size_t i = 0; i < n; i++) m.variance += (x[i] - sum) * (x[i] - sum) / (double)n;
    m.range = high - low;
    return m;
}

static double positive_or_one(double value)
{
    return value > 0.0 && isfinite(value) ? value : 1.0;
}

/* Sum of a leaf's inputs' moments. */
static moments sum_moments(const tw_kernel *kernel, const tw_node *node, const tw_data *data)
{
    moments sum = {0.0, 0.0, 0.0};
    for (size_t c = 0; c < tw_node_width(node, data->d); c++) {
        moments m = moments_of(data, tw_node_column(kernel, node, c));
        sum.variance += m.variance;
        sum.square += m.square;
        sum.range += m.range;
    }
    return sum;
}

/* The standard deviation of the leaf's values if its amplitude is 1: a line over the inputs' spread; (offset +
 * G)^degree with G and offset the mean square; the variance sigma^2 t^(2 order - 1) of a random walk over the
 * range t. */
static double size_at_one(const tw_problem *problem, const tw_node *node)
{
    moments m = {0.0, 0.0, 0.0};
    bool walk = node->leaf == &tw_leaf_rw1 || node->leaf == &tw_leaf_rw2,
         linear = node->leaf == &tw_leaf_linear;
    if (!walk && !linear && node->leaf != &tw_leaf_polynomial) return 1.0;
    m = sum_moments(problem->kernel, node, problem->data);
    if (walk) return pow(positive_or_one(m.range), (double)node->leaf->power - 0.5);
    return linear ? sqrt(positive_or_one(m.variance))
                  : pow(2.0 * positive_or_one(m.square), 0.5 * (double)node->degree);
}

/* linear(ard) and polynomial(ard): lengths so that G = sum_k x_k^2/ell_k^2 has equal parts of each input and the
 * leaf has its size: G = size^2 for the former, G = offset = size^(2/degree)/2 for the latter. */
static tw_status weight(const tw_problem *problem, const tw_node *node, size_t place, double *mean)
{
    const tw_kernel *kernel = problem->kernel;
    size_t width = tw_node_width(node, problem->data->d);
    moments m = moments_of(problem->data, tw_node_column(kernel, node, place));
    tw_amplitude whole = {.node = node, .relative = tw_node_is_relative(kernel, node)};
    bool linear = node->leaf == &tw_leaf_linear;
    double size;
    TW_TRY(size_of(problem, &whole, &size));
    double g = linear ? size * size : 0.5 * pow(size, 2.0 / (double)node->degree);
    *mean = 0.5 * log((double)width * positive_or_one(linear ? m.variance : m.square) / g);
    return TW_OK;
}

static tw_status offset(const tw_problem *problem, const tw_node *node, double *mean)
{
    tw_amplitude whole = {.node = node, .relative = tw_node_is_relative(problem->kernel, node)};
    double size;
    *mean = log(positive_or_one(sum_moments(problem->kernel, node, problem->data).square));
    if (node->slot[0].count == 0) return TW_OK;
    TW_TRY(size_of(problem, &whole, &size));
    *mean = log(0.5 * pow(size, 2.0 / (double)node->degree));
    return TW_OK;
}

/* ---- all parameters ---- */

static tw_status of_kernel(const tw_problem *problem, size_t j, double *mean, double *sd)
{
    const tw_kernel *kernel = problem->kernel;
    size_t slot = 0;
    const tw_node *node = tw_kernel_slot(kernel, j, &slot);
    tw_length length;
    tw_amplitude amplitude;
    double size;
    if (tw_kernel_length(kernel, j, problem->data->d, &length)) {
        TW_TRY(median_log_distance(problem->data, &length, mean));
        *mean += 0.5 * log((double)length.of);
    } else if (tw_kernel_amplitude(kernel, j, &amplitude)) {
        TW_TRY(size_of(problem, &amplitude, &size));
        *mean = (double)amplitude.power * log(size / size_at_one(problem, node));
        *sd = (double)amplitude.power;
    } else if (node->leaf->slots[slot].role == TW_ROLE_WEIGHT)
        return weight(problem, node, j - node->slot[slot].first, mean);
    else if (node->leaf == &tw_leaf_polynomial)
        return offset(problem, node, mean);
    return TW_OK;
}

tw_status tw_prior_default(const tw_problem *problem, size_t j, tw_prior *out)
{
    const tw_parameter *parameter = tw_problem_parameter(problem, j);
    double mean = tw_parameter_theta(parameter, parameter->initial), sd = 1.0;
    tw_scale scale;
    if (j < tw_kernel_count(problem->kernel))
        TW_TRY(of_kernel(problem, j, &mean, &sd));
    else if (parameter->in_units_of_y) {
        TW_TRY(tw_scale_of(problem, &scale));
        mean = log(scale.y) - 1.0;
        sd = 1.5;
    }
    bool positive = parameter->transform == TW_TRANSFORM_LOG;
    *out = (tw_prior){.family = TW_PRIOR_NORMAL, .of_log = positive, .a = {mean, sd}};
    return TW_OK;
}
