/* parse_leaf.c: a leaf of an expression and its parameters:
 *
 *   leaf     = name [ "(" [ argument { "," argument } ] ")" ]
 *   argument = "ard" | [ "log_" ] name "=" ( number | "(" number { "," number } ")" )
 */
#include <stdio.h>
#include <string.h>

#include "covariance/parser.h"

/* What was given for a slot: numbers[first] and on. */
typedef struct given {
    const char *at; /* where; NULL: nothing was given */
    bool as_log;
    size_t first, count;
} given;

typedef struct leaf_text {
    tw_word name;
    tw_node node;
    bool ard;
    given slot[TW_LEAF_SLOTS];
    size_t number_count;
} leaf_text;

/* ---- arguments ---- */

static bool word_is(tw_word word, const char *text)
{
    return strlen(text) == word.length && memcmp(text, word.at, word.length) == 0;
}

/* The slot that a word names, perhaps with log_ before it. */
static tw_status find_slot(const tw_parser *p, const leaf_text *l, tw_word word, size_t *slot, bool *as_log)
{
    const tw_leaf *leaf = l->node.leaf;
    tw_word bare = word;
    *as_log = word.length > 4 && memcmp(word.at, "log_", 4) == 0;
    if (*as_log) bare = (tw_word){word.at + 4, word.length - 4};
    for (*slot = 0; *slot < leaf->slot_count; (*slot)++)
        if (word_is(bare, leaf->slots[*slot].parameter.name)) return TW_OK;
    return tw_parser_fail(p, word.at, "%s has no parameter \"%.*s\"; it has %s%s%s", tw_node_name(&l->node),
                          (int)(word.length < 40 ? word.length : 40), word.at, leaf->slots[0].parameter.name,
                          leaf->slot_count > 1 ? " and " : "", leaf->slots[1].parameter.name);
}

static tw_status read_numbers(tw_parser *p, leaf_text *l, given *to)
{
    bool list = tw_parser_accept(p, '(');
    to->first = l->number_count;
    do {
        TW_TRY(tw_parser_number(p, &p->numbers[l->number_count]));
        l->number_count++;
        to->count++;
    } while (list && tw_parser_accept(p, ','));
    if (list && !tw_parser_accept(p, ')'))
        return tw_parser_fail(p, p->at, "a \",\" or \")\" is missing here");
    return TW_OK;
}

static tw_status read_argument(tw_parser *p, leaf_text *l)
{
    size_t slot = 0;
    bool as_log = false;
    tw_parser_skip(p);
    tw_word word = tw_parser_word(p);
    if (word.length == 0) return tw_parser_fail(p, p->at, "the name of a parameter is missing here");
    if (word_is(word, "ard") && l->node.shape) {
        l->ard = true;
        return TW_OK;
    }
    TW_TRY(find_slot(p, l, word, &slot, &as_log));
    if (l->slot[slot].at)
        return tw_parser_fail(p, word.at, "%s is given twice", l->node.leaf->slots[slot].parameter.name);
    if (!tw_parser_accept(p, '=')) return tw_parser_fail(p, p->at, "a \"=\" is missing here");
    l->slot[slot] = (given){.at = word.at, .as_log = as_log};
    return read_numbers(p, l, &l->slot[slot]);
}

static tw_status read_arguments(tw_parser *p, leaf_text *l)
{
    if (!tw_parser_accept(p, '(')) return TW_OK;
    if (tw_parser_accept(p, ')')) return TW_OK;
    do TW_TRY(read_argument(p, l));
    while (tw_parser_accept(p, ','));
    if (tw_parser_accept(p, ')')) return TW_OK;
    return tw_parser_fail(p, p->at, "a \",\" or \")\" is missing here");
}

/* ---- parameters ---- */

static tw_status reserve(tw_parser *p, size_t more)
{
    void *memory = NULL;
    if (more <= p->entry_room - p->entry_count) return TW_OK;
    size_t room = 2 * p->entry_count + more;
    TW_TRY(tw_allocate(p->ctx, room, sizeof *p->entries, "parameters of an expression", &memory));
    if (p->entry_count) memcpy(memory, p->entries, p->entry_count * sizeof *p->entries);
    tw_release(p->ctx, p->entries);
    p->entries = memory;
    p->entry_room = room;
    return TW_OK;
}

