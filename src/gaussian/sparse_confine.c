/* sparse_confine.c: a sparse Gaussian on the subspace V'u = 0, for intrinsic priors (Q V = 0), which do not
 * determine some combinations of their variables.
 *
 * G = Q + C'TC may be singular. Therefore the code factors G~ = G + sum_j d_j e_j e_j', with one pinned
 * variable j for each constraint. One low-rank term both imposes the constraints and removes the pins. With
 * U = [V, (d_j)^1/2 e_j] and D = diag(0, -I), the covariance on the subspace is
 *
 *   G_c = G~^-1 - G~^-1 U M^-1 U' G~^-1,   M = U' G~^-1 U + D,   log |W'G W| = log |G~| + log |det M|         (1)
 *
 * (W: an orthonormal basis of the subspace). G is positive definite there if M has as many negative
 * eigenvalues as there are pins. With P G~ P' = L L' and N = L^-1 P U = H [R; 0] (H: a product of Householder
 * reflections)
 *
 *   G_c = P' L^-T (I - N M^-1 N') L^-1 P,   I - N M^-1 N' = H diag(E, I) H',   E = I - R M^-1 R' = e e'       (2)
 *
 * E has one zero eigenvalue for each constraint, so H diag(e, I) maps from that many fewer coordinates. Form
 * (2) involves no difference of large numbers.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "gaussian/sparse_inside.h"
#include "linalg/eigen.h"

enum { MOST = 2 * TW_MOST_CONSTRAINTS, WORK = 34 * MOST };

tw_status tw_confined_new(const tw_pattern *p, tw_confined *q)
{
    q->c = p->constraints;
    q->k = 2 * q->c;
    if (q->c == 0) return TW_OK;
    TW_TRY(tw_allocate_doubles(p->ctx, p->r, q->k, "the constraints of a Gaussian", &q->n));
    return tw_allocate_doubles(p->ctx, p->r, q->k, "the constraints of a Gaussian", &q->reflector);
}

void tw_confined_free(tw_context *ctx, tw_confined *q)
{
    tw_release(ctx, q->n);
    tw_release(ctx, q->reflector);
}

/* N = L^-1 P U. */
static void set_n(const tw_pattern *p, const double *l, tw_confined *q)
{
    const uint32_t *place = p->analysis->place;
    memset(q->n, 0, p->r * q->k * sizeof *q->n);
    for (size_t j = 0; j < q->c; j++) {
        for (size_t i = 0; i < p->r; i++) q->n[j + place[i] * q->k] = p->v[i + j * p->r];
        q->n[q->c + j + place[p->pin[j]] * q->k] = sqrt(p->pinned[j]);
    }
    tw_sparse_solve_lower(p->analysis, l, q->k, q->n);
}

/* Set inverse = M^-1 and log_m = log |det M|. If a pin is far more precise than all else that determines its
 * variable, an eigenvalue of M is a difference of numbers that are nearly 1. */
static bool invert_m(size_t r, tw_confined *q)
{
    static const double factor = 100.0; /* seen: rw2 with gaps from 1e-12 to 1e-5 */
    size_t k = q->k, negative = 0;
    double m[MOST * MOST] = {0}, value[MOST], work[WORK];
    for (size_t i = 0; i < r; i++)
        for (size_t a = 0; a < k; a++)
            for (size_t b = 0; b <= a; b++) m[a + b * k] += q->n[a + i * k] * q->n[b + i * k];
    for (size_t a = q->c; a < k; a++) m[a + a * k] -= 1.0;
    if (!tw_eigen_symmetric(k, m, k, value, work)) return false;
    double largest = fmax(fabs(value[0]), fabs(value[k - 1]));
    q->log_m = q->rounding = 0.0;
    memset(q->inverse, 0, sizeof q->inverse);
    for (size_t j = 0; j < k; j++) {
        negative += value[j] < 0.0;
        q->log_m += log(fabs(value[j]));
        q->rounding += DBL_EPSILON * (factor + largest) / fabs(value[j]);
        for (size_t a = 0; a < k; a++)
            for (size_t b = 0; b < k; b++) q->inverse[a + b * k] += m[a + j * k] * m[b + j * k] / value[j];
    }
    return negative == q->c && isfinite(q->log_m);
}

/* Replace column j, from row j on, by v with (I - v v') column = length e_j and |v|^2 = 2 (or v = 0). Returns
 * length. */
