/* cost.c: see cost.h. */
#include "sample/cost.h"

double tw_cost_lockstep(const tw_sampler *s)
{
    size_t columns = s->columns < TW_TILE_COLUMNS ? s->columns : TW_TILE_COLUMNS;
    return 1.0 + 9.0 / (2.0 + (double)columns); /* 4 for one column, 2.5 for 4, 1.26 for 32 */
}

double tw_cost_product(const tw_sampler *s)
{
    return tw_gaussian_flops(s->target->model->prior);
}

double tw_cost_per_transition(tw_sampler *s, const tw_draws *d)
{
    return s->method->cost(s, (double)d->sampling.leapfrog_steps / (double)d->sampling.transitions);
}
