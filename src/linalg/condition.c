/* condition.c: the factor of a conditioned covariance, and its product, in the memory of one matrix.
 *
 * With A = L L' and M = I + L' T L the conditioned factor is X = L C^-T, where C C' = M and C is upper
 * triangular. For a triangular L all intermediate matrices are triangles. W = T^1/2 L and M = I + W'W are
 * stored below the diagonal. With the exchange matrix J, which reverses the order of rows, J M J = U'U and
 * C = J U' J are stored above the diagonal, in the second triangle ("room") of the factor. X is then stored
 * below the diagonal. So the n x (n + 1) numbers of the factor are all the memory, and the product of
 * triangles (lauum), the factorisation and the solve with a triangle cost n^3/3 flops each: n^3 in all, while
 * dense operations take 7/3 n^3.
 *
 * If some of T are negative, T^1/2 does not exist. Then M = I + L' (T L) is the product of a triangle and a
 * full matrix, in the memory of both triangles, with twice the flops. M may be indefinite; its factorisation
 * then fails.
 *
 * A factor of lower rank, a full n x r matrix, uses dense operations, with M in the memory of its triangle.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/factor.h"
#include "linalg/size.h"

enum { BLOCK = 64 };

double *tw_factor_room(const tw_factor *factor)
{
    return factor->l + factor->n;
}

static void copy_triangle(size_t n, const double *from, size_t ldf, double *to, size_t ldt)
{
    for (size_t j = 0; j < n; j++) memcpy(to + j + j * ldt, from + j + j * ldf, (n - j) * sizeof *to);
}

/* room = upper triangle of scale J M J + shift I, for M in the lower triangle of l. */
static void exchange(size_t n, const double *l, double scale, double shift, double *room)
{
    for (size_t q = 0; q < n; q++) {
        const double *column = l + (n - 1) + (n - 1 - q) * n;
        for (size_t p = 0; p <= q; p++) room[p + q * n] = scale * *(column - p);
        room[q + q * n] += shift;
    }
}

/* U <- J U' J for an upper triangle: swap entries (p, q) and (n-1-q, n-1-p). */
static void reflect(size_t n, double *u)
{
    for (size_t q = 0; q < n; q++)
        for (size_t p = 0; p <= q && p + q + 1 < n; p++) {
            double *partner = u + (n - 1 - q) + (n - 1 - p) * n, kept = u[p + q * n];
            u[p + q * n] = *partner;
            *partner = kept;
        }
}

/* L <- L C^-T in the lower triangle of l, for C upper triangular, by blocks of rows from the top. With D
 * the block's square on the diagonal, X_D = L_D C_D^-T; the part of the block left of D is then
 * (L - X_D C') C^-T. */
static void solve_right(size_t n, const double *c, double *l)
{
    double square[BLOCK * BLOCK];
    int ld = to_int(n);
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t count = n - first < BLOCK ? n - first : BLOCK;
        int rows = to_int(count), left = to_int(first);
        double *diagonal = l + first + first * n;
        memset(square, 0, sizeof square);
        copy_triangle(count, diagonal, n, square, BLOCK);
        cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, rows, rows, 1.0,
                    c + first + first * n, ld, square, BLOCK);
        copy_triangle(count, square, BLOCK, diagonal, n);
        if (first == 0) continue;
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, left, rows, -1.0, square, BLOCK,
                    c + first * n, ld, 1.0, l + first, ld);
        cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, rows, left, 1.0, c, ld,
                    l + first, ld);
    }
}

/* L <- S^-1 L in the lower triangle of l, for S lower triangular, by blocks of columns in the same way. */
static void solve_left(size_t n, const double *s, double *l)
{
    double square[BLOCK * BLOCK];
    int ld = to_int(n);
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t count = n - first < BLOCK ? n - first : BLOCK, next = first + count;
        int columns = to_int(count), left = to_int(n - next);
        double *diagonal = l + first + first * n;
        memset(square, 0, sizeof square);
        copy_triangle(count, diagonal, n, square, BLOCK);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, columns, columns, 1.0,
                    s + first + first * n, ld, square, BLOCK);
        copy_triangle(count, square, BLOCK, diagonal, n);
        if (next == n) continue;
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, left, columns, columns, -1.0,
                    s + next + first * n, ld, square, BLOCK, 1.0, l + next + first * n, ld);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, left, columns, 1.0,
                    s + next + next * n, ld, l + next + first * n, ld);
    }
}

/* Replace J M J in the room by its Cholesky factor U, U'U = J M J, whose determinant is that of M. */
static bool factor_room(size_t n, double *room, double *log_det_m)
{
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', to_int(n), room, to_int(n)) != 0) return false;
    *log_det_m = tw_cholesky_log_det(n, room, n);
    return isfinite(*log_det_m);
}

static void clear_room(size_t n, double *l)
{
    for (size_t j = 1; j < n; j++) memset(l + j * n, 0, j * sizeof *l);
}

