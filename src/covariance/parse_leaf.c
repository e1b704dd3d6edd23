/* parse_leaf.c: parses a leaf of an expression, with its inputs and parameters:
 *
 *   leaf     = name [ "(" [ argument { "," argument } ] ")" ]
 *   argument = input | "ard" | file "=" path | "degree" "=" number
 *            | [ "log_" ] name "=" ( number | "(" number { "," number } ")" )
 *
 * parse_column.c parses inputs, read_file.c files.
 */
#include <stdio.h>
#include <string.h>

#include "covariance/attachment.h"
#include "covariance/parser.h"

enum { LIST = 80 };

/* The numbers given for a slot. */
typedef struct given {
    const char *at;      /* position in the text; NULL: not given */
    bool as_log;         /* as logarithms */
    size_t first, count; /* in the parser's numbers */
} given;

typedef struct leaf_text {
    tw_word name;
    tw_node node;
    bool ard, degree;
    given slot[TW_LEAF_SLOTS];
    size_t number_count;
} leaf_text;

/* ---- arguments ---- */

static bool word_is(tw_word word, const char *text)
{
    return strlen(text) == word.length && memcmp(text, word.at, word.length) == 0;
}

/* List the parameters of the leaf: "ell, sigma and alpha". */
static void list_parameters(const leaf_text *l, char list[LIST])
{
    size_t count = l->node.leaf->slot_count, length = 0;
    for (size_t s = 0; s < count; s++)
        length += (size_t)snprintf(list + length, LIST - length, "%s%s",
                                   s == 0          ? ""
                                   : s + 1 < count ? ", "
                                                   : " and ",
                                   tw_node_slot_name(&l->node, s));
}

static tw_status fail_parameter(const tw_parser *p, const leaf_text *l, tw_word word)
{
    char list[LIST] = "";
    if (l->node.leaf->slot_count == 0)
        return tw_parser_fail(p, word.at, "%s has no parameters", tw_node_name(&l->node));
    list_parameters(l, list);
    return tw_parser_fail(p, word.at, "%s has no parameter \"%.*s\"; it has %s", tw_node_name(&l->node),
                          (int)(word.length < 40 ? word.length : 40), word.at, list);
}

