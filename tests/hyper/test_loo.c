/* Leave-one-out predictions on three labels: log p(y_n | the other two) = log p(y) - log p(the other two),
 * both by quadrature of closed forms over theta. */
#include <math.h>

#include "support/hyper_case.h"
#include "support/orthants.h"
#include "support/support.h"

static double log_normal(double x, double mean, double sd)
{
    double z = (x - mean) / sd;
    return -0.5 * z * z - log(sd) - 0.5 * log(2.0 * acos(-1.0));
}

static double log_prior(double log_ell, double log_sigma)
{
    return log_normal(log_ell, 0.3, 0.8) + log_normal(log_sigma, -0.7, 0.3);
}

/* p(y_i, y_j) = 1/4 + y_i y_j asin(rho_ij) / (2 pi), averaged over the prior. */
static double pair(double distance, double sign)
{
    enum { SIDE = 400 };
    const double step = 16.0 / SIDE;
    double total = 0.0;
    for (int i = 0; i <= SIDE; i++)
        for (int j = 0; j <= SIDE; j++) {
            double log_ell = -8.0 + i * step, s2 = exp(2.0 * (-8.0 + j * step));
            double rho = s2 * exp(-0.5 * distance * distance * exp(-2.0 * log_ell)) / (s2 + 1.0);
            total += exp(log_prior(log_ell, -8.0 + j * step)) *
                     (0.25 + sign * asin(rho) / (2.0 * acos(-1.0))) * step * step;
        }
    return total;
}

/* 4096 points with 4 particles each: errors of a few thousandths. Where sigma is large, an observation among three matters so
 * much that the weights have no variance: here it is about 1/2. */
static void leaving_out_is_a_ratio_of_evidences(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = NULL;
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    tw_hyper_result *r = NULL;
    double score[3], k[3];
    double log_z = orthants_solve(log_prior).log_z;
    const double exact[3] = {log_z - log(pair(1.3, -1.0)), log_z - log(pair(2.0, -1.0)),
                             log_z - log(pair(0.7, 1.0))};
    o.points = 4096;
    o.starts = 1;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, "log_ell ~ normal(0.3, 0.8)"), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, "log_sigma ~ normal(-0.7, 0.3)"), TW_OK);
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    assert_int_equal(tw_hyper_leave_one_out(problem, r, score, k), TW_OK);
    for (size_t n = 0; n < 3; n++) {
        assert_close(score[n], exact[n], 0.03, "log p(y_n | the others)");
        assert_true(k[n] < 0.7);
    }
    tw_hyper_free(r);
    o.points = 64;
    o.kept = 0;
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    assert_int_equal(tw_hyper_leave_one_out(problem, r, score, k), TW_BAD_ARGUMENT);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* ---- an unknown parameter of the likelihood ---- */

/* p(y_i : i in `with`) of a function with variance 0.16 and length scale 1 under noise e^t, averaged over t ~ N(-0.5, 0.25). */
static double evidence(const double *x, const double *y, size_t count, const size_t *with)
{
    double total = 0.0;
    for (int a = -400; a <= 400; a++) {
        double t = -0.5 + 0.005 * a, l[4][4], w[4], log_p = log_normal(t, -0.5, 0.25);
        for (size_t i = 0; i < count; i++) {
            w[i] = y[with[i]];
            for (size_t j = 0; j <= i; j++) {
                double d = x[with[i]] - x[with[j]];
                l[i][j] = 0.16 * exp(-0.5 * d * d) + (i == j ? exp(2.0 * t) : 0.0);
                for (size_t k = 0; k < j; k++) l[i][j] -= l[i][k] * l[j][k];
                l[i][j] = i == j ? sqrt(l[i][j]) : l[i][j] / l[j][j];
                if (j < i) w[i] -= l[i][j] * w[j];
            }
            w[i] /= l[i][i];
            log_p += -0.5 * w[i] * w[i] - log(l[i][i]) - 0.5 * log(2.0 * acos(-1.0));
        }
        total += exp(log_p) * 0.005;
    }
    return total;
}

