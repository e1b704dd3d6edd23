/* predict_case.c: build cases and predict; see predict_case.h. */
#include "support/predict_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "support/dense.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"

enum { COLUMNS = 11 };

static double *numbers(size_t count)
{
    double *memory = calloc(count ? count : 1, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

static double observe(const char *likelihood, size_t i)
{
    double wave = sin(1.3 * (double)i + 0.4);
    if (strcmp(likelihood, "gaussian") == 0) return 1.5 * wave;
    if (strcmp(likelihood, "poisson") == 0) return floor(4.0 + 4.0 * wave);
    return wave > 0.0 ? 1.0 : -1.0;
}

predict_case predict_case_new(const char *likelihood, size_t n, size_t m, double ell, double sigma, double w)
{
    predict_case c = {.ctx = new_context(), .n = n, .m = m};
    double *x = numbers(n + m), *constants = numbers(n);
    c.k = numbers(n * n);
    c.cross = numbers(n * m);
    c.diagonal = numbers(m);
    c.y = numbers(n);
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)i;
        c.y[i] = observe(likelihood, i);
        constants[i] = w;
    }
    for (size_t j = 0; j < m; j++) x[n + j] = -1.3 + ((double)n + 2.0) * (double)j / (double)m;
    double *joint = dense_kernel(n + m, 1, x, ell, sigma);
    for (size_t j = 0; j < n; j++) memcpy(c.k + j * n, joint + j * (n + m), n * sizeof *joint);
    for (size_t j = 0; j < m; j++) {
        memcpy(c.cross + j * n, joint + (n + j) * (n + m), n * sizeof *joint);
        c.diagonal[j] = joint[(n + j) * (n + m + 1)];
    }
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): c holds c.k, and the caller frees it */
    assert_int_equal(tw_model_new(c.ctx, c.k, n, OBSERVED(tw_likelihood_find(likelihood), n, c.y, constants),
                                  0.0, &c.model),
                     TW_OK);
    free(joint);
    free(x);
    free(constants);
    return c;
}

void predict_case_free(predict_case *c)
{
    tw_model_free(c->model);
    assert_int_equal(tw_context_bytes_in_use(c->ctx), 0);
    tw_context_free(c->ctx);
    free(c->k);
    free(c->cross);
    free(c->diagonal);
    free(c->y);
    free(c->draws.x);
}

static void draw(predict_case *c, size_t chains, size_t draws, uint64_t seed, const tw_gaussian *q)
{
    test_random random = {seed};
    double *v = numbers(q->r);
    free(c->draws.x);
    c->draws = (tw_draws){.ctx = c->ctx, .n = c->n, .chains = chains, .draws = draws};
    c->draws.x = numbers(c->n * chains * draws);
    for (size_t s = 0; s < chains * draws; s++) {
        double *x = c->draws.x + s * c->n;
        test_normals(&random, q->r, v);
        tw_gaussian_positions(q, 1, v, x);
    }
    free(v);
}

void predict_case_draw_prior(predict_case *c, size_t chains, size_t draws, uint64_t seed)
{
    draw(c, chains, draws, seed, c->model->prior);
}

void predict_case_draw_ep(predict_case *c, size_t chains, size_t draws, uint64_t seed)
{
    tw_approximation *ep = NULL;
    assert_int_equal(tw_ep_fit(c->model, NULL, &ep), TW_OK);
    draw(c, chains, draws, seed, ep->reference->gaussian);
    tw_approximation_free(ep);
}

predict_columns predict_columns_new(size_t m)
{
    double *b = numbers(COLUMNS * m);
    for (size_t i = 0; i < COLUMNS * m; i++) b[i] = -77.0;
    return (predict_columns){b,
                             {b, b + m, b + 2 * m, b + 3 * m, b + 4 * m, b + 5 * m, b + 6 * m, b + 7 * m,
                              b + 8 * m, b + 9 * m, NULL, b + 10 * m}};
}

predict_columns predict_case_run(const predict_case *c, const tw_draws_predictor_options *options,
                                 size_t batch, const double *w, const double *y)
{
    predict_columns out = predict_columns_new(c->m);
    tw_draw_source source = tw_draws_source(&c->draws);
    tw_draws_predictor *predictor = NULL;
    tw_draws_predictor_options plain = options ? *options : TW_DRAWS_PREDICTOR_DEFAULTS;
    plain.plain = true;
    assert_int_equal(tw_draws_predictor_new(c->model, &source, &plain, &predictor), TW_OK);
    if (batch == 0) batch = c->m;
    for (size_t first = 0; first < c->m; first += batch) {
        size_t count = c->m - first < batch ? c->m - first : batch;
        tw_predictions to = {out.at.mean + first,
                             out.at.variance + first,
                             out.at.expected + first,
                             out.at.mcse + first,
                             out.at.sd + first,
                             out.at.log_score + first,
                             out.at.log_score_mcse + first,
                             out.at.q05 + first,
                             out.at.q50 + first,
                             out.at.q95 + first,
                             NULL,
                             out.at.sd_mcse + first};
        assert_int_equal(tw_draws_predictor_apply(predictor, c->cross + first * c->n, c->diagonal + first,
                                                  OBSERVED(c->model->observed.likelihood, count,
                                                           y ? y + first : NULL, w ? w + first : NULL),
                                                  &to),
                         TW_OK);
    }
    tw_draws_predictor_free(predictor);
    return out;
}
