/* predictions.c: the quality of predictions: calibration for two classes, predicted against observed values
 * for other data; then predictions over the inputs, or their histogram. */
#include <math.h>

#include "base/context.h"
#include "output/report/html.h"
#include "output/report/predictions.h"
#include "output/run/pool_source.h"

enum { SQUARE = 300, MOST_POINTS = 1500, BINS = 20 };

/* ---- the cases ---- */

static tw_status predict_test(tw_report *r, const tw_data *test, tw_cases *cases)
{
    const tw_problem *problem = r->pool->problem;
    tw_pool_draws draws = {r->pool, 1};
    tw_draw_source source = tw_pool_source(&draws);
    tw_draws_predictor_options options = TW_DRAWS_PREDICTOR_DEFAULTS;
    tw_draws_predictor *predictor = NULL;
    tw_predictions out = {.expected = cases->own};
    tw_theta_places *places = NULL;
    options.threads = r->options->threads;
    TW_TRY(tw_pool_places(&draws, &places));
    if (places) source.places = tw_theta_places_table(places);
    tw_status status = tw_draws_predictor_new(problem->model, &source, &options, &predictor);
    if (status == TW_OK)
        status = tw_draws_predictor_at(predictor, problem->kernel, problem->data, test, 0, test->n, &out);
    if (status == TW_OK) cases->scores = tw_draws_predictor_scores(predictor).scores;
    if (status == TW_OK) tw_draws_predictor_warn(predictor);
    tw_draws_predictor_free(predictor);
    tw_theta_places_free(places);
    return status;
}

static tw_status gather_test(tw_report *r, tw_cases *cases)
{
    const tw_data *test = r->options->test;
    TW_TRY(tw_allocate_doubles(r->ctx, test->n, 1, "the predictions", &cases->own));
    cases->count = test->n;
    cases->y = test->y;
    cases->expected = cases->own;
    return predict_test(r, test, cases);
}

/* The training cases, whose scores say little about new cases. */
static tw_status gather_training(tw_report *r, tw_cases *cases)
{
    tw_observations observed = tw_problem_observed(r->pool->problem);
    size_t n = r->pool->n - r->pool->problem->data->hidden;
    double *score = NULL;
    TW_TRY(tw_allocate_doubles(r->ctx, n, 1, "the scores", &score));
    observed = tw_observations_part(&observed, 0, n);
    cases->count = n;
    cases->y = observed.y;
    cases->expected = r->expected;
    cases->scores = tw_predict_scores(&observed, cases->expected, score);
    tw_release(r->ctx, score);
    return TW_OK;
}

/* ---- two classes ---- */

/* Wilson's 95% interval for a proportion `observed` in `cases` trials. */
static void wilson(double observed, double cases, double *low, double *high)
{
    const double z = 1.959964;
    double share = z * z / cases, centre = (observed + 0.5 * share) / (1.0 + share);
    double reach = z / (1.0 + share) * sqrt(observed * (1.0 - observed) / cases + 0.25 * share / cases);
    *low = centre - reach;
    *high = centre + reach;
}

static tw_status draw_calibration(tw_report *r, const tw_cases *cases)
{
    const tw_scores *s = &cases->scores;
    TW_TRY(tw_figure_begin(&r->figures, SQUARE, "predicted probability of +1", "observed frequency of +1"));
    FILE *script = r->figures.plot.script;
    fputs("$bins << END\nNaN NaN NaN NaN NaN\n", script);
    for (size_t b = 0; b < TW_CALIBRATION_BINS; b++) {
        double low = 0.0, high = 0.0, count = (double)s->bin[b].cases;
        if (s->bin[b].cases == 0) continue;
        wilson(s->bin[b].observed, count, &low, &high);
        fprintf(script, "%g %g %g %g %g\n", s->bin[b].predicted, s->bin[b].observed, low, high,
                0.3 * count / (double)s->cases);
    }
    fputs("END\nset xrange [-0.03:1.03]\nset yrange [-0.03:1.03]\n"
          "set xtics 0.2\nset ytics 0.2\n"
          "plot $bins using 1:5:(0.05) with boxes lc " TW_FAINT " fs solid 1, x lw 1 lc " TW_INK
          " dt 2, $bins using 1:3:(0):($4-$3) with vectors nohead lw 1.5 lc " TW_FIRST
          ", $bins using 1:2 with points pt 7 ps 0.45 lc " TW_FIRST "\n",
          script);
    tw_figure_draw(&r->figures, "Calibration of the predictive probabilities");
    fputs("Calibration", r->page);
    tw_html_print(r->page, r->options->test ? " on %zu new cases" : " on the %zu training cases",
                  cases->count);
    fputs(": the observed frequency of +1 in each tenth of the predicted probabilities, with 95% intervals "
          "(Wilson); bars: numbers of cases.",
          r->page);
    if (!r->options->test)
        fputs(" The model was fitted to these labels, so this says little about new cases; use labelled test "
              "data.",
              r->page);
    tw_figure_end(&r->figures);
    return TW_OK;
}

