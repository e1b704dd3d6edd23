/* parse.c: parses an expression into a kernel, by recursive descent:
 *
 *   sum     = product { "+" product }
 *   product = factor { "*" factor }
 *   factor  = number | "(" sum ")" | leaf         (leaves are in parse_leaf.c)
 *
 * Nodes are stored in the order of kernel.h: when a second term follows, the node of the sum is inserted
 * before the first. The depth of the recursion is that of the brackets, which is limited.
 */
#include <math.h>
#include <string.h>

#include "covariance/attachment.h"
#include "covariance/parser.h"
#include "data/number.h"

/* ---- characters ---- */

void tw_parser_skip(tw_parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

bool tw_parser_accept(tw_parser *p, char c)
{
    tw_parser_skip(p);
    if (*p->at != c) return false;
    p->at++;
    tw_parser_skip(p);
    return true;
}

tw_word tw_parser_word(tw_parser *p)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    tw_word word = {p->at, 0};
    if (*p->at < '0' || *p->at > '9') word.length = strspn(p->at, letters);
    p->at += word.length;
    return word;
}

tw_status tw_parser_number(tw_parser *p, double *value)
{
    const char *end = tw_number_parse(p->at, value);
    if (!end) return tw_parser_fail(p, p->at, "a number is missing here");
    if (!isfinite(*value)) return tw_parser_fail(p, p->at, "this number is too large");
    p->at = end;
    return TW_OK;
}

/* ---- nodes ---- */

tw_status tw_parser_add(tw_parser *p, const char *at, tw_node node)
{
    if (p->node_count == TW_KERNEL_NODES)
        return tw_parser_fail(p, at, "an expression can have at most %d parts", TW_KERNEL_NODES);
    node.end = p->node_count + 1;
    p->nodes[p->node_count++] = node;
    return TW_OK;
}

/* Insert a sum or product before the nodes from `first` on, which become its first part. */
static tw_status put_above(tw_parser *p, tw_node_kind kind, size_t first)
{
    size_t moved = p->node_count - first;
    TW_TRY(tw_parser_add(p, p->at, (tw_node){.kind = kind}));
    memmove(p->nodes + first + 1, p->nodes + first, moved * sizeof *p->nodes);
    for (size_t i = first + 1; i < p->node_count; i++) p->nodes[i].end++;
    p->nodes[first] = (tw_node){.kind = kind};
    return TW_OK;
}

/* ---- the grammar ---- */

static tw_status parse_sum(tw_parser *p);

static tw_status parse_bracket(tw_parser *p, const char *opened)
{
    if (p->depth == TW_KERNEL_DEPTH)
        return tw_parser_fail(p, opened, "brackets are nested more than %d deep", TW_KERNEL_DEPTH);
    p->depth++;
    TW_TRY(parse_sum(p));
    p->depth--;
    if (!tw_parser_accept(p, ')')) return tw_parser_fail(p, p->at, "a \")\" is missing here");
    return TW_OK;
}

static tw_status parse_factor(tw_parser *p)
{
    double number = 0.0;
    tw_parser_skip(p);
    const char *start = p->at;
    if (tw_parser_accept(p, '(')) return parse_bracket(p, start);
    if (!tw_number_parse(start, &number)) return tw_parser_leaf(p);
    TW_TRY(tw_parser_number(p, &number));
    if (!(number > 0.0)) return tw_parser_fail(p, start, "a number in a kernel must be above 0");
    return tw_parser_add(p, start, (tw_node){.kind = TW_NODE_NUMBER, .number = number});
}

/* In a product only the first amplitude is a parameter: after a factor with an amplitude, the first amplitude
 * of each later factor is fixed. */
static tw_status parse_product(tw_parser *p)
{
    size_t first = p->node_count, before = p->amplitudes;
    TW_TRY(parse_factor(p));
    for (bool several = false; tw_parser_accept(p, '*'); several = true) {
        bool taken = p->amplitudes > before;
        if (!several) TW_TRY(put_above(p, TW_NODE_PRODUCT, first));
        if (taken) p->fix_next = true;
        TW_TRY(parse_factor(p));
        if (taken) p->fix_next = false;
        p->nodes[first].end = p->node_count;
    }
    return TW_OK;
}

