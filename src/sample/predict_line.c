/* predict_line.c: averages over lines through draws, for a mean over draws that rests on a few of them (the
 * mathematics is in predict.h of the public interface).
 *
 * On a line, x = w + t k / |u| with w fixed. The trapezoidal rule converges exponentially for such integrands;
 * its nodes are the same for all draws, so that G(t) is computed once for each place. They reach 9 standard
 * deviations of the prior, and on each side as far as G(t) N(t) is not negligible, since most of E[exp(f)] may
 * come from there. The sums over all nodes and over every other one must agree: otherwise the step is halved,
 * also if the draw's own density is far above that at all nodes, which shows a peak between them.
 */
#include <math.h>
#include <string.h>

#include "diagnose/diagnose.h"
#include "sample/predict_line.h"

enum { NODES = TW_LINE_NODES, LEAST_REACH = 9, MOST_REACH = 60, TYPICAL_NODES = 160, LEAST_DRAWS = 200 };

static const double STEP = 0.25, DROP = 40.0;
static const double ROUGH = 1e-4; /* difference of the two sums; the error is about its square */
static const double MISSED = 3.0; /* log density of a draw above that of all nodes */
static const double ERROR = 1e-7; /* of the quadrature, relative */
static const double NO_SLOPE = 1e-10;
static const double BUDGET = 1e7; /* values of the likelihood for a case */

bool tw_line_is_needed(const tw_new_case *c)
{
    const tw_averages *a = &c->averages;
    bool mean = !c->no_mean && tw_mean_is_heavy(a, TW_PREDICT_HEAVY);
    bool sd = !c->no_mean && isfinite(c->noise) && tw_sd_is_heavy(a, TW_PREDICT_HEAVY);
    return mean || sd || tw_score_is_heavy(a, TW_PREDICT_HEAVY_SCORE);
}

tw_status tw_line_new(tw_draws_predictor *p, tw_new_case *c, size_t draws, tw_line **out)
{
    static const char *const what = "averages over lines";
    void *memory = NULL;
    double cost = (double)p->model->n * TYPICAL_NODES * (double)(draws * p->source.chains);
    size_t most = draws * p->source.chains / LEAST_DRAWS, stride = (size_t)ceil(cost / BUDGET);
    if (stride > most) stride = most;
    if (stride == 0) stride = 1;
    *out = NULL;
    TW_TRY(tw_allocate(p->ctx, 1, sizeof(tw_line), what, &memory));
    tw_line *line = *out = memory;
    *line = (tw_line){.c = c,
                      .chains = p->source.chains,
                      .draws = draws,
                      .stride = stride,
                      .count = (draws + stride - 1) / stride,
                      .two_classes = p->two_classes,
                      .labelled = p->labelled,
                      .step = STEP};
    size_t lines = line->count * line->chains;
    TW_TRY(tw_allocate_doubles(p->ctx, NODES, 4, what, &line->mean));
    TW_TRY(tw_allocate_doubles(p->ctx, lines, 3, what, &line->means));
    line->square = line->mean + NODES;
    line->log_p = line->mean + (size_t)2 * NODES;
    line->weight = line->mean + (size_t)3 * NODES;
    line->squares = line->means + lines;
    line->log_scores = line->means + 2 * lines;
    return TW_OK;
}

void tw_line_free(tw_draws_predictor *p, tw_line *line)
{
    if (!line) return;
    tw_release(p->ctx, line->mean);
    tw_release(p->ctx, line->means);
    tw_release(p->ctx, line);
}

/* ---- the nodes ---- */

/* The integrands at one t: logarithms of the second moment of y and of p(label), times N(t; 0, 1). */
typedef struct integrands {
    double moment, label;
} integrands;

