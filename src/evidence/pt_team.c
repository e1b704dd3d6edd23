/* pt_team.c: divide parallel tempering among the members of a team.
 *
 * A level has one column for each copy of the ladder, divided into pieces: tiles of copies at one
 * temperature, which move in lockstep. The items of work are piece p of level k, in the order p levels + k,
 * and each member gets a range of consecutive items. A member thus has whole copies of the ladder, except
 * that a ladder may be cut between two levels if the items do not divide evenly. After the transitions their
 * outcomes, R included, are sent to all members (24 bytes per column), and every member decides all swaps in
 * the same way. States stay with their member, except in a swap of two neighbours on both sides of a cut,
 * which the two members exchange directly.
 *
 * Exchanging temperatures instead would never move a state, but the columns of a tile would then differ in
 * temperature, step size, number of steps and, at b = 0, in their kind of move, and every sampler would need
 * all of these for each column. docs/howto/many-machines.md gives the possible gain: 0.2 % of a round at n =
 * 767 and 1 GB/s.
 */
#include <math.h>

#include "base/team.h"
#include "evidence/pt.h"
#include "sample/sampler.h"

/* All levels have samplers with the same pieces. */
static const tw_sampler *any_sampler(const tw_pt *pt)
{
    return pt->walk[0]->sampler;
}

/* If two members cannot exchange data directly, each copy has all its levels in one member. */
static tw_strand strand_of(const tw_pt *pt, size_t level)
{
    return tw_team_trades(pt->ctx) ? (tw_strand){level, pt->levels} : (tw_strand){0, 1};
}

tw_status tw_pt_allocate_team(tw_pt *pt)
{
    const tw_sampler *s = any_sampler(pt);
    void *outcomes = NULL;
    TW_TRY(tw_allocate(pt->ctx, s->pieces * s->each * pt->levels, sizeof *pt->outcomes,
                       "the messages of a round", &outcomes));
    pt->outcomes = outcomes;
    return tw_allocate_doubles(pt->ctx, s->n + s->r, 2 * s->each, "states that travel", &pt->trade);
}

void tw_pt_distribute(tw_pt *pt)
{
    for (size_t k = 0; k < pt->levels; k++) tw_sampler_join(pt->walk[k]->sampler, strand_of(pt, k));
}

tw_status tw_pt_share_states(tw_pt *pt)
{
    double *state = NULL;
    if (tw_team_is_alone(pt->ctx)) return tw_team_status(pt->ctx);
    TW_TRY(tw_allocate_doubles(pt->ctx, tw_sampler_state_size(pt->walk[0]->sampler), 1,
                               "the states of a level", &state));
    for (size_t k = 0; k < pt->levels; k++) {
        tw_sampler_save(pt->walk[k]->sampler, state);
        tw_sampler_restore(pt->walk[k]->sampler, state);
    }
    tw_release(pt->ctx, state);
    return tw_team_status(pt->ctx);
}

/* ---- outcomes for all members ---- */

/* Outcomes are stored in the order of the items. */
static tw_pt_outcome *outcome_at(const tw_pt *pt, size_t level, size_t copy)
{
    size_t each = any_sampler(pt)->each;
    return &pt->outcomes[(copy / each * pt->levels + level) * each + copy % each];
}

const tw_pt_outcome *tw_pt_outcome_of(const tw_pt *pt, size_t level, size_t copy)
{
    return outcome_at(pt, level, copy);
}

void tw_pt_gather_outcomes(tw_pt *pt)
{
    size_t each = any_sampler(pt)->each, pieces = any_sampler(pt)->pieces;
    bool divided = tw_team_trades(pt->ctx); /* copies may be divided between members */
    size_t items = divided ? pieces * pt->levels : pieces, columns = divided ? each : each * pt->levels;
    for (size_t k = 0; k < pt->levels; k++) {
        const tw_walk *w = pt->walk[k];
        tw_share mine = tw_sampler_mine(w->sampler);
        for (size_t c = mine.first; c < mine.first + mine.count; c++)
            *outcome_at(pt, k, c) = (tw_pt_outcome){.acceptance = k > 0 ? w->records[c].acceptance_rate : NAN,
                                                    .failed = k > 0 && tw_record_failed(&w->records[c]),
                                                    .log_ratio = w->log_ratio[c]};
    }
    tw_team_gather(pt->ctx, items, columns * sizeof *pt->outcomes, items * columns * sizeof *pt->outcomes,
                   pt->outcomes);
}

/* ---- exchange of states between two members ---- */

/* Exchange the states that swap across the cut before item `cut`. `mine` is the level on this member's side
 * of the cut: send its states, and put those of the other level in their place. */
static void trade_at(tw_pt *pt, size_t cut, size_t mine)
{
    size_t piece = cut / pt->levels, lower = cut % pt->levels - 1,
           items = any_sampler(pt)->pieces * pt->levels;
    tw_sampler *s = pt->walk[mine]->sampler;
    const bool *which = pt->swap + lower * pt->copies;
    size_t half = s->each * (s->n + s->r), count = tw_sampler_take(s, piece, which, pt->trade);
    if (count == 0) return;
    size_t other = mine == lower ? cut : cut - 1;
    tw_team_trade(pt->ctx, tw_team_owner(pt->ctx, items, other), count * sizeof *pt->trade, pt->trade,
                  pt->trade + half);
    if (tw_team_status(pt->ctx) == TW_OK) tw_sampler_put(s, piece, which, pt->trade + half);
}

/* Is this a cut between two levels that exchange in this round? */
static bool is_due(const tw_pt *pt, size_t cut)
{
    size_t level = cut % pt->levels, items = any_sampler(pt)->pieces * pt->levels;
    return cut < items && level > 0 && (level - 1) % 2 == pt->round % 2;
}

void tw_pt_trade(tw_pt *pt)
{
    if (tw_team_is_alone(pt->ctx) || !tw_team_trades(pt->ctx)) return;
    tw_share mine = tw_team_share(pt->ctx, any_sampler(pt)->pieces * pt->levels);
    if (mine.count == 0) return;
    size_t cuts[] = {mine.first, mine.first + mine.count}, rank = tw_context_team(pt->ctx)->rank;
    /* First the cuts before even ranks, then those before odd ranks, so that members do not wait in a chain. */
    for (size_t turn = 0; turn < 2; turn++) {
        size_t side = (rank + turn) % 2;
        if (is_due(pt, cuts[side]))
            trade_at(pt, cuts[side], side == 0 ? cuts[0] % pt->levels : cuts[1] % pt->levels - 1);
    }
}