static double reflector_of(size_t rows, size_t k, size_t j, double *v)
{
    double square = 0.0;
    for (size_t i = j; i < rows; i++) square += v[j + i * k] * v[j + i * k];
    double length = v[j + j * k] > 0.0 ? -sqrt(square) : sqrt(square), first = v[j + j * k] - length;
    double scale = square > 0.0 ? 1.0 / sqrt(-length * first) : 0.0; /* |v|^2 = -2 length first */
    v[j + j * k] = first;
    for (size_t i = j; i < rows; i++) v[j + i * k] *= scale;
    return length;
}

/* Set the reflectors from the columns of N, and r to R. */
static void reflect_columns(size_t rows, tw_confined *q, double r[MOST * MOST])
{
    size_t k = q->k;
    double *v = q->reflector;
    memcpy(v, q->n, rows * k * sizeof *v);
    for (size_t i = 0; i < k * k; i++) r[i] = 0.0;
    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i < j; i++) r[i + j * k] = v[j + i * k];
        r[j + j * k] = reflector_of(rows, k, j, v);
        for (size_t a = j + 1; a < k; a++) {
            double dot = 0.0;
            for (size_t i = j; i < rows; i++) dot += v[j + i * k] * v[a + i * k];
            for (size_t i = j; i < rows; i++) v[a + i * k] -= dot * v[j + i * k];
        }
    }
}

/* Set e with E = I - R M^-1 R' = e e', from the c largest eigenvalues of E; the other c are zero. */
static bool set_e(tw_confined *q, const double r[MOST * MOST])
{
    size_t k = q->k;
    double e[MOST * MOST], value[MOST], work[WORK];
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b < k; b++) {
            double sum = a == b ? 1.0 : 0.0;
            for (size_t i = 0; i < k; i++)
                for (size_t j = 0; j < k; j++) sum -= r[a + i * k] * q->inverse[i + j * k] * r[b + j * k];
            e[a + b * k] = sum;
        }
    if (!tw_eigen_symmetric(k, e, k, value, work)) return false;
    for (size_t j = 0; j < q->c; j++) {
        q->square[j] = value[q->c + j];
        if (!(q->square[j] > 0.0)) return false;
        for (size_t a = 0; a < k; a++) q->e[a + j * k] = e[a + (q->c + j) * k] * sqrt(q->square[j]);
    }
    return true;
}

bool tw_confined_set(const tw_pattern *p, const double *l, tw_confined *q)
{
    double r[MOST * MOST];
    q->log_m = q->rounding = 0.0;
    if (q->c == 0) return true;
    set_n(p, l, q);
    if (!invert_m(p->r, q)) return false;
    reflect_columns(p->r, q, r);
    return set_e(q, r);
}

/* sum = N' Z and with = M^-1 sum, k numbers for each column. */
static void contract(const tw_confined *q, size_t r, size_t columns, const double *z, double *sum,
                     double *with)
{
    size_t k = q->k;
    for (size_t a = 0; a < k * columns; a++) sum[a] = with[a] = 0.0;
    for (size_t i = 0; i < r; i++)
        for (size_t a = 0; a < k; a++)
            for (size_t c = 0; c < columns; c++) sum[a + c * k] += q->n[a + i * k] * z[c + i * columns];
    for (size_t c = 0; c < columns; c++)
        for (size_t a = 0; a < k; a++)
            for (size_t b = 0; b < k; b++) with[a + c * k] += q->inverse[a + b * k] * sum[b + c * k];
}

void tw_confined_project(const tw_confined *q, size_t r, size_t columns, double *z)
{
    size_t k = q->k;
    double sum[MOST * TW_SPARSE_COLUMNS], with[MOST * TW_SPARSE_COLUMNS];
    if (q->c == 0) return;
    contract(q, r, columns, z, sum, with);
    for (size_t i = 0; i < r; i++)
        for (size_t a = 0; a < k; a++)
            for (size_t c = 0; c < columns; c++) z[c + i * columns] -= q->n[a + i * k] * with[a + c * k];
}

void tw_confined_squares(const tw_confined *q, size_t r, size_t columns, const double *z, double *square)
{
    double sum[MOST * TW_SPARSE_COLUMNS], with[MOST * TW_SPARSE_COLUMNS];
    if (q->c == 0) return;
    contract(q, r, columns, z, sum, with);
    for (size_t c = 0; c < columns; c++)
        for (size_t a = 0; a < q->k; a++) square[c] -= sum[a + c * q->k] * with[a + c * q->k];
}