/* Compute G(t) at a node; what cannot be computed is NaN. */
static integrands evaluate_node(tw_line *line, double t, size_t node)
{
    double f = line->norm * t, *mean = line->mean + node, *square = line->square + node;
    integrands at = {-INFINITY, -INFINITY};
    if (!line->two_classes) {
        tw_status status = tw_expect_many(&line->c->at, 0, line->c->variance, 1, &f, mean, square);
        if (status != TW_OK) *mean = *square = NAN;
        *square += (*mean - line->c->origin) * (*mean - line->c->origin);
        at.moment = log(*square) - 0.5 * t * t;
    }
    if (line->labelled) {
        double *log_p = line->log_p + node;
        if (tw_marginal_log(&line->c->label, 1, &f, log_p) != TW_OK) *log_p = NAN;
        at.label = *log_p - 0.5 * t * t;
    }
    return at;
}

/* Is the integrand below a far smaller part of its maximum? Where it is beyond all numbers it is not. */
static bool is_negligible(double at, double most)
{
    return at != INFINITY && !(at > most - DROP);
}

/* How far the nodes must reach on one side; node 0 is overwritten. */
static double reach(tw_line *line, double side)
{
    integrands most = {-INFINITY, -INFINITY};
    for (size_t k = 0; k < (size_t)2 * MOST_REACH; k++) {
        double t = 0.5 * (double)k;
        integrands at = evaluate_node(line, side * t, 0);
        if (t >= LEAST_REACH && is_negligible(at.moment, most.moment) && is_negligible(at.label, most.label))
            return t;
        most.moment = fmax(most.moment, at.moment);
        most.label = fmax(most.label, at.label);
    }
    line->failed = true;
    return MOST_REACH;
}

/* Set the nodes for the current step; nodes that cannot be computed, at the ends, have G = 0. */
static void set_nodes(tw_line *line, double below, double above)
{
    line->low = -below;
    line->nodes = (size_t)ceil((below + above) / (2.0 * line->step)) * 2 + 1;
    if (line->nodes > NODES) line->failed = true;
    for (size_t k = 0; k < line->nodes && !line->failed; k++) {
        double t = line->low + (double)k * line->step;
        evaluate_node(line, t, k);
        bool good = line->two_classes || isfinite(line->square[k]);
        good = good && !(line->labelled && isnan(line->log_p[k]));
        line->failed |= !good && fabs(t) < LEAST_REACH;
        if (!good) line->mean[k] = line->square[k] = 0.0;
        if (!good) line->log_p[k] = -INFINITY;
    }
}

/* Halve the step. */
static void refine(tw_line *line)
{
    double above = line->low + (double)(line->nodes - 1) * line->step;
    line->step *= 0.5;
    set_nodes(line, -line->low, above);
}

void tw_line_enter(tw_line *line, const tw_line_place *place)
{
    line->norm = place->norm;
    double below = reach(line, -1.0);
    set_nodes(line, below, reach(line, 1.0));
}

/* ---- one line ---- */

size_t tw_line_work(size_t n)
{
    return (5 + TW_COLUMNS) * n;
}

/* Sites whose x does not change along the line have a constant likelihood. */
tw_active tw_line_take_active(const tw_line_place *place, const double *x, double t, double *work)
{
    const tw_observations *all = &place->sites;
    size_t n = all->n, count = 0;
    double *y = work, *columns = work + 5 * n, norm = place->norm;
    tw_active a = {*all, work + n, work + 2 * n, work + 3 * n, work + 4 * n};
    for (size_t i = 0; i < n; i++) {
        if (fabs(place->cross[i]) <= NO_SLOPE * norm * norm) continue;
        y[count] = all->y[i];
        for (size_t j = 0; j < TW_COLUMNS; j++)
            if (all->column[j]) columns[j * n + count] = all->column[j][i];
        a.slope[count] = place->cross[i] / norm;
        a.w[count] = x[i] - t * a.slope[count];
        count++;
    }
    a.sites.n = count;
    a.sites.y = y;
    a.sites.line = NULL;
    for (size_t j = 0; j < TW_COLUMNS; j++)
        if (all->column[j]) a.sites.column[j] = columns + j * n;
    return a;
}

