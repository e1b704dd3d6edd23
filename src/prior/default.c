/* default.c: default priors that are scaled to the data; see tw_prior_default. */
#include <math.h>
#include <stdlib.h>

#include "covariance/kernel.h"
#include "prior/read.h"

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

/* The root mean square of E[x_n | y_n] under x_n ~ N(0, 9): the size of the latent values that the
 * observations suggest. */
static double scale_of_latents(const tw_problem *problem)
{
    static const double broad = 9.0;
    tw_observations observed = tw_problem_observed(problem);
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < observed.n; i++) {
        tw_tilted tilted;
        if (isnan(observed.y[i])) continue; /* a hidden variable */
        if (tw_likelihood_tilted(&observed, i, 0.0, broad, &tilted) != TW_OK) continue;
        sum += tilted.mean * tilted.mean;
        count++;
    }
    return count > 0 && sum > 0.0 ? sqrt(sum / (double)count) : 1.0;
}

tw_status tw_prior_default(const tw_problem *problem, size_t j, tw_prior *out)
{
    const tw_parameter *parameter = tw_problem_parameter(problem, j);
    const tw_kernel *kernel = problem->kernel;
    bool of_kernel = j < tw_kernel_count(kernel), positive = parameter->transform == TW_TRANSFORM_LOG;
    double mean = tw_parameter_theta(parameter, parameter->initial), sd = 1.0;
    tw_length length;
    size_t power = 0;
    if (of_kernel && tw_kernel_length(kernel, j, problem->data->d, &length)) {
        TW_TRY(median_log_distance(problem->data, &length, &mean));
        mean += 0.5 * log((double)length.of);
    } else if (of_kernel && tw_kernel_amplitude(kernel, j, &power)) {
        mean = (double)power * log(scale_of_latents(problem));
        sd = (double)power;
    }
    mean = round(100.0 * mean) / 100.0; /* rounded for readers: 1/100 of an sd does not matter */
    *out = (tw_prior){.family = TW_PRIOR_NORMAL, .of_log = positive, .a = {mean, sd}};
    return TW_OK;
}
