/* mesh.c: the equation of leaf_spde.c by finite elements on triangles (Lindgren, Rue & Lindstroem 2011).
 *
 * In coordinates divided by s_k = D_k^1/2 it is (1 - Laplacian)^(a/2) x = white noise. Take basis functions
 * that are linear on each triangle. Let G be their stiffness matrix and M their mass matrix, lumped on the
 * diagonal (a third of the area of every triangle around a node). Then
 *
 *   K = M + G,   Q = c K (M^-1 K)^(a - 1),
 *   G_ij = e_i . e_j / (4 area),  e_i the edge opposite to corner i,
 *
 * and x of a case is the barycentric interpolation of its triangle's corners. The scales enter as
 *
 *   M = M_1/(s_1 s_2),   G = (s_2/s_1) G_1 + (s_1/s_2) G_2,
 *
 * where G_k has the k-th components of the edges, so that
 *
 *   dQ/dlog s_k = (a - 1) Q + c sum_j K M^-1 ... K_k ... M^-1 K,
 *   K_k = -M -+ ((s_2/s_1) G_1 - (s_1/s_2) G_2)
 *
 * with K_k in place of the j-th K; the sign is - for k = 1 and + for k = 2.
 */
#include "covariance/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- triangles ---- */

/* The coordinates of corner k of triangle t, divided by scale. */
static void corner_of(const tw_mesh *m, size_t t, size_t k, const double *scale, double at[2])
{
    const double *node = m->node + 2 * (size_t)m->corner[3 * t + k];
    at[0] = node[0] / scale[0];
    at[1] = node[1] / scale[1];
}

/* (b - a) x (c - a): twice the signed area of the triangle a, b, c. */
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
    double value, slope; /* of K, and of the sum of the requested K_k */
} entry;

typedef struct field {
    tw_context *ctx;
    const tw_mesh *mesh;
    const tw_mesh_field *of;
    size_t slopes;        /* the number of scales whose derivatives are requested; 0: Q itself */
    entry *entries;       /* of K: 9 per triangle, then merged to one per position, by columns */
    size_t count;         /* of entries */
    double *mass;         /* nodes: the diagonal of M */
    size_t *start;        /* nodes + 1: where the columns of K begin among the entries */
    double *work, *other; /* nodes each: sparse vectors; zero between products */
    double *sum;          /* nodes: the current column of Q */
    uint32_t *places;     /* nodes: the positions of the entries of a sparse vector */
    uint32_t *seen;       /* nodes: the same for the result of a product */
    uint32_t *mark;       /* nodes: the stamp of the last product with an entry there */
    uint32_t stamp;       /* of the last product; does not overflow, since there are fewer than 2^28 nodes */
} field;

static int compare(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    return p->column != q->column ? (p->column > q->column) - (p->column < q->column)
                                  : (p->row > q->row) - (p->row < q->row);
}

/* Add the contributions of triangle t to M, K and the K_k. */
static void add_triangle(field *f, size_t t)
{
    const double *scale = f->of->scale, sign = (f->of->slope[1] ? 1.0 : 0.0) - (f->of->slope[0] ? 1.0 : 0.0);
    double p[3][2], edge[3][2], area = fabs(tw_mesh_area(f->mesh, t, scale));
    const uint32_t *corner = f->mesh->corner + 3 * t;
    for (size_t k = 0; k < 3; k++) corner_of(f->mesh, t, k, scale, p[k]);
    for (size_t k = 0; k < 3; k++)
        for (size_t d = 0; d < 2; d++) edge[k][d] = p[(k + 2) % 3][d] - p[(k + 1) % 3][d];
    for (size_t i = 0; i < 3; i++) {
        f->mass[corner[i]] += area / 3.0;
        for (size_t j = 0; j < 3; j++) {
            double g[2], mass = i == j ? area / 3.0 : 0.0;
            for (size_t d = 0; d < 2; d++) g[d] = edge[i][d] * edge[j][d] / (4.0 * area);
            f->entries[f->count++] = (entry){corner[i], corner[j], g[0] + g[1] + mass,
                                             sign * (g[0] - g[1]) - (double)f->slopes * mass};
        }
    }
}

/* Assemble K by columns, and merge entries at the same position. */
static void assemble(field *f)
{
    size_t kept = 0, all;
    for (size_t t = 0; t < f->mesh->triangles; t++) add_triangle(f, t);
    all = f->count;
    qsort(f->entries, all, sizeof *f->entries, compare);
    for (size_t e = 1; e < all; e++)
        if (compare(&f->entries[kept], &f->entries[e]) == 0) {
            f->entries[kept].value += f->entries[e].value;
            f->entries[kept].slope += f->entries[e].slope;
        } else
            f->entries[++kept] = f->entries[e];
    f->count = kept + 1;
    for (size_t e = 0; e < f->count; e++) f->start[f->entries[e].column + 1]++;
    for (size_t j = 0; j < f->mesh->nodes; j++) f->start[j + 1] += f->start[j];
}

/* ---- columns of Q ---- */

/* to = K from, or K_k from, for sparse vectors; `from`, with `count` entries at `places`, is cleared. Returns
 * the number of entries of the result, whose positions are in f->seen. */
