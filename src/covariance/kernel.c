/* kernel.c: memory, parameters, names and comparison of kernels. */
#include "covariance/attachment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/readers.h"

/* ---- memory ---- */

void tw_kernel_free(tw_kernel *kernel)
{
    if (!kernel) return;
    tw_context *ctx = kernel->ctx;
    for (size_t i = 0; kernel->nodes && i < kernel->node_count; i++)
        for (size_t k = 0; k < TW_LEAF_FILES; k++) tw_attachment_release(kernel->nodes[i].file[k]);
    tw_release(ctx, kernel->nodes);
    tw_release(ctx, kernel->parameters);
    tw_release(ctx, kernel->theta);
    tw_release(ctx, kernel->value);
    tw_release(ctx, kernel->as_log);
    tw_release(ctx, kernel->given);
    tw_release(ctx, kernel->columns);
    tw_release(ctx, kernel->names);
    tw_release(ctx, kernel->matrix);
    tw_release(ctx, kernel);
}

static tw_status allocate_arrays(tw_kernel *k)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(k->ctx, k->node_count, sizeof *k->nodes, "a kernel", &memory));
    k->nodes = memory;
    TW_TRY(tw_allocate(k->ctx, k->parameter_count, sizeof *k->parameters, "a kernel", &memory));
    k->parameters = memory;
    TW_TRY(tw_allocate(k->ctx, k->parameter_count, sizeof *k->as_log, "a kernel", &memory));
    k->as_log = memory;
    TW_TRY(tw_allocate(k->ctx, k->parameter_count, sizeof *k->given, "a kernel", &memory));
    k->given = memory;
    TW_TRY(tw_allocate(k->ctx, k->column_count, sizeof *k->columns, "a kernel", &memory));
    k->columns = memory;
    TW_TRY(tw_allocate_doubles(k->ctx, k->parameter_count, 1, "a kernel's parameters", &k->theta));
    return tw_allocate_doubles(k->ctx, k->parameter_count, 1, "a kernel's parameters", &k->value);
}

tw_status tw_kernel_allocate(tw_context *ctx, size_t nodes, size_t parameters, size_t columns,
                             tw_kernel **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_kernel), "a kernel", &memory));
    tw_kernel *kernel = memory;
    *kernel =
        (tw_kernel){.ctx = ctx, .node_count = nodes, .parameter_count = parameters, .column_count = columns};
    tw_status status = allocate_arrays(kernel);
    if (status == TW_OK)
        *out = kernel;
    else
        tw_kernel_free(kernel);
    return status;
}

tw_status tw_kernel_set_names(tw_kernel *kernel, size_t count, const char *const *names)
{
    if (!names) return TW_OK;
    kernel->name_count = count;
    return tw_names_copy(kernel->ctx, count, names, &kernel->names);
}

static tw_status copy_matrix(const tw_kernel *from, tw_kernel *to)
{
    size_t n = from->matrix_size;
    if (!from->matrix) return TW_OK;
    TW_TRY(tw_allocate_doubles(to->ctx, n, n, "the kernel matrix", &to->matrix));
    memcpy(to->matrix, from->matrix, n * n * sizeof *to->matrix);
    to->matrix_size = n;
    return TW_OK;
}

tw_status tw_kernel_copy(const tw_kernel *from, tw_kernel **out)
{
    tw_kernel *to = NULL;
    size_t count = from->parameter_count;
    *out = NULL;
    TW_TRY(tw_kernel_allocate(from->ctx, from->node_count, count, from->column_count, &to));
    memcpy(to->nodes, from->nodes, from->node_count * sizeof *to->nodes);
    for (size_t i = 0; i < from->node_count; i++)
        for (size_t k = 0; k < TW_LEAF_FILES; k++) tw_attachment_hold(to->nodes[i].file[k]);
    memcpy(to->parameters, from->parameters, count * sizeof *to->parameters);
    memcpy(to->as_log, from->as_log, count * sizeof *to->as_log);
    memcpy(to->given, from->given, count * sizeof *to->given);
    memcpy(to->theta, from->theta, count * sizeof *to->theta);
    memcpy(to->value, from->value, count * sizeof *to->value);
    memcpy(to->columns, from->columns, from->column_count * sizeof *to->columns);
    tw_status status = copy_matrix(from, to);
    if (status == TW_OK) status = tw_kernel_set_names(to, from->name_count, (const char *const *)from->names);
    if (status == TW_OK)
        *out = to;
    else
        tw_kernel_free(to);
    return status;
}

