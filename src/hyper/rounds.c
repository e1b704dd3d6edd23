/* rounds.c: adapt the proposal in a few rounds of importance sampling with Z_EP in place of Zhat. After round
 * R the points of all rounds count, each as a draw from the mean of the mixtures so far (Cornuet, Marin, Mira
 * and Robert 2012):
 *
 *   w_s = p(theta_s) Z_EP(theta_s) / ((1/R) sum_r g_r(theta_s)).
 *
 * Each of S weights is truncated at sqrt(S) times their mean (Ionides 2008), so that no single point
 * dominates. The sites of all points are kept in the library: EP and the walkers use them at nearby thetas. */
#include <math.h>
#include <string.h>

#include "base/team.h"
#include "hyper/hyper.h"
#include "talweg/diagnose.h"

/* The Sobol scrambles of the rounds; those of the estimate are 0, 1, 2, ... */
static const uint64_t ROUND_SCRAMBLE = UINT64_C(1) << 32;

/* Stop if this share of a round's points is effective, or if a round is not poor and hardly better than the
 * one before. */
static const double ENOUGH = 0.8, GAIN = 1.1, POOR = 0.5;

/* With few parameters, all rounds but the first draw from a copy of the proposal with wider components and fewer
 * degrees of freedom, to find what the proposal lacks; they stop if this share of a round's points is effective.
 */
static const double LEVERAGE = 2.0, LAST_LEVERAGE = 0.75;
static const double EXPLORE = 1.5, EXPLORE_DF = 5.0, ENOUGH_FEW = 0.35;

/* With many parameters, a few points of the first rounds have nearly all the weight, and components adapted
 * to them would shrink around these points. Therefore the adaptation uses w^power, with the largest
 * power <= 1 for which EFFECTIVE (d + 2) points are effective. */
static const double EFFECTIVE = 20.0;

/* A covariance of d parameters has d (d + 1) / 2 unknown numbers, so many parameters need larger rounds, up
 * to a limit in all. */
enum {
    FEW_PARAMETERS = 4,
    SOME_PARAMETERS = 8,
    EACH_OF_FEW = 8,
    EACH_OF_MANY = 24,
    FEWEST_OF_MANY = 224,
    MOST_FITS = 1400
};

/* Where fits cost little, more points explore: so many as cost CHEAP flops, at most MORE times the points of a round
 * and MOST_MORE. Half of them are in the first round. A fit takes FLOPS_OF_FIT n^3, and FLOPS_OF_SITE n by quadrature if the
 * likelihood is not log-concave; then there are at most FEW_ROUNDS. */
static const double CHEAP = 2.4e10, FLOPS_OF_FIT = 20.0, FLOPS_OF_SITE = 1e7, MORE = 24.0, MOST_MORE = 4000.0;
enum { FEW_ROUNDS = 3 };

typedef struct rounds {
    tw_hyper *h;
    size_t points, most, done;             /* points of a round; most rounds; rounds done */
    size_t extra;                          /* more points of the first round */
    tw_mixture **used;                     /* most: the proposals of the rounds done */
    double *theta, *log_z;                 /* unknown x points x most, points x most */
    double *log_target, *weight, *scratch; /* points x most: log p Z_EP, and the weights */
    double *log_mean;                      /* points x most: log of the mean of the proposals so far */
    double power;                          /* the power of the weights in the last adaptation */
    double *sites;                         /* 2 n x points, of the current round */
    tw_guess *guess;                       /* points; tau NULL: none */
} rounds;

/* The number of points of round k, and of those before it. */
static size_t size_of(const rounds *r, size_t k)
{
    return r->points + (k == 0 ? r->extra : 0);
}

static size_t first_of(const rounds *r, size_t k)
{
    return k * r->points + (k == 0 ? 0 : r->extra);
}

static void release(rounds *r)
{
    tw_context *ctx = r->h->ctx;
    void *arrays[] = {r->theta,   r->log_z,    r->log_target, r->weight,
                      r->scratch, r->log_mean, r->sites,      r->guess};
    for (size_t k = 0; r->used && k < r->most; k++) tw_mixture_free(r->used[k]);
    tw_release(ctx, r->used);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
}

static tw_status allocate(rounds *r)
{
    tw_context *ctx = r->h->ctx;
    size_t total = first_of(r, r->most);
    void *memory = NULL;
    TW_TRY(tw_allocate(ctx, r->most, sizeof(tw_mixture *), "rounds", &memory));
    r->used = memory;
    TW_TRY(tw_allocate_doubles(ctx, r->h->unknown, total, "points", &r->theta));
    TW_TRY(tw_allocate_doubles(ctx, total, 1, "points", &r->log_z));
    TW_TRY(tw_allocate_doubles(ctx, total, 1, "points", &r->log_target));
    TW_TRY(tw_allocate_doubles(ctx, total, 1, "weights", &r->weight));
    TW_TRY(tw_allocate_doubles(ctx, total, 1, "weights", &r->scratch));
    TW_TRY(tw_allocate_doubles(ctx, total, 1, "weights", &r->log_mean));
    TW_TRY(tw_allocate_doubles(ctx, 2 * r->h->result->n, size_of(r, 0), "sites", &r->sites));
    TW_TRY(tw_allocate(ctx, size_of(r, 0), sizeof *r->guess, "points", &memory));
    r->guess = memory;
    return TW_OK;
}