/* Replace the lower triangle W by the lower triangle of W'W. */
static void square_triangle(size_t n, double *w)
{
    LAPACKE_dlauum_work(LAPACK_COL_MAJOR, 'L', to_int(n), w, to_int(n));
}

/* Replace the lower triangle T L by L' T L, in full. */
static void multiply_triangle(size_t n, const double *l, double *tl)
{
    clear_room(n, tl);
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, to_int(n), to_int(n), 1.0, l,
                to_int(n), tl, to_int(n));
}

/* out = base C^-T with C C' = scale P + shift I, for P in the lower triangle of out. */
static bool condition_triangle(const tw_factor *base, double scale, double shift, tw_factor *out,
                               double *log_det_m)
{
    size_t n = base->n;
    double *room = tw_factor_room(out);
    exchange(n, out->l, scale, shift, room);
    if (!factor_room(n, room, log_det_m)) return false;
    reflect(n, room);
    copy_triangle(n, base->l, n, out->l, n);
    solve_right(n, room, out->l);
    clear_room(n, out->l);
    out->log_det = base->log_det - *log_det_m;
    return true;
}

/* A <- A J: reverse the order of the columns, in place. */
static void reverse_columns(size_t n, size_t columns, double *a)
{
    for (size_t j = 0; j < columns / 2; j++)
        cblas_dswap(to_int(n), a + j * n, 1, a + (columns - 1 - j) * n, 1);
}

/* m = J W'W J (lower). Reverses the columns of W. */
static void square_rectangle(size_t n, size_t r, double *w, double *m)
{
    reverse_columns(n, r, w);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, to_int(r), to_int(n), 1.0, w, to_int(n), 0.0, m,
                to_int(r));
}

/* m = J L' T L J: compute the product, then reverse the order of all its elements. */
static void multiply_rectangle(size_t n, size_t r, const double *l, const double *tl, double *m)
{
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, to_int(r), to_int(r), to_int(n), 1.0, l, to_int(n),
                tl, to_int(n), 0.0, m, to_int(r));
    for (size_t i = 0, j = r * r - 1; r > 0 && i < j; i++, j--) {
        double kept = m[i];
        m[i] = m[j];
        m[j] = kept;
    }
}

/* out = L C^-T, where J C J is the lower Cholesky factor of J M J = I + m: reverse the columns of L, solve
 * with that factor, and reverse them back. */
static bool condition_rectangle(const tw_factor *base, tw_factor *out, double *log_det_m)
{
    size_t n = base->n, r = base->rank;
    double *m = out->triangle;
    tw_pivot failed;
    for (size_t i = 0; i < r; i++) m[i + i * r] += 1.0;
    if (!tw_cholesky_in_place(r, m, r, &failed)) return false;
    *log_det_m = tw_cholesky_log_det(r, m, r);
    memcpy(out->l, base->l, n * r * sizeof *out->l);
    reverse_columns(n, r, out->l);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, to_int(n), to_int(r), 1.0, m,
                to_int(r), out->l, to_int(n));
    reverse_columns(n, r, out->l);
    for (size_t k = 0; k < r; k++)
        for (size_t i = k; i < r; i++) m[i + k * r] = out->l[base->pivot[i] + k * n];
    out->log_det = base->log_det - *log_det_m;
    return true;
}

bool tw_factor_condition(const tw_factor *base, const double *t, tw_factor *out, double *log_det_m)
{
    size_t n = base->n, r = base->rank;
    bool negative = false;
    for (size_t i = 0; i < n; i++) negative |= t[i] < 0.0;
    for (size_t j = 0; j < r; j++)
        for (size_t i = base->pivot ? 0 : j; i < n; i++)
            out->l[i + j * n] = (negative ? t[i] : sqrt(t[i])) * base->l[i + j * n];
    if (base->pivot) {
        if (negative)
            multiply_rectangle(n, r, base->l, out->l, out->triangle);
        else
            square_rectangle(n, r, out->l, out->triangle);
        return condition_rectangle(base, out, log_det_m);
    }
    if (negative)
        multiply_triangle(n, base->l, out->l);
    else
        square_triangle(n, out->l);
    return condition_triangle(base, 1.0, 1.0, out, log_det_m);
}

bool tw_factor_mix(const tw_factor *base, const tw_factor *other, double b, tw_factor *out, double *log_det_m)
{
    copy_triangle(base->n, base->l, base->n, out->l, base->n);
    solve_left(base->n, other->l, out->l);
    square_triangle(base->n, out->l);
    return condition_triangle(base, 1.0 - b, b, out, log_det_m);
}

/* J A J = (J L J)(J L J)' with J L J upper triangular is a product that lauum computes in place; reflect
 * gives A. */
void tw_factor_fill_room(tw_factor *factor)
{
    size_t n = factor->n;
    double *room = tw_factor_room(factor);
    exchange(n, factor->l, 1.0, 0.0, room);
    LAPACKE_dlauum_work(LAPACK_COL_MAJOR, 'U', to_int(n), room, to_int(n));
    reflect(n, room);
}