tw_status tw_kernel_given(tw_context *ctx, size_t n, double *matrix, tw_kernel **out)
{
    *out = NULL;
    tw_status status = tw_covariance_check_matrix(ctx, n, matrix, n);
    if (status == TW_OK) status = tw_kernel_allocate(ctx, 1, 0, 0, out);
    if (status != TW_OK) {
        tw_covariance_free_matrix(ctx, matrix);
        return status;
    }
    (*out)->nodes[0] = (tw_node){.kind = TW_NODE_LEAF, .end = 1, .leaf = &tw_leaf_given};
    (*out)->matrix = matrix;
    (*out)->matrix_size = n;
    return TW_OK;
}

const double *tw_kernel_matrix(const tw_kernel *kernel, size_t *n)
{
    if (n) *n = kernel->matrix_size;
    return kernel->matrix;
}

/* ---- parameters ---- */

size_t tw_kernel_count(const tw_kernel *kernel)
{
    return kernel->parameter_count;
}

const tw_parameter *tw_kernel_parameter(const tw_kernel *kernel, size_t j)
{
    return &kernel->parameters[j];
}

size_t tw_kernel_find(const tw_kernel *kernel, const char *name)
{
    size_t j = 0;
    while (j < kernel->parameter_count && strcmp(kernel->parameters[j].name, name) != 0) j++;
    return j;
}

const double *tw_kernel_theta(const tw_kernel *kernel)
{
    return kernel->theta;
}

/* Lengths and standard deviations enter K squared, so their squares must be finite and positive. */
tw_status tw_kernel_check_parameter(tw_context *ctx, const tw_node *node, size_t slot, double theta)
{
    const char *name = tw_node_slot_name(node, slot);
    bool squared = strcmp(name, "variance") != 0;
    double value = exp(squared ? 2.0 * theta : theta);
    if (isfinite(value) && value > 0.0) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT, "log %s must be a number between %s, not %g", name,
                   squared ? "-300 and 300" : "-700 and 700", theta);
}

tw_status tw_kernel_set_theta(tw_kernel *kernel, const double *theta)
{
    for (size_t i = 0; i < kernel->node_count; i++)
        for (size_t s = 0; s < TW_LEAF_SLOTS; s++) {
            tw_span range = kernel->nodes[i].slot[s];
            for (size_t j = range.first; j < range.first + range.count; j++)
                TW_TRY(tw_kernel_check_parameter(kernel->ctx, &kernel->nodes[i], s, theta[j]));
        }
    for (size_t j = 0; j < kernel->parameter_count; j++) {
        if (theta[j] == kernel->theta[j]) continue; /* keep a value that was given in natural units */
        kernel->theta[j] = theta[j];
        kernel->value[j] = tw_parameter_value(&kernel->parameters[j], theta[j]);
        kernel->as_log[j] = true;
        kernel->given[j] = true;
    }
    return TW_OK;
}

bool tw_kernel_is_given(const tw_kernel *kernel, size_t j)
{
    return kernel->given[j];
}

void tw_kernel_set_given(tw_kernel *kernel, size_t j, bool given)
{
    kernel->given[j] = given;
}

static tw_status check_restored(const tw_kernel *kernel, size_t count, const double *theta)
{
    if (count != kernel->parameter_count)
        return tw_fail(kernel->ctx, TW_BAD_DATA, "the kernel has %zu parameters, but theta has %zu",
                       kernel->parameter_count, count);
    for (size_t j = 0; j < count; j++)
        if (!(fabs(theta[j] - kernel->theta[j]) <= 1e-12 * (1.0 + fabs(theta[j]))))
            return tw_fail(kernel->ctx, TW_BAD_DATA, "theta has %.17g for %s, but the expression has %.17g",
                           theta[j], kernel->parameters[j].name, kernel->theta[j]);
    return TW_OK;
}

tw_status tw_kernel_restore(tw_context *ctx, const char *expression, const tw_data *data, size_t count,
                            const double *theta, tw_kernel **out)
{
    tw_status status = tw_kernel_parse_for(ctx, expression, data, out);
    if (status != TW_OK) return status == TW_BAD_ARGUMENT ? TW_BAD_DATA : status;
    status = check_restored(*out, count, theta);
    if (status == TW_OK) status = tw_kernel_set_theta(*out, theta);
    if (status == TW_OK) return TW_OK;
    tw_kernel_free(*out);
    *out = NULL;
    return status;
}

double tw_node_theta(const tw_kernel *kernel, const tw_node *node, size_t slot, size_t k)
{
    tw_span range = node->slot[slot];
    const tw_parameter *p = &node->leaf->slots[slot].parameter;
    if (range.count == 0) return tw_parameter_theta(p, p->initial);
    return kernel->theta[range.first + (range.count == 1 ? 0 : k)];
}

