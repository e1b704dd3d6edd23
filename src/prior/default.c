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

/* The number of terms with an amplitude, which share the spread; and whether a constant is added to them. */
static size_t count_terms(const tw_kernel *kernel, bool *has_level)
{
    size_t terms = 0;
    tw_amplitude a;
    *has_level = false;
    for (size_t j = 0; j < tw_kernel_count(kernel); j++) {
        if (!tw_kernel_amplitude(kernel, j, &a) || a.relative) continue;
        *has_level = *has_level || a.level;
        terms += !a.level;
    }
    return terms;
}

/* A constant reaches from 0 to the latents' centre. Without one, the other terms have to, except white noise. */
static tw_status size_of_amplitude(const tw_problem *problem, const tw_amplitude *a, double *out)
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

tw_status tw_prior_default(const tw_problem *problem, size_t j, tw_prior *out)
{
    const tw_parameter *parameter = tw_problem_parameter(problem, j);
    const tw_kernel *kernel = problem->kernel;
    bool of_kernel = j < tw_kernel_count(kernel), positive = parameter->transform == TW_TRANSFORM_LOG;
    double mean = tw_parameter_theta(parameter, parameter->initial), sd = 1.0, size = 1.0;
    tw_length length;
    tw_amplitude amplitude;
    tw_scale scale;
    if (of_kernel && tw_kernel_length(kernel, j, problem->data->d, &length)) {
        TW_TRY(median_log_distance(problem->data, &length, &mean));
        mean += 0.5 * log((double)length.of);
    } else if (of_kernel && tw_kernel_amplitude(kernel, j, &amplitude)) {
        TW_TRY(size_of_amplitude(problem, &amplitude, &size));
        mean = (double)amplitude.power * log(size);
        sd = (double)amplitude.power;
    } else if (!of_kernel && parameter->in_units_of_y) {
        TW_TRY(tw_scale_of(problem, &scale));
        mean = log(scale.y) - 1.0;
        sd = 1.5;
    }
    *out = (tw_prior){.family = TW_PRIOR_NORMAL, .of_log = positive, .a = {mean, sd}};
    return TW_OK;
}
