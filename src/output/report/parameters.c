/* parameters.c: unknown parameters: a table of their posterior, prior against posterior for each, the pairs
 * with the largest correlations and, if there are two, the log evidence as a function of both.
 *
 * The surface is a local linear regression of log Zhat, which is noisy, on the weighted points; contours are
 * drawn only near points.
 */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "output/report/html.h"
#include "output/report/parts.h"

static const double WIDTH = 0.07; /* bandwidth of the regression, relative to the range of the draws */

enum { BINS = 24, CURVE = 120, SQUARE = 300, MOST_PAIRS = 6, SIDE = 40 };

/* The data of one parameter's figures. */
typedef struct parameter {
    const tw_run_theta *t;
    const tw_problem *problem;
    size_t k;
    double *values; /* of all draws, on the reported scale */
    double low, high;
} parameter;

static void load(const tw_report *r, size_t k, double *values, parameter *out)
{
    const tw_run_theta *t = r->pool->theta;
    *out = (parameter){.t = t, .problem = r->pool->problem, .k = k, .low = INFINITY, .high = -INFINITY};
    out->values = values;
    for (size_t i = 0; i < t->draws; i++) {
        values[i] = tw_run_theta_reported(out->problem, t, k, t->point[i]);
        out->low = fmin(out->low, values[i]);
        out->high = fmax(out->high, values[i]);
    }
    double size = fmax(fabs(out->low), fabs(out->high));
    tw_figure_widen(size > 0.0 ? 1e-5 * size : 1e-3, &out->low, &out->high);
}

/* ---- the table ---- */

static void print_table(const tw_report *r)
{
    const tw_run_theta *t = r->pool->theta;
    fputs(
        "<div class=\"wide\"><table>\n<tr><th>parameter</th><th>mean</th><th>MCSE</th><th>sd</th><th>5%</th>"
        "<th>50%</th><th>95%</th><th>prior</th></tr>\n",
        r->page);
    for (size_t k = 0; k < t->unknown; k++) {
        const tw_hyper_row *row = &t->row[k];
        fputs("<tr>", r->page);
        tw_html_cell(r->page, "%s", row->name);
        tw_html_number(r->page, 3, row->mean);
        tw_html_number(r->page, -2, row->mcse);
        tw_html_number(r->page, 3, row->sd);
        tw_html_number(r->page, 3, row->q05);
        tw_html_number(r->page, 3, row->q50);
        tw_html_number(r->page, 3, row->q95);
        tw_html_cell(r->page, "%s", t->prior[k]);
        fputs("</tr>\n", r->page);
    }
    fputs("</table></div>\n", r->page);
}

/* ---- prior against posterior ---- */

/* The prior density on the reported scale: p(theta) d theta / d value. */
static double prior_density(const parameter *p, const tw_prior *prior, double value)
{
    const tw_parameter *about = tw_problem_parameter(p->problem, p->t->index[p->k]);
    bool natural = about->transform == TW_TRANSFORM_LOG && !p->t->row[p->k].as_log;
    if (natural && !(value > 0.0)) return 0.0;
    double theta = natural ? log(value) : value;
    return exp(tw_prior_log_density(prior, about, theta, NULL) - (natural ? theta : 0.0));
}

static void print_prior(const parameter *p, const tw_prior *prior, double low, double high, FILE *script)
{
    fputs("$prior << END\n", script);
    for (size_t i = 0; i <= CURVE; i++) {
        double value = low + (high - low) * (double)i / CURVE;
        tw_figure_number(script, value);
        tw_figure_number(script, prior_density(p, prior, value));
        fputc('\n', script);
    }
    fputs("END\n", script);
}

static void print_histogram(const parameter *p, FILE *script)
{
    double count[BINS] = {0.0}, width = (p->high - p->low) / BINS, draws = (double)p->t->draws;
    for (size_t i = 0; i < p->t->draws; i++)
        count[(size_t)fmin((p->values[i] - p->low) / width, BINS - 1)] += 1.0 / (draws * width);
    tw_figure_steps(script, "posterior", BINS, p->low, width, count);
}