static tw_status append(tw_parser *p, const tw_node *node, size_t slot, const given *from, double number)
{
    const tw_parameter *pattern = &node->leaf->slots[slot].parameter;
    tw_entry entry = {.theta = number, .value = number, .as_log = from->as_log, .given = from->at};
    if (from->as_log)
        entry.value = tw_parameter_value(pattern, number);
    else
        entry.theta = tw_parameter_theta(pattern, number);
    if (!from->as_log && !(number > 0.0))
        return tw_parser_fail(p, from->at, "%s must be above 0, not %g", pattern->name, number);
    if (tw_kernel_check_parameter(p->ctx, node, slot, entry.theta) != TW_OK) {
        char words[200]; /* the context's own message is about to be replaced */
        snprintf(words, sizeof words, "%s", tw_context_message(p->ctx));
        return tw_parser_fail(p, from->at, "%s", words);
    }
    p->entries[p->entry_count++] = entry;
    return TW_OK;
}

/* How many numbers a slot has: one for each input where that was asked for, else as many as were given, or one. */
static tw_status count_slot(const tw_parser *p, const leaf_text *l, size_t slot, size_t *count)
{
    const given *from = &l->slot[slot];
    const tw_slot *s = &l->node.leaf->slots[slot];
    *count = from->count > 1 ? from->count : 1;
    if (s->role != TW_ROLE_LENGTH) {
        if (*count == 1) return TW_OK;
        return tw_parser_fail(p, from->at, "%s is one number, and %zu were given", s->parameter.name, *count);
    }
    if (l->ard && *count == 1) *count = p->inputs;
    if (*count == 0)
        return tw_parser_fail(
            p, l->name.at, "how many inputs there are is not known here: give all lengths, as in ell=(1, 2)");
    if (*count == 1 || p->inputs == 0 || *count == p->inputs) return TW_OK;
    return tw_parser_fail(p, from->at,
                          "%zu length scales were given for %zu inputs; give one, or one per input", *count,
                          p->inputs);
}

static tw_status fill_slot(tw_parser *p, leaf_text *l, size_t slot)
{
    const given *from = &l->slot[slot];
    size_t count = 0;
    TW_TRY(count_slot(p, l, slot, &count));
    TW_TRY(reserve(p, count));
    l->node.slot[slot] = (tw_span){p->entry_count, count};
    for (size_t k = 0; k < count; k++) {
        double number = from->count ? p->numbers[from->first + (from->count == 1 ? 0 : k)]
                                    : l->node.leaf->slots[slot].parameter.initial;
        TW_TRY(append(p, &l->node, slot, from, number));
    }
    if (count > 1) p->inputs = count; /* and so it is for the leaves that follow */
    return TW_OK;
}

/* An amplitude that is fixed stays without an entry in theta. */
static tw_status fill_slots(tw_parser *p, leaf_text *l)
{
    for (size_t s = 0; s < l->node.leaf->slot_count; s++) {
        const tw_slot *slot = &l->node.leaf->slots[s];
        bool amplitude = slot->role == TW_ROLE_AMPLITUDE, fixed = amplitude && p->fix_next;
        if (fixed && l->slot[s].at)
            return tw_parser_fail(
                p, l->slot[s].at,
                "in a product the first amplitude counts for all factors: leave this %s out",
                slot->parameter.name);
        if (!fixed) TW_TRY(fill_slot(p, l, s));
        p->amplitudes += amplitude;
        if (fixed) p->fix_next = false;
    }
    return TW_OK;
}

tw_status tw_parser_leaf(tw_parser *p)
{
    leaf_text l = {.name = tw_parser_word(p)};
    if (l.name.length == 0) return tw_parser_fail(p, p->at, "a kernel is missing here");
    l.node = (tw_node){.kind = TW_NODE_LEAF};
    l.node.leaf = tw_leaf_find(l.name.at, l.name.length, &l.node.shape);
    if (!l.node.leaf) return tw_parser_fail_name(p, l.name);
    if (l.node.leaf == &tw_leaf_given)
        return tw_parser_fail(p, l.name.at, "a matrix is given as numbers, and not as part of an expression");
    TW_TRY(read_arguments(p, &l));
    TW_TRY(fill_slots(p, &l));
    return tw_parser_add(p, l.name.at, l.node);
}
