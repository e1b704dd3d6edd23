/* starts.c: where the searches start.
 *
 * The first starts at the given values, with medians of the priors for values not given. The others are
 * structured: by turns signal or noise explains the data, with long or short length scales, since a posterior
 * may have an optimum for each of these and draws from the priors miss some. A parameter that a structure says
 * is high starts at a quantile of its prior between 0.75 and 0.98, a low one between 0.02 and 0.25, any other
 * one between 0.25 and 0.75.
 */
#include <math.h>

#include "covariance/kernel.h"
#include "fit/objective.h"
#include "math/random.h"

/* What a structure says about a parameter. */
typedef enum side { LOW, MIDDLE, HIGH } side;

static side side_of(const tw_problem *problem, size_t j, bool noisy, bool smooth)
{
    tw_length length;
    tw_amplitude amplitude;
    if (j >= tw_kernel_count(problem->kernel)) {
        if (!tw_problem_parameter(problem, j)->in_units_of_y) return MIDDLE;
        return noisy ? HIGH : LOW;
    }
    if (tw_kernel_length(problem->kernel, j, problem->data->d, &length)) return smooth ? HIGH : LOW;
    if (!tw_kernel_amplitude(problem->kernel, j, &amplitude) || amplitude.relative || amplitude.level)
        return MIDDLE;
    return amplitude.independent == noisy ? HIGH : LOW;
}

static double quantile_for(side at, double u)
{
    static const double LEAST[] = {[LOW] = 0.02, [MIDDLE] = 0.25, [HIGH] = 0.75};
    static const double MOST[] = {[LOW] = 0.25, [MIDDLE] = 0.75, [HIGH] = 0.98};
    return LEAST[at] + u * (MOST[at] - LEAST[at]);
}

/* The value at the default prior's quantile p, which knows the data, moved into the range of its own prior. */
static double place(const tw_objective *o, size_t k, double p)
{
    static const double RARE = 0.01;
    size_t j = o->index[k];
    const tw_parameter *parameter = tw_problem_parameter(o->problem, j);
    double value = tw_prior_quantile(&o->usual[k], parameter, p);
    if (!o->priors || !o->priors->has[j] || o->priors->prior[j].flat) return value;
    const tw_prior *own = &o->priors->prior[j];
    if (p == 0.5) return tw_prior_quantile(own, parameter, p);
    value = fmax(value, tw_prior_quantile(own, parameter, RARE));
    return fmin(value, tw_prior_quantile(own, parameter, 1.0 - RARE));
}

void tw_objective_start(const tw_objective *o, const double *origin, size_t start, double *point)
{
    tw_stream stream = tw_stream_at(o->options->seed, TW_STREAM_FIT, start, 0);
    bool noisy = start % 2 == 1, smooth = (start - 1) / 2 % 2 == 0;
    for (size_t k = 0; k < o->free_count; k++) {
        side at = side_of(o->problem, o->index[k], noisy, smooth);
        double p = start == 0 ? 0.5 : quantile_for(at, tw_stream_uniform(&stream));
        bool stays = start == 0 && isfinite(origin[o->index[k]]);
        point[k] = stays ? origin[o->index[k]] : place(o, k, p);
    }
}
