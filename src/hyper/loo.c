/* loo.c: leave-one-out predictions of a model with unknown parameters, from weighted draws of its posterior:
 *
 *   log p(y_n | y without n) = log sum_i v_i p(y_n | x_in) - log sum_i v_i,   v_i = W_i / p(y_n | x_in),
 *
 * where W_i are the weights of the draws. The largest v_i are smoothed (tw_weights_smooth; Vehtari, Gelman
 * and Gabry 2017). Where their k is high, the result may be nats off: the sum over cases is withheld. */
#include <math.h>
#include <string.h>

#include "hyper/hyper.h"
#include "talweg/diagnose.h"

typedef struct work {
    const tw_problem *problem;
    const tw_hyper_result *r;
    size_t draws;
    double *theta, *value;  /* all parameters; n */
    double *log_likelihood; /* draws x n */
    double *v;              /* draws */
} work;

/* log p(y_n | x_n) for every draw; draw i is particle i % kept of point i / kept. */
static void evaluate(work *w)
{
    const tw_hyper_result *r = w->r;
    const tw_problem *problem = w->problem;
    const double *phi = w->theta + tw_kernel_count(problem->kernel);
    tw_observations observed = tw_data_observed(problem->data, problem->likelihood, phi);
    for (size_t i = 0; i < w->draws; i++) {
        size_t s = i / r->kept;
        if (!(r->log_weight[s] > -INFINITY)) continue;
        for (size_t k = 0; k < r->unknown; k++) w->theta[r->row[k].index] = r->theta[k + s * r->unknown];
        problem->likelihood->terms(&observed, r->x + i * r->n, w->value, NULL, NULL, NULL);
        for (size_t n = 0; n < r->n; n++) w->log_likelihood[i + n * w->draws] = w->value[n];
    }
}

static double leave_out(work *w, size_t n, double *pareto_k)
{
    const tw_hyper_result *r = w->r;
    const double *l = w->log_likelihood + n * w->draws;
    for (size_t i = 0; i < w->draws; i++) {
        double weight = r->log_weight[i / r->kept];
        w->v[i] = weight > -INFINITY ? weight - l[i] : -INFINITY;
    }
    *pareto_k = tw_weights_smooth(w->draws, w->v);
    double below = tw_log_mean_exp(w->draws, w->v, NULL);
    for (size_t i = 0; i < w->draws; i++)
        if (w->v[i] > -INFINITY) w->v[i] += l[i];
    return tw_log_mean_exp(w->draws, w->v, NULL) - below;
}

static tw_status allocate(tw_context *ctx, work *w)
{
    TW_TRY(tw_allocate_doubles(ctx, tw_problem_count(w->problem), 1, "theta", &w->theta));
    TW_TRY(tw_allocate_doubles(ctx, w->r->n, 1, "predictions", &w->value));
    TW_TRY(tw_allocate_doubles(ctx, w->draws, w->r->n, "predictions", &w->log_likelihood));
    return tw_allocate_doubles(ctx, w->draws, 1, "weights", &w->v);
}

tw_status tw_hyper_leave_one_out(const tw_problem *problem, const tw_hyper_result *r, double *log_score,
                                 double *pareto_k)
{
    work w = {.problem = problem, .r = r, .draws = r->points * r->kept};
    if (!r->x)
        return tw_fail(r->ctx, TW_BAD_ARGUMENT,
                       "leave-one-out predictions need draws of x, but no particles were kept");
    tw_status status = allocate(r->ctx, &w);
    if (status == TW_OK) {
        tw_problem_get_theta(problem, w.theta);
        evaluate(&w);
        for (size_t n = 0; n < r->n; n++) log_score[n] = leave_out(&w, n, &pareto_k[n]);
    }
    double *arrays[] = {w.theta, w.value, w.log_likelihood, w.v};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(r->ctx, arrays[i]);
    return status;
}

/* k is estimated from the M = min(S / 5, 3 sqrt(S)) largest of S weights and has the standard error
 * (1 + k) / sqrt(M). */
tw_leave_one_out tw_hyper_sum_left_out(tw_hyper_result *r, const double *log_score, const double *pareto_k)
{
    double draws = (double)(r->points * r->kept), tail = fmin(0.2 * draws, 3.0 * sqrt(draws));
    double error = (1.0 + TW_PARETO_LIMIT) / sqrt(tail), near = 0.0, n = (double)r->n, squares = 0.0;
    tw_leave_one_out loo = {0.0, 0.0, 0};
    for (size_t i = 0; i < r->n; i++) {
        loo.sum += log_score[i];
        loo.doubtful += (size_t) !(pareto_k[i] <= TW_PARETO_LIMIT);
        near += pareto_k[i] <= TW_PARETO_LIMIT && pareto_k[i] > TW_PARETO_LIMIT - error;
    }
    for (size_t i = 0; i < r->n; i++) squares += pow(log_score[i] - loo.sum / n, 2.0);
    loo.se = sqrt(squares * n / (n - 1.0));
    if (loo.doubtful == 0 && near <= 0.05 * n) return loo;
    tw_warnings_add(&r->warnings, &(tw_warning){.code = TW_WARN_LOO,
                                                .number = {(double)loo.doubtful, near, TW_PARETO_LIMIT, n}});
    loo.sum = loo.se = NAN;
    return loo;
}