/* Find the slot that a word names, with or without log_. */
static tw_status find_slot(const tw_parser *p, const leaf_text *l, tw_word word, size_t *slot, bool *as_log)
{
    const tw_leaf *leaf = l->node.leaf;
    tw_word bare = word;
    *as_log = word.length > 4 && memcmp(word.at, "log_", 4) == 0;
    if (*as_log) bare = (tw_word){word.at + 4, word.length - 4};
    for (*slot = 0; *slot < leaf->slot_count; (*slot)++)
        if (word_is(bare, tw_node_slot_name(&l->node, *slot))) return TW_OK;
    return fail_parameter(p, l, word);
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

/* Read the next input of the leaf. */
static tw_status read_column(tw_parser *p, leaf_text *l)
{
    const char *start = p->at;
    size_t column = 0;
    if (l->node.leaf->want == TW_WANT_NOTHING)
        return tw_parser_fail(p, start, "%s takes no inputs", tw_node_name(&l->node));
    TW_TRY(tw_parser_column(p, &column));
    if (l->node.columns.count == 0) l->node.columns.first = p->column_count;
    for (size_t c = l->node.columns.first; c < p->column_count; c++)
        if (p->columns[c] == column) return tw_parser_fail(p, start, "this input is given twice");
    p->columns[p->column_count++] = column;
    l->node.columns.count++;
    return TW_OK;
}

static tw_status read_degree(tw_parser *p, leaf_text *l, const char *at)
{
    double number = 0.0;
    if (l->degree) return tw_parser_fail(p, at, "degree is given twice");
    if (!tw_parser_accept(p, '=')) return tw_parser_fail(p, p->at, "a \"=\" is missing here");
    TW_TRY(tw_parser_number(p, &number));
    if (!(number >= 1.0) || !(number <= TW_KERNEL_DEGREE) || number != (double)(unsigned)number)
        return tw_parser_fail(p, at, "degree must be a whole number from 1 to %d, not %g", TW_KERNEL_DEGREE,
                              number);
    l->node.degree = (unsigned)number;
    l->degree = true;
    return TW_OK;
}

static tw_status read_parameter(tw_parser *p, leaf_text *l, tw_word word)
{
    size_t slot = 0;
    bool as_log = false;
    TW_TRY(find_slot(p, l, word, &slot, &as_log));
    if (l->slot[slot].at)
        return tw_parser_fail(p, word.at, "%s is given twice", tw_node_slot_name(&l->node, slot));
    if (!tw_parser_accept(p, '=')) return tw_parser_fail(p, p->at, "a \"=\" is missing here");
    l->slot[slot] = (given){.at = word.at, .as_log = as_log};
    return read_numbers(p, l, &l->slot[slot]);
}

/* Does a leaf have lengths? Then they are its first slot. */
static bool has_lengths(const tw_leaf *leaf)
{
    tw_role role = leaf->slots[0].role;
    return leaf->slot_count > 0 && (role == TW_ROLE_LENGTH || role == TW_ROLE_WEIGHT);
}

/* Is this word meant as an input? Not if it names a parameter, or if "=" follows. */
static bool means_input(const leaf_text *l, tw_word word)
{
    const char *next = word.at + word.length;
    tw_word bare = word;
    if (word.length > 4 && memcmp(word.at, "log_", 4) == 0) bare = (tw_word){word.at + 4, word.length - 4};
    for (size_t s = 0; s < l->node.leaf->slot_count; s++)
        if (word_is(bare, tw_node_slot_name(&l->node, s))) return false;
    return next[strspn(next, " \t\r\n")] != '=' && l->node.leaf->want != TW_WANT_NOTHING;
}

static tw_status read_argument(tw_parser *p, leaf_text *l)
{
    tw_parser_skip(p);
    const char *start = p->at;
    if (tw_parser_at_column(p)) return read_column(p, l);
    tw_word word = tw_parser_word(p);
    if (word_is(word, "ard") && has_lengths(l->node.leaf)) {
        l->ard = true;
        return TW_OK;
    }
    size_t file = tw_parser_file_slot(l->node.leaf, word);
    if (file < TW_LEAF_FILES) return tw_parser_file(p, word, file, &l->node);
    if (word_is(word, "degree") && l->node.leaf->has_degree) return read_degree(p, l, word.at);
    if (word.length > 0 && !means_input(l, word)) return read_parameter(p, l, word);
    if (word.length == 0 && (unsigned char)*p->at < 0x80)
        return tw_parser_fail(p, p->at, "the name of a parameter is missing here");
    p->at = start;
    return read_column(p, l);
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

/* Make room for more entries. */
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

/* Check a parameter and append it to the entries. */
static tw_status append(tw_parser *p, const tw_node *node, size_t slot, const given *from, double number)
{
    const tw_parameter *pattern = &node->leaf->slots[slot].parameter;
    const char *name = tw_node_slot_name(node, slot);
    tw_entry entry = {.theta = number, .value = number, .as_log = from->as_log, .given = from->at};
    if (from->as_log)
        entry.value = tw_parameter_value(pattern, number);
    else
        entry.theta = tw_parameter_theta(pattern, number);
    if (!from->as_log && !(number > 0.0))
        return tw_parser_fail(p, from->at, "%s must be above 0, not %g", name, number);
    if (tw_kernel_check_parameter(p->ctx, node, slot, entry.theta) != TW_OK) {
        char words[200]; /* a copy, because tw_parser_fail overwrites the context's message */
        snprintf(words, sizeof words, "%s", tw_context_message(p->ctx));
        return tw_parser_fail(p, from->at, "%s", words);
    }
    p->entries[p->entry_count++] = entry;
    return TW_OK;
}

/* The number of lengths of a leaf: as many as were given, if several; one for each input, with ard; otherwise
 * one, or none for the role TW_ROLE_WEIGHT, where a single length would be redundant. */
static tw_status count_lengths(const tw_parser *p, const leaf_text *l, size_t slot, size_t *count)
{
    const given *from = &l->slot[slot];
    bool weight = l->node.leaf->slots[slot].role == TW_ROLE_WEIGHT;
    size_t width = tw_node_width(&l->node, p->inputs);
    if (weight && from->count == 1 && !l->ard)
        return tw_parser_fail(p, from->at,
                              "one ell for all inputs is redundant with sigma: remove it, or add ard");
    *count = from->count > 1 ? from->count : l->ard ? width : weight ? 0 : 1;
    if (l->ard && *count == 0)
        return tw_parser_fail(
            p, l->name.at, "the number of inputs is unknown here: give every length scale, as in ell=(1, 2)");
    if (*count <= 1 || width == 0 || *count == width) return TW_OK;
    return tw_parser_fail(p, from->at,
                          "%zu length scales were given for %zu inputs; give one, or one per input", *count,
                          width);
}

static tw_status count_slot(const tw_parser *p, const leaf_text *l, size_t slot, size_t *count)
{
    const given *from = &l->slot[slot];
    tw_role role = l->node.leaf->slots[slot].role;
    if (role == TW_ROLE_LENGTH || role == TW_ROLE_RATIO || role == TW_ROLE_WEIGHT)
        return count_lengths(p, l, slot, count);
    *count = from->count > 1 ? from->count : 1;
    if (*count == 1) return TW_OK;
    return tw_parser_fail(p, from->at, "%s must be one number, not %zu", tw_node_slot_name(&l->node, slot),
                          *count);
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
    if (count > 1 && l->node.columns.count == 0)
        p->inputs = count; /* now the number of inputs is known, also for the next leaves */
    return TW_OK;
}

/* The reason why the leaf's amplitude is fixed; NULL: it is a parameter. */
static const char *why_fixed(const tw_parser *p, const leaf_text *l)
{
    bool weighted = l->node.leaf->slots[0].role == TW_ROLE_WEIGHT && l->node.slot[0].count > 0;
    if (weighted) return "one ell for each input is redundant with sigma";
    return p->fix_next ? "in a product only the first amplitude is free, and the later terms of a bracket "
                         "are relative to its first term"
                       : NULL;
}

/* Fill all slots of the leaf. A fixed amplitude has no entry in theta. */
static tw_status fill_slots(tw_parser *p, leaf_text *l)
{
    for (size_t s = 0; s < l->node.leaf->slot_count; s++) {
        bool amplitude = l->node.leaf->slots[s].role == TW_ROLE_AMPLITUDE;
        const char *reason = amplitude ? why_fixed(p, l) : NULL;
        if (reason && l->slot[s].at)
            return tw_parser_fail(p, l->slot[s].at, "%s: remove this %s", reason,
                                  tw_node_slot_name(&l->node, s));
        if (!reason) TW_TRY(fill_slot(p, l, s));
        p->amplitudes += amplitude;
        if (amplitude) p->fix_next = false;
    }
    return TW_OK;
}

static tw_status read_leaf(tw_parser *p, leaf_text *l)
{
    TW_TRY(read_arguments(p, l));
    TW_TRY(tw_parser_check_files(p, l->name, &l->node));
    TW_TRY(fill_slots(p, l));
    return tw_parser_add(p, l->name.at, l->node);
}

tw_status tw_parser_leaf(tw_parser *p)
{
    leaf_text l = {.name = tw_parser_word(p)};
    if (l.name.length == 0) return tw_parser_fail(p, p->at, "a kernel is missing here");
    l.node = (tw_node){.kind = TW_NODE_LEAF, .degree = 1};
    l.node.leaf = tw_leaf_find(l.name.at, l.name.length, &l.node.shape);
    if (!l.node.leaf) return tw_parser_fail_name(p, l.name);
    if (l.node.leaf == &tw_leaf_given)
        return tw_parser_fail(p, l.name.at, "a given matrix cannot be part of an expression");
    if (l.node.leaf->has_degree) l.node.degree = 2;
    tw_status status = read_leaf(p, &l);
    for (size_t k = 0; status != TW_OK && k < TW_LEAF_FILES; k++) tw_attachment_release(l.node.file[k]);
    return status;
}
