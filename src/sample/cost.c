/* cost.c: the cost model behind the choice of a sampler.
 *
 * Counted per chain, in flops; a matrix-vector product waits for memory and counts four times, one of c
 * columns 1 + 3/c times (measured: about 4 from 1 to 32 columns). A site costs 40, a normal 20.
 *
 *   hmc      per step: x = F w and F' slope (n^2 each, 2 n r for a factor of rank r < n), n sites. A metric
 * whose Gaussian does not cancel the prior has two solves more; the identity has those two alone. slice per
 * draw one product, per trial n sites. rmhmc    a active sites. Per evaluation of the position equation: a
 * factorisation (a^3/3), a solve (2 a^2), a product with A's active columns (2 n a); of the momentum
 * equation: a solve and a product; per step the inverse of the factor (a^3/3) and five triangular products
 * with L.
 */
#include "sample/cost.h"

#include "sample/sampler.h"

static const double per_site = 40.0, per_normal = 20.0;

static double product_weight(const tw_sampler *s)
{
    size_t columns = s->columns < TW_TILE_COLUMNS ? s->columns : TW_TILE_COLUMNS;
    return 1.0 + 3.0 / (double)columns;
}

/* One product with a factor: triangular, or n x r in full. */
static double product(const tw_sampler *s)
{
    double n = (double)s->n, r = (double)s->r;
    return s->r == s->n ? n * n : 2.0 * n * r;
}

static double hmc_cost(const tw_sampler *s, double steps)
{
    double products = (s->frame.gaussian ? 2.0 : 0.0) + (s->frame.linear ? 2.0 : 0.0);
    double step = products * product(s) * product_weight(s) + per_site * (double)s->n;
    return steps * step + per_normal * (double)s->r;
}

static double slice_cost(const tw_sampler *s, double trials)
{
    return product(s) * product_weight(s) + per_site * (double)s->n * trials + per_normal * (double)s->r;
}

/* Active sites where the columns are now, in the mean. */
static double mean_active(tw_sampler *s)
{
    double sum = 0.0;
    for (size_t j = 0; j < s->columns; j++) {
        tw_riemann_set_position(s->riemann[0], s->v + j * s->r);
        sum += (double)s->riemann[0]->active;
    }
    return sum / (double)s->columns;
}

/* One generalised leapfrog step with so many evaluations of the implicit equations. */
static double riemann_step(tw_sampler *s, double momentum, double position)
{
    const double level_2 = 4.0;
    double n = (double)s->n, a = mean_active(s), cube = a * a * a / 3.0;
    double solve = level_2 * 2.0 * a * a, column = level_2 * 2.0 * n * a;
    return position * (cube + solve + column + per_site * n) + momentum * (solve + column) + cube +
           5.0 * level_2 * product(s) + per_site * n;
}

static double rmhmc_cost(tw_sampler *s, double steps)
{
    double taken = 0.0, momentum = 0.0, position = 0.0;
    for (size_t i = 0; i < s->options.threads; i++) {
        taken += (double)s->riemann[i]->steps;
        momentum += (double)s->riemann[i]->momentum_evaluations;
        position += (double)s->riemann[i]->position_evaluations;
    }
    if (taken == 0.0) return riemann_step(s, 1.0, 1.0);
    return steps * riemann_step(s, momentum / taken, position / taken) + per_normal * (double)(s->n + s->r);
}

double tw_cost_at_least(tw_sampler *s)
{
    switch (s->options.method) {
    case TW_METHOD_RMHMC: return riemann_step(s, 3.0, 3.0);
    case TW_METHOD_SLICE: return slice_cost(s, 1.0);
    default: return hmc_cost(s, 1.0);
    }
}

double tw_cost_per_transition(tw_sampler *s, const tw_draws *d)
{
    double steps = (double)d->sampling.leapfrog_steps / (double)d->sampling.transitions;
    switch (d->method) {
    case TW_METHOD_RMHMC: return rmhmc_cost(s, steps);
    case TW_METHOD_SLICE: return slice_cost(s, steps);
    default: return hmc_cost(s, steps);
    }
}
