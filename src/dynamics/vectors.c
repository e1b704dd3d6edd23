/* vectors.c: the vector operations of a leapfrog step (vectors.h). A macro defines each loop once and
 * instantiates it for every machine. */
#include "dynamics/vectors.h"

#include "math/machine.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): real is a type */

/* ---- kick and drift ---- */

#define MOVE_LOOP(real)                                                                             \
    TW_INLINE void move_loop_##real(tw_kick_drift m, size_t count, const real *restrict f,          \
                                    double *restrict w, double *restrict p, float *restrict narrow) \
    {                                                                                               \
        for (size_t i = 0; i < count; i++) {                                                        \
            double position = w[i], momentum = p[i] + m.force * (double)f[i] + m.own * position;    \
            double moved = m.stay * position + m.turn * momentum;                                   \
            w[i] = moved;                                                                           \
            p[i] = m.stay * momentum - m.back * position;                                           \
            if (narrow) narrow[i] = (float)moved;                                                   \
        }                                                                                           \
    }
MOVE_LOOP(double)
MOVE_LOOP(float)

#define MOVE(real, machine, target)                                                                  \
    target static void move_##real##machine(tw_kick_drift m, size_t count, const real *f, double *w, \
                                            double *p, float *narrow)                                \
    {                                                                                                \
        if (narrow)                                                                                  \
            move_loop_##real(m, count, f, w, p, narrow);                                             \
        else                                                                                         \
            move_loop_##real(m, count, f, w, p, NULL);                                               \
    }
#define MOVES(machine, target, fused) MOVE(double, machine, target) MOVE(float, machine, target)
TW_FOR_EACH_MACHINE(MOVES)

void tw_vectors_move(const tw_kick_drift *move, size_t count, const double *f, double *w, double *p,
                     float *narrow)
{
    TW_ON_THIS_MACHINE(move_double, *move, count, f, w, p, narrow);
}

void tw_vectors_move_single(const tw_kick_drift *move, size_t count, const float *f, double *w, double *p,
                            float *narrow)
{
    TW_ON_THIS_MACHINE(move_float, *move, count, f, w, p, narrow);
}

/* ---- differences, roundings, shifts ---- */

#define LOOPS(machine, target, fused)                                                                     \
    target static void subtract_from##machine(size_t count, const double *restrict w, double *restrict a) \
    {                                                                                                     \
        for (size_t i = 0; i < count; i++) a[i] = w[i] - a[i];                                            \
    }                                                                                                     \
    target static void subtract_single##machine(size_t count, const double *restrict w,                   \
                                                const float *restrict f, double *restrict a)              \
    {                                                                                                     \
        for (size_t i = 0; i < count; i++) a[i] = w[i] - (double)f[i];                                    \
    }                                                                                                     \
    target static void narrow##machine(size_t count, const double *restrict a, float *restrict to)        \
    {                                                                                                     \
        for (size_t i = 0; i < count; i++) to[i] = (float)a[i];                                           \
    }                                                                                                     \
    target static void shift##machine(size_t n, const double *restrict centre, double *restrict x)        \
    {                                                                                                     \
        for (size_t i = 0; i < n; i++) x[i] += centre[i];                                                 \
    }                                                                                                     \
    target static void shift_single##machine(size_t n, const double *restrict centre, float *restrict x)  \
    {                                                                                                     \
        for (size_t i = 0; i < n; i++) x[i] = (float)((double)x[i] + centre[i]);                          \
    }                                                                                                     \
    target static void remove_sites##machine(size_t n, const double *restrict nu,                         \
                                             const double *restrict tau, const double *restrict x,        \
                                             double *restrict slope)                                      \
    {                                                                                                     \
        for (size_t i = 0; i < n; i++) slope[i] -= nu[i] - tau[i] * x[i];                                 \
    }                                                                                                     \
    target static void remove_sites_single##machine(size_t n, const double *restrict nu,                  \
                                                    const double *restrict tau, const float *restrict x,  \
                                                    float *restrict slope)                                \
    {                                                                                                     \
        for (size_t i = 0; i < n; i++)                                                                    \
            slope[i] = (float)((double)slope[i] - (nu[i] - tau[i] * (double)x[i]));                       \
    }
TW_FOR_EACH_MACHINE(LOOPS)
/* NOLINTEND(bugprone-macro-parentheses) */

void tw_vectors_subtract_from(size_t count, const double *w, double *a)
{
    TW_ON_THIS_MACHINE(subtract_from, count, w, a);
}

void tw_vectors_subtract_single(size_t count, const double *w, const float *f, double *a)
{
    TW_ON_THIS_MACHINE(subtract_single, count, w, f, a);
}

void tw_vectors_narrow(size_t count, const double *a, float *to)
{
    TW_ON_THIS_MACHINE(narrow, count, a, to);
}

void tw_vectors_shift(size_t n, const double *centre, double *x)
{
    TW_ON_THIS_MACHINE(shift, n, centre, x);
}

void tw_vectors_shift_single(size_t n, const double *centre, float *x)
{
    TW_ON_THIS_MACHINE(shift_single, n, centre, x);
}

void tw_vectors_remove_sites(size_t n, const double *nu, const double *tau, const double *x, double *slope)
{
    TW_ON_THIS_MACHINE(remove_sites, n, nu, tau, x, slope);
}

void tw_vectors_remove_sites_single(size_t n, const double *nu, const double *tau, const float *x,
                                    float *slope)
{
    TW_ON_THIS_MACHINE(remove_sites_single, n, nu, tau, x, slope);
}
