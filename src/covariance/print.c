/* print.c: prints a kernel as an expression, with numbers that read back exactly, or in words. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/attachment.h"
#include "covariance/parser.h"
#include "data/number.h"
#include "data/text.h"

/* A text buffer. Text that does not fit is only counted. */
typedef struct text {
    char *to;
    size_t bytes, length;
    bool given_only; /* leave out parameters that were not given */
    bool by_name;    /* name the inputs of a leaf on all inputs that has one parameter per input */
} text;

static void add(text *t, const char *format, ...) TW_PRINTF(2, 3);

static void add(text *t, const char *format, ...)
{
    va_list arguments;
    size_t room = t->length < t->bytes ? t->bytes - t->length : 0;
    va_start(arguments, format);
    int more = vsnprintf(room ? t->to + t->length : NULL, room, format, arguments);
    va_end(arguments);
    t->length += more > 0 ? (size_t)more : 0;
}

/* Add a number with the fewest digits, from 15 to 17, that read back exactly. */
static void add_number(text *t, double number)
{
    char shortest[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(shortest, sizeof shortest, "%.*g", digits, number);
        if (strtod(shortest, NULL) == number) break;
    }
    add(t, "%s", shortest);
}

/* Add ell=2, log_ell=0.7 or ell=(1, 2): in natural units if all values were given in natural units. */
static void add_slot(text *t, const tw_kernel *kernel, const tw_node *node, size_t slot)
{
    tw_span range = node->slot[slot];
    bool as_log = false;
    for (size_t j = range.first; j < range.first + range.count; j++) as_log = as_log || kernel->as_log[j];
    add(t, "%s%s=%s", as_log ? "log_" : "", tw_node_slot_name(node, slot), range.count > 1 ? "(" : "");
    for (size_t j = range.first; j < range.first + range.count; j++) {
        if (j > range.first) add(t, ", ");
        add_number(t, as_log ? kernel->theta[j] : kernel->value[j]);
    }
    if (range.count > 1) add(t, ")");
}

static bool is_given(const tw_kernel *kernel, tw_span range)
{
    for (size_t j = range.first; j < range.first + range.count; j++)
        if (kernel->given[j]) return true;
    return false;
}

/* Can the input be named in an expression: is its name printable and unique? */
static bool has_usable_name(const tw_kernel *kernel, size_t column)
{
    const char *name = kernel->names ? kernel->names[column] : "";
    if (!tw_text_is_utf8(name, name + strlen(name))) return false;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '"') return false;
    for (size_t k = 0; kernel->names && k < kernel->name_count; k++)
        if (k != column && strcmp(kernel->names[k], name) == 0) return false;
    return *name;
}

/* Add an input: age, "blood pressure" or 3. */
static void add_column(text *t, const tw_kernel *kernel, size_t column)
{
    if (!has_usable_name(kernel, column))
        add(t, "%zu", column + 1);
    else if (tw_is_bare_column(kernel->names[column]))
        add(t, "%s", kernel->names[column]);
    else
        add(t, "\"%s\"", kernel->names[column]);
}

/* A single weight exists only if "ard" requested it (parse_leaf.c). */
static bool needs_ard(const tw_node *node, size_t slot)
{
    return node->leaf->slots[slot].role == TW_ROLE_WEIGHT && node->slot[slot].count == 1;
}

/* The number of inputs to name: 0 for a leaf on all inputs, unless by_name asks for them and it has one
 * parameter per input. */
static size_t named_inputs(const text *t, const tw_kernel *kernel, const tw_node *node)
{
    size_t count = 0;
    if (node->columns.count || !t->by_name) return node->columns.count;
    for (size_t s = 0; s < node->leaf->slot_count; s++)
        if (node->slot[s].count > count) count = node->slot[s].count;
    if (count < 2 || count != kernel->name_count) return 0;
    for (size_t c = 0; c < count; c++)
        if (!has_usable_name(kernel, c)) return 0;
    return count;
}

