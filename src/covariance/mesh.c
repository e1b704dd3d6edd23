/* mesh.c: the stochastic differential equation of leaf_spde.c by finite elements on triangles (Lindgren, Rue & Lindstroem 2011).
 *
 * In coordinates s_k / D_k^1/2 it is (1 - Laplacian)^(a/2) x = noise. With functions that are linear on each triangle, G their
 * products of gradients and M their masses, put on the diagonal (a third of the area of every triangle around a node),
 *
 *   K = M + G,   Q = c K (M^-1 K)^(a - 1)        G_ij = e_i . e_j / (4 area), e_i the edge that lies opposite to corner i
 *
 * and x of a case is the mean of its triangle's corners with barycentric weights.
 */
#include "covariance/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- triangles ---- */

static void corner_of(const tw_mesh *m, size_t t, size_t k, const double *scale, double at[2])
{
    const double *node = m->node + 2 * (size_t)m->corner[3 * t + k];
    at[0] = node[0] / scale[0];
    at[1] = node[1] / scale[1];
}

static double cross(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
}

double tw_mesh_area(const tw_mesh *m, size_t t, const double *scale)
{
    double p[3][2];
    for (size_t k = 0; k < 3; k++) corner_of(m, t, k, scale, p[k]);
    return 0.5 * cross(p[0], p[1], p[2]);
}

/* ---- K and M ---- */

typedef struct entry {
    uint32_t row, column;
    double value;
} entry;

typedef struct field {
    tw_context *ctx;
    const tw_mesh *mesh;
    entry *entries; /* 9 a triangle, then one for each place */
    size_t count;
    double *mass;   /* nodes */
    size_t *start;  /* nodes + 1: the columns of K among the entries */
    double *work;   /* nodes: a sparse vector */
    uint32_t *seen; /* nodes: its entries */
    uint32_t *mark; /* nodes: 1 + the column in which an entry was seen */
    uint32_t *row, *column;
    double *value;
} field;

static int compare(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    return p->column != q->column ? (p->column > q->column) - (p->column < q->column)
                                  : (p->row > q->row) - (p->row < q->row);
}

static void add_triangle(field *f, size_t t, const double *scale)
{
    double p[3][2], edge[3][2], area = fabs(tw_mesh_area(f->mesh, t, scale));
    const uint32_t *corner = f->mesh->corner + 3 * t;
    for (size_t k = 0; k < 3; k++) corner_of(f->mesh, t, k, scale, p[k]);
    for (size_t k = 0; k < 3; k++)
        for (size_t d = 0; d < 2; d++) edge[k][d] = p[(k + 2) % 3][d] - p[(k + 1) % 3][d];
    for (size_t i = 0; i < 3; i++) {
        f->mass[corner[i]] += area / 3.0;
        for (size_t j = 0; j < 3; j++) {
            double g = (edge[i][0] * edge[j][0] + edge[i][1] * edge[j][1]) / (4.0 * area);
            f->entries[f->count++] = (entry){corner[i], corner[j], g + (i == j ? area / 3.0 : 0.0)};
        }
    }
}

/* K by columns, each place once. */
static void assemble(field *f, const double *scale)
{
    size_t kept = 0, all;
    for (size_t t = 0; t < f->mesh->triangles; t++) add_triangle(f, t, scale);
    all = f->count;
    qsort(f->entries, all, sizeof *f->entries, compare);
    for (size_t e = 1; e < all; e++)
        if (compare(&f->entries[kept], &f->entries[e]) == 0)
            f->entries[kept].value += f->entries[e].value;
        else
            f->entries[++kept] = f->entries[e];
    f->count = kept + 1;
    for (size_t e = 0; e < f->count; e++) f->start[f->entries[e].column + 1]++;
    for (size_t j = 0; j < f->mesh->nodes; j++) f->start[j + 1] += f->start[j];
}

/* ---- columns of Q ---- */

/* to = K from, both sparse; `from` is cleared. Returns how many entries there are, whose places are in seen. */
static size_t multiply(field *f, size_t count, uint32_t stamp, const uint32_t *places, double *from,
                       double *to)
{
    size_t found = 0;
    for (size_t s = 0; s < count; s++) {
        uint32_t j = places[s];
        for (size_t e = f->start[j]; e < f->start[j + 1]; e++) {
            uint32_t i = f->entries[e].row;
            if (f->mark[i] != stamp) {
                f->mark[i] = stamp;
                f->seen[found++] = i;
            }
            to[i] += f->entries[e].value * from[j];
        }
        from[j] = 0.0;
    }
    return found;
}

/* Column j of K (M^-1 K)^(power - 1): entries from the diagonal on are counted, or stored. other: nodes zeros. */
static size_t add_column(field *f, size_t j, size_t power, double c, uint32_t *places, double *other,
                         bool store)
{
    double *from = f->work, *to = other;
    size_t count = 1, kept = 0;
    from[j] = c;
    places[0] = (uint32_t)j;
    for (size_t k = 0; k < power; k++) {
        count = multiply(f, count, (uint32_t)(power * j + k + 1), places, from, to);
        memcpy(places, f->seen, count * sizeof *places);
        for (size_t s = 0; k + 1 < power && s < count; s++) to[places[s]] /= f->mass[places[s]];
        double *swap = from;
        from = to;
        to = swap;
    }
    for (size_t s = 0; s < count; s++) {
        uint32_t i = places[s];
        if (i >= j && store) {
            f->row[f->count + kept] = i;
            f->column[f->count + kept] = (uint32_t)j;
            f->value[f->count + kept] = from[i];
        }
        kept += i >= j;
        from[i] = 0.0;
    }
    return kept;
}

