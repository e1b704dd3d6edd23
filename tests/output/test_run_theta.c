/* Draws of unknown parameters: a file restores them; predictions average over parameters and latents,
 * compared with quadrature of a closed form and, draw by draw, with a model at that draw's parameters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/orthants.h"
#include "support/scratch_folder.h"
#include "support/support.h"
#include "talweg/report.h"
#include "talweg/run.h"

enum { NEW = 3, MOST = 2048 };

static const double inputs[2] = {0.0, 0.7}, labels[2] = {1.0, 1.0}, at_inputs[NEW] = {2.0, 0.1, 9.0};

/* A run with its draws. */
typedef struct run_case {
    tw_context *ctx;
    tw_problem *problem;
    tw_priors *priors;
    tw_hyper_result *result;
    size_t point[MOST];
    tw_draws *draws;
    tw_data *at;
} run_case;

static void begin(run_case *c, const char *likelihood, const char *const *priors, size_t points)
{
    static const double y[NEW] = {-1.0, 1.0, 1.0};
    tw_problem_parts parts = {.likelihood = tw_likelihood_find(likelihood)};
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    *c = (run_case){.ctx = new_context()};
    o.points = points;
    o.starts = 1;
    o.threads = 1;
    assert_int_equal(tw_data_new(c->ctx, 2, 1, inputs, 2, labels, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(c->ctx, "se", 1, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(c->ctx, &parts, &c->problem), TW_OK);
    assert_int_equal(tw_priors_new(c->problem, &c->priors), TW_OK);
    for (; *priors; priors++) assert_int_equal(tw_priors_read(c->priors, c->problem, *priors), TW_OK);
    assert_int_equal(tw_hyper_run(c->problem, c->priors, &o, &c->result), TW_OK);
    assert_int_equal(tw_hyper_draws(c->problem, c->priors, c->result, 1, c->point, &c->draws), TW_OK);
    assert_int_equal(tw_data_new(c->ctx, NEW, 1, at_inputs, NEW, y, &c->at), TW_OK);
}

static void end(run_case *c)
{
    tw_draws_free(c->draws);
    tw_hyper_free(c->result);
    tw_priors_free(c->priors);
    tw_problem_free(c->problem);
    tw_data_free(c->at);
    assert_int_equal(tw_context_bytes_in_use(c->ctx), 0);
    tw_context_free(c->ctx);
}

static const char *const probit_priors[] = {"log_ell ~ normal(0.3, 0.8)", "log_sigma ~ normal(0.5, 1)", NULL};

/* ---- predictions ---- */

typedef struct predicted {
    double mean[NEW], variance[NEW], expected[NEW], mcse[NEW], sd[NEW], score[NEW], q05[NEW], q95[NEW];
} predicted;

static predicted predict(const run_case *c, const tw_draw_source *source, size_t threads, bool plain)
{
    predicted p;
    tw_draws_predictor_options o = {.threads = threads, .bytes = 1 << 20, .plain = plain};
    tw_draws_predictor *predictor = NULL;
    const tw_predictions out = {.mean = p.mean,
                                .variance = p.variance,
                                .expected = p.expected,
                                .mcse = p.mcse,
                                .sd = p.sd,
                                .log_score = p.score,
                                .q05 = p.q05,
                                .q95 = p.q95};
    assert_int_equal(tw_draws_predictor_new(c->problem->model, source, &o, &predictor), TW_OK);
    assert_int_equal(
        tw_draws_predictor_at(predictor, c->problem->kernel, c->problem->data, c->at, 0, NEW, &out), TW_OK);
    tw_draws_predictor_free(predictor);
    return p;
}

static predicted predict_from_memory(const run_case *c, size_t threads, bool plain)
{
    size_t index[TW_HYPER_MOST];
    for (size_t k = 0; k < c->result->unknown; k++) index[k] = c->result->row[k].index;
    const tw_theta_draws draws = {.unknown = c->result->unknown,
                                  .points = c->result->points,
                                  .draws = c->draws->draws,
                                  .index = index,
                                  .theta = c->result->theta,
                                  .point = c->point,
                                  .stride = 1,
                                  .effective = c->result->estimate.weight_ess};
    tw_theta_places *places = NULL;
    tw_draw_source source = tw_draws_source(c->draws);
    assert_int_equal(tw_theta_places_new(c->problem, &draws, &places), TW_OK);
    source.places = tw_theta_places_table(places);
    predicted p = predict(c, &source, threads, plain);
    tw_theta_places_free(places);
    return p;
}

static double log_prior(double log_ell, double log_sigma)
{
    double a = (log_ell - 0.3) / 0.8, b = log_sigma - 0.5;
    return -0.5 * (a * a + b * b);
}

/* p(y_3 | y_1, y_2) is the ratio of the evidence of three labels to that of two, each integrated over theta. */
static double exact_probability(void)
{
    const double step = 0.03, pi = acos(-1.0);
    double three = 0.0, two = 0.0;
    for (int i = -400; i <= 400; i++)
        for (int j = -400; j <= 400; j++) {
            double ell = i * step, sigma = j * step, sigma2 = exp(2.0 * sigma), d = inputs[1] - inputs[0];
            double rho = sigma2 * exp(-0.5 * d * d * exp(-2.0 * ell)) / (sigma2 + 1.0);
            double weight = exp(log_prior(ell, sigma));
            three += weight * orthants_z(ell, sigma);
            two += weight * (0.25 + asin(rho) / (2.0 * pi));
        }
    return three / two;
}

/* Draws of 2,000 points: within 5 of the error that is reported (1e-6), which is below 0.01. */
static void predictions_average_over_parameters(void **state)
{
    (void)state;
    run_case c;
    begin(&c, "probit", probit_priors, 2000);
    predicted p = predict_from_memory(&c, 1, false), twice = predict_from_memory(&c, 3, false);
    double plus = 1.0 - exact_probability();
    assert_true(p.mcse[0] > 0.0 && p.mcse[0] < 0.01);
    assert_close(p.expected[0], plus, 5.0 * p.mcse[0], "the probability of +1");
    assert_close(p.score[0], log1p(-plus), 5.0 * p.mcse[0] / (1.0 - plus), "log p(y)");
    assert_memory_equal(&p, &twice, sizeof p);
    end(&c);
}

/* Each draw alone, by the model at its parameters, and means and variances over draws (plain: no averages over
 * lines in their place). */
static void assert_draw_by_draw(run_case *c)
{
    predicted all = predict_from_memory(c, 2, true);
    double theta[8], start[8], mean[NEW] = {0.0}, square[NEW] = {0.0}, given[NEW] = {0.0},
                               expected[NEW] = {0.0}, score[NEW] = {0.0};
    size_t count = c->draws->draws, n = c->draws->n;
    tw_problem_get_theta(c->problem, start);
    for (size_t i = 0; i < count; i++) {
        tw_draws one = *c->draws;
        one.draws = 1;
        one.x = c->draws->x + i * n;
        tw_draw_source source = tw_draws_source(&one);
        memcpy(theta, start, sizeof theta);
        for (size_t k = 0; k < c->result->unknown; k++)
            theta[c->result->row[k].index] = c->result->theta[k + c->point[i] * c->result->unknown];
        assert_int_equal(tw_problem_set_theta(c->problem, theta), TW_OK);
        predicted p = predict(c, &source, 1, true);
        for (size_t j = 0; j < NEW; j++) {
            mean[j] += p.mean[j] / (double)count;
            square[j] += p.mean[j] * p.mean[j] / (double)count;
            given[j] += p.variance[j] / (double)count;
            expected[j] += p.expected[j] / (double)count;
            score[j] += exp(p.score[j]) / (double)count;
        }
    }
    assert_int_equal(tw_problem_set_theta(c->problem, start), TW_OK);
    for (size_t j = 0; j < NEW; j++) {
        assert_close(all.mean[j], mean[j], 1e-10, "mean");
        assert_close(all.variance[j], given[j] + square[j] - mean[j] * mean[j], 1e-9 * all.variance[j],
                     "variance");
        assert_close(all.expected[j], expected[j], 1e-10, "expected");
        assert_close(all.score[j], log(score[j]), 1e-9, "log p(y)");
        assert_true(all.q05[j] < all.mean[j] && all.mean[j] < all.q95[j]);
    }
}

static void each_draw_predicts_with_its_own_parameters(void **state)
{
    (void)state;
    static const char *const with_noise[] = {"log_ell ~ normal(0, 0.5)", "noise ~ gamma(4, 8)", NULL};
    run_case c;
    begin(&c, "gaussian", with_noise, 64);
    assert_draw_by_draw(&c);
    end(&c);
    begin(&c, "probit", probit_priors, 64);
    assert_draw_by_draw(&c);
    end(&c);
}

/* ---- files ---- */

static void assert_theta(const run_case *c, const tw_run_theta *t)
{
    const tw_hyper_result *r = c->result;
    assert_non_null(t);
    assert_int_equal(t->unknown, 2);
    assert_int_equal(t->points, r->points);
    assert_int_equal(t->scrambles, r->scrambles);
    assert_string_equal(t->prior[0], probit_priors[0]);
    assert_memory_equal(t->theta, r->theta, 2 * r->points * sizeof(double));
    assert_memory_equal(t->log_weight, r->log_weight, r->points * sizeof(double));
    assert_memory_equal(t->point, c->point, c->draws->draws * sizeof(size_t));
    for (size_t k = 0; k < 2; k++) {
        assert_string_equal(t->row[k].name, r->row[k].name);
        assert_int_equal(t->row[k].index, r->row[k].index);
        assert_true(t->row[k].as_log && t->row[k].mean == r->row[k].mean && t->row[k].mcse == r->row[k].mcse);
    }
    assert_true(t->weight_ess == r->estimate.weight_ess);
}

static void assert_summary(tw_run *run, const run_case *c)
{
    tw_summary rows[2];
    tw_chains_summary summary;
    assert_int_equal(tw_run_summarise(run, 1, rows, &summary), TW_OK);
    assert_true(rows[0].ess_bulk == c->result->estimate.weight_ess && isnan(rows[0].rhat));
    assert_true(isnan(summary.rhat_max) && summary.ess_min == rows[0].ess_bulk);
}

static tw_status save(const run_case *c, const char *path, const tw_run_options *options)
{
    const tw_run_facts facts = {
        .n = 2, .chains = 1, .method = "is2", .metric = "ep", .from = "ep", .beta = 1.0};
    tw_run_theta_room theta;
    tw_run_theta_of(c->problem, c->priors, c->result, c->point, &theta);
    return tw_run_save_hyper(c->ctx, path, options, c->problem, &facts, &theta.all, &c->result->estimate, 1.0,
                             c->draws);
}

static void a_file_gives_back_what_went_in(void **state)
{
    (void)state;
    run_case c;
    scratch_folder folder = scratch_folder_new();
    const char *path = scratch_path(&folder, "theta.nc");
    tw_run *run = NULL;
    tw_theta_places *places = NULL;
    begin(&c, "probit", probit_priors, 64);
    const tw_run_options only = {.summary_only = true};
    assert_int_equal(save(&c, path, &only), TW_BAD_ARGUMENT);
    assert_int_equal(save(&c, path, NULL), TW_OK);
    assert_int_equal(tw_run_open(c.ctx, path, &run), TW_OK);
    assert_theta(&c, tw_run_read_theta(run));
    assert_summary(run, &c);
    assert_true(tw_run_read_evidence(run)->estimates[0].log_z == c.result->estimate.log_z);
    tw_draw_source source = tw_run_source(run);
    assert_int_equal(tw_run_places(c.problem, tw_run_read_theta(run), 1, &places), TW_OK);
    source.places = tw_theta_places_table(places);
    predicted from_file = predict(&c, &source, 1, false), from_memory = predict_from_memory(&c, 1, false);
    assert_memory_equal(&from_file, &from_memory, sizeof from_file);
    tw_theta_places_free(places);
    tw_run_close(run);
    end(&c);
    scratch_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_average_over_parameters),
        cmocka_unit_test(each_draw_predicts_with_its_own_parameters),
        cmocka_unit_test(a_file_gives_back_what_went_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
