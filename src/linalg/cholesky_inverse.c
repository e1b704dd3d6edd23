/* cholesky_inverse.c: the inverse of a Cholesky factor, W = L^-T, and products with W W'.
 *
 * y = W (W' b) uses each column of W twice: u_k = W(:, k)' b, then y += W(:, k) u_k. It takes BLOCK columns
 * at a time, so that they are still in cache for the second use. Two BLAS products would read all of W from
 * memory twice.
 */
#include <cblas.h>
#include <string.h>

#include "linalg/cholesky.h"
#include "linalg/cholesky_small.h"
#include "linalg/size.h"
#include "math/machine.h"

enum { BLOCK = 8 }; /* columns that a product uses at a time */

/* ---- the inverse ---- */

/* to = from' for a rows x columns matrix, in strips of BLOCK rows so that both stay in cache. */
static void transpose(size_t rows, size_t columns, const double *from, double *to, size_t ld)
{
    for (size_t first = 0; first < rows; first += BLOCK) {
        size_t past = first + BLOCK < rows ? first + BLOCK : rows;
        for (size_t j = 0; j < columns; j++)
            for (size_t i = first; i < past; i++) to[j + i * ld] = from[i + j * ld];
    }
}

/* Halve L = (L11 .; L21 L22) recursively until the halves fit in cache: W11 = L11^-T, W22 = L22^-T and
 * W12 = -W11 L21' W22. */
static void invert_lower(size_t n, double *l, size_t ldl, double *work)
{
    if (n <= TW_CHOLESKY_SMALL_MAX) {
        tw_cholesky_small_invert(n, l, ldl, work);
        return;
    }
    size_t half = tw_cholesky_small_half(n), rest = n - half;
    double *low = l + half, *right = l + half * ldl, *last = right + half;
    invert_lower(half, l, ldl, work);
    invert_lower(rest, last, ldl, work);
    transpose(rest, half, low, right, ldl);
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, to_int(half), to_int(rest),
                -1.0, l, to_int(ldl), right, to_int(ldl));
    cblas_dtrmm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, to_int(half), to_int(rest),
                1.0, last, to_int(ldl), right, to_int(ldl));
}

/* Diagonal blocks get zeros below the diagonal, so that products can use whole vectors there. */
void tw_cholesky_invert(size_t n, double *l, size_t ldl, double *work, double *diagonal)
{
    invert_lower(n, l, ldl, work);
    memset(diagonal, 0, n * sizeof *diagonal);
    for (size_t j = 0; j < n; j++) {
        double *column = l + j * ldl;
        for (size_t i = 0; i <= j; i++) diagonal[i] += column[i] * column[i];
        for (size_t i = j + 1; i < n && i % BLOCK != 0; i++) column[i] = 0.0;
    }
}

/* ---- products ---- */

enum { WIDTH_v4 = 64, WIDTH_v3 = 32, WIDTH_plain = 16 }; /* bytes of a vector */

/* NOLINTBEGIN(bugprone-macro-parentheses): target is an attribute */

/* u += W' b (inner) and y += W u (outer) for BLOCK columns of W; `rows` is a multiple of the vector
 * length. */
#define PRODUCTS(machine, target, fused)                                                                \
    typedef double vector##machine __attribute__((vector_size(WIDTH##machine)));                        \
    enum { LANES##machine = WIDTH##machine / sizeof(double) };                                          \
    target static void inner##machine(size_t rows, const double *const w[BLOCK], const double *b,       \
                                      double u[BLOCK])                                                  \
    {                                                                                                   \
        vector##machine sum[BLOCK] = {{0}}, part, other;                                                \
        for (size_t i = 0; i < rows; i += LANES##machine) {                                             \
            memcpy(&part, b + i, sizeof part);                                                          \
            for (size_t k = 0; k < BLOCK; k++) {                                                        \
                memcpy(&other, w[k] + i, sizeof other);                                                 \
                sum[k] += part * other;                                                                 \
            }                                                                                           \
        }                                                                                               \
        for (size_t k = 0; k < BLOCK; k++)                                                              \
            for (size_t lane = 0; lane < LANES##machine; lane++) u[k] += sum[k][lane];                  \
    }                                                                                                   \
    target static void outer##machine(size_t rows, const double *const w[BLOCK], const double u[BLOCK], \
                                      double *y)                                                        \
    {                                                                                                   \
        vector##machine sum, other;                                                                     \
        for (size_t i = 0; i < rows; i += LANES##machine) {                                             \
            memcpy(&sum, y + i, sizeof sum);                                                            \
            for (size_t k = 0; k < BLOCK; k++) {                                                        \
                memcpy(&other, w[k] + i, sizeof other);                                                 \
                sum += other * u[k];                                                                    \
            }                                                                                           \
            memcpy(y + i, &sum, sizeof sum);                                                            \
        }                                                                                               \
    }
TW_FOR_EACH_MACHINE(PRODUCTS)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Add the part of columns [first, first + count) of W to y. In a block of fewer than BLOCK columns the
 * last one replaces the missing ones, with u = 0, and its triangle is multiplied element by element. */
static void multiply_block(size_t first, size_t count, const double *w, size_t ldw, const double *b,
                           double *y)
{
    const double *column[BLOCK];
    double u[BLOCK] = {0};
    size_t rows = count == BLOCK ? first + BLOCK : first, past = first + count;
    for (size_t k = 0; k < BLOCK; k++) column[k] = w + (first + (k < count ? k : count - 1)) * ldw;
    TW_ON_THIS_MACHINE(inner, rows, column, b, u);
    for (size_t k = 0; k < count; k++)
        for (size_t i = rows; i < past; i++) u[k] += column[k][i] * b[i];
    for (size_t k = count; k < BLOCK; k++) u[k] = 0.0;
    TW_ON_THIS_MACHINE(outer, rows, column, u, y);
    for (size_t k = 0; k < count; k++)
        for (size_t i = rows; i < past; i++) y[i] += column[k][i] * u[k];
}

void tw_cholesky_inverse_multiply(size_t n, const double *w, size_t ldw, const double *b, double *y)
{
    memset(y, 0, n * sizeof *y);
    for (size_t first = 0; first < n; first += BLOCK)
        multiply_block(first, n - first < BLOCK ? n - first : BLOCK, w, ldw, b, y);
}