/* The noise differs between points, and so does p(y_n | x_n). 8,192 draws: errors of a few thousandths. */
static void every_point_has_its_own_noise(void **state)
{
    (void)state;
    static const double x[4] = {0.0, 0.8, 1.7, 2.5}, y[4] = {0.5, -0.4, 0.3, 0.6};
    tw_context *ctx = new_context();
    tw_problem *problem = hyper_pose_gaussian(ctx, "se(ell=1, sigma=0.4)", 4, x, y);
    tw_priors *priors = hyper_priors(problem, "log_noise ~ normal(-0.5, 0.25)", NULL);
    tw_hyper_options o = hyper_small(2);
    tw_hyper_result *r = NULL;
    double score[4], k[4];
    o.points = 2048;
    o.joint_particles = 0;
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    assert_int_equal(tw_hyper_leave_one_out(problem, r, score, k), TW_OK);
    for (size_t n = 0; n < 4; n++) {
        size_t all[4] = {0, 1, 2, 3}, others[3], count = 0;
        for (size_t i = 0; i < 4; i++)
            if (i != n) others[count++] = i;
        assert_true(k[n] < 0.7);
        assert_close(score[n], log(evidence(x, y, 4, all) / evidence(x, y, 3, others)), 0.03,
                     "log p(y_n | the others)");
    }
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* ---- draws for predictions ---- */

/* Draws that are thinned have no more information than there are of them. */
static void the_effective_number_is_at_most_that_of_the_draws_used(void **state)
{
    (void)state;
    const size_t index = 0, point[10] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 2};
    const double theta[3] = {0.1, 0.2, 0.3}, effective[3] = {2.5, 3.9, 100.0};
    tw_context *ctx = new_context();
    tw_problem *problem = orthants_pose(ctx);
    for (size_t k = 0; k < 3; k++) {
        tw_theta_draws draws = {.unknown = 1,
                                .points = 3,
                                .draws = 10,
                                .index = &index,
                                .theta = theta,
                                .point = point,
                                .stride = 3,
                                .effective = effective[k]};
        tw_theta_places *places = NULL;
        assert_int_equal(tw_theta_places_new(problem, &draws, &places), TW_OK);
        const tw_draw_places *table = tw_theta_places_table(places);
        assert_true(table->effective == fmin(effective[k], 4.0) && table->count == 3);
        for (size_t i = 0; i < 4; i++) assert_int_equal(table->of(table->user, 0, i), point[3 * i]);
        for (size_t i = 0; i < 3; i++) {
            const tw_model *model = NULL;
            const tw_kernel *kernel = NULL;
            assert_int_equal(table->go(table->user, i, &model, &kernel), TW_OK);
            assert_true(tw_kernel_theta(kernel)[0] == theta[i] && tw_kernel_theta(kernel)[1] == 0.0);
        }
        tw_theta_places_free(places);
    }
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* A prediction at a training input is the mean of 64 draws x_s, whose error is sd / sqrt(E) where they count as E. The error of its log score is made of a
 * part of first order, which goes as 1 / sqrt(E), and of the bias of a logarithm, which goes as 1 / E: two values of E determine both, and so a third. */
static void predictions_count_draws_by_their_effective_number(void **state)
{
    (void)state;
    enum { N = 3, S = 64 };
    static const double at[N] = {0.0, 1.0, 2.5}, y[N] = {0.5, -0.3, 0.8}, label = 4.0, theta = 0.0;
    const size_t index = 0, point[S] = {0};
    double x[N * S], mean = 0.0, squares = 0.0, score2[3];
    tw_context *ctx = new_context();
    tw_problem *problem = hyper_pose_gaussian(ctx, "se(ell=1, sigma=1)", N, at, y);
    tw_data *new = NULL;
    assert_int_equal(tw_data_new(ctx, 1, 1, at, 1, &label, &new), TW_OK);
    for (size_t i = 0; i < N * S; i++) x[i] = 0.4 * sin(1.3 * (double)(i * i % 101));
    for (size_t s = 0; s < S; s++) mean += x[N * s] / S;
    for (size_t s = 0; s < S; s++) squares += (x[N * s] - mean) * (x[N * s] - mean);
    for (size_t k = 0; k < 3; k++) {
        double effective = S / pow(4.0, (double)k), expected, mcse, score, score_mcse;
        tw_theta_draws draws = {.unknown = 1,
                                .points = 1,
                                .draws = S,
                                .index = &index,
                                .theta = &theta,
                                .point = point,
                                .stride = 1,
                                .effective = effective};
        tw_draws kept = {.ctx = ctx, .n = N, .chains = 1, .draws = S, .x = x};
        tw_draw_source source = tw_draws_source(&kept);
        tw_predictions out = {
            .expected = &expected, .mcse = &mcse, .log_score = &score, .log_score_mcse = &score_mcse};
        tw_theta_places *places = NULL;
        tw_draws_predictor *p = NULL;
        assert_int_equal(tw_theta_places_new(problem, &draws, &places), TW_OK);
        source.places = tw_theta_places_table(places);
        assert_int_equal(tw_draws_predictor_new(problem->model, &source, NULL, &p), TW_OK);
        assert_int_equal(tw_draws_predictor_at(p, problem->kernel, problem->data, new, 0, 1, &out), TW_OK);
        assert_close(expected, mean, 1e-9, "the mean");
        assert_close(mcse, sqrt(squares / (S - 1) / effective), 1e-9, "its error");
        score2[k] = score_mcse * score_mcse;
        tw_draws_predictor_free(p);
        tw_theta_places_free(places);
    }
    double bias2 = (score2[1] - 4.0 * score2[0]) / 12.0, first2 = score2[0] - bias2;
    assert_true(bias2 > 1e-3 * first2);
    assert_close(score2[2], 16.0 * first2 + 256.0 * bias2, 1e-9 * score2[2], "the error of the log score");
    tw_data_free(new);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* ---- the sum ---- */

/* The sum is withheld, with a warning, where k is above 0.7 at some case, or near it at many. */
static void a_doubtful_sum_is_withheld(void **state)
{
    (void)state;
    enum { CASES = 40 };
    double score[CASES], k[CASES];
    tw_hyper_result r = {.n = CASES, .points = 512, .kept = 16};
    for (size_t i = 0; i < CASES; i++) {
        score[i] = i % 2 ? -1.0 : -2.0;
        k[i] = 0.3;
    }
    tw_leave_one_out loo = tw_hyper_sum_left_out(&r, score, k);
    assert_close(loo.sum, -60.0, 1e-12, "the sum");
    assert_close(loo.se, sqrt(CASES * 10.0 / (CASES - 1.0)), 1e-12, "its error");
    assert_true(loo.doubtful == 0 && r.warnings.count == 0);
    k[3] = k[4] = 0.69; /* two of forty near the limit */
    assert_true(tw_hyper_sum_left_out(&r, score, k).sum == loo.sum && r.warnings.count == 0);
    k[5] = 0.69;
    loo = tw_hyper_sum_left_out(&r, score, k);
    assert_true(isnan(loo.sum) && isnan(loo.se) && loo.doubtful == 0 && r.warnings.count == 1);
    k[3] = k[4] = 0.3;
    k[5] = 0.71;
    loo = tw_hyper_sum_left_out(&r, score, k);
    assert_true(isnan(loo.sum) && isnan(loo.se) && loo.doubtful == 1 && r.warnings.count == 2);
    assert_int_equal(r.warnings.warning[1].code, TW_WARN_LOO);
    assert_true(r.warnings.warning[1].number[0] == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaving_out_is_a_ratio_of_evidences),
        cmocka_unit_test(every_point_has_its_own_noise),
        cmocka_unit_test(the_effective_number_is_at_most_that_of_the_draws_used),
        cmocka_unit_test(predictions_count_draws_by_their_effective_number),
        cmocka_unit_test(a_doubtful_sum_is_withheld),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
