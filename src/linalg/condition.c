/* condition.c: the factor of a conditioned covariance, and its product, in the storage of one matrix.
 *
 * With A = L L' and M = I + L' T L the conditioned factor is X = L C^-T, C C' = M with C upper triangular. For a
 * triangular L every matrix on the way is a triangle: W = T^1/2 L and M = I + W'W below the diagonal; M turned
 * by 180 degrees, J M J = U'U, and C = J U' J in the room above it; X below again. So nothing is needed beside
 * the n x (n + 1) numbers of the factor, and products of triangles (lauum) and solves that know of them cost
 * n^3/3 flops each instead of n^3: n^3 in all where dense ones would take 7/3 n^3.
 *
 * Where some of T are negative there is no T^1/2: M = I + L' (T L) as it stands, by a product of a triangle with a full matrix
 * in the room of both triangles, twice the flops. M may then be indefinite, and is not factored.
 *
 * A factor of lower rank, n x r in full, takes the dense way, with M in the place of its triangle.
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

/* The upper triangle of scale J M J + shift I into the room, M in the lower triangle of l. */
static void turn(size_t n, const double *l, double scale, double shift, double *room)
{
    for (size_t q = 0; q < n; q++) {
        const double *column = l + (n - 1) + (n - 1 - q) * n;
        for (size_t p = 0; p <= q; p++) room[p + q * n] = scale * *(column - p);
        room[q + q * n] += shift;
    }
}

/* The upper triangle U becomes J U' J: entries (p, q) and (n-1-q, n-1-p) change places. */
static void reflect(size_t n, double *u)
{
    for (size_t q = 0; q < n; q++)
        for (size_t p = 0; p <= q && p + q + 1 < n; p++) {
            double *partner = u + (n - 1 - q) + (n - 1 - p) * n, kept = u[p + q * n];
            u[p + q * n] = *partner;
            *partner = kept;
        }
}

/* L <- L C^-T in the lower triangle of l, C upper triangular, by blocks of rows from the top: with D the block's
 * square on the diagonal, X_D = L_D C_D^-T, then what is left of it, (L - X_D C') C^-T. */
static void solve_from_the_right(size_t n, const double *c, double *l)
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

/* L <- S^-1 L in the lower triangle of l, S lower triangular, by blocks of columns in the same way. */
static void solve_from_the_left(size_t n, const double *s, double *l)
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

/* The Cholesky factor U of the turned M in the room, U'U; its log-determinant is that of M. */
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

/* The lower triangle of W'W in the place of the triangle W. */
static void square_triangle(size_t n, double *w)
{
    LAPACKE_dlauum_work(LAPACK_COL_MAJOR, 'L', to_int(n), w, to_int(n));
}

/* L' T L in the place of T L, whose upper triangle is cleared first. */
static void multiply_triangle(size_t n, const double *l, double *tl)
{
    clear_room(n, tl);
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, to_int(n), to_int(n), 1.0, l,
                to_int(n), tl, to_int(n));
}

/* out = base C^-T, C C' = scale P + shift I, for P in the lower triangle of out. */
static bool condition_triangle(const tw_factor *base, double scale, double shift, tw_factor *out,
                               double *log_det_m)
{
    size_t n = base->n;
    double *room = tw_factor_room(out);
    turn(n, out->l, scale, shift, room);
    if (!factor_room(n, room, log_det_m)) return false;
    reflect(n, room);
    copy_triangle(n, base->l, n, out->l, n);
    solve_from_the_right(n, room, out->l);
    clear_room(n, out->l);
    out->log_det = base->log_det - *log_det_m;
    return true;
}

/* Columns in reverse order, in place: L J with J the exchange matrix. */
static void reverse_columns(size_t n, size_t columns, double *a)
{
    for (size_t j = 0; j < columns / 2; j++)
        cblas_dswap(to_int(n), a + j * n, 1, a + (columns - 1 - j) * n, 1);
}

/* J W'W J into m, for W in out, whose columns are reversed. */
static void square_rectangle(size_t n, size_t r, double *w, double *m)
{
    reverse_columns(n, r, w);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, to_int(r), to_int(n), 1.0, w, to_int(n), 0.0, m,
                to_int(r));
}

/* J L' T L J into m: the product, and then all its elements in reverse order. */
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

/* L C^-T with J C J the lower Cholesky factor of J M J = I + m: the columns of L are reversed, solved against it, and
 * reversed back. */
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
    solve_from_the_left(base->n, other->l, out->l);
    square_triangle(base->n, out->l);
    return condition_triangle(base, 1.0 - b, b, out, log_det_m);
}

/* J A J = (J L J)(J L J)', a product of the kind that lauum makes in place; reflected it is A. */
void tw_factor_fill_room(tw_factor *factor)
{
    size_t n = factor->n;
    double *room = tw_factor_room(factor);
    turn(n, factor->l, 1.0, 0.0, room);
    LAPACKE_dlauum_work(LAPACK_COL_MAJOR, 'U', to_int(n), room, to_int(n));
    reflect(n, room);
}