double tw_confined_square(const tw_confined *q, size_t r, const double *z)
{
    double square = 0.0;
    tw_confined_squares(q, r, 1, z, &square);
    return -square;
}

/* Z = H Z, or H' Z. */
static void reflect(const tw_confined *q, size_t r, size_t columns, bool transposed, double *z)
{
    size_t k = q->k;
    for (size_t s = 0; s < k; s++) {
        size_t j = transposed ? s : k - 1 - s;
        double dot[TW_SPARSE_COLUMNS] = {0};
        for (size_t i = j; i < r; i++)
            for (size_t c = 0; c < columns; c++) dot[c] += q->reflector[j + i * k] * z[c + i * columns];
        for (size_t i = j; i < r; i++)
            for (size_t c = 0; c < columns; c++) z[c + i * columns] -= q->reflector[j + i * k] * dot[c];
    }
}

/* Rows k and on of Z already hold coordinates; set the first k rows to e times the last c coordinates of w. */
void tw_confined_take(const tw_confined *q, size_t r, size_t columns, const double *w, double *z)
{
    size_t k = q->k, coordinates = r - q->c;
    for (size_t c = 0; c < columns; c++)
        for (size_t i = 0; i < k; i++) {
            z[c + i * columns] = 0.0;
            for (size_t j = 0; j < q->c; j++)
                z[c + i * columns] += q->e[i + j * k] * w[r - k + j + c * coordinates];
        }
    if (q->c > 0) reflect(q, r, columns, false, z);
}

void tw_confined_give(const tw_confined *q, size_t r, size_t columns, bool solved, double *z, double *w)
{
    size_t k = q->k, coordinates = r - q->c;
    if (q->c > 0) reflect(q, r, columns, true, z);
    for (size_t c = 0; c < columns; c++)
        for (size_t j = 0; j < q->c; j++) {
            double sum = 0.0;
            for (size_t i = 0; i < k; i++) sum += q->e[i + j * k] * z[c + i * columns];
            w[r - k + j + c * coordinates] = solved ? sum / q->square[j] : sum;
        }
}

void tw_confined_reach(const tw_confined *q, const tw_pattern *p, const double *l, double *y)
{
    if (q->c == 0) return;
    memcpy(y, q->n, p->r * q->k * sizeof *y);
    tw_sparse_solve_upper(p->analysis, l, q->k, y);
}

/* Subtract (C G~^-1 U M^-1 U' G~^-1 C')_ii. */
void tw_confined_variances(const tw_confined *q, const tw_pattern *p, const double *l, double *variance)
{
    size_t k = q->k;
    double row[MOST];
    if (q->c == 0) return;
    tw_buffer *y = tw_pattern_borrow(p);
    tw_confined_reach(q, p, l, y->numbers);
    for (size_t i = 0; i < p->n; i++) {
        for (size_t a = 0; a < k; a++) row[a] = tw_pattern_site(p, k, y->numbers, a, i);
        for (size_t a = 0; a < k; a++)
            for (size_t b = 0; b < k; b++) variance[i] -= row[a] * q->inverse[a + b * k] * row[b];
    }
    tw_buffer_give_back(y);
}

/* log |W'C'C W| = log |C'C| + log |V'(C'C)^-1 V|. */
bool tw_confined_gram(tw_pattern *p)
{
    size_t c = p->constraints;
    double m[TW_MOST_CONSTRAINTS * TW_MOST_CONSTRAINTS] = {0}, value[TW_MOST_CONSTRAINTS], work[WORK];
    double *y = p->buffer[0].numbers;
    for (size_t i = 0; i < p->r; i++)
        for (size_t j = 0; j < c; j++) y[j + p->analysis->place[i] * c] = p->v[i + j * p->r];
    tw_sparse_solve_lower(p->analysis, p->gram, c, y);
    for (size_t i = 0; i < p->r; i++)
        for (size_t a = 0; a < c; a++)
            for (size_t b = 0; b <= a; b++) m[a + b * c] += y[a + i * c] * y[b + i * c];
    if (!tw_eigen_symmetric(c, m, c, value, work)) return false;
    for (size_t j = 0; j < c; j++) p->log_gram += log(value[j]);
    return isfinite(p->log_gram);
}