static size_t multiply(field *f, bool slope, size_t count, const uint32_t *places, double *from, double *to)
{
    uint32_t stamp = ++f->stamp;
    size_t found = 0;
    for (size_t s = 0; s < count; s++) {
        uint32_t j = places[s];
        for (size_t e = f->start[j]; e < f->start[j + 1]; e++) {
            uint32_t i = f->entries[e].row;
            if (f->mark[i] != stamp) {
                f->mark[i] = stamp;
                f->seen[found++] = i;
            }
            to[i] += (slope ? f->entries[e].slope : f->entries[e].value) * from[j];
        }
        from[j] = 0.0;
    }
    return found;
}

/* sum += factor K (M^-1 K)^(power - 1) e_j, with K_k in place of factor number `at` (at = power: none).
 * Returns the number of entries, whose positions are in f->places. */
static size_t add_product(field *f, size_t j, size_t at, double factor)
{
    double *from = f->work, *to = f->other;
    size_t count = 1, power = f->of->power;
    from[j] = factor;
    f->places[0] = (uint32_t)j;
    for (size_t k = 0; k < power; k++) {
        count = multiply(f, k == at, count, f->places, from, to);
        memcpy(f->places, f->seen, count * sizeof *f->places);
        for (size_t s = 0; k + 1 < power && s < count; s++) to[f->places[s]] /= f->mass[f->places[s]];
        double *swap = from;
        from = to;
        to = swap;
    }
    for (size_t s = 0; s < count; s++) {
        f->sum[f->places[s]] += from[f->places[s]];
        from[f->places[s]] = 0.0;
    }
    return count;
}

/* sum += column j of Q, or of its derivative. Returns the number of entries. */
static size_t add_column(field *f, size_t j)
{
    size_t power = f->of->power;
    double c = f->of->c;
    if (f->slopes == 0) return add_product(f, j, power, c);
    for (size_t at = 0; at < power; at++) add_product(f, j, at, c);
    return add_product(f, j, power, c * (double)(f->slopes * (power - 1)));
}

/* Q, or its derivative. The first loop only counts the entries: with factor 0 the products add nothing. */
static tw_status make_matrix(field *f, tw_sparse **q)
{
    size_t n = f->mesh->nodes, room = 0;
    tw_entries e;
    for (size_t j = 0; j < n; j++) {
        size_t count = add_product(f, j, f->of->power, 0.0);
        for (size_t s = 0; s < count; s++) room += f->places[s] >= j;
    }
    tw_status status = tw_entries_new(f->ctx, room, &e);
    for (size_t j = 0; status == TW_OK && j < n; j++) {
        size_t count = add_column(f, j);
        for (size_t s = 0; s < count; s++) {
            uint32_t i = f->places[s];
            if (i >= j) tw_entries_add(&e, i, j, f->sum[i]);
            f->sum[i] = 0.0;
        }
    }
    return tw_entries_finish(&e, status, n, n, true, q);
}

static tw_status allocate(field *f)
{
    static const char what[] = "a field on a mesh";
    size_t n = f->mesh->nodes;
    void *memory = NULL;
    double **numbers[] = {&f->mass, &f->work, &f->other, &f->sum};
    uint32_t **indices[] = {&f->seen, &f->mark, &f->places};
    TW_TRY(tw_allocate(f->ctx, 9 * f->mesh->triangles, sizeof *f->entries, what, &memory));
    f->entries = memory;
    TW_TRY(tw_start_allocate(f->ctx, n + 1, what, &f->start));
    for (size_t k = 0; k < 4; k++) TW_TRY(tw_allocate_doubles(f->ctx, n, 1, what, numbers[k]));
    for (size_t k = 0; k < 3; k++) TW_TRY(tw_index_allocate(f->ctx, n, what, indices[k]));
    return TW_OK;
}

tw_status tw_mesh_precision(const tw_mesh *mesh, const tw_mesh_field *of, tw_precision *out)
{
    field f = {.ctx = out->ctx, .mesh = mesh, .of = of};
    f.slopes = (size_t)of->slope[0] + (size_t)of->slope[1];
    tw_status status = allocate(&f);
    if (status == TW_OK) assemble(&f);
    if (status == TW_OK) status = make_matrix(&f, &out->q);
    void *const arrays[] = {f.entries, f.start, f.mass, f.work, f.other, f.sum, f.seen, f.mark, f.places};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) tw_release(out->ctx, arrays[k]);
    out->hidden = true;
    return status;
}

/* ---- cases ---- */

/* The barycentric weights of triangle t's corners at a place.
 * Returns false if the place is outside, beyond rounding. */
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

/* Find the triangle that contains a case. The search begins at *t, where the last one ended. */
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

static tw_status fill_design(const tw_mesh *m, size_t n, const double *const input[2], bool fresh,
                             tw_entries *e)
{
    size_t t = 0;
    for (size_t i = 0; i < n; i++) {
        double at[2] = {input[0][i], input[1][i]}, weight[3];
        if (!find_triangle(m, at, &t, weight))
            return tw_fail(e->ctx, TW_BAD_DATA, "%scase %zu at (%g, %g) is outside the mesh",
                           fresh ? "new " : "", i + 1, at[0], at[1]);
        for (size_t k = 0; k < 3; k++)
            if (weight[k] != 0.0) tw_entries_add(e, i, m->corner[3 * t + k], weight[k]);
    }
    return TW_OK;
}

tw_status tw_mesh_design(const tw_mesh *mesh, size_t n, const double *const input[2], const tw_precision *of,
                         tw_sparse **design)
{
    tw_entries e;
    tw_status status = tw_entries_new(of->ctx, 3 * n, &e);
    if (status == TW_OK) status = fill_design(mesh, n, input, design == &of->at_design, &e);
    return tw_entries_finish(&e, status, n, mesh->nodes, false, design);
}
