/* leaf_walk.c: random walks in time. They are intrinsic: the level (rw1), or level and slope (rw2), are not
 * determined.
 *
 *   rw1   u'Qu = sum_k (u_k+1 - u_k)^2 / (sigma^2 h_k)
 *         null space {1}
 *   rw2   u'Qu = sum_k [(u_k+1 - u_k)/h_k - (u_k - u_k-1)/h_k-1]^2 / (sigma^2 (h_k + h_k-1)/2)
 *         null space {1, t}
 *
 * over the distinct times t_k of the cases, in order, with steps h_k. Constraints set the undetermined part
 * to zero: the sum of u, and for rw2 its least-squares slope. Several cases may have the same time: x = C u.
 * With the differences D, Q = D'D and the constraints V, log |Q| = 2 log |det [D; V']| is the sum of
 *
 *   rw1   log r - sum_k log(sigma^2 h_k)
 *   rw2   log r + log sum_k (t_k - mean)^2 - 2 sum_k log h_k - sum_k log(sigma^2 (h_k + h_k-1)/2)
 *
 * for r times, while a factor of Q loses digits like r^2 and r^4.
 * A new time becomes one more time of the walk; its mean and variance given u follow from the differences
 * that contain it.
 */
#include <math.h>

#include "covariance/full.h"
#include "covariance/precision.h"
#include "covariance/times.h"

enum { SIGMA = 0, MOST_ORDER = 2, WINDOW = 2 * MOST_ORDER + 1 };

typedef struct walk {
    size_t order; /* of differences */
    double sigma2;
    tw_times times;
    double *band; /* r x (order + 1): the diagonals of Q */
} walk;

/* The coefficients of the difference sum_a c_a u_a over the order + 1 times from t on, in units of its
 * standard deviation. */
static void difference_of(const walk *w, const double *t, double *c)
{
    double before = t[1] - t[0];
    if (w->order == 1) {
        c[1] = 1.0 / sqrt(w->sigma2 * before);
        c[0] = -c[1];
        return;
    }
    double after = t[2] - t[1], scale = 1.0 / sqrt(0.5 * w->sigma2 * (before + after));
    c[0] = scale / before;
    c[2] = scale / after;
    c[1] = -c[0] - c[2];
}

/* Q = sum of c c' over all differences. */
static void fill_band(walk *w)
{
    size_t width = w->order + 1;
    double c[MOST_ORDER + 1];
    for (size_t k = 0; k + w->order < w->times.r; k++) {
        difference_of(w, w->times.t + k, c);
        for (size_t a = 0; a < width; a++)
            for (size_t b = 0; b <= a; b++) w->band[(k + b) * width + a - b] += c[a] * c[b];
    }
}

static tw_status make_matrix(const walk *w, tw_precision *out)
{
    const tw_times *t = &w->times;
    size_t width = w->order + 1;
    tw_entries e;
    tw_status status = tw_entries_new(out->ctx, width * t->r, &e);
    for (size_t j = 0; status == TW_OK && j < t->r; j++)
        for (size_t step = 0; step < width && j + step < t->r; step++)
            tw_entries_add(&e, t->variable[j + step], t->variable[j], w->band[j * width + step]);
    return tw_entries_finish(&e, status, t->r, t->r, true, &out->q);
}

/* The terms of log |Q| that are sums over steps. */
static double log_det_differences(const walk *w)
{
    const double *t = w->times.t;
    double sum = 0.0;
    for (size_t k = 0; k + 1 < w->times.r; k++) {
        if (w->order == 1) sum -= log(w->sigma2 * (t[k + 1] - t[k]));
        if (w->order == 2) sum -= 2.0 * log(t[k + 1] - t[k]);
        if (w->order == 2 && k > 0) sum -= log(0.5 * w->sigma2 * (t[k + 1] - t[k - 1]));
    }
    return sum;
}

/* The constraints: 1 and, for rw2, t - mean(t), both normalised. */
static tw_status fill_constraints(const walk *w, tw_precision *out)
{
    const tw_times *t = &w->times;
    tw_constraints *c = &out->constraints;
    double mean = 0.0, square = 0.0;
    TW_TRY(tw_allocate_doubles(out->ctx, t->r, w->order, "the constraints of a walk", &c->v));
    for (size_t k = 0; k < t->r; k++) mean += t->t[k] / (double)t->r;
    for (size_t k = 0; k < t->r; k++) square += (t->t[k] - mean) * (t->t[k] - mean);
    for (size_t k = 0; k < t->r; k++) {
        c->v[t->variable[k]] = 1.0 / sqrt((double)t->r);
        if (w->order == 2) c->v[t->variable[k] + t->r] = (t->t[k] - mean) / sqrt(square);
    }
    out->has_log_det = true;
    out->log_det = log((double)t->r) + (w->order == 2 ? log(square) : 0.0) + log_det_differences(w);
    c->count = w->order;
    c->pin[0] = t->variable[0];
    c->pin[1] = t->variable[t->r - 1];
    return TW_OK;
}

