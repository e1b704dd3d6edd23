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
 * Where two times are close, 1/h would hide the other differences in the sums of Q's entries. So the variable of
 * the second time is u_k+1 - u_k, and coefficients of u_k are sums of c that do not cancel, since sum c = 0.
 * A new time becomes one more time of the walk; its mean and variance given u follow from the differences
 * that contain it.
 */
#include <math.h>

#include "covariance/full.h"
#include "covariance/precision.h"
#include "covariance/times.h"

enum { SIGMA = 0, MOST_ORDER = 2, WINDOW = 2 * MOST_ORDER + 1 };

/* Two times are a close pair if their step is below this share of the steps beside it. */
static const double CLOSE = 1e-3;

typedef struct walk {
    size_t order; /* of differences */
    double sigma2;
    tw_times times;
    size_t close; /* the number of close pairs */
    double *band; /* r x (order + 2): the diagonals of Q */
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

/* Is the variable of time k the difference u_k - u_k-1? */
static bool is_close(const walk *w, size_t k)
{
    const double *t = w->times.t;
    if (k == 0 || k >= w->times.r) return false;
    double before = k > 1 ? t[k - 1] - t[k - 2] : INFINITY,
           after = k + 1 < w->times.r ? t[k + 1] - t[k] : INFINITY;
    return t[k] - t[k - 1] < CLOSE * fmin(before, after);
}

/* The coefficients of the variables of times k - 1, ..., k + order in the difference that begins at time k. */
static void row_of(const walk *w, size_t k, double *b)
{
    double *c = b + 1;
    b[0] = 0.0;
    difference_of(w, w->times.t + k, c);
    const double first = c[0], last = c[w->order];
    if (is_close(w, k)) b[0] = first;
    if (is_close(w, k + 1)) c[0] = w->order == 1 ? 0.0 : -last;
    if (w->order == 2 && is_close(w, k + 2)) c[1] = -first;
}

/* Q = sum of b b' over all differences. */
static void fill_band(walk *w)
{
    size_t width = w->order + 2;
    double b[MOST_ORDER + 2];
    for (size_t k = 0; k + w->order < w->times.r; k++) {
        row_of(w, k, b);
        for (size_t i = b[0] == 0.0; i < width; i++)
            for (size_t j = b[0] == 0.0; j <= i; j++) w->band[(k + j - 1) * width + i - j] += b[i] * b[j];
    }
}

static tw_status make_matrix(const walk *w, tw_precision *out)
{
    const tw_times *t = &w->times;
    size_t width = w->order + 2;
    tw_entries e;
    tw_status status = tw_entries_new(out->ctx, width * t->r, &e);
    for (size_t j = 0; status == TW_OK && j < t->r; j++)
        for (size_t step = 0; step < width && j + step < t->r; step++) {
            double value = w->band[j * width + step];
            if (step <= w->order || value != 0.0)
                tw_entries_add(&e, t->variable[j + step], t->variable[j], value);
        }
    return tw_entries_finish(&e, status, t->r, t->r, true, &out->q);
}

/* Express the constraints in the variables, and make them orthonormal again; returns log det R^2 of this QR
 * decomposition, by which log |Q| decreases. */
static double change_constraints(const walk *w, double *v)
{
    const tw_times *t = &w->times;
    double log_det = 0.0;
    for (size_t c = 0; c < w->order; c++) {
        double *own = v + c * t->r, along = 0.0, square = 0.0;
        for (size_t k = 1; k < t->r; k++)
            if (is_close(w, k)) own[t->variable[k - 1]] += own[t->variable[k]];
        for (size_t k = 0; c > 0 && k < t->r; k++) along += own[k] * v[k];
        for (size_t k = 0; k < t->r; k++) {
            if (c > 0) own[k] -= along * v[k];
            square += own[k] * own[k];
        }
        for (size_t k = 0; k < t->r; k++) own[k] /= sqrt(square);
        /* cppcheck-suppress invalidFunctionArg; a walk has variables, and square is above 0 */
        log_det += log(square);
    }
    return log_det;
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
    if (w->close) out->log_det -= change_constraints(w, c->v);
    c->count = w->order;
    c->pin[0] = t->variable[0];
    c->pin[1] = t->variable[t->r - 1 - is_close(w, t->r - 1)];
    return TW_OK;
}

/* ---- new times ---- */

/* Row i of C*: the weights (of sum 1) of `count` times from `first` on, for their variables. */
static void add_weights(const walk *w, size_t first, size_t count, const double *weight, size_t i,
                        tw_entries *design)
{
    const uint32_t *variable = w->times.variable;
    if (is_close(w, first) && count > 0 && weight[0] != 0.0)
        tw_entries_add(design, i, variable[first - 1], weight[0]);
    for (size_t k = 0; k < count; k++) {
        double own = weight[k];
        if (k + 1 < count && is_close(w, first + k + 1)) { /* weight[k] + weight[k + 1], which may cancel */
            own = 1.0;
            for (size_t other = 0; other < count; other++)
                if (other != k && other != k + 1) own -= weight[other];
        }
        if (own != 0.0) tw_entries_add(design, i, variable[first + k], own);
    }
}

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
        if (is_close(w, before)) tw_entries_add(design, i, t->variable[before - 1], 1.0);
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
    for (size_t k = own; k + 1 < count; k++) window[k] = with[k + 1];
    for (size_t k = 0; k < own; k++) window[k] = with[k];
    for (size_t k = 0; k + 1 < count; k++) window[k] /= -with[own];
    add_weights(w, first, count - 1, window, i, design);
    *variance = 1.0 / with[own];
}

