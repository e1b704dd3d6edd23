/* pt_round.c: one round of parallel tempering with even/odd swaps (Syed, Bouchard-Cote, Deligiannidis &
 * Doucet 2022).
 *
 * Every level moves by transitions at its temperature, except the lowest, which is drawn anew from q: exact
 * and independent. Then the pairs (k, k+1), those with even k and those with odd k in alternate rounds,
 * exchange their states with probability
 *   min(1, exp((b_{k+1} - b_k) (R(x_k) - R(x_{k+1})))),   R(x) = log p(y, x) - log q(x),
 * independently in every copy. The rejection rate of a pair is averaged over all rounds, also those in which
 * it does not exchange, because the states have the same joint distribution in all of them.
 */
#include <math.h>

#include "base/fault.h"
#include "base/parallel.h"
#include "base/team.h"
#include "evidence/pt.h"
#include "math/random.h"
#include "sample/sampler.h"

/* The heading of a replica: none before its first visit at b = 0, up after a visit at b = 0, down after one
 * at b = 1 on the way up. */
enum { HEADING_NOWHERE, HEADING_UP, HEADING_DOWN };

double tw_pt_swap_odds(double step, double lower, double upper)
{
    return step * (lower - upper);
}

/* Draw the states at b = 0 from q, in the pieces of this member. */
static void draw_lowest(tw_pt *pt)
{
    const tw_pt_options *o = pt->o;
    tw_sampler *s = pt->walk[0]->sampler;
    for (size_t k = 0; k < s->mine.count; k++) {
        size_t first = tw_piece_first(s, s->mine.first + k), count = tw_piece_count(s, s->mine.first + k);
        tw_reference_draw(pt->reference, o->seed, pt->chain + first, pt->round, count, pt->normals,
                          pt->x + first * s->n);
    }
    pt->drawn = tw_sampler_set_positions(s, pt->x);
}

static void transition(tw_pt *pt, size_t level)
{
    const tw_pt_options *o = pt->o;
    double eps = tw_step_tuner_eps(&pt->tuner[level]);
    tw_move move = {.eps = eps,
                    .steps = o->steps ? o->steps : tw_walk_steps(pt->walk[level], eps),
                    .seed = o->seed,
                    .iteration = pt->round * o->moves + pt->move,
                    .first_chain = pt->chain + level * pt->copies};
    tw_sampler_advance(pt->walk[level]->sampler, &move, pt->walk[level]->records);
}

static void move_level(void *user, size_t level, size_t worker)
{
    (void)worker;
    tw_pt *pt = user;
    if (level > 0)
        transition(pt, level);
    else if (pt->move == 0)
        draw_lowest(pt);
    if (pt->move + 1 == pt->o->moves) tw_walk_measure_mine(pt->walk[level]);
}

/* Add the outcomes of all copies at a level to its sums, and update its step size. */
static void add_outcomes(tw_pt *pt, size_t level)
{
    tw_walk *w = pt->walk[level];
    double sum = 0.0;
    for (size_t c = 0; c < pt->copies; c++) {
        const tw_pt_outcome *outcome = tw_pt_outcome_of(pt, level, c);
        w->log_ratio[c] = outcome->log_ratio;
        w->failures += outcome->failed;
        sum += outcome->acceptance;
    }
    if (level == 0) return; /* draws are not transitions */
    w->acceptance += sum;
    w->transitions += (double)pt->copies;
    if (pt->tuning) tw_step_tuner_learn(&pt->tuner[level], sum / (double)pt->copies);
}

static tw_status move_all(tw_pt *pt)
{
    for (pt->move = 0; pt->move < pt->o->moves; pt->move++) {
        tw_parallel_for(pt->levels, pt->threads, move_level, pt);
        if (pt->drawn != TW_OK) return tw_team_leave(pt->ctx, pt->drawn);
        tw_pt_gather_outcomes(pt);
        for (size_t k = 0; k < pt->levels; k++) add_outcomes(pt, k);
    }
    return tw_team_status(pt->ctx);
}

/* Decide for every copy whether levels k and k + 1 exchange. */
static void decide(tw_pt *pt, size_t k)
{
    double step = pt->beta[k + 1] - pt->beta[k];
    bool turn = k % 2 == pt->round % 2;
    for (size_t c = 0; c < pt->copies; c++) {
        double lower = pt->walk[k]->log_ratio[c], upper = pt->walk[k + 1]->log_ratio[c];
        double odds = TW_FAULTY(TW_FAULT_SWAP_RULE, tw_pt_swap_odds(step, lower, upper),
                                tw_fault_swap_rule(step, lower, upper));
        double probability = odds >= 0.0 ? 1.0 : odds < 0.0 ? exp(odds) : 0.0; /* NaN: no swap */
        tw_stream stream =
            tw_stream_at(pt->o->seed, TW_STREAM_SWAP, pt->chain + k * pt->copies + c, pt->round);
        pt->swap[k * pt->copies + c] = turn && tw_stream_uniform(&stream) < probability;
        pt->rejection[k] += 1.0 - probability;
    }
}

static void exchange_pair(void *user, size_t k, size_t worker)
{
    (void)worker;
    tw_pt *pt = user;
    if (k % 2 == pt->round % 2)
        tw_sampler_exchange(pt->walk[k]->sampler, pt->walk[k + 1]->sampler, pt->swap + k * pt->copies);
}

/* Update the positions of replicas after the swaps, their headings, and the number of round trips. */
static void follow_replicas(tw_pt *pt, size_t copy)
{
    size_t copies = pt->copies, top = pt->levels - 1;
    size_t *replica = pt->replica + copy;
    for (size_t k = pt->round % 2; k < top; k += 2) {
        if (!pt->swap[k * copies + copy]) continue;
        size_t kept = replica[k * copies];
        replica[k * copies] = replica[(k + 1) * copies];
        replica[(k + 1) * copies] = kept;
    }
    int *lowest = &pt->heading[replica[0] * copies + copy];
    int *highest = &pt->heading[replica[top * copies] * copies + copy];
    if (*lowest == HEADING_DOWN) pt->round_trips++;
    *lowest = HEADING_UP;
    if (*highest == HEADING_UP) *highest = HEADING_DOWN;
}

tw_status tw_pt_round(tw_pt *pt)
{
    size_t steps = pt->levels - 1;
    TW_TRY(tw_team_status(pt->ctx));
    pt->round++;
    TW_TRY(move_all(pt));
    for (size_t k = 0; k < steps; k++) decide(pt, k);
    pt->proposals += (double)pt->copies;
    tw_pt_trade(pt);
    tw_parallel_for(steps, pt->threads, exchange_pair, pt);
    for (size_t c = 0; c < pt->copies; c++) follow_replicas(pt, c);
    return TW_OK;
}

void tw_pt_reset_replicas(tw_pt *pt)
{
    for (size_t i = 0; i < pt->levels * pt->copies; i++) {
        pt->replica[i] = i / pt->copies;
        pt->heading[i] = HEADING_NOWHERE;
    }
}

void tw_pt_reset_counts(tw_pt *pt)
{
    for (size_t k = 0; k + 1 < pt->levels; k++) pt->rejection[k] = 0.0;
    pt->proposals = 0.0;
    pt->round_trips = 0;
    for (size_t k = 0; k < pt->levels; k++)
        pt->walk[k]->acceptance = pt->walk[k]->failures = pt->walk[k]->transitions = 0.0;
}
