/* bench_hyper.c: the cost of an effective point of unknown parameters, in units of one Cholesky factorisation
 * of the same size (dpotrf) timed in the same run, and the cost before the points: EP fits for the mode and
 * the proposal. The cases are crabs, Pima, and Pima with a length scale for each input, 200 cases each, from
 * TALWEG_SHARED (default ../shared); they are omitted if absent. The optional arguments are the name of the
 * only case, the seed, and the number of points. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "model/model.h"
#include "support_usps.h"
#include "talweg/hyper.h"

typedef struct bench_case {
    const char *name, *file, *likelihood, *kernel, *prior[2];
} bench_case;

static const bench_case cases[] = {
    {"crabs", "crabs.csv", "probit", "se", {"log_ell ~ normal(0.5, 1)", "log_sigma ~ normal(1, 1)"}},
    {"pima", "pima_ripley_train.csv", "logit", "se", {"log_ell ~ normal(1, 1)", "log_sigma ~ normal(0, 1)"}},
    {"pima_ard", "pima_ripley_train.csv", "logit", "se(ard)", {"default", NULL}},
};

static tw_problem *pose(tw_context *ctx, const bench_case *c, const char *path)
{
    tw_problem_parts parts = {.likelihood = tw_likelihood_find(c->likelihood)};
    tw_problem *problem = NULL;
    bench_check(ctx, tw_data_read(ctx, path, NULL, &parts.data));
    bench_check(ctx, tw_data_class_labels(parts.data, NULL, NULL));
    bench_check(ctx, tw_scaling_fit(parts.data, &parts.scaling));
    bench_check(ctx, tw_scaling_apply(parts.scaling, parts.data));
    bench_check(ctx, tw_kernel_parse(ctx, c->kernel, parts.data->d, &parts.kernel));
    bench_check(ctx, tw_problem_new(ctx, &parts, &problem));
    return problem;
}

static double time_potrf(const tw_model *model)
{
    double seconds[101], *scratch = malloc(model->n * model->n * sizeof *scratch);
    if (!scratch) exit(3);
    for (size_t i = 0; i < 101; i++) seconds[i] = bench_time_potrf(model, scratch);
    free(scratch);
    return bench_median(101, seconds);
}

static void report(const bench_case *c, const tw_problem *problem, const tw_hyper_result *r)
{
    double potrf = time_potrf(problem->model), each = r->cpu_points / r->estimate.weight_ess;
    printf(
        "%-9s %zu parameters: %6.1f dpotrf per effective point (%.2f ms; a dpotrf %.3f ms), %.1f per point\n",
        c->name, r->unknown, each / potrf, 1e3 * each, 1e3 * potrf,
        r->cpu_points / (double)r->points / potrf);
    printf("%-9s %.0f of %zu points are effective, Pareto k %.2f; log p(y) %.4f +- %.4f\n", "",
           r->estimate.weight_ess, r->points, r->estimate.pareto_k, r->estimate.log_z, r->estimate.se);
    printf("%-9s set-up: %zu fits of EP, %.2f s, %.0f dpotrf\n", "", r->fits, r->cpu_setup,
           r->cpu_setup / potrf);
}

static void run(const bench_case *c, uint64_t seed, size_t points)
{
    const char *root = getenv("TALWEG_SHARED");
    char path[1024];
    tw_context *ctx = NULL;
    tw_priors *priors = NULL;
    tw_hyper_result *r = NULL;
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    o.threads = 1;
    o.seed = seed;
    if (points > 0) o.points = points;
    snprintf(path, sizeof path, "%s/data/%s", root ? root : "../shared", c->file);
    if (access(path, R_OK) != 0) {
        printf("%s skipped: %s is not there (set TALWEG_SHARED)\n", c->name, path);
        return;
    }
    if (tw_context_new(NULL, &ctx) != TW_OK) exit(3);
    tw_problem *problem = pose(ctx, c, path);
    bench_check(ctx, tw_priors_new(problem, &priors));
    for (size_t k = 0; k < 2 && c->prior[k]; k++)
        bench_check(ctx, tw_priors_read(priors, problem, c->prior[k]));
    bench_check(ctx, tw_hyper_run(problem, priors, &o, &r));
    report(c, problem, r);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

int main(int count, char **words)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (count < 2 || strcmp(words[1], cases[k].name) == 0)
            run(&cases[k], count > 2 ? strtoull(words[2], NULL, 10) : 1,
                count > 3 ? strtoull(words[3], NULL, 10) : 0);
    return 0;
}