/* ---- new times ---- */

/* Row i of C* and v* at a new time. The window holds the new time and up to `order` neighbours on either
 * side; `with` becomes the row of its precision in the extended walk. */
static void add_new(const walk *w, double at, size_t i, tw_entries *design, double *variance)
{
    const tw_times *t = &w->times;
    bool same;
    size_t before = tw_times_before(t, at, &same), first = before > w->order ? before - w->order : 0;
    size_t own = before - first, count = 0;
    double window[WINDOW] = {0}, with[WINDOW] = {0}, c[MOST_ORDER + 1];
    if (same) {
        tw_entries_add(design, i, t->variable[before], 1.0);
        return;
    }
    for (size_t k = first; k < t->r && k < before + w->order; k++) {
        if (k == before) window[count++] = at;
        window[count++] = t->t[k];
    }
    if (before == t->r) window[count++] = at;
    for (size_t k = 0; k + w->order < count; k++) {
        if (own < k || own > k + w->order) continue;
        difference_of(w, window + k, c);
        for (size_t a = 0; a <= w->order; a++) with[k + a] += c[own - k] * c[a];
    }
    for (size_t k = 0; k < count; k++)
        if (k != own && with[k] != 0.0)
            tw_entries_add(design, i, t->variable[first + k - (k > own)], -with[k] / with[own]);
    *variance = 1.0 / with[own];
}

static tw_status make_new(const walk *w, const double *input, tw_precision *out)
{
    tw_entries design;
    tw_status status = tw_precision_begin_new(out, WINDOW - 1, &design);
    for (size_t i = 0; status == TW_OK && i < out->at->count; i++)
        add_new(w, input[i], i, &design, &out->at_variance[i]);
    return tw_entries_finish(&design, status, out->at->count, w->times.r, false, &out->at_design);
}

/* ---- the leaf ---- */

static tw_status make_walk(walk *w, const tw_node *node, tw_precision *out)
{
    const tw_times *t = &w->times;
    if (t->r < 2 * w->order)
        return tw_fail(out->ctx, TW_BAD_DATA, "%s needs cases at no fewer than %zu times, but there are %zu",
                       tw_node_name(node), 2 * w->order, t->r);
    TW_TRY(tw_allocate_doubles(out->ctx, t->r, w->order + 1, "a random walk", &w->band));
    fill_band(w);
    TW_TRY(make_matrix(w, out));
    TW_TRY(fill_constraints(w, out));
    return tw_precision_pick(out, t->n, t->r, t->of);
}

static tw_status precision(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d, const double *x,
                           size_t ldx, tw_precision *out)
{
    walk w = {.order = node->leaf->power, .sigma2 = tw_node_sigma2(kernel, node, SIGMA)};
    if (tw_node_width(node, d) != 1)
        return tw_fail(kernel->ctx, TW_BAD_ARGUMENT, "%s needs one input, not %zu: name it",
                       tw_node_name(node), tw_node_width(node, d));
    size_t column = tw_node_column(kernel, node, 0);
    tw_status status = tw_times_find(kernel->ctx, n, x + column * ldx, &w.times);
    if (status == TW_OK) status = make_walk(&w, node, out);
    if (status == TW_OK && out->at) status = make_new(&w, out->at->x + column * out->at->ld, out);
    tw_times_free(&w.times);
    tw_release(kernel->ctx, w.band);
    return status;
}

#define WALK(label, differences)                                                                          \
    {                                                                                                     \
        .name = (label), .slot_count = 1,                                                                 \
        .slots = {{{.name = "sigma", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE}}, \
        .want = TW_WANT_FEATURES, .features = 1, .precision = precision, TW_FULL_LEAF,                    \
        .power = (differences)                                                                            \
    }

const tw_leaf tw_leaf_rw1 = WALK("rw1", 1);
const tw_leaf tw_leaf_rw2 = WALK("rw2", 2);
