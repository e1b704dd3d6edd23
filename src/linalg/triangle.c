/* triangle.c: products of a triangle with a few columns.
 *
 * The matrix T, which is L or L', is divided into panels of HEIGHT rows. A panel of L ends at the diagonal,
 * and one of L' begins there. A tile of C of VECTORS vectors of rows and COLUMNS columns stays in registers,
 *
 *   C(rows, j) += T(rows, k) B(k, j)     for all k of the panel,
 *
 * which takes VECTORS loads and COLUMNS broadcasts for VECTORS COLUMNS fused multiply-adds of vectors. Panels
 * with more than DEPTH columns are processed in parts, so that a part stays in cache for all columns of B. If
 * HEIGHT does not divide n, the shortest panel has fewer rows: the first of L, the last of L'. In a packed
 * panel the columns of HEIGHT numbers are contiguous; missing rows and the numbers beyond the diagonal are
 * zeros.
 */
#include "linalg/triangle.h"

#include <string.h>

#include "math/machine.h"

enum {
    BYTES = 192,  /* of a column of a panel: 3 cache lines */
    COLUMNS = 4,  /* of a tile */
    VECTORS = 3,  /* of rows of a tile */
    DEPTH = 2048, /* the largest number of columns of a part of a panel */
};
#define HEIGHT(real) (BYTES / sizeof(real))

/* ---- tiles ---- */

/* Rows [first, first + rows) of T, with k in [begin, begin + depth). */
typedef struct panel {
    size_t first, rows, begin, depth;
} panel;

/* Bytes of a vector, for each machine (math/machine.h). */
enum { WIDTH_v4 = 64, WIDTH_v3 = 32, WIDTH_plain = 16 };

/* NOLINTBEGIN(bugprone-macro-parentheses): real is a type */
#define LANES(real, machine) (WIDTH##machine / sizeof(real))

/* tile: c_j = sum_k T(:, k) b_j(k) for VECTORS vectors of the rows of a panel, whose columns are `stride`
 * apart; with `more` the sum is added to c_j. Vectors are read through pointers, because compilers do not
 * keep them in registers if memcpy reads them. rows: the tiles of all rows of a panel. */
