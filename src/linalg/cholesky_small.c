/* cholesky_small.c: the Cholesky factor of a matrix that fits in cache, and its inverse.
 *
 * Both functions solve X L' = C for panels of HEIGHT rows of X: the rows of L are the solution for C = A,
 * those of L^-T for C = I. A panel is copied to the work array, in which its columns of HEIGHT numbers are
 * contiguous. The solution
 *
 *   X(:, j) = (C(:, j) - sum_(k < j) X(:, k) L(j, k)) / L(j, j)
 *
 * is computed for BLOCK columns at a time: first the sum over the columns before the block, with the tile of
 * X in registers (subtract), then the triangle of the block (divide). L is not copied: BLOCK adjacent numbers
 * of each of its columns are read in place.
 */
#include "linalg/cholesky_small.h"

#include <math.h>
#include <string.h>

#include "math/machine.h"

enum {
    HEIGHT = 24, /* rows of a panel */
    BLOCK = 8,   /* columns that are computed together: a cache line of L */
    VECTORS = 3, /* vectors of rows that are in registers */
    DEPTH = 128  /* columns of a panel that are subtracted at a time, so that they stay in the L1 cache */
};

/* ---- blocks of columns ---- */

/* Bytes of a vector, and columns in registers, for each machine (math/machine.h). */
enum { WIDTH_v4 = 64, WIDTH_v3 = 32, WIDTH_plain = 16 };
enum { COLUMNS_v4 = 8, COLUMNS_v3 = 4, COLUMNS_plain = 4 };

/* NOLINTBEGIN(bugprone-macro-parentheses): target is an attribute */

/* x(:, j) -= sum_(k < depth) panel(:, k) l(j, k) for COLUMNS columns and `vectors` vectors of rows.
 * Compilers keep the tile in registers only if the number of vectors is a constant, hence one function per
 * number, and if vectors are read through pointers instead of memcpy. */
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

/* For one machine:
 *   subtract   the sum above for all rows of a panel and BLOCK columns, by tiles
 *   step       X(:, k) /= L(k, k), and subtract its part from the later columns of the block
 *   divide     all steps of a block, written out with constant k so that their loops have constant lengths */
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

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Subtract the sum over the columns before `depth` from columns [depth, depth + BLOCK) of the panel, in
 * its first `rows` rows; l points to L(depth, 0). */
static void subtract(size_t rows, size_t depth, const double *l, size_t ldl, double *panel)
{
    double *x = panel + depth * HEIGHT;
    for (size_t k = 0; k < depth; k += DEPTH)
        TW_ON_THIS_MACHINE(subtract, rows, smaller(DEPTH, depth - k), l + k * ldl, ldl, panel + k * HEIGHT,
                           x);
}

/* Solve X T' = C in place for the triangle T of a block. If the block has only `count` columns, the last one
 * replaces the missing ones, whose results are not used. */
static void divide(size_t rows, size_t count, const double *l, size_t ldl, double *x)
{
    const double *column[BLOCK];
    double reciprocal[BLOCK];
    for (size_t k = 0; k < BLOCK; k++) {
        size_t existing = k < count ? k : count - 1;
        column[k] = l + existing * ldl;
        reciprocal[k] = 1.0 / column[k][existing];
    }
    TW_ON_THIS_MACHINE(divide, rows, column, reciprocal, x);
}

/* The size HEIGHT is a constant, for which the compiler replaces memcpy by vector moves. */
static void copy_rows(size_t rows, const double *from, double *to)
{
    if (rows == HEIGHT)
        memcpy(to, from, HEIGHT * sizeof *to);
    else
        memcpy(to, from, rows * sizeof *to);
}

size_t tw_cholesky_small_work(size_t n)
{
    return HEIGHT * (n + BLOCK); /* a panel, rounded up to whole blocks */
}

/* ---- the factor ---- */

/* Factor a diagonal block: from x, whose columns are HEIGHT apart, to l. Returns the column of the first
 * pivot that is not positive and finite, with its value in *pivot, or `count` if all are. The loops have
 * constant lengths, for speed, and so also compute unused numbers above the diagonal. */
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

/* A matrix and its current panel, a copy of rows [first, first + rows). */
typedef struct sweep {
    size_t n, ld, first, rows;
    double *a, *panel;
} sweep;

/* Divide columns [j, j + count) of the panel's rows from `done` on, and store them in the matrix. */
static void finish_rows(const sweep *s, size_t j, size_t count, size_t done)
{
    double *x = s->panel + done + j * HEIGHT, *to = s->a + s->first + done + j * s->ld;
    if (done == s->rows) return;
    divide(s->rows - done, count, s->a + j + j * s->ld, s->ld, x);
    for (size_t c = 0; c < count; c++) copy_rows(s->rows - done, x + c * HEIGHT, to + c * s->ld);
}

/* Compute a panel of L: the part left of its diagonal blocks, then each diagonal block with the rows below
 * it. */
static bool factor_panel(const sweep *s, tw_pivot *failed)
{
    size_t past = s->first + s->rows;
    for (size_t k = 0; k < past; k++) copy_rows(s->rows, s->a + s->first + k * s->ld, s->panel + k * HEIGHT);
    for (size_t j = 0; j < past; j += BLOCK) {
        size_t count = smaller(BLOCK, past - j), done = j < s->first ? 0 : j - s->first;
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

bool tw_cholesky_small(size_t n, double *a, size_t lda, double *work, tw_pivot *failed)
{
    for (size_t first = 0; first < n; first += HEIGHT)
        if (!factor_panel(&(sweep){n, lda, first, smaller(HEIGHT, n - first), a, work}, failed)) return false;
    *failed = (tw_pivot){0, 0.0};
    return true;
}

/* ---- the inverse ---- */

/* Compute a panel of L^-T to the right of its diagonal; tw_cholesky_small_invert stores the diagonal itself. */
static void invert_panel(const sweep *s)
{
    size_t columns = s->n - s->first;
    double *l = s->a + s->first * (s->ld + 1);
    memset(s->panel, 0, HEIGHT * (columns + BLOCK) * sizeof *s->panel);
    for (size_t i = 0; i < s->rows; i++) s->panel[i + i * HEIGHT] = 1.0;
    for (size_t j = 0; j < columns; j += BLOCK) {
        size_t count = smaller(BLOCK, columns - j), nonzero = smaller(s->rows, j + count);
        subtract(nonzero, j, l + j, s->ld, s->panel);
        divide(nonzero, count, l + j + j * s->ld, s->ld, s->panel + j * HEIGHT);
    }
    for (size_t j = 1; j < columns; j++) copy_rows(smaller(s->rows, j), s->panel + j * HEIGHT, l + j * s->ld);
}

void tw_cholesky_small_invert(size_t n, double *l, size_t ldl, double *work)
{
    for (size_t first = 0; first < n; first += HEIGHT)
        invert_panel(&(sweep){n, ldl, first, smaller(HEIGHT, n - first), l, work});
    for (size_t j = 0; j < n; j++) l[j + j * ldl] = 1.0 / l[j + j * ldl];
}