static tw_status compute(void *user, tw_place *place, size_t item)
{
    const rounds *r = user;
    const tw_hyper *h = r->h;
    size_t n = h->result->n, s = first_of(r, r->done) + item;
    tw_approximation *ep = NULL;
    tw_hyper_fill(h, r->theta + s * h->unknown, place->theta);
    TW_TRY(tw_place_approximate(place, r->guess[item].tau ? &r->guess[item] : NULL, &ep));
    r->log_z[s] = ep ? ep->log_z : -INFINITY;
    if (ep) {
        memcpy(r->sites + item * 2 * n, ep->tau, n * sizeof *ep->tau);
        memcpy(r->sites + item * 2 * n + n, ep->nu, n * sizeof *ep->nu);
    }
    tw_approximation_free(ep);
    return TW_OK;
}

static void draw(const rounds *r, size_t number)
{
    tw_hyper *h = r->h;
    tw_sobol sobol;
    double u[TW_HYPER_MOST + 1];
    tw_sobol_make(h->o->seed, ROUND_SCRAMBLE + number, h->unknown + 1, &sobol);
    for (size_t s = 0; s < size_of(r, r->done); s++) {
        double *theta = r->theta + (first_of(r, r->done) + s) * h->unknown;
        tw_sobol_point(&sobol, (uint32_t)s, u);
        tw_mixture_draw(r->used[r->done], u, theta);
        if (!tw_library_find(h->library, h->g, theta, &r->guess[s])) r->guess[s] = (tw_guess){NULL, NULL};
    }
}

/* Store the targets and sites of the current round. */
static void take(const rounds *r)
{
    tw_hyper *h = r->h;
    for (size_t i = 0; i < size_of(r, r->done); i++) {
        size_t s = first_of(r, r->done) + i;
        const double *theta = r->theta + s * h->unknown;
        tw_hyper_fill(h, theta, h->full);
        r->log_target[s] = tw_priors_log_density(h->priors, h->problem, h->full, NULL) + r->log_z[s];
        if (isfinite(r->log_z[s])) tw_library_add(h->library, h->g, theta, r->sites + i * 2 * h->result->n);
    }
}

/* The log of the mean of the mixtures so far. */
static double log_mean_proposal(const rounds *r, const double *theta)
{
    double sum = 0.0;
    for (size_t k = 0; k < r->done; k++)
        sum += (double)size_of(r, k) * exp(tw_mixture_log_density(r->used[k], theta));
    return log(sum / (double)first_of(r, r->done));
}

static double effective_of_power(const rounds *r, size_t points, double power)
{
    for (size_t s = 0; s < points; s++)
        r->scratch[s] = r->weight[s] > -INFINITY ? power * r->weight[s] : -INFINITY;
    return tw_weights_ess(points, r->scratch);
}

/* Find the power by bisection; the weights are still log weights here. */
static double find_power(const rounds *r, size_t points)
{
    double low = 0.0, high = 1.0, enough = EFFECTIVE * (double)(r->h->unknown + 2);
    if (effective_of_power(r, points, 1.0) >= enough) return 1.0;
    while (high - low > 1e-3) {
        double power = 0.5 * (low + high);
        if (effective_of_power(r, points, power) >= enough)
            low = power;
        else
            high = power;
    }
    return low;
}

/* The weights of all points so far, relative to the largest. */
static void weigh(rounds *r)
{
    size_t points = first_of(r, r->done);
    double largest = -INFINITY, sum = 0.0;
    for (size_t s = 0; s < points; s++) {
        r->log_mean[s] = log_mean_proposal(r, r->theta + s * r->h->unknown);
        r->weight[s] = r->log_target[s] - r->log_mean[s];
        if (!isfinite(r->weight[s])) r->weight[s] = -INFINITY;
        largest = fmax(largest, r->weight[s]);
    }
    r->power = find_power(r, points);
    for (size_t s = 0; s < points; s++) {
        r->weight[s] = r->weight[s] > -INFINITY ? exp(r->power * (r->weight[s] - largest)) : 0.0;
        sum += r->weight[s];
    }
    for (size_t s = 0; s < points; s++) r->weight[s] = fmin(r->weight[s], sum / sqrt((double)points));
}

/* The effective share of the last round's points, as draws of that round's proposal. */
static double efficiency(const rounds *r)
{
    size_t first = first_of(r, r->done - 1), points = size_of(r, r->done - 1);
    const tw_mixture *g = r->used[r->done - 1];
    for (size_t s = first; s < first + points; s++) {
        double log_weight = r->log_target[s] - tw_mixture_log_density(g, r->theta + s * r->h->unknown);
        r->weight[s] = isfinite(log_weight) ? log_weight : -INFINITY;
    }
    return tw_weights_ess(points, r->weight + first) / (double)points;
}