double tw_line_log_density(const tw_active *a, double t)
{
    double sum = -0.5 * t * t;
    for (size_t i = 0; i < a->sites.n; i++) a->x[i] = a->w[i] + t * a->slope[i];
    if (a->sites.n > 0) a->sites.likelihood->terms(&a->sites, a->x, a->value, NULL, NULL, NULL);
    for (size_t i = 0; i < a->sites.n; i++) sum += a->value[i];
    return isnan(sum) ? -INFINITY : sum;
}

/* The sums over the nodes of h, and of h times each integrand, relative to the largest h, or to the largest h p. */
typedef struct sums {
    double one, mean, square, label, log_label;
} sums;

static double most_of(size_t n, const double *a, const double *b)
{
    double most = -INFINITY;
    for (size_t i = 0; i < n; i++) most = fmax(most, a[i] + (b ? b[i] : 0.0));
    return most;
}

/* Over every `stride`-th node. */
static sums add_up(const tw_line *line, size_t stride, double top, double top_label)
{
    sums s = {0.0, 0.0, 0.0, 0.0, top_label - top};
    for (size_t k = 0; k < line->nodes; k += stride) {
        double h = exp(line->weight[k] - top);
        s.one += h;
        if (line->labelled) s.label += exp(line->weight[k] + line->log_p[k] - top_label);
        if (line->two_classes || h == 0.0) continue;
        s.mean += h * line->mean[k];
        s.square += h * line->square[k];
    }
    return s;
}

static bool differ(double all, double half)
{
    return fabs(all - 2.0 * half) > ROUGH * fabs(all);
}

/* The integrals of the current line by its nodes; false if there are too few nodes. */
static bool integrate(const tw_line *line, double own, sums *out)
{
    double top = most_of(line->nodes, line->weight, NULL), top_label = 0.0;
    if (line->labelled) top_label = most_of(line->nodes, line->weight, line->log_p);
    *out = add_up(line, 1, top, top_label);
    sums half = add_up(line, 2, top, top_label);
    if (!(own < top + MISSED) || differ(out->one, half.one)) return false;
    if (line->labelled && differ(out->label, half.label)) return false;
    return line->two_classes || !differ(out->square, half.square);
}

void tw_line_add(tw_line *line, const tw_line_place *place, size_t chain, size_t draw, const double *x,
                 double t, double *work)
{
    size_t to = chain * line->count + draw / line->stride;
    sums s = {0};
    if (draw % line->stride != 0 || line->failed) return;
    tw_active a = tw_line_take_active(place, x, t, work);
    double own = tw_line_log_density(&a, t);
    for (bool good = false; !good && !line->failed;) {
        for (size_t k = 0; k < line->nodes; k++)
            line->weight[k] = tw_line_log_density(&a, line->low + (double)k * line->step);
        good = integrate(line, own, &s);
        if (!good) refine(line);
    }
    line->means[to] = s.mean / s.one;
    line->squares[to] = s.square / s.one;
    line->log_scores[to] = s.log_label + log(s.label / s.one);
}

/* ---- the averages ---- */

/* Take the average over lines in place of one that is heavy, unless its own tail is heavier. Where it is known what
 * lines reach, they decide: if they do not reach what makes the average, nor do the draws. */
static bool take(bool heavy, bool known, const tw_average *line, tw_average *average)
{
    bool better = heavy && isfinite(line->value) && (known || line->k < average->k);
    if (better) *average = *line;
    return better;
}

/* Increase the error of an average to that of integrals that vary as much as chains found. These decide, not the k of
 * the lines, unless it is surely heavy: k is infinite if too few effective lines are left. `sum` is E[M] of M that are
 * positive, x the numbers whose mean has the error. */
