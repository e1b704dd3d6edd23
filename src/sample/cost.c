/* cost.c: see cost.h. */
#include "sample/cost.h"

#include <math.h>

static double columns_of(const tw_sampler *s)
{
    return (double)(s->columns < TW_TILE_COLUMNS ? s->columns : TW_TILE_COLUMNS);
}

/* BLAS reads the factor, and copies it, for each product: 4 for one column, 2.5 for 4, 1.26 for 32. */
double tw_cost_double(const tw_sampler *s)
{
    return 1.0 + 9.0 / (2.0 + columns_of(s));
}

/* A packed product works on four columns at a time, or on fewer as if they were four. */
double tw_cost_single(const tw_sampler *s)
{
    return 0.4 * fmax(1.0, 4.0 / columns_of(s));
}

/* With the metric's own factor where it has one: on many machines that of EP is not triangular. */
double tw_cost_product(const tw_sampler *s)
{
    return tw_gaussian_flops(s->frame.gaussian ? s->frame.gaussian : s->target->model->prior);
}

double tw_cost_per_transition(tw_sampler *s, const tw_draws *d)
{
    return s->method->cost(s, (double)d->sampling.leapfrog_steps / (double)d->sampling.transitions);
}