double tw_node_value(const tw_kernel *kernel, const tw_node *node, size_t slot, size_t k)
{
    tw_span range = node->slot[slot];
    if (range.count == 0) return node->leaf->slots[slot].parameter.initial;
    return kernel->value[range.first + (range.count == 1 ? 0 : k)];
}

double tw_node_sigma2(const tw_kernel *kernel, const tw_node *node, size_t slot)
{
    return exp(2.0 * tw_node_theta(kernel, node, slot, 0));
}

/* ---- names ---- */

const char *tw_node_name(const tw_node *node)
{
    return node->shape ? node->shape->name : node->leaf->name;
}

const char *tw_node_slot_name(const tw_node *node, size_t slot)
{
    const char *name = node->leaf->slots[slot].parameter.name;
    return name[0] ? name : node->shape->own;
}

static size_t count_leaves(const tw_kernel *kernel)
{
    size_t count = 0;
    for (size_t i = 0; i < kernel->node_count; i++) count += kernel->nodes[i].kind == TW_NODE_LEAF;
    return count;
}

/* The prefix of a parameter's name, for its leaf: "", "se." or "se2.". */
static void print_owner(const tw_kernel *kernel, size_t node, char text[TW_PARAMETER_NAME])
{
    size_t before = 0;
    const tw_node *nodes = kernel->nodes;
    const char *name = tw_node_name(&nodes[node]);
    text[0] = '\0';
    if (count_leaves(kernel) == 1) return;
    for (size_t i = 0; i < node; i++)
        before += nodes[i].kind == TW_NODE_LEAF && strcmp(tw_node_name(&nodes[i]), name) == 0;
    if (before == 0)
        snprintf(text, TW_PARAMETER_NAME, "%.16s.", name);
    else
        snprintf(text, TW_PARAMETER_NAME, "%.16s%zu.", name, before + 1);
}

/* Name the parameters of a slot. The bounds on the parts keep the name within TW_PARAMETER_NAME. */
static void name_slot(tw_kernel *kernel, const tw_node *node, size_t slot, const char *owner)
{
    tw_span range = node->slot[slot];
    const tw_parameter *pattern = &node->leaf->slots[slot].parameter;
    const char *name = tw_node_slot_name(node, slot);
    for (size_t k = 0; k < range.count; k++) {
        tw_parameter *p = &kernel->parameters[range.first + k];
        *p = *pattern;
        if (range.count == 1)
            snprintf(p->name, sizeof p->name, "%.24s%.8s", owner, name);
        else
            snprintf(p->name, sizeof p->name, "%.24s%.8s.%zu", owner, name, (k + 1) % 1000000000);
    }
}

void tw_kernel_name_parameters(tw_kernel *kernel)
{
    char owner[TW_PARAMETER_NAME];
    for (size_t i = 0; i < kernel->node_count; i++) {
        if (kernel->nodes[i].kind != TW_NODE_LEAF) continue;
        print_owner(kernel, i, owner);
        for (size_t s = 0; s < kernel->nodes[i].leaf->slot_count; s++)
            name_slot(kernel, &kernel->nodes[i], s, owner);
    }
}

/* ---- comparison ---- */

static bool same_node(const tw_node *a, const tw_node *b)
{
    bool same = a->kind == b->kind && a->end == b->end && a->number == b->number && a->leaf == b->leaf &&
                a->shape == b->shape && a->columns.count == b->columns.count && a->degree == b->degree;
    for (size_t s = 0; s < TW_LEAF_SLOTS; s++) same = same && a->slot[s].count == b->slot[s].count;
    for (size_t k = 0; k < TW_LEAF_FILES; k++) same = same && tw_attachment_same(a->file[k], b->file[k]);
    return same;
}

bool tw_kernel_same(const tw_kernel *a, const tw_kernel *b)
{
    if (a->node_count != b->node_count || a->parameter_count != b->parameter_count) return false;
    for (size_t i = 0; i < a->node_count; i++)
        if (!same_node(&a->nodes[i], &b->nodes[i])) return false;
    for (size_t j = 0; j < a->parameter_count; j++)
        if (a->theta[j] != b->theta[j]) return false;
    if (a->column_count != b->column_count || a->matrix_size != b->matrix_size) return false;
    for (size_t c = 0; c < a->column_count; c++)
        if (a->columns[c] != b->columns[c]) return false;
    for (size_t i = 0; i < a->matrix_size * a->matrix_size; i++)
        if (a->matrix[i] != b->matrix[i]) return false;
    return true;
}