#define TILE(real, machine, target)                                                                         \
    target static void tile_##real##machine(size_t depth, size_t stride, const real *restrict a,            \
                                            const real *const b[COLUMNS], bool more, size_t row,            \
                                            real *const c[COLUMNS])                                         \
    {                                                                                                       \
        typedef real vector __attribute__((vector_size(WIDTH##machine), aligned(sizeof(real)), may_alias)); \
        vector s[COLUMNS][VECTORS], part[VECTORS];                                                          \
        for (size_t j = 0; j < COLUMNS; j++)                                                                \
            for (size_t v = 0; v < VECTORS; v++)                                                            \
                s[j][v] = more ? *(const vector *)(c[j] + row + v * LANES(real, machine)) : (vector){0};    \
        for (size_t k = 0; k < depth; k++) {                                                                \
            for (size_t v = 0; v < VECTORS; v++)                                                            \
                part[v] = *(const vector *)(a + row + k * stride + v * LANES(real, machine));               \
            for (size_t j = 0; j < COLUMNS; j++)                                                            \
                for (size_t v = 0; v < VECTORS; v++) s[j][v] += part[v] * b[j][k];                          \
        }                                                                                                   \
        for (size_t j = 0; j < COLUMNS; j++)                                                                \
            for (size_t v = 0; v < VECTORS; v++)                                                            \
                *(vector *)(c[j] + row + v * LANES(real, machine)) = s[j][v];                               \
    }                                                                                                       \
    static void rows_##real##machine(size_t depth, size_t stride, const real *a,                            \
                                     const real *const b[COLUMNS], bool more, real *const c[COLUMNS])       \
    {                                                                                                       \
        for (size_t row = 0; row < HEIGHT(real); row += VECTORS * LANES(real, machine))                     \
            tile_##real##machine(depth, stride, a, b, more, row, c);                                        \
    }
#define TILES(machine, target, fused) TILE(float, machine, target) TILE(double, machine, target)
TW_FOR_EACH_MACHINE(TILES)

/* C(rows, :) = sum_k T(rows, k) B(k, :) over the panel; with `more` the sum is added to C. If columns are
 * missing in the last tile, the first one replaces them; the results of missing columns or rows go to
 * `spare`. */
#define MULTIPLY(real)                                                                                      \
    static void multiply_##real(panel p, size_t stride, const real *a, bool more, size_t n, size_t columns, \
                                const real *b, real *c)                                                     \
    {                                                                                                       \
        _Alignas(64) real spare[COLUMNS * HEIGHT(real)] = {0};                                              \
        const real *from[COLUMNS];                                                                          \
        real *to[COLUMNS];                                                                                  \
        for (size_t first = 0; first < columns; first += COLUMNS) {                                         \
            size_t count = columns - first < COLUMNS ? columns - first : COLUMNS;                           \
            size_t copied = p.rows == HEIGHT(real) ? 0 : count;                                             \
            real *own = c + first * n + p.first;                                                            \
            for (size_t j = 0; j < COLUMNS; j++) from[j] = b + (first + (j < count ? j : 0)) * n + p.begin; \
            for (size_t j = 0; j < COLUMNS; j++)                                                            \
                to[j] = j < count && copied == 0 ? own + j * n : spare + j * HEIGHT(real);                  \
            for (size_t j = 0; more && j < copied; j++) memcpy(to[j], own + j * n, p.rows * sizeof(real));  \
            TW_ON_THIS_MACHINE(rows_##real, p.depth, stride, a, from, more, to);                            \
            for (size_t j = 0; j < copied; j++) memcpy(own + j * n, to[j], p.rows * sizeof(real));          \
        }                                                                                                   \
    }
MULTIPLY(float)
MULTIPLY(double)
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- panels ---- */

static size_t panel_count(size_t n, size_t height)
{
    return (n + height - 1) / height;
}

static panel panel_at(size_t n, bool transposed, size_t height, size_t index)
{
    if (transposed) {
        size_t first = index * height;
        return (panel){first, n - first < height ? n - first : height, first, n - first};
    }
    size_t end = n - (panel_count(n, height) - 1 - index) * height, first = end < height ? 0 : end - height;
    return (panel){first, end - first, 0, end};
}

/* The part of a panel that begins at its k-th column, with at most DEPTH columns. */
static panel part_of(panel p, size_t k)
{
    return (panel){p.first, p.rows, p.begin + k, p.depth - k < DEPTH ? p.depth - k : DEPTH};
}

/* ---- in place ---- */

/* The last p.rows columns of a panel of L cross the diagonal, so they are copied with zeros above it. The
 * columns before them are read in place. */
static void multiply_panel(panel p, size_t n, const double *l, size_t ldl, size_t columns, const double *b,
                           double *c)
{
    enum { ROWS = BYTES / sizeof(double) };
    _Alignas(64) double packed[ROWS * ROWS] = {0};
    panel before = {p.first, p.rows, 0, p.first}, last = {p.first, p.rows, p.first, p.rows};
    for (size_t k = 0; k < before.depth; k += DEPTH)
        multiply_double(part_of(before, k), ldl, l + p.first + k * ldl, k > 0, n, columns, b, c);
    for (size_t k = 0; k < p.rows; k++)
        memcpy(packed + k * ROWS + k, l + (p.first + k) * (ldl + 1), (p.rows - k) * sizeof *packed);
    multiply_double(last, ROWS, packed, before.depth > 0, n, columns, b, c);
}

void tw_triangle_multiply_in_place(size_t n, const double *l, size_t ldl, size_t columns, const double *b,
                                   double *c)
{
    for (size_t index = 0; index < panel_count(n, HEIGHT(double)); index++)
        multiply_panel(panel_at(n, false, HEIGHT(double), index), n, l, ldl, columns, b, c);
}

/* ---- packed ---- */

struct tw_triangle {
    tw_context *ctx;
    size_t n;
    bool transposed, single;
    void *panels; /* floats with `single`, else doubles */
};

void tw_triangle_free(tw_triangle *t)
{
    if (!t) return;
    tw_context *ctx = t->ctx;
    tw_release(ctx, t->panels);
    tw_release(ctx, t);
}

static size_t height_of(const tw_triangle *t)
{
    return t->single ? HEIGHT(float) : HEIGHT(double);
}

/* Pack column k of T in panel p into the numbers from `at` on, which are zeros before. */
static void pack_column(tw_triangle *t, panel p, size_t k, const double *l, size_t ldl, size_t at)
{
    for (size_t i = p.first; i < p.first + p.rows; i++, at++) {
        size_t row = t->transposed ? k : i, column = t->transposed ? i : k;
        if (row < column) continue;
        if (t->single)
            ((float *)t->panels)[at] = (float)l[row + column * ldl];
        else
            ((double *)t->panels)[at] = l[row + column * ldl];
    }
}

static void pack(tw_triangle *t, const double *l, size_t ldl)
{
    size_t at = 0, height = height_of(t);
    for (size_t index = 0; index < panel_count(t->n, height); index++) {
        panel p = panel_at(t->n, t->transposed, height, index);
        for (size_t k = p.begin; k < p.begin + p.depth; k++, at += height) pack_column(t, p, k, l, ldl, at);
    }
}

static tw_status allocate_panels(tw_triangle *t)
{
    size_t columns = 0, height = height_of(t);
    for (size_t index = 0; index < panel_count(t->n, height); index++)
        columns += panel_at(t->n, t->transposed, height, index).depth;
    return tw_allocate(t->ctx, columns, BYTES, "a packed triangle", &t->panels);
}

tw_status tw_triangle_new(tw_context *ctx, size_t n, const double *l, size_t ldl, bool transposed,
                          bool single, tw_triangle **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_triangle), "a packed triangle", &memory));
    tw_triangle *t = memory;
    *t = (tw_triangle){.ctx = ctx, .n = n, .transposed = transposed, .single = single};
    tw_status status = allocate_panels(t);
    if (status != TW_OK) {
        tw_triangle_free(t);
        return status;
    }
    pack(t, l, ldl);
    *out = t;
    return TW_OK;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): real is a type */
#define MULTIPLY_PACKED(real)                                                                               \
    static void packed_##real(const tw_triangle *t, size_t columns, const real *b, real *c)                 \
    {                                                                                                       \
        const real *a = t->panels;                                                                          \
        for (size_t index = 0; index < panel_count(t->n, HEIGHT(real)); index++) {                          \
            panel p = panel_at(t->n, t->transposed, HEIGHT(real), index);                                   \
            for (size_t k = 0; k < p.depth; k += DEPTH)                                                     \
                multiply_##real(part_of(p, k), HEIGHT(real), a + k * HEIGHT(real), k > 0, t->n, columns, b, \
                                c);                                                                         \
            a += p.depth * HEIGHT(real);                                                                    \
        }                                                                                                   \
    }
MULTIPLY_PACKED(float)
MULTIPLY_PACKED(double)
/* NOLINTEND(bugprone-macro-parentheses) */

void tw_triangle_multiply(const tw_triangle *t, size_t columns, const double *b, double *c)
{
    packed_double(t, columns, b, c);
}

void tw_triangle_multiply_single(const tw_triangle *t, size_t columns, const float *b, float *c)
{
    packed_float(t, columns, b, c);
}
