/* columns.c: the likelihood's columns of a problem: which ones new cases take over, and a description of
 * all. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "talweg/problem.h"

static void range_of(size_t n, const double *values, double *low, double *high)
{
    *low = *high = values[0];
    for (size_t i = 1; i < n; i++) {
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
}

tw_status tw_problem_fill_columns(const tw_problem *problem, tw_data *at, const tw_column **differs)
{
    const tw_data *train = problem->data;
    *differs = NULL;
    for (size_t k = 0; k < problem->likelihood->columns; k++) {
        const tw_column *column = &problem->likelihood->column[k];
        const double *values = tw_data_column(train, column->name);
        double low, high;
        if (!values || tw_data_column(at, column->name)) continue;
        range_of(train->n, values, &low, &high);
        if (low == high)
            TW_TRY(tw_data_repeat_column(at, column->name, low));
        else if (!*differs)
            *differs = column;
    }
    return TW_OK;
}

size_t tw_problem_censored(const tw_problem *problem)
{
    tw_observations observed = tw_problem_observed(problem);
    size_t count = 0;
    for (size_t i = 0; i < observed.n; i++) count += tw_observations_censored(&observed, i);
    return count;
}

void tw_problem_describe_constants(const tw_problem *problem, char *words, size_t bytes)
{
    const tw_likelihood *likelihood = problem->likelihood;
    tw_observations observed = tw_problem_observed(problem);
    size_t length = 0;
    words[0] = '\0';
    for (size_t k = 0; k < likelihood->parameters && length < bytes; k++) {
        const tw_parameter *parameter = &likelihood->parameter[k];
        double value = tw_observations_parameter(&observed, k);
        if (value == parameter->initial) continue;
        length += (size_t)snprintf(words + length, bytes - length, "%s%s %g", length ? ", " : "",
                                   parameter->name, value);
    }
    for (size_t k = 0; k < likelihood->columns && length < bytes; k++) {
        double low, high;
        if (!observed.column[k]) continue;
        if (likelihood->column[k].range == TW_RANGE_FLAG) {
            length +=
                (size_t)snprintf(words + length, bytes - length, "%s%zu of %zu cases %s", length ? ", " : "",
                                 tw_problem_censored(problem), observed.n, likelihood->column[k].name);
            continue;
        }
        range_of(observed.n, observed.column[k], &low, &high);
        length +=
            (size_t)snprintf(words + length, bytes - length, low == high ? "%s%s %g" : "%s%s from %g to %g",
                             length ? ", " : "", likelihood->column[k].name, low, high);
    }
}