/* Adapt the proposal. If no point has weight, the proposal stays and the round is discarded. */
static tw_status learn(rounds *r, double leverage)
{
    tw_hyper *h = r->h;
    tw_mixture *next = NULL;
    tw_weighed all = {first_of(r, r->done), r->theta, r->weight, r->log_mean};
    tw_status status = tw_mixture_learn(h->g, &all, leverage, &next);
    if (next) {
        tw_mixture_free(h->g);
        h->g = next;
    } else if (status == TW_OK) {
        tw_mixture_free(r->used[--r->done]);
        r->used[r->done] = NULL;
    }
    return status;
}

static tw_status run_round(rounds *r, size_t number, double *effective)
{
    tw_hyper *h = r->h;
    size_t bytes = 2 * h->result->n * sizeof(double), one = sizeof(double), points = size_of(r, r->done);
    bool explore = h->g->clusters > 0 && number > 0;
    TW_TRY(tw_mixture_copy(h->g, explore ? EXPLORE : 1.0, explore ? EXPLORE_DF : h->g->component[0]->df,
                           &r->used[r->done]));
    draw(r, number);
    TW_TRY(tw_crew_work(h->crew, points, compute, r));
    tw_team_gather(h->ctx, points, one, points * one, r->log_z + first_of(r, r->done));
    tw_team_gather(h->ctx, points, bytes, points * bytes, r->sites);
    take(r);
    h->result->fits += points;
    r->done++;
    *effective = efficiency(r);
    weigh(r);
    return learn(r, LEVERAGE);
}

/* Whether another round is worth its fits. There are at least two, since the first explores. A thin ridge in
 * three parameters takes several rounds to follow, which their effective points do not show. */
static bool needs_round(const rounds *r, size_t round, double before, double effective)
{
    if (tw_hyper_explores(r->h))
        return r->h->unknown > 2 || round < 3 || r->power < 1.0 || effective < ENOUGH_FEW;
    return round < 2 || effective < POOR ||
           (effective < ENOUGH && (r->power < 1.0 || effective > GAIN * before));
}

/* The points of a round that explores. */
static size_t exploring(size_t unknown)
{
    return EACH_OF_FEW * (unknown + 1) * (unknown + 2);
}

/* With few cases a posterior is broad, and thin lobes may have a few per cent of it; but a fit costs nearly nothing. */
static size_t cheap_points(const tw_hyper *h)
{
    double n = (double)h->result->n, sites = h->problem->likelihood->peak ? FLOPS_OF_SITE * n : 0.0;
    double afford = CHEAP / (FLOPS_OF_FIT * n * n * n + sites);
    return (size_t)fmin(fmin(afford, MOST_MORE), MORE * (double)exploring(h->unknown));
}

bool tw_hyper_explores(const tw_hyper *h)
{
    return h->unknown <= FEW_PARAMETERS ||
           (h->unknown <= SOME_PARAMETERS && cheap_points(h) >= exploring(h->unknown));
}

/* Choose the number of points of a round, and the number of rounds. */
static void choose_size(rounds *r)
{
    const tw_hyper *h = r->h;
    bool few = tw_hyper_explores(h);
    size_t points = few ? exploring(h->unknown) : EACH_OF_MANY * (h->unknown + 2), more = 0;
    if (!few && points < FEWEST_OF_MANY) points = FEWEST_OF_MANY;
    r->most = h->o->rounds;
    if (few && !h->o->round_points) {
        more = cheap_points(h);
        if (h->problem->likelihood->peak && r->most > FEW_ROUNDS) r->most = FEW_ROUNDS;
        r->extra = points + more / 2;
        points += more / 2 / (r->most > 1 ? r->most - 1 : 1);
    }
    r->points = h->o->round_points ? h->o->round_points : points;
    while (!h->o->round_points && r->most > 2 && r->most * r->points > MOST_FITS + more) r->most--;
}

tw_status tw_hyper_adapt(tw_hyper *h)
{
    rounds r = {.h = h};
    choose_size(&r);
    tw_status status = tw_library_new(h->ctx, h->result->n, h->unknown, first_of(&r, r.most), &h->library);
    if (status == TW_OK) status = allocate(&r);
    double before = 0.0, effective = 0.0;
    for (size_t k = 0; status == TW_OK && k < r.most && needs_round(&r, k, before, effective); k++) {
        tw_progress now = TW_PROGRESS("proposal", "rounds", k, 0);
        before = effective;
        status = tw_watch_tell(&h->watch, &now) ? run_round(&r, k, &effective) : tw_interrupt(h->ctx);
    }
    if (status == TW_OK && r.done > 0 && tw_hyper_explores(h)) status = learn(&r, LAST_LEVERAGE);
    release(&r);
    return status;
}