/* Add a leaf. A slot with several values that were not given is printed as "ard". */
static void add_leaf(text *t, const tw_kernel *kernel, const tw_node *node)
{
    bool any = false;
    size_t inputs = named_inputs(t, kernel, node);
    add(t, "%s", tw_node_name(node));
    for (size_t c = 0; c < inputs; c++, any = true) {
        add(t, any ? ", " : "(");
        add_column(t, kernel, tw_node_column(kernel, node, c));
    }
    for (size_t k = 0; k < TW_LEAF_FILES; k++) {
        if (!node->file[k]) continue;
        add(t, "%s%s=\"%s\"", any ? ", " : "(", node->leaf->file[k].name, node->file[k]->path);
        any = true;
    }
    if (node->leaf->has_degree) {
        add(t, "%sdegree=%u", any ? ", " : "(", node->degree);
        any = true;
    }
    for (size_t s = 0; s < node->leaf->slot_count; s++) {
        bool named = !t->given_only || is_given(kernel, node->slot[s]);
        bool ard = needs_ard(node, s) || (node->slot[s].count > 1 && !named);
        if (node->slot[s].count == 0 || !(named || ard)) continue;
        add(t, any ? ", " : "(");
        if (ard) add(t, named ? "ard, " : "ard");
        if (named) add_slot(t, kernel, node, s);
        any = true;
    }
    if (any) add(t, ")");
}

/* Add a node. A sum or product within another one is put in brackets (a product in a sum is not), so that
 * parsing gives the same tree. */
static void add_node(text *t, const tw_kernel *kernel, size_t i, bool outermost)
{
    const tw_node *nodes = kernel->nodes;
    const char *operator= nodes[i].kind == TW_NODE_SUM ? " + " : " * ";
    if (nodes[i].kind == TW_NODE_NUMBER) add_number(t, nodes[i].number);
    if (nodes[i].kind == TW_NODE_LEAF) add_leaf(t, kernel, &nodes[i]);
    if (nodes[i].kind == TW_NODE_NUMBER || nodes[i].kind == TW_NODE_LEAF) return;
    if (!outermost) add(t, "(");
    for (size_t c = i + 1; c < nodes[i].end; c = nodes[c].end) {
        if (c > i + 1) add(t, "%s", operator);
        add_node(t, kernel, c, nodes[i].kind == TW_NODE_SUM && nodes[c].kind == TW_NODE_PRODUCT);
    }
    if (!outermost) add(t, ")");
}

/* Add the parameters of a kernel of tw_kernel_simple, at most `most` length scales. */
static void add_words(text *t, const tw_kernel *kernel, size_t most)
{
    const tw_node *first = &kernel->nodes[kernel->nodes[0].kind == TW_NODE_SUM];
    tw_span ell = first->slot[0];
    for (size_t k = 0; k < ell.count && k < most; k++)
        add(t, "%s%g", k ? ", " : "log ell = ", kernel->theta[ell.first + k]);
    if (ell.count > most) add(t, ", ...");
    add(t, "; log sigma = %g", kernel->theta[first->slot[1].first]);
    if (first->leaf->slot_count > 2)
        add(t, "; log %s = %g", first->shape->own, kernel->theta[first->slot[2].first]);
    for (const tw_node *leaf = first + 1; leaf < kernel->nodes + kernel->node_count; leaf++)
        add(t, "; %s %g", tw_node_name(leaf), kernel->value[leaf->slot[0].first]);
}

/* Print in two passes: the first counts, the second writes. most = 0: the expression; otherwise words. */
static tw_status print(const tw_kernel *kernel, size_t most, text how, char **out)
{
    void *memory = NULL;
    size_t bytes = 0;
    *out = NULL;
    for (int pass = 0; pass < 2; pass++) {
        text t = how;
        t.to = memory;
        t.bytes = bytes;
        if (most > 0)
            add_words(&t, kernel, most);
        else
            add_node(&t, kernel, 0, true);
        if (pass > 0) break;
        bytes = t.length + 1;
        TW_TRY(tw_allocate(kernel->ctx, bytes, 1, "the words of a kernel", &memory));
    }
    *out = memory;
    return TW_OK;
}

static tw_status print_expression(const tw_kernel *kernel, text how, char **out)
{
    tw_number_locale locale;
    *out = NULL;
    TW_TRY(tw_number_locale_begin(kernel->ctx, &locale));
    tw_status status = print(kernel, 0, how, out);
    tw_number_locale_end(&locale);
    return status;
}

tw_status tw_kernel_print(const tw_kernel *kernel, char **out)
{
    return print_expression(kernel, (text){.given_only = false}, out);
}

tw_status tw_kernel_print_given(const tw_kernel *kernel, char **out)
{
    return print_expression(kernel, (text){.given_only = true}, out);
}

tw_status tw_kernel_print_by_name(const tw_kernel *kernel, char **out)
{
    return print_expression(kernel, (text){.given_only = true, .by_name = true}, out);
}

tw_status tw_kernel_describe(const tw_kernel *kernel, size_t most, char **out)
{
    return tw_kernel_shape(kernel) ? print(kernel, most ? most : 1, (text){.given_only = false}, out)
                                   : tw_kernel_print(kernel, out);
}
