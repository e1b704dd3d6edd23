/* cost.c: the model of the cost of a draw (cost.h). */
#include "sample/cost.h"

#include <math.h>

/* The columns of a tile. */
static double columns_of(const tw_sampler *s)
{
    return (double)(s->columns < TW_TILE_COLUMNS ? s->columns : TW_TILE_COLUMNS);
}

/* BLAS reads and copies the factor in every product, a cost that the columns share: 4 for one column, 2.5
 * for 4, 1.26 for 32. */
double tw_cost_double(const tw_sampler *s)
{
    return 1.0 + 9.0 / (2.0 + columns_of(s));
}

/* A packed product takes four columns at a time; fewer columns take as long as four. */
double tw_cost_single(const tw_sampler *s)
{
    return 0.4 * fmax(1.0, 4.0 / columns_of(s));
}

/* The metric's Gaussian has its own count: on many machines EP's factor is not triangular. */
double tw_cost_product(const tw_sampler *s)
{
    return tw_gaussian_flops(s->frame.gaussian ? s->frame.gaussian : s->target->model->prior);
}

double tw_cost_per_transition(tw_sampler *s, const tw_draws *d)
{
    return s->method->cost(s, (double)d->sampling.leapfrog_steps / (double)d->sampling.transitions);
}
