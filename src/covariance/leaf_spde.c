/* leaf_spde.c: Matern fields on a lattice, by their stochastic partial differential equation (Lindgren, Rue &
 * Lindstroem 2011):
 *
 *   (1 - D_1 d2/ds_1^2 - D_2 d2/ds_2^2)^(a/2) x = white noise,   D_k = ell_k^2 / (2 nu),   nu = a - 1
 *
 *   spde    nu = 1, a = 2     Q = c K^2,   c = h_1 h_2 / (4 pi sigma^2 (D_1 D_2)^1/2)
 *   spde2   nu = 2, a = 3     Q = c K^3,   c = h_1 h_2 / (8 pi sigma^2 (D_1 D_2)^1/2)
 *
 * with K = I + D_1/h_1^2 L_1 + D_2/h_2^2 L_2, where L_k is the graph Laplacian of neighbours along input k
 * and h_k the spacing. The lattice has only the cells of the cases, so its edge (of any form) is a boundary
 * without flux, near which variances are larger; inside they are sigma^2 if ell is a few spacings long. With
 * a mesh from a file the same equation is solved on its triangles (mesh.c).
 *
 * With respect to log ell_k, dQ = -Q + c sum_(j < a) K^j K_k K^(a - 1 - j), K_k = 2 D_k/h_k^2 L_k. A new case
 * is a bilinear interpolation of the cells around it, or of those that exist; it must lie in a cell that
 * exists.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/attachment.h"
#include "covariance/full.h"
#include "covariance/precision.h"

enum { ELL = 0, SIGMA = 1, MESH = 0, MOST_ENTRIES = 25 }; /* MOST_ENTRIES: in a column of K^3 */
static const double pi = 3.14159265358979323846264338327950288;

/* A cell: its row and column of the lattice, and its case. */
typedef struct cell {
    int64_t a, b;
    uint32_t site;
} cell;

typedef struct lattice {
    const tw_kernel *kernel;
    size_t n;
    const double *input[2];
    double low[2], spacing[2];
    cell *cells;         /* n, sorted */
    uint32_t *neighbour; /* 4 n: two along the first input, then two along the second; or NO_CELL */
    double *work;        /* n: for sorting, and for a sparse vector */
} lattice;