static tw_status draw_histogram(tw_report *r, const tw_cases *cases)
{
    double count[2][BINS] = {{0.0}};
    for (size_t i = 0; i < cases->count; i++)
        count[cases->y[i] > 0.0][(size_t)fmin(cases->expected[i] * BINS, BINS - 1)]++;
    TW_TRY(tw_figure_begin(&r->figures, SQUARE, "predicted probability of +1", "cases"));
    FILE *script = r->figures.plot.script;
    tw_figure_steps(script, "negative", BINS, 0.0, 1.0 / BINS, count[0]);
    tw_figure_steps(script, "positive", BINS, 0.0, 1.0 / BINS, count[1]);
    fputs("set xrange [0:1]\nset yrange [0:*]\n"
          "unset grid\nset grid ytics\n"
          "plot " TW_STEPS("negative", TW_SECOND) ", " TW_STEPS("positive", TW_FIRST) "\n",
          script);
    tw_figure_draw(&r->figures, "Histogram of the predicted probabilities");
    fputs("Predicted probabilities of +1, for cases of ", r->page);
    tw_figure_key(&r->figures, 3, "class +1 and ");
    tw_figure_key(&r->figures, 4, "class −1.");
    tw_figure_end(&r->figures);
    return TW_OK;
}

/* ---- counts and real observations ---- */

static tw_status draw_scatter(tw_report *r, const tw_cases *cases)
{
    size_t stride = (cases->count + MOST_POINTS - 1) / MOST_POINTS;
    TW_TRY(tw_figure_begin(&r->figures, SQUARE, "predicted mean", "observed"));
    FILE *script = r->figures.plot.script;
    fputs("$cases << END\n", script);
    for (size_t i = 0; i < cases->count; i += stride) {
        tw_figure_number(script, cases->expected[i]);
        tw_figure_number(script, cases->y[i]);
        fputc('\n', script);
    }
    fputs("END\nset autoscale noextend\nset offsets "
          "graph 0.03, 0.03, 0.03, 0.03\n"
          "plot $cases with points pt 7 ps 0.35 lc " TW_FIRST ", x lw 1 dt 2 lc " TW_INK "\n",
          script);
    tw_figure_draw(&r->figures, "Predicted means against observations");
    tw_html_print(r->page,
                  r->options->test
                      ? "Predicted means against observations, %zu new cases"
                      : "Posterior means of the observations against the observations, %zu training cases",
                  cases->count);
    if (stride > 1) tw_html_print(r->page, ", one in %zu shown", stride);
    if (cases->scores.cases == cases->scores.censored)
        fputs(". All are censored.", r->page);
    else if (isnan(cases->scores.rmse))
        fputs(". Some means are withheld: few draws determine them, or they do not exist.", r->page);
    else
        tw_html_print(r->page, ". Root mean square of the difference: %.4g.", cases->scores.rmse);
    tw_figure_end(&r->figures);
    return TW_OK;
}

/* ---- the section ---- */

static void print_scores(const tw_report *r, const tw_cases *cases)
{
    const tw_scores *s = &cases->scores;
    if (!r->options->test) return;
    fputs("<p>", r->page);
    tw_html_print(r->page, "%s: %zu test cases. ", r->options->test_name, s->cases);
    if (isfinite(s->error_rate))
        tw_html_print(r->page,
                      "%.2f\u00a0±\u00a0%.2f\u00a0%% are on the wrong side of probability 1/2 (the error is "
                      "that of the finite sample of cases). ",
                      100.0 * s->error_rate,
                      100.0 * sqrt(s->error_rate * (1.0 - s->error_rate) / (double)s->cases));
    if (isnan(s->log_score)) {
        fputs("The mean log score is withheld: few draws determine that of some cases.</p>\n", r->page);
        return;
    }
    tw_html_print(r->page, "The mean log score is %.4f nats per case", s->log_score);
    if (isfinite(s->error_rate))
        tw_html_print(r->page, ", %.3f bits of information (0 for coin flips, 1 for certainty)",
                      1.0 + s->log_score / log(2.0));
    fputs(".</p>\n", r->page);
}

static tw_status draw_all(tw_report *r, const tw_cases *cases)
{
    bool binary = r->pool->problem->likelihood->two_classes;
    print_scores(r, cases);
    fputs("<div class=\"figures\">\n", r->page);
    TW_TRY(binary ? draw_calibration(r, cases) : draw_scatter(r, cases));
    bool shown = false;
    TW_TRY(tw_report_surface(r, &shown));
    if (!shown && binary) TW_TRY(draw_histogram(r, cases));
    fputs("</div>\n", r->page);
    return TW_OK;
}

tw_status tw_report_predictions(tw_report *r)
{
    tw_cases cases = {.count = 0};
    if (!r->expected) return TW_OK;
    fputs("<section>\n<h2>Predictions</h2>\n", r->page);
    tw_status status = r->options->test ? gather_test(r, &cases) : gather_training(r, &cases);
    if (status == TW_OK) status = draw_all(r, &cases);
    fputs("</section>\n", r->page);
    tw_release(r->ctx, cases.own);
    return status;
}
