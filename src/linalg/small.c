/* small.c: see small.h.
 *
 * Both functions solve X L' = C for panels of HEIGHT rows of X: the rows of L solve it with C = A, those of L^-T with C = I. A panel is
 * copied to memory of its own, in which columns of HEIGHT numbers follow one another. BLOCK columns at a time are finished,
 *
 *   X(:, j) = (C(:, j) - sum_(k < j) X(:, k) L(j, k)) / L(j, j):
 *
 * the sum over the columns before the block, in registers, then the triangle of the block. The numbers of L are read where they are, BLOCK
 * neighbours of each column.
 */
#include "linalg/small.h"

#include <math.h>
#include <string.h>

#include "math/machine.h"

/* Rows of a panel; columns that are finished together, a cache line; vectors of rows in registers; columns of a panel that stay in the
 * first cache while a block takes them from itself. */
enum { HEIGHT = 24, BLOCK = 8, VECTORS = 3, DEPTH = 128 };

/* ---- blocks of columns ---- */

/* Bytes of a vector, and columns that are in registers. */
enum { WIDTH_v4 = 64, WIDTH_v3 = 32, WIDTH_plain = 16 };
enum { COLUMNS_v4 = 8, COLUMNS_v3 = 4, COLUMNS_plain = 4 };

/* NOLINTBEGIN(bugprone-macro-parentheses): target is an attribute */

/* x(:, j) -= sum_(k < depth) panel(:, k) l(j, k) for COLUMNS columns and some vectors of rows. Each number of vectors has a function of
 * its own, and vectors are read as such and not by memcpy, else compilers do not keep them in registers. */