static tw_status parse_sum(tw_parser *p)
{
    size_t first = p->node_count;
    TW_TRY(parse_product(p));
    for (bool several = false; tw_parser_accept(p, '+'); several = true) {
        if (!several) TW_TRY(put_above(p, TW_NODE_SUM, first));
        TW_TRY(parse_product(p));
        p->nodes[first].end = p->node_count;
    }
    return TW_OK;
}

static tw_status parse_all(tw_parser *p)
{
    TW_TRY(parse_sum(p));
    tw_parser_skip(p);
    if (!*p->at) return TW_OK;
    return tw_parser_fail(
        p, p->at, *p->at == ')' ? "this \")\" has no matching \"(\"" : "a \"+\" or \"*\" is missing here");
}

/* ---- the kernel ---- */

/* Make the kernel from the parsed nodes. */
static tw_status build(const tw_parser *p, tw_kernel **out)
{
    TW_TRY(tw_kernel_allocate(p->ctx, p->node_count, p->entry_count, p->column_count, out));
    memcpy((*out)->nodes, p->nodes, p->node_count * sizeof *p->nodes);
    for (size_t i = 0; i < p->node_count; i++)
        for (size_t k = 0; k < TW_LEAF_FILES; k++) tw_attachment_hold(p->nodes[i].file[k]);
    for (size_t j = 0; j < p->entry_count; j++) {
        (*out)->theta[j] = p->entries[j].theta;
        (*out)->value[j] = p->entries[j].value;
        (*out)->as_log[j] = p->entries[j].as_log;
        (*out)->given[j] = p->entries[j].given;
    }
    memcpy((*out)->columns, p->columns, p->column_count * sizeof *p->columns);
    tw_kernel_name_parameters(*out);
    tw_status status = tw_kernel_set_names(*out, p->inputs, p->names);
    if (status == TW_OK) return TW_OK;
    tw_kernel_free(*out);
    *out = NULL;
    return status;
}

static tw_status parse_with(tw_parser *p, tw_kernel **out)
{
    tw_number_locale locale;
    void *memory = NULL;
    size_t most = strlen(p->text) / 2 + 1;
    TW_TRY(tw_allocate_doubles(p->ctx, most, 1, "numbers of an expression", &p->numbers));
    TW_TRY(tw_allocate(p->ctx, most, sizeof(size_t), "columns of an expression", &memory));
    p->columns = memory;
    TW_TRY(tw_number_locale_begin(p->ctx, &locale));
    tw_status status = parse_all(p);
    tw_number_locale_end(&locale);
    return status == TW_OK ? build(p, out) : status;
}

static tw_status parse(tw_context *ctx, const char *expression, size_t inputs, const char *const *names,
                       tw_kernel **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_parser), "a parser", &memory));
    tw_parser *p = memory;
    p->ctx = ctx;
    p->text = p->at = expression;
    p->inputs = inputs;
    p->names = names;
    tw_status status = parse_with(p, out);
    for (size_t i = 0; i < p->node_count; i++)
        for (size_t k = 0; k < TW_LEAF_FILES; k++) tw_attachment_release(p->nodes[i].file[k]);
    tw_release(ctx, p->numbers);
    tw_release(ctx, p->columns);
    tw_release(ctx, p->entries);
    tw_release(ctx, p);
    return status;
}

tw_status tw_kernel_parse(tw_context *ctx, const char *expression, size_t inputs, tw_kernel **out)
{
    return parse(ctx, expression, inputs, NULL, out);
}

tw_status tw_kernel_parse_for(tw_context *ctx, const char *expression, const tw_data *data, tw_kernel **out)
{
    return parse(ctx, expression, data->d, (const char *const *)data->names, out);
}