static tw_status draw_parameter(tw_report *r, const parameter *p, const tw_prior *prior)
{
    const char *name = p->t->row[p->k].name;
    char words[160];
    bool positive = tw_problem_parameter(p->problem, p->t->index[p->k])->transform == TW_TRANSFORM_LOG &&
                    !p->t->row[p->k].as_log;
    double width = p->high - p->low, low = p->low - 0.5 * width, high = p->high + 0.5 * width;
    if (positive) low = fmax(low, 0.0);
    TW_TRY(tw_figure_begin(&r->figures, TW_FIGURE_HEIGHT, name, "density"));
    FILE *script = r->figures.plot.script;
    print_histogram(p, script);
    print_prior(p, prior, low, high, script);
    fprintf(script, "set xrange [%.9g:%.9g]\n", low, high);
    fputs("set yrange [0:*]\nunset grid\nset grid ytics\nplot " TW_STEPS(
              "posterior", TW_FIRST) ", $prior with "
                                     "lines lw 1.6 dt 2 lc " TW_INK "\n",
          script);
    snprintf(words, sizeof words, "Prior and posterior of %.100s", name);
    tw_figure_draw(&r->figures, words);
    tw_figure_key(&r->figures, 3, "Posterior");
    tw_html_print(r->page, " of %s, and its prior (dashed): %s.", name, p->t->prior[p->k]);
    tw_figure_end(&r->figures);
    return TW_OK;
}

/* ---- pairs ---- */

typedef struct pair {
    size_t a, b;
    double correlation;
} pair;