#define NO_CELL UINT32_MAX

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_cells(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* The spacing of input k is the smallest difference of its values, except differences by rounding. */
static tw_status find_spacing(lattice *l, size_t k)
{
    double *v = l->work, least = INFINITY;
    memcpy(v, l->input[k], l->n * sizeof *v);
    qsort(v, l->n, sizeof *v, compare_numbers);
    double range = v[l->n - 1] - v[0];
    for (size_t i = 1; i < l->n; i++)
        if (v[i] - v[i - 1] > 1e-9 * range) least = fmin(least, v[i] - v[i - 1]);
    l->low[k] = v[0];
    l->spacing[k] = least;
    if (isfinite(least)) return TW_OK;
    return tw_fail(l->kernel->ctx, TW_BAD_DATA, "all cases have the same value of input %zu of the lattice",
                   k + 1);
}

/* The row (k = 0) or column (k = 1) of the lattice that case i is in. */
static tw_status find_place(const lattice *l, size_t k, size_t i, int64_t *place)
{
    double steps = (l->input[k][i] - l->low[k]) / l->spacing[k], whole = nearbyint(steps);
    *place = (int64_t)whole;
    if (fabs(steps - whole) <= 1e-3 && whole < 1e9) return TW_OK;
    return tw_fail(l->kernel->ctx, TW_BAD_DATA,
                   "case %zu is not on a lattice: its input %zu is %g spacings of %g away from the first",
                   i + 1, k + 1, steps, l->spacing[k]);
}

static tw_status find_cells(lattice *l)
{
    for (size_t i = 0; i < l->n; i++) {
        l->cells[i].site = (uint32_t)i;
        TW_TRY(find_place(l, 0, i, &l->cells[i].a));
        TW_TRY(find_place(l, 1, i, &l->cells[i].b));
    }
    qsort(l->cells, l->n, sizeof *l->cells, compare_cells);
    for (size_t i = 1; i < l->n; i++)
        if (compare_cells(&l->cells[i - 1], &l->cells[i]) == 0)
            return tw_fail(l->kernel->ctx, TW_BAD_DATA,
                           "cases %u and %u are in the same cell of the lattice: it holds one",
                           l->cells[i - 1].site + 1, l->cells[i].site + 1);
    return TW_OK;
}

static uint32_t cell_at(const lattice *l, int64_t a, int64_t b)
{
    cell wanted = {a, b, 0};
    const cell *found = bsearch(&wanted, l->cells, l->n, sizeof *l->cells, compare_cells);
    return found ? found->site : NO_CELL;
}

static void find_neighbours(lattice *l)
{
    for (size_t i = 0; i < l->n; i++) {
        const cell *c = &l->cells[i];
        uint32_t *to = l->neighbour + 4 * (size_t)c->site;
        to[0] = cell_at(l, c->a - 1, c->b);
        to[1] = cell_at(l, c->a + 1, c->b);
        to[2] = cell_at(l, c->a, c->b - 1);
        to[3] = cell_at(l, c->a, c->b + 1);
    }
}

/* A sparse vector with at most MOST_ENTRIES entries. */
typedef struct support {
    size_t count;
    uint32_t site[MOST_ENTRIES];
    double value[MOST_ENTRIES];
} support;

/* An operator on the lattice: one I + weight_1 L_1 + weight_2 L_2. */
typedef struct operation {
    double one, weight[2];
} operation;

/* v = K v for the operator k_of. l->work is zero before and afterwards. */
static void multiply(const lattice *l, const operation *k_of, support *v)
{
    support from = *v;
    v->count = 0;
    for (size_t e = 0; e < from.count; e++) {
        double own = k_of->one * from.value[e];
        for (size_t k = 0; k < 5; k++) { /* the four neighbours, then the cell itself */
            uint32_t to = k < 4 ? l->neighbour[4 * (size_t)from.site[e] + k] : from.site[e];
            if (to == NO_CELL) continue;
            double flow = k < 4 ? k_of->weight[k / 2] * from.value[e] : 0.0;
            own += flow;
            size_t at = 0;
            while (at < v->count && v->site[at] != to) at++;
            if (at == v->count) v->site[v->count++] = to;
            l->work[to] += k < 4 ? -flow : own;
        }
    }
    for (size_t e = 0; e < v->count; e++) {
        v->value[e] = l->work[v->site[e]];
        l->work[v->site[e]] = 0.0;
    }
}

/* Q = scale K^power. Its derivative with respect to `count` lengths together is
 * -count Q + scale sum_j K^j slope K^(power - 1 - j). */
typedef struct field {
    size_t power, count; /* count 0: Q itself */
    double scale;
    operation k, slope;
} field;

/* Column j: v = Q e_j, or dQ e_j.
 * All terms of dQ visit the cells in the same order, so they have the same support. */
static void fill_column(const lattice *l, const field *f, size_t j, support *v)
{
    *v = (support){1, {(uint32_t)j}, {f->scale}};
    for (size_t k = 0; k < f->power; k++) multiply(l, &f->k, v);
    for (size_t e = 0; f->count > 0 && e < v->count; e++) v->value[e] *= -(double)f->count;
    for (size_t at = 0; f->count > 0 && at < f->power; at++) {
        support term = {1, {(uint32_t)j}, {f->scale}};
        for (size_t k = 0; k < f->power; k++) multiply(l, k == at ? &f->slope : &f->k, &term);
        for (size_t e = 0; e < v->count; e++) v->value[e] += term.value[e];
    }
}

static tw_status fill_matrix(const lattice *l, const field *f, tw_sparse **q)
{
    tw_entries entries;
    support v;
    tw_status status = tw_entries_new(l->kernel->ctx, l->n * (MOST_ENTRIES + 1) / 2, &entries);
    memset(l->work, 0, l->n * sizeof *l->work);
    for (size_t j = 0; status == TW_OK && j < l->n; j++) {
        fill_column(l, f, j, &v);
        for (size_t e = 0; e < v.count; e++)
            if (v.site[e] >= j) tw_entries_add(&entries, v.site[e], j, v.value[e]);
    }
    return tw_entries_finish(&entries, status, l->n, l->n, true, q);
}

/* log |Q| = n log c + a log |K|: K has the a-th root of the condition of Q, which is that of ell^(2 a). */
static tw_status factor_operator(const lattice *l, const field *f, tw_precision *out)
{
    const field once = {.power = 1, .scale = 1.0, .k = f->k};
    tw_sparse *k = NULL;
    double log_det = 0.0;
    tw_status status = fill_matrix(l, &once, &k);
    if (status == TW_OK) status = tw_selected_inverse(k, NULL, &log_det);
    tw_sparse_free(k);
    out->has_log_det = status == TW_OK;
    out->log_det = (double)l->n * log(f->scale) + (double)f->power * log_det;
    return status;
}

/* Does the requested slope change length k? A single length scale changes both. */
static bool changes_length(const tw_precision *out, const tw_node *node, size_t k)
{
    size_t which;
    return tw_precision_asks(out, node, ELL, &which) && (node->slot[ELL].count == 1 || which == k);
}

static tw_status make_matrix(lattice *l, const tw_node *node, tw_precision *out)
{
    double nu = (double)node->leaf->power - 1.0, area = 1.0, root_diffusion = 1.0;
    field f = {.power = node->leaf->power, .k = {.one = 1.0}};
    for (size_t k = 0; k < 2; k++) {
        double ell = tw_node_value(l->kernel, node, ELL, k), diffusion = ell * ell / (2.0 * nu);
        f.k.weight[k] = diffusion / (l->spacing[k] * l->spacing[k]);
        area *= l->spacing[k];
        root_diffusion *= sqrt(diffusion);
        if (!changes_length(out, node, k)) continue;
        f.count++;
        f.slope.weight[k] = 2.0 * f.k.weight[k];
    }
    f.scale = area / (4.0 * nu * pi * tw_node_sigma2(l->kernel, node, SIGMA) * root_diffusion);
    TW_TRY(fill_matrix(l, &f, &out->q));
    return out->wants_log_det ? factor_operator(l, &f, out) : TW_OK;
}

/* ---- new cases ---- */

/* Row i of C*: bilinear weights of the cells around a place, normalised over those that exist. Returns false
 * if the nearest cell does not exist. */
static bool add_new(const lattice *l, const double place[2], size_t i, tw_entries *design)
{
    static const double rounding = 1e-9;
    double low[2], part[2], sum = 0.0;
    uint32_t corner[4];
    double weight[4];
    bool inside = false;
    for (size_t k = 0; k < 2; k++) {
        double steps = (place[k] - l->low[k]) / l->spacing[k];
        if (!(fabs(steps) < 1e9)) return false;
        low[k] = floor(steps);
        part[k] = steps - low[k];
    }
    for (size_t c = 0; c < 4; c++) {
        bool a = c & 1, b = c & 2;
        corner[c] = cell_at(l, (int64_t)low[0] + a, (int64_t)low[1] + b);
        weight[c] = (a ? part[0] : 1.0 - part[0]) * (b ? part[1] : 1.0 - part[1]);
        if (corner[c] == NO_CELL || weight[c] < rounding) weight[c] = 0.0;
        sum += weight[c];
        inside = inside || (weight[c] > 0.0 && (part[0] >= 0.5) == a && (part[1] >= 0.5) == b);
    }
    for (size_t c = 0; inside && c < 4; c++)
        if (weight[c] > 0.0) tw_entries_add(design, i, corner[c], weight[c] / sum);
    return inside;
}

static tw_status make_new(const lattice *l, const tw_node *node, tw_precision *out)
{
    tw_entries design;
    const double *input[2];
    for (size_t k = 0; k < 2; k++) input[k] = out->at->x + tw_node_column(l->kernel, node, k) * out->at->ld;
    tw_status status = tw_precision_begin_new(out, 4, &design);
    for (size_t i = 0; status == TW_OK && i < out->at->count; i++) {
        const double place[2] = {input[0][i], input[1][i]};
        if (!add_new(l, place, i, &design))
            status = tw_fail(out->ctx, TW_BAD_DATA,
                             "new case %zu at (%g, %g) is outside the lattice, which has only the cells of "
                             "the cases: %s cannot predict there",
                             i + 1, place[0], place[1], tw_node_name(node));
    }
    return tw_entries_finish(&design, status, out->at->count, l->n, false, &out->at_design);
}

static tw_status prepare(lattice *l)
{
    void *cells = NULL;
    TW_TRY(tw_allocate(l->kernel->ctx, l->n, sizeof *l->cells, "a lattice", &cells));
    l->cells = cells;
    TW_TRY(tw_index_allocate(l->kernel->ctx, 4 * l->n, "a lattice", &l->neighbour));
    TW_TRY(tw_allocate_doubles(l->kernel->ctx, l->n, 1, "a lattice", &l->work));
    TW_TRY(find_spacing(l, 0));
    TW_TRY(find_spacing(l, 1));
    TW_TRY(find_cells(l));
    find_neighbours(l);
    return TW_OK;
}

/* The precision on a mesh from a file, in coordinates divided by D_k^1/2. */
static tw_status mesh_precision(const lattice *l, const tw_node *node, tw_precision *out)
{
    double nu = (double)node->leaf->power - 1.0;
    tw_mesh_field f = {.power = node->leaf->power,
                       .c = 1.0 / (4.0 * nu * pi * tw_node_sigma2(l->kernel, node, SIGMA))};
    for (size_t k = 0; k < 2; k++) {
        f.scale[k] = tw_node_value(l->kernel, node, ELL, k) / sqrt(2.0 * nu);
        f.slope[k] = changes_length(out, node, k);
    }
    const tw_mesh *mesh = &node->file[MESH]->mesh;
    TW_TRY(tw_mesh_precision(mesh, &f, out));
    TW_TRY(tw_mesh_design(mesh, l->n, l->input, out, &out->design));
    if (!out->at) return TW_OK;
    const double *at[2];
    for (size_t k = 0; k < 2; k++) at[k] = out->at->x + tw_node_column(l->kernel, node, k) * out->at->ld;
    TW_TRY(tw_allocate_doubles(out->ctx, out->at->count, 1, "the variances of new cases", &out->at_variance));
    return tw_mesh_design(mesh, out->at->count, at, out, &out->at_design);
}

static tw_status read_mesh(tw_context *ctx, const char *path, tw_attachment *to)
{
    return tw_mesh_read(ctx, path, &to->mesh);
}

static tw_status precision(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d, const double *x,
                           size_t ldx, tw_precision *out)
{
    lattice l = {.kernel = kernel, .n = n};
    if (tw_node_width(node, d) != 2)
        return tw_fail(kernel->ctx, TW_BAD_ARGUMENT, "%s needs two inputs, not %zu: name them",
                       tw_node_name(node), tw_node_width(node, d));
    for (size_t k = 0; k < 2; k++) l.input[k] = x + tw_node_column(kernel, node, k) * ldx;
    if (node->file[MESH]) return mesh_precision(&l, node, out);
    tw_status status = prepare(&l);
    if (status == TW_OK) status = make_matrix(&l, node, out);
    if (status == TW_OK && out->at) status = make_new(&l, node, out);
    tw_release(kernel->ctx, l.cells);
    tw_release(kernel->ctx, l.neighbour);
    tw_release(kernel->ctx, l.work);
    return status;
}

#define SLOTS                                                                                      \
    {                                                                                              \
        {{.name = "ell", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_LENGTH},          \
            {{.name = "sigma", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE}, \
    }

const tw_leaf tw_leaf_spde = {.name = "spde",
                              .slot_count = 2,
                              .slots = SLOTS,
                              .precision = precision,
                              TW_FULL_LEAF,
                              .file = {{"mesh", false, read_mesh}},
                              .power = 2,
                              .want = TW_WANT_FEATURES,
                              .features = 1};
const tw_leaf tw_leaf_spde2 = {.name = "spde2",
                               .slot_count = 2,
                               .slots = SLOTS,
                               .precision = precision,
                               TW_FULL_LEAF,
                               .file = {{"mesh", false, read_mesh}},
                               .power = 3,
                               .want = TW_WANT_FEATURES,
                               .features = 1};
