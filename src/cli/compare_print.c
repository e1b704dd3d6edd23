/* compare_print.c: prints the comparison of models as a table with a verdict, or as JSON. */
#include <math.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/terminal.h"
#include "cli/warnings.h"

/* Log Bayes factors (Kass and Raftery 1995): above STRONG (20 to 1) the data distinguish two models, below
 * WEAK they do not. A verdict needs a margin of SURE standard errors. */
static const double STRONG = 3.0, WEAK = 1.0, SURE = 2.0;

/* The scores of both models on the same case are correlated,
 * so loo_se is the error of the sum of their differences; both are NaN if a sum is withheld. */
tw_comparison tw_compare_two(const tw_compared *a, const tw_compared *b)
{
    const tw_estimate *first = &a->job.result->estimate, *second = &b->job.result->estimate;
    double n = (double)a->job.result->n, squares = 0.0;
    tw_comparison c = {first->log_z - second->log_z, hypot(first->se, second->se), a->loo.sum - b->loo.sum,
                       0.0};
    for (size_t i = 0; i < a->job.result->n; i++)
        squares += pow(a->log_score[i] - b->log_score[i] - c.loo / n, 2.0);
    c.loo_se = sqrt(squares * n / (n - 1.0));
    return c;
}

size_t tw_compare_best(size_t count, const tw_compared *models)
{
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (models[k].job.result->estimate.log_z > models[best].job.result->estimate.log_z) best = k;
    return best;
}

/* Do the data distinguish the two models? "yes", "no" or "weakly";
 * "unsure" if the error is too large to decide. */
static const char *judge(const tw_comparison *c)
{
    double margin = SURE * c->se;
    if (c->log_factor - margin > STRONG) return "yes";
    if (c->log_factor + margin < WEAK) return "no";
    return margin > 1.0 ? "unsure" : "weakly";
}

/* The model with the second largest evidence; the verdict compares the best one with it. */
static size_t find_rival(size_t count, const tw_compared *models, size_t best)
{
    size_t rival = best == 0 ? 1 : 0;
    for (size_t k = 0; k < count; k++)
        if (k != best && models[k].job.result->estimate.log_z > models[rival].job.result->estimate.log_z)
            rival = k;
    return rival;
}

/* The verdict in words. */
static void describe(size_t count, const tw_compared *models, char *words, size_t bytes)
{
    size_t best = tw_compare_best(count, models), rival = find_rival(count, models, best);
    tw_comparison c = tw_compare_two(&models[best], &models[rival]);
    const char *apart = judge(&c);
    const char *finding = strcmp(apart, "yes") == 0  ? "the data distinguish them"
                          : strcmp(apart, "no") == 0 ? "the data do not distinguish them"
                          : strcmp(apart, "weakly") == 0
                              ? "the data distinguish them weakly"
                              : "the errors are too large to decide: raise --points";
    snprintf(words, bytes,
             "%.300s has the largest evidence, by a log Bayes factor of %.3g +- %.2g over %.300s: %s.",
             tw_plain(models[best].file), c.log_factor, c.se, tw_plain(models[rival].file), finding);
}

void tw_compare_print(size_t count, const tw_compared *models)
{
    size_t best = tw_compare_best(count, models);
    char words[1024];
    printf("  %-24s%12s%9s%14s%9s%12s%9s%8s\n", "model", "log p(y)", "error", "log factor", "error", "LOO",
           "se", "k > 0.7");
    for (size_t k = 0; k < count; k++) {
        const tw_compared *m = &models[k];
        tw_comparison c = tw_compare_two(&models[best], m);
        printf("  %-24s%12.4f%9.4f", tw_plain(m->file), m->job.result->estimate.log_z,
               m->job.result->estimate.se);
        if (k == best)
            printf("%14s%9s", "best", "");
        else
            printf("%14.4g%9.2g", -c.log_factor, c.se);
        if (isfinite(m->loo.sum))
            printf("%12.3f%9.3f%8zu\n", m->loo.sum, m->loo.se, m->loo.doubtful);
        else
            printf("%12s%9s%8zu\n", "withheld", "", m->loo.doubtful);
    }
    describe(count, models, words, sizeof words);
    printf("\n");
    tw_print_wrapped(stdout, words, 0, 0);
}

/* ---- JSON ---- */

static json_t *encode_model(const tw_compared *m, bool *ok)
{
    const tw_hyper_result *r = m->job.result;
    json_t *object = json_object();
    tw_json_set(object, "file", json_string(m->file), ok);
    tw_json_set(object, "log_z", tw_json_number(r->estimate.log_z), ok);
    tw_json_set(object, "se", tw_json_number(r->estimate.se), ok);
    tw_json_set(object, "weight_ess", tw_json_number(r->estimate.weight_ess), ok);
    tw_json_set(object, "pareto_k", tw_json_number(r->estimate.pareto_k), ok);
    tw_json_set(object, "loo", tw_json_number(m->loo.sum), ok);
    tw_json_set(object, "loo_se", tw_json_number(m->loo.se), ok);
    tw_json_set(object, "loo_doubtful", tw_json_count(m->loo.doubtful), ok);
    tw_json_set(object, "theta", tw_hyper_encode_rows(&m->job, ok), ok);
    tw_json_set(object, "model", tw_model_encode(m->job.problem, ok), ok);
    return object;
}

/* The comparison of the best model with another one. */
static json_t *encode_factor(const tw_compared *best, const tw_compared *m, bool *ok)
{
    tw_comparison c = tw_compare_two(best, m);
    json_t *object = json_object();
    tw_json_set(object, "model", json_string(best->file), ok);
    tw_json_set(object, "against", json_string(m->file), ok);
    tw_json_set(object, "log_bayes_factor", tw_json_number(c.log_factor), ok);
    tw_json_set(object, "se", tw_json_number(c.se), ok);
    tw_json_set(object, "loo_difference", tw_json_number(c.loo), ok);
    tw_json_set(object, "loo_difference_se", tw_json_number(c.loo_se), ok);
    tw_json_set(object, "told_apart", json_string(judge(&c)), ok);
    return object;
}

tw_status tw_compare_print_json(tw_context *ctx, size_t count, const tw_compared *models)
{
    bool ok = true;
    size_t best = tw_compare_best(count, models);
    char words[1024];
    json_t *object = json_object(), *all = json_array(), *factors = json_array();
    for (size_t k = 0; k < count; k++) tw_json_append(all, encode_model(&models[k], &ok), &ok);
    for (size_t k = 0; k < count; k++)
        if (k != best) tw_json_append(factors, encode_factor(&models[best], &models[k], &ok), &ok);
    describe(count, models, words, sizeof words);
    tw_json_set(object, "models", all, &ok);
    tw_json_set(object, "bayes_factors", factors, &ok);
    tw_json_set(object, "best", json_string(models[best].file), &ok);
    tw_json_set(object, "verdict", json_string(words), &ok);
    return tw_result_print_json(ctx, NULL, object, ok, stdout);
}