static tw_status allocate_entries(field *f, size_t room)
{
    TW_TRY(tw_index_allocate(f->ctx, room, "the precision of a mesh", &f->row));
    TW_TRY(tw_index_allocate(f->ctx, room, "the precision of a mesh", &f->column));
    return tw_allocate_doubles(f->ctx, room, 1, "the precision of a mesh", &f->value);
}

static tw_status make_matrix(field *f, size_t power, double c, uint32_t *places, double *other, tw_sparse **q)
{
    size_t n = f->mesh->nodes, room = 0;
    for (size_t j = 0; j < n; j++) room += add_column(f, j, power, c, places, other, false);
    memset(f->mark, 0, n * sizeof *f->mark);
    f->count = 0;
    TW_TRY(allocate_entries(f, room));
    for (size_t j = 0; j < n; j++) f->count += add_column(f, j, power, c, places, other, true);
    return tw_sparse_new(f->ctx, n, n, true, f->count, f->row, f->column, f->value, q);
}

static tw_status allocate(field *f, uint32_t **places, double **other)
{
    static const char what[] = "a field on a mesh";
    size_t n = f->mesh->nodes;
    void *memory = NULL;
    TW_TRY(tw_allocate(f->ctx, 9 * f->mesh->triangles, sizeof *f->entries, what, &memory));
    f->entries = memory;
    TW_TRY(tw_start_allocate(f->ctx, n + 1, what, &f->start));
    TW_TRY(tw_allocate_doubles(f->ctx, n, 1, what, &f->mass));
    TW_TRY(tw_allocate_doubles(f->ctx, n, 1, what, &f->work));
    TW_TRY(tw_allocate_doubles(f->ctx, n, 1, what, other));
    TW_TRY(tw_index_allocate(f->ctx, n, what, &f->seen));
    TW_TRY(tw_index_allocate(f->ctx, n, what, &f->mark));
    return tw_index_allocate(f->ctx, n, what, places);
}

static tw_status make_precision(const tw_mesh *mesh, const double *scale, size_t power, double c,
                                tw_precision *out)
{
    field f = {.ctx = out->ctx, .mesh = mesh};
    uint32_t *places = NULL;
    double *other = NULL;
    tw_status status = allocate(&f, &places, &other);
    if (status == TW_OK) assemble(&f, scale);
    if (status == TW_OK) status = make_matrix(&f, power, c, places, other, &out->q);
    void *const arrays[] = {f.entries, f.start,  f.mass,  f.work, f.seen, f.mark,
                            f.row,     f.column, f.value, places, other};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) tw_release(out->ctx, arrays[k]);
    return status;
}

/* ---- cases ---- */

/* The weights of a triangle's corners at a place; false where it lies outside, but for rounding. */
static bool weigh(const tw_mesh *m, size_t t, const double at[2], double weight[3])
{
    static const double one[2] = {1.0, 1.0}, rounding = 1e-9;
    double p[3][2];
    for (size_t k = 0; k < 3; k++) corner_of(m, t, k, one, p[k]);
    double area = cross(p[0], p[1], p[2]), sum = 0.0;
    weight[0] = cross(at, p[1], p[2]) / area;
    weight[1] = cross(p[0], at, p[2]) / area;
    weight[2] = cross(p[0], p[1], at) / area;
    for (size_t k = 0; k < 3; k++) {
        if (!(weight[k] >= -rounding)) return false;
        weight[k] = fmax(weight[k], 0.0);
        sum += weight[k];
    }
    for (size_t k = 0; k < 3; k++) weight[k] /= sum;
    return true;
}

/* The triangle of a case: the search begins where the last one ended. */
static bool find_triangle(const tw_mesh *m, const double at[2], size_t *t, double weight[3])
{
    for (size_t step = 0; step < m->triangles; step++) {
        size_t k = (*t + step) % m->triangles;
        if (!weigh(m, k, at, weight)) continue;
        *t = k;
        return true;
    }
    return false;
}

static tw_status fill_design(const tw_mesh *m, size_t n, const double *const input[2], uint32_t *row,
                             uint32_t *column, double *value, tw_precision *out)
{
    size_t t = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        double at[2] = {input[0][i], input[1][i]}, weight[3];
        if (!find_triangle(m, at, &t, weight))
            return tw_fail(out->ctx, TW_BAD_DATA, "case %zu at (%g, %g) lies outside the mesh", i + 1, at[0],
                           at[1]);
        for (size_t k = 0; k < 3; k++) {
            if (weight[k] == 0.0) continue;
            row[count] = (uint32_t)i;
            column[count] = m->corner[3 * t + k];
            value[count++] = weight[k];
        }
    }
    return tw_sparse_new(out->ctx, n, m->nodes, false, count, row, column, value, &out->design);
}

tw_status tw_mesh_precision(const tw_mesh *mesh, const double *scale, size_t power, double c, size_t n,
                            const double *const input[2], tw_precision *out)
{
    uint32_t *row = NULL, *column = NULL;
    double *value = NULL;
    TW_TRY(make_precision(mesh, scale, power, c, out));
    tw_status status = tw_index_allocate(out->ctx, 3 * n, "the places of the cases", &row);
    if (status == TW_OK) status = tw_index_allocate(out->ctx, 3 * n, "the places of the cases", &column);
    if (status == TW_OK) status = tw_allocate_doubles(out->ctx, 3 * n, 1, "the places of the cases", &value);
    if (status == TW_OK) status = fill_design(mesh, n, input, row, column, value, out);
    tw_release(out->ctx, row);
    tw_release(out->ctx, column);
    tw_release(out->ctx, value);
    out->hidden = true;
    return status;
}
