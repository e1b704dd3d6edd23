/* scaling.c: standardise inputs, x -> (x - centre) / scale, and keep the constants for prediction.
 *
 * Let s = x_1, u = x - s (exact if the column is nearly constant) and m the mean of u. Then
 *     centre = s + m,   scale^2 = sum (u - m)^2 / n - (sum (u - m) / n)^2
 * in two passes; the last term corrects the rounding error of m. All numbers are first divided by a power of
 * two near the largest |x|: the division is exact and prevents overflow and underflow of squares and sums.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "data/readers.h"

/* The exponent e with |x| < 2^e / 4 for all x, so that differences stay below 1/2 after division by 2^e. */
static int column_exponent(size_t n, const double *x)
{
    double largest = 0;
    int exponent = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    frexp(largest, &exponent);
    return exponent + 2;
}

static void centre_and_scale(size_t n, const double *x, double *centre, double *scale)
{
    const int exponent = column_exponent(n, x);
    const double cases = (double)n, shift = ldexp(x[0], -exponent);
    double sum = 0, sum_deviations = 0, sum_squares = 0;
    for (size_t i = 0; i < n; i++) sum += ldexp(x[i], -exponent) - shift;
    const double mean = sum / cases;
    for (size_t i = 0; i < n; i++) {
        double deviation = (ldexp(x[i], -exponent) - shift) - mean;
        sum_deviations += deviation;
        sum_squares += deviation * deviation;
    }
    double correction = sum_deviations / cases;
    double variance = sum_squares / cases - correction * correction;
    *centre = ldexp(shift + (mean + correction), exponent);
    *scale = ldexp(sqrt(fmax(variance, 0)), exponent);
}

static bool is_constant(size_t n, const double *x)
{
    for (size_t i = 1; i < n; i++)
        if (x[i] != x[0]) return false;
    return true;
}

/* Log the dropped columns, by name or by number from 1. */
static void log_dropped(const tw_data *data, const tw_scaling *scaling)
{
    char list[400] = "";
    size_t length = 0, kept = 0;
    for (size_t j = 0; j < data->d && length < 300; j++) {
        if (kept < scaling->d_out && scaling->column[kept] == j) {
            kept++;
            continue;
        }
        const char *comma = length ? ", " : "";
        length +=
            (size_t)(data->names
                         ? snprintf(list + length, sizeof list - length, "%s%.60s", comma, data->names[j])
                         : snprintf(list + length, sizeof list - length, "%s%zu", comma, j + 1));
    }
    tw_log(data->ctx, TW_LOG_INFO, "%zu of %zu inputs are constant and ignored: %s%s",
           data->d - scaling->d_out, data->d, list, length < 300 ? "" : ", ...");
}

/* Columns whose standard deviation is 0 or subnormal are dropped: division by a subnormal number loses
 * digits. */
static void fit_columns(const tw_data *data, tw_scaling *scaling)
{
    for (size_t j = 0; j < data->d; j++) {
        const double *x = data->x + j * data->n;
        double centre = 0, scale = 0;
        if (tw_data_levels(data, j)) {
            scale = 1.0; /* category numbers are not scaled */
        } else {
            if (is_constant(data->n, x)) continue;
            centre_and_scale(data->n, x, &centre, &scale);
            if (scale < DBL_MIN) continue;
        }
        scaling->column[scaling->d_out] = j;
        scaling->centre[scaling->d_out] = centre;
        scaling->scale[scaling->d_out++] = scale;
    }
}

static tw_status allocate_columns(tw_scaling *scaling, size_t d)
{
    void *column = NULL;
    TW_TRY(tw_allocate(scaling->ctx, d, sizeof(size_t), "the scaling's columns", &column));
    scaling->column = column;
    TW_TRY(tw_allocate_doubles(scaling->ctx, d, 1, "the scaling's centres", &scaling->centre));
    return tw_allocate_doubles(scaling->ctx, d, 1, "the scaling's scales", &scaling->scale);
}

tw_status tw_scaling_fit(const tw_data *data, tw_scaling **out)
{
    void *block = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(data->ctx, 1, sizeof(tw_scaling), "a scaling", &block));
    tw_scaling *scaling = block;
    scaling->ctx = data->ctx;
    scaling->d_in = data->d;
    tw_status status = allocate_columns(scaling, data->d);
    if (status == TW_OK && data->names)
        status = tw_names_copy(data->ctx, data->d, (const char *const *)data->names, &scaling->names);
    if (status == TW_OK) fit_columns(data, scaling);
    if (status == TW_OK && scaling->d_out == 0)
        status = tw_fail(data->ctx, TW_BAD_DATA,
                         "all inputs are constant over the %zu cases and cannot be standardised", data->n);
    if (status != TW_OK) {
        tw_scaling_free(scaling);
        return status;
    }
    if (scaling->d_out < scaling->d_in) log_dropped(data, scaling);
    *out = scaling;
    return TW_OK;
}

/* (x - centre) / scale, without intermediate overflow if the result is finite. */
static double standardise(double x, double centre, double scale)
{
    double deviation = x - centre;
    return isfinite(deviation) ? deviation / scale : x / scale - centre / scale;
}

static tw_status check_finite(const tw_scaling *scaling, const tw_data *data)
{
    for (size_t k = 0; k < scaling->d_out; k++) {
        const double *x = data->x + scaling->column[k] * data->n;
        for (size_t i = 0; i < data->n; i++)
            if (!isfinite(standardise(x[i], scaling->centre[k], scaling->scale[k])))
                return tw_fail(
                    data->ctx, TW_BAD_DATA,
                    "row %zu of input %zu: %g is too far from the centre %g, in units of the scale "
                    "%g, to be standardised",
                    i + 1, scaling->column[k] + 1, x[i], scaling->centre[k], scaling->scale[k]);
    }
    return TW_OK;
}

tw_status tw_scaling_apply(const tw_scaling *scaling, tw_data *data)
{
    if (data->d != scaling->d_in)
        return tw_fail(data->ctx, TW_BAD_DATA,
                       "the data have %zu inputs, but the scaling was made for %zu: give the same columns",
                       data->d, scaling->d_in);
    TW_TRY(check_finite(scaling, data));
    for (size_t k = 0; k < scaling->d_out; k++) {
        const double *from = data->x + scaling->column[k] * data->n;
        double *to = data->x + k * data->n;
        for (size_t i = 0; i < data->n; i++)
            to[i] = standardise(from[i], scaling->centre[k], scaling->scale[k]);
        if (data->names) data->names[k] = data->names[scaling->column[k]];
        if (data->levels && scaling->column[k] != k) {
            data->levels[k] = data->levels[scaling->column[k]]; /* dropped columns have no categories */
            data->levels[scaling->column[k]] = (tw_levels){0};
        }
    }
    data->d = scaling->d_out;
    return TW_OK;
}

void tw_scaling_free(tw_scaling *scaling)
{
    if (!scaling) return;
    tw_release(scaling->ctx, scaling->column);
    tw_release(scaling->ctx, scaling->centre);
    tw_release(scaling->ctx, scaling->scale);
    tw_release(scaling->ctx, scaling->names);
    tw_release(scaling->ctx, scaling);
}