#define AT(machine, address) (*(vector##machine *)(address))
#define TILE(vectors, machine, target)                                                         \
    target __attribute__((noinline)) static void tile##vectors##machine(                       \
        size_t depth, const double *restrict l, size_t ldl, const double *panel, double *x)    \
    {                                                                                          \
        vector##machine s[COLUMNS##machine][vectors], part[vectors];                           \
        for (size_t j = 0; j < COLUMNS##machine; j++)                                          \
            for (size_t v = 0; v < (vectors); v++)                                             \
                s[j][v] = AT(machine, x + j * HEIGHT + v * LANES##machine);                    \
        for (size_t k = 0; k < depth; k++, l += ldl) {                                         \
            for (size_t v = 0; v < (vectors); v++)                                             \
                part[v] = *(const vector##machine *)(panel + k * HEIGHT + v * LANES##machine); \
            for (size_t j = 0; j < COLUMNS##machine; j++)                                      \
                for (size_t v = 0; v < (vectors); v++) s[j][v] -= part[v] * l[j];              \
        }                                                                                      \
        for (size_t j = 0; j < COLUMNS##machine; j++)                                          \
            for (size_t v = 0; v < (vectors); v++)                                             \
                AT(machine, x + j * HEIGHT + v * LANES##machine) = s[j][v];                    \
    }

/* The functions below, for one machine. */
#define FUNCTIONS(machine, target, fused)                                                                   \
    typedef double vector##machine __attribute__((vector_size(WIDTH##machine), aligned(8), may_alias));     \
    enum { LANES##machine = WIDTH##machine / sizeof(double) };                                              \
    TILE(1, machine, target)                                                                                \
    TILE(2, machine, target)                                                                                \
    TILE(3, machine, target)                                                                                \
    static void subtract##machine(size_t rows, size_t depth, const double *l, size_t ldl,                   \
                                  const double *panel, double *to)                                          \
    {                                                                                                       \
        for (size_t i = 0; i < rows; i += (size_t)VECTORS * LANES##machine)                                 \
            for (size_t j = 0; j < BLOCK; j += COLUMNS##machine) {                                          \
                double *x = to + j * HEIGHT + i;                                                            \
                if (rows - i > (size_t)2 * LANES##machine)                                                  \
                    tile3##machine(depth, l + j, ldl, panel + i, x);                                        \
                else if (rows - i > LANES##machine)                                                         \
                    tile2##machine(depth, l + j, ldl, panel + i, x);                                        \
                else                                                                                        \
                    tile1##machine(depth, l + j, ldl, panel + i, x);                                        \
            }                                                                                               \
    }                                                                                                       \
    TW_INLINE target void step##machine(size_t k, double reciprocal, const double *l, vector##machine *s)   \
    {                                                                                                       \
        s[k] *= reciprocal;                                                                                 \
        for (size_t j = k + 1; j < BLOCK; j++) s[j] -= s[k] * l[j];                                         \
    }                                                                                                       \
    target static void divide##machine(size_t rows, const double *const l[BLOCK], const double *reciprocal, \
                                       double *x)                                                           \
    {                                                                                                       \
        for (size_t i = 0; i < rows; i += LANES##machine) {                                                 \
            vector##machine s[BLOCK];                                                                       \
            for (size_t j = 0; j < BLOCK; j++) s[j] = AT(machine, x + j * HEIGHT + i);                      \
            step##machine(0, reciprocal[0], l[0], s);                                                       \
            step##machine(1, reciprocal[1], l[1], s);                                                       \
            step##machine(2, reciprocal[2], l[2], s);                                                       \
            step##machine(3, reciprocal[3], l[3], s);                                                       \
            step##machine(4, reciprocal[4], l[4], s);                                                       \
            step##machine(5, reciprocal[5], l[5], s);                                                       \
            step##machine(6, reciprocal[6], l[6], s);                                                       \
            step##machine(7, reciprocal[7], l[7], s);                                                       \
            for (size_t j = 0; j < BLOCK; j++) AT(machine, x + j * HEIGHT + i) = s[j];                      \
        }                                                                                                   \
    }
TW_FOR_EACH_MACHINE(FUNCTIONS)
/* NOLINTEND(bugprone-macro-parentheses) */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Columns [depth, depth + BLOCK) of the panel, for its first rows, less what the columns before them take away; l is L(depth, 0). */
static void subtract(size_t rows, size_t depth, const double *l, size_t ldl, double *panel)
{
    double *x = panel + depth * HEIGHT;
    for (size_t k = 0; k < depth; k += DEPTH)
        TW_ON_THIS_MACHINE(subtract, rows, least(DEPTH, depth - k), l + k * ldl, ldl, panel + k * HEIGHT, x);
}

/* X T' = C in place for the triangle T of a block, of which `count` columns exist; what it lacks repeats the last. */
static void divide(size_t rows, size_t count, const double *l, size_t ldl, double *x)
{
    const double *column[BLOCK];
    double reciprocal[BLOCK];
    for (size_t k = 0; k < BLOCK; k++) {
        size_t there = k < count ? k : count - 1;
        column[k] = l + there * ldl;
        reciprocal[k] = 1.0 / column[k][there];
    }
    TW_ON_THIS_MACHINE(divide, rows, column, reciprocal, x);
}

static void copy_rows(size_t rows, const double *from, double *to)
{
    if (rows == HEIGHT)
        memcpy(to, from, HEIGHT * sizeof *to); /* a size that the compiler knows */
    else
        memcpy(to, from, rows * sizeof *to);
}

size_t tw_small_work(size_t n)
{
    return HEIGHT * (n + BLOCK); /* a panel whose last block lacks columns */
}

/* ---- the factor ---- */

/* The Cholesky factor of a block on the diagonal: from x, with columns HEIGHT apart, to l. Returns the column of a pivot that is not
 * positive and finite, which is in *pivot; `count` if there is none. Loops have a constant length and take numbers above the diagonal along. */
static size_t factor_block(size_t count, const double *x, double *l, size_t ldl, double *pivot)
{
    double a[BLOCK][BLOCK];
    for (size_t j = 0; j < BLOCK; j++) memcpy(a[j], x + j * HEIGHT, sizeof a[j]);
    for (size_t k = 0; k < count; k++) {
        *pivot = a[k][k];
        if (!(*pivot > 0.0) || !isfinite(*pivot)) return k;
        double reciprocal = 1.0 / sqrt(*pivot);
        for (size_t i = 0; i < BLOCK; i++) a[k][i] *= reciprocal;
        for (size_t j = k + 1; j < BLOCK; j++) {
            double scale = a[k][j];
            for (size_t i = 0; i < BLOCK; i++) a[j][i] -= a[k][i] * scale;
        }
    }
    for (size_t j = 0; j < count; j++) memcpy(l + j + j * ldl, a[j] + j, (count - j) * sizeof *l);
    return count;
}

/* A matrix and what of it is at work: rows [first, first + rows), of which the panel is a copy. */
typedef struct sweep {
    size_t n, ld, first, rows;
    double *a, *panel;
} sweep;

/* Columns [j, j + count) of the rows from `done` on: divided, and stored. */
static void finish_rows(const sweep *s, size_t j, size_t count, size_t done)
{
    double *x = s->panel + done + j * HEIGHT, *to = s->a + s->first + done + j * s->ld;
    if (done == s->rows) return;
    divide(s->rows - done, count, s->a + j + j * s->ld, s->ld, x);
    for (size_t c = 0; c < count; c++) copy_rows(s->rows - done, x + c * HEIGHT, to + c * s->ld);
}

/* A panel of L: what is left of the diagonal, and then the blocks on it with the rows below them. */
static bool factor_panel(const sweep *s, tw_pivot *failed)
{
    size_t past = s->first + s->rows;
    for (size_t k = 0; k < past; k++) copy_rows(s->rows, s->a + s->first + k * s->ld, s->panel + k * HEIGHT);
    for (size_t j = 0; j < past; j += BLOCK) {
        size_t count = least(BLOCK, past - j), done = j < s->first ? 0 : j - s->first;
        double pivot = 0.0;
        subtract(s->rows - done, j, s->a + j, s->ld, s->panel + done);
        if (j >= s->first) {
            size_t k = factor_block(count, s->panel + done + j * HEIGHT, s->a + j + j * s->ld, s->ld, &pivot);
            *failed = (tw_pivot){j + k + 1, pivot};
            if (k < count) return false;
            done += count;
        }
        finish_rows(s, j, count, done);
    }
    return true;
}

bool tw_small_cholesky(size_t n, double *a, size_t lda, double *work, tw_pivot *failed)
{
    for (size_t first = 0; first < n; first += HEIGHT)
        if (!factor_panel(&(sweep){n, lda, first, least(HEIGHT, n - first), a, work}, failed)) return false;
    *failed = (tw_pivot){0, 0.0};
    return true;
}

/* ---- its inverse ---- */

/* A panel of L^-T, from its diagonal on. */
static void invert_panel(const sweep *s)
{
    size_t columns = s->n - s->first;
    double *l = s->a + s->first * (s->ld + 1);
    memset(s->panel, 0, HEIGHT * (columns + BLOCK) * sizeof *s->panel);
    for (size_t i = 0; i < s->rows; i++) s->panel[i + i * HEIGHT] = 1.0;
    for (size_t j = 0; j < columns; j += BLOCK) {
        size_t count = least(BLOCK, columns - j), begun = least(s->rows, j + count);
        subtract(begun, j, l + j, s->ld, s->panel);
        divide(begun, count, l + j + j * s->ld, s->ld, s->panel + j * HEIGHT);
    }
    for (size_t j = 1; j < columns; j++) copy_rows(least(s->rows, j), s->panel + j * HEIGHT, l + j * s->ld);
}

void tw_small_invert(size_t n, double *l, size_t ldl, double *work)
{
    for (size_t first = 0; first < n; first += HEIGHT)
        invert_panel(&(sweep){n, ldl, first, least(HEIGHT, n - first), l, work});
    for (size_t j = 0; j < n; j++) l[j + j * ldl] = 1.0 / l[j + j * ldl];
}