static double correlation(size_t count, const double *x, const double *y)
{
    double mx = 0.0, my = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
    for (size_t i = 0; i < count; i++) {
        mx += x[i] / (double)count;
        my += y[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    return xx > 0.0 && yy > 0.0 ? xy / sqrt(xx * yy) : 0.0;
}

static int by_correlation(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    double p = fabs(x->correlation), q = fabs(y->correlation);
    return p != q         ? (p < q) - (p > q)
           : x->a != y->a ? (x->a > y->a) - (x->a < y->a)
                          : (x->b > y->b) - (x->b < y->b);
}

/* List the pairs with the largest |correlation|, in decreasing order. */
static size_t list_pairs(const parameter *all, size_t unknown, pair *out)
{
    size_t count = 0;
    for (size_t a = 0; a < unknown; a++)
        for (size_t b = a + 1; b < unknown; b++)
            out[count++] = (pair){a, b, correlation(all[a].t->draws, all[a].values, all[b].values)};
    qsort(out, count, sizeof *out, by_correlation);
    return count < MOST_PAIRS ? count : MOST_PAIRS;
}

/* ---- the surface ---- */

/* Sums of weighted least squares for z = c0 + c1 u + c2 v around a point; u and v are relative to the ranges
 * of the draws. */
typedef struct plane {
    double w, u, v, z, uu, uv, vv, uz, vz;
} plane;

static void add_point(plane *p, double u, double v, double z)
{
    double w = exp(-0.5 * (u * u + v * v) / (WIDTH * WIDTH));
    p->w += w;
    p->u += w * u;
    p->v += w * v;
    p->z += w * z;
    p->uu += w * u * u;
    p->uv += w * u * v;
    p->vv += w * v * v;
    p->uz += w * u * z;
    p->vz += w * v * z;
}

/* c0; NaN if fewer than three points are near. */
static double level_of(const plane *p)
{
    double u = p->u / p->w, v = p->v / p->w, z = p->z / p->w;
    double uu = p->uu / p->w - u * u, vv = p->vv / p->w - v * v, uv = p->uv / p->w - u * v;
    double uz = p->uz / p->w - u * z, vz = p->vz / p->w - v * z, det = uu * vv - uv * uv;
    if (!(p->w > 3.0) || !(det > 1e-9 * uu * vv)) return NAN;
    return z - u * (vv * uz - uv * vz) / det - v * (uu * vz - uv * uz) / det;
}

static double surface_at(const parameter *x, const parameter *y, double a, double b, double largest)
{
    const tw_run_theta *t = x->t;
    plane sums = {.w = 0.0};
    for (size_t s = 0; s < t->points; s++) {
        double u = (tw_run_theta_reported(x->problem, t, x->k, s) - a) / (x->high - x->low);
        double v = (tw_run_theta_reported(y->problem, t, y->k, s) - b) / (y->high - y->low);
        if (t->log_z[s] > largest - 20.0) add_point(&sums, u, v, t->log_z[s] - largest);
    }
    return level_of(&sums);
}

/* log p(y | theta) over the range of the draws, relative to the largest estimate. */
static void print_surface(const parameter *x, const parameter *y, FILE *script)
{
    double largest = -INFINITY;
    for (size_t s = 0; s < x->t->points; s++) largest = fmax(largest, x->t->log_z[s]);
    fputs("$z << END\n", script);
    for (size_t j = 0; j < SIDE; j++, fputc('\n', script))
        for (size_t i = 0; i < SIDE; i++) {
            double a = x->low + (x->high - x->low) * (double)i / (SIDE - 1);
            double b = y->low + (y->high - y->low) * (double)j / (SIDE - 1);
            fprintf(script, "%.9g %.9g", a, b);
            tw_figure_number(script, surface_at(x, y, a, b, largest));
            fputc('\n', script);
        }
    fputs("END\nset contour base\nunset surface\nset cntrparam levels discrete -0.5,-1,-2,-4,-8\n"
          "set table $lines\nsplot $z using 1:2:3\nunset table\n",
          script);
}

static tw_status draw_pair(tw_report *r, const parameter *x, const parameter *y, double rho)
{
    const char *a = x->t->row[x->k].name, *b = y->t->row[y->k].name;
    char words[240];
    bool surface = x->t->unknown == 2 && !isnan(x->t->log_z[0]);
    TW_TRY(tw_figure_begin(&r->figures, SQUARE, a, b));
    FILE *script = r->figures.plot.script;
    double a_margin = 0.03 * (x->high - x->low), b_margin = 0.03 * (y->high - y->low);
    fprintf(script, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", x->low - a_margin, x->high + a_margin,
            y->low - b_margin, y->high + b_margin);
    if (surface) print_surface(x, y, script);
    fputs("$draws << END\n", script);
    for (size_t i = 0; i < x->t->draws; i++) fprintf(script, "%.9g %.9g\n", x->values[i], y->values[i]);
    fprintf(script, "END\nplot %s$draws with points pt 7 ps 0.3 lc " TW_FIRST "\n",
            surface ? "$lines using 1:2 with lines lw 1 lc " TW_INK ", " : "");
    snprintf(words, sizeof words, "Draws of %.100s and %.100s", a, b);
    tw_figure_draw(&r->figures, words);
    tw_figure_key(&r->figures, 3, "Draws");
    tw_html_print(r->page, " of %s and %s, whose correlation is %.2f.", a, b, rho);
    if (surface)
        fputs(" Lines: the log evidence log p(y | θ), 0.5, 1, 2, 4 and 8 nats below its largest "
              "estimate, by local regression of the estimates at all points.",
              r->page);
    tw_figure_end(&r->figures);
    return TW_OK;
}

/* ---- the section ---- */

static tw_status draw_all(tw_report *r, const tw_priors *priors, const parameter *all)
{
    const tw_run_theta *t = r->pool->theta;
    pair pairs[TW_HYPER_MOST * TW_HYPER_MOST] = {0};
    size_t count = list_pairs(all, t->unknown, pairs);
    for (size_t k = 0; k < t->unknown; k++) TW_TRY(draw_parameter(r, &all[k], &priors->prior[t->index[k]]));
    for (size_t i = 0; i < count; i++)
        TW_TRY(draw_pair(r, &all[pairs[i].a], &all[pairs[i].b], pairs[i].correlation));
    return TW_OK;
}

static tw_status read_priors(const tw_report *r, tw_priors **out)
{
    const tw_run_theta *t = r->pool->theta;
    TW_TRY(tw_priors_new(r->pool->problem, out));
    for (size_t k = 0; k < t->unknown; k++) {
        TW_TRY(tw_priors_read(*out, r->pool->problem, t->prior[k]));
        if (t->index[k] >= (*out)->count || !(*out)->has[t->index[k]])
            return tw_fail(r->ctx, TW_BAD_DATA, "unknown_parameters: \"%.100s\" is not a prior of %.60s",
                           t->prior[k], t->row[k].name);
    }
    return TW_OK;
}

tw_status tw_report_parameters(tw_report *r)
{
    const tw_run_theta *t = r->pool->theta;
    tw_priors *priors = NULL;
    double *values = NULL;
    parameter all[TW_HYPER_MOST];
    if (!t) return TW_OK;
    tw_status status = read_priors(r, &priors);
    if (status == TW_OK)
        status = tw_allocate_doubles(r->ctx, t->draws, t->unknown, "the parameters of draws", &values);
    if (status == TW_OK) {
        fputs("<section id=\"parameters\">\n<h2>Unknown parameters</h2>\n", r->page);
        print_table(r);
        fputs("<div class=\"figures\">\n", r->page);
        for (size_t k = 0; k < t->unknown; k++) load(r, k, values + k * t->draws, &all[k]);
        status = draw_all(r, priors, all);
        fputs("</div>\n</section>\n", r->page);
    }
    tw_release(r->ctx, values);
    tw_priors_free(priors);
    return status;
}