static tw_status make_new(const walk *w, const double *input, tw_precision *out)
{
    tw_entries design;
    tw_status status = tw_precision_begin_new(out, WINDOW, &design);
    for (size_t i = 0; status == TW_OK && i < out->at->count; i++)
        add_new(w, input[i], i, &design, &out->at_variance[i]);
    return tw_entries_finish(&design, status, out->at->count, w->times.r, false, &out->at_design);
}

/* ---- the leaf ---- */

/* C with close pairs: u_k is its variable and, of the second of a pair, also that of the first. */
static tw_status make_design(const walk *w, tw_precision *out)
{
    const tw_times *t = &w->times;
    uint32_t *first = NULL; /* of each variable: the variable of the first of its pair, or itself */
    tw_entries e = {.ctx = out->ctx};
    tw_status status = tw_index_allocate(out->ctx, t->r, "a random walk", &first);
    for (size_t k = 0; status == TW_OK && k < t->r; k++)
        first[t->variable[k]] = t->variable[is_close(w, k) ? k - 1 : k];
    if (status == TW_OK) status = tw_entries_new(out->ctx, 2 * t->n, &e);
    for (size_t i = 0; status == TW_OK && i < t->n; i++) {
        tw_entries_add(&e, i, t->of[i], 1.0);
        if (first[t->of[i]] != t->of[i]) tw_entries_add(&e, i, first[t->of[i]], 1.0);
    }
    tw_release(out->ctx, first);
    return tw_entries_finish(&e, status, t->n, t->r, false, &out->design);
}

static tw_status make_walk(walk *w, const tw_node *node, tw_precision *out)
{
    const tw_times *t = &w->times;
    if (t->r < 2 * w->order)
        return tw_fail(out->ctx, TW_BAD_DATA, "%s needs cases at no fewer than %zu times, but there are %zu",
                       tw_node_name(node), 2 * w->order, t->r);
    TW_TRY(tw_allocate_doubles(out->ctx, t->r, w->order + 2, "a random walk", &w->band));
    for (size_t k = 1; k < t->r; k++) w->close += is_close(w, k);
    fill_band(w);
    TW_TRY(make_matrix(w, out));
    TW_TRY(fill_constraints(w, out));
    return w->close ? make_design(w, out) : tw_precision_pick(out, t->n, t->r, t->of);
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
