/* scale.c: the scale of the response, on its own scale and on that of the latent values.
 *
 * If x is the mean of y (an identity link), observation n suggests x_n = y_n. Otherwise it suggests
 * E[x_n | y_n] under x_n ~ N(0, 9), with the likelihood's parameters at their initial values, or at the spread
 * of y if they are in its units. So multiplying y and these parameters by a number multiplies every result
 * with an identity link, and otherwise changes none but the spread of y.
 *
 * Spreads are standard deviations, or 1.4826 times the median absolute deviation for a likelihood with
 * outliers (one that is not log-concave), unless that is 0.
 */
#include "prior/scale.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"

static const double BROAD = 9.0, MAD_TO_SD = 1.4826;
static const double LEAST = 0.5; /* the least spread of latents that are not on the scale of y */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(size_t count, double *v)
{
    qsort(v, count, sizeof *v, compare);
    return count % 2 ? v[count / 2] : 0.5 * (v[count / 2 - 1] + v[count / 2]);
}

static void plain(size_t count, const double *v, double *centre, double *spread)
{
    double sum = 0.0, square = 0.0;
    for (size_t i = 0; i < count; i++) sum += v[i];
    *centre = sum / (double)count;
    for (size_t i = 0; i < count; i++) square += (v[i] - *centre) * (v[i] - *centre);
    *spread = sqrt(square / (double)count);
}

/* Reorders and overwrites v. */
static void measure(bool robust, size_t count, double *v, double *centre, double *spread)
{
    *centre = *spread = 0.0;
    if (count == 0) return;
    plain(count, v, centre, spread);
    if (!robust || *spread == 0.0) return;
    double middle = median(count, v);
    for (size_t i = 0; i < count; i++) v[i] = fabs(v[i] - middle);
    double deviation = MAD_TO_SD * median(count, v);
    *centre = middle;
    if (deviation > 0.0) *spread = deviation;
}

/* Is x the mean of y? Then also multiplied by any number. */
static bool is_identity(const tw_observations *observed)
{
    double x[2] = {-1.25, 3.5}, mean[2] = {0.0};
    tw_observations two = tw_observations_part(observed, 0, 1);
    if (!observed->likelihood->expect || observed->n == 0) return false;
    for (size_t i = 0; i < 2; i++) observed->likelihood->expect(&two, &x[i], &mean[i], NULL);
    return mean[0] == x[0] && mean[1] == x[1];
}

/* The latent values that the observations suggest; returns their number. */
static size_t suggest(const tw_observations *observed, double *x)
{
    bool identity = is_identity(observed);
    size_t count = 0;
    for (size_t i = 0; i < observed->n; i++) {
        tw_tilted tilted;
        if (isnan(observed->y[i])) continue; /* a hidden variable */
        if (identity)
            x[count++] = observed->y[i];
        else if (tw_likelihood_tilted(observed, i, 0.0, BROAD, &tilted) == TW_OK)
            x[count++] = tilted.mean;
    }
    return count;
}

static double nonzero(double value, double instead)
{
    return value > 0.0 && isfinite(value) ? value : instead;
}

static void find(const tw_problem *problem, double *v, double *phi, tw_scale *out)
{
    const tw_likelihood *likelihood = problem->likelihood;
    tw_observations observed = tw_problem_observed(problem);
    bool robust = likelihood->peak != NULL;
    size_t count = 0;
    double centre;
    for (size_t i = 0; i < observed.n; i++)
        if (!isnan(observed.y[i])) v[count++] = observed.y[i];
    measure(robust, count, v, &centre, &out->y);
    out->y = nonzero(out->y, nonzero(fabs(centre), 1.0));
    for (size_t k = 0; k < likelihood->parameters; k++) {
        const tw_parameter *p = &likelihood->parameter[k];
        phi[k] = tw_parameter_theta(p, p->in_units_of_y ? out->y : p->initial);
    }
    observed.phi = phi;
    count = suggest(&observed, v);
    measure(robust, count, v, &out->centre, &out->spread);
    out->spread = is_identity(&observed) ? nonzero(out->spread, out->y) : fmax(out->spread, LEAST);
}

tw_status tw_scale_of(const tw_problem *problem, tw_scale *out)
{
    size_t n = problem->data->n, parameters = problem->likelihood->parameters;
    double *v = NULL;
    TW_TRY(tw_allocate_doubles(problem->ctx, n + parameters + 1, 1, "the scale of the data", &v));
    find(problem, v + parameters, v, out);
    tw_release(problem->ctx, v);
    return TW_OK;
}