static void heed_reach(double beyond, double sum, size_t n, const double *x, double mcse, tw_average *average)
{
    double mean = 0.0, own = 0.0;
    if (beyond == 0.0 || !(mcse > 0.0)) return;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) own += (x[i] - mean) * (x[i] - mean) / (double)n;
    double found = (beyond - 1.0) * sum * sum, lines = fmin(own / (mcse * mcse), (double)n);
    average->mcse *= sqrt(fmax(1.0, found / own));
    if (average->k <= TW_PREDICT_SURELY_HEAVY) average->k = fmin(average->k, TW_PREDICT_LIMIT);
    if (!(lines / beyond >= TW_PREDICT_LEAST_LINES)) average->k = INFINITY;
}

static double mean_of(size_t n, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum / (double)n;
}

static tw_average mean_over_lines(const tw_draws_predictor *p, const tw_line *line, tw_diagnose *diagnose)
{
    size_t lines = diagnose->total;
    tw_average mean = {mean_of(lines, line->means), tw_predict_mcse(p, diagnose, line->means), 0.0};
    mean.k = tw_mean_pareto_k(lines, line->means, diagnose->series);
    heed_reach(line->beyond[TW_LINE_MEAN], mean.value, lines, line->means, mean.mcse, &mean);
    mean.mcse = hypot(mean.mcse, ERROR * mean.value);
    return mean;
}

/* Overwrites the squares. */
static tw_average sd_over_lines(const tw_draws_predictor *p, tw_line *line, tw_diagnose *diagnose,
                                double mean)
{
    size_t lines = diagnose->total;
    double sum = mean_of(lines, line->squares);
    tw_average sd = tw_predict_sd(p, diagnose, line->c->origin, mean, line->means, line->squares);
    heed_reach(line->beyond[TW_LINE_SQUARE], sum, lines, line->squares, 2.0 * sd.value * sd.mcse, &sd);
    sd.mcse = hypot(sd.mcse, ERROR * sd.value);
    return sd;
}

static void finish_mean(tw_draws_predictor *p, tw_line *line, tw_diagnose *diagnose)
{
    tw_average mean = mean_over_lines(p, line, diagnose), sd = sd_over_lines(p, line, diagnose, mean.value);
    tw_averages *a = &line->c->averages;
    const double *known = line->beyond;
    bool heavy_sd = tw_sd_is_heavy(a, TW_PREDICT_HEAVY);
    /* squares have a heavier tail, with twice the k if one of E[y] makes it */
    if (known[TW_LINE_MEAN] == 0.0 && isfinite(sd.k)) mean.k = fmax(mean.k, 0.5 * sd.k);
    sd.k = fmax(sd.k, mean.k);
    line->c->line_mean =
        take(tw_mean_is_heavy(a, TW_PREDICT_HEAVY), known[TW_LINE_MEAN] > 0.0, &mean, &a->mean);
    take(heavy_sd, known[TW_LINE_SQUARE] > 0.0, &sd, &a->sd);
}

/* log of the mean of p(label) over the lines. */
static void finish_score(tw_draws_predictor *p, tw_line *line, tw_diagnose *diagnose)
{
    size_t lines = diagnose->total;
    double top = most_of(lines, line->log_scores, NULL), *p_of = line->log_scores;
    for (size_t i = 0; i < lines; i++) p_of[i] = exp(p_of[i] - top);
    double mean = mean_of(lines, p_of), mcse = tw_predict_mcse(p, diagnose, p_of);
    tw_average score = {top + log(mean), mcse / mean, tw_mean_pareto_k(lines, p_of, diagnose->series)};
    score.mcse = hypot(score.mcse, ERROR);
    tw_averages *a = &line->c->averages;
    line->c->line_score = take(tw_score_is_heavy(a, TW_PREDICT_HEAVY_SCORE), false, &score, &a->score);
}

tw_status tw_line_finish(tw_draws_predictor *p, tw_line *line)
{
    tw_diagnose *diagnose = NULL;
    if (line->failed) return TW_OK;
    TW_TRY(tw_diagnose_new(p->ctx, line->count, line->chains, &diagnose));
    if (!line->two_classes) finish_mean(p, line, diagnose);
    if (line->labelled) finish_score(p, line, diagnose);
    tw_diagnose_free(diagnose);
    return TW_OK;
}
