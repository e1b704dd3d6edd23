/* model_print.c: prints a problem's model in words, and encodes it as JSON. */
#include <string.h>

#include "cli/model_options.h"
#include "cli/terminal.h"
#include "talweg/team.h"

static void print_kernel(const tw_problem *problem, FILE *to)
{
    char *words = NULL;
    const char *shape = tw_kernel_shape(problem->kernel);
    size_t d = problem->data->d;
    if (tw_kernel_matrix(problem->kernel, NULL)) {
        fprintf(to, ", a given kernel matrix");
        return;
    }
    fprintf(to, ", %s%skernel of %zu input%s%s\n", shape ? shape : "", shape ? " " : "", d, d == 1 ? "" : "s",
            problem->scaling ? ", standardised" : "");
    if (tw_kernel_describe(problem->kernel, d, &words) != TW_OK) return;
    for (char *line = words; line;) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        fprintf(to, "%s%s", tw_make_plain(line), end ? "\n" : "");
        line = end ? end + 1 : NULL;
    }
    tw_release(problem->ctx, words);
}

/* Are the matrices distributed over processes that run in lockstep? */
static bool is_distributed(const tw_problem *problem)
{
    const tw_team *team = tw_context_team(problem->ctx);
    return team && team->lockstep;
}

void tw_model_print(const tw_problem *problem, FILE *to)
{
    tw_model_info info = tw_model_describe(problem->model);
    size_t hidden = problem->data->hidden, cases = info.n - hidden;
    fprintf(to, "%zu case%s", cases, cases == 1 ? "" : "s");
    if (hidden > 0) fprintf(to, " and %zu hidden variables", hidden);
    fprintf(to, ", %s likelihood", problem->likelihood->name);
    char words[400];
    tw_problem_describe_constants(problem, words, sizeof words);
    if (*words) fprintf(to, " (%s)", tw_plain(words));
    print_kernel(problem, to);
    if (info.jitter > 0.0) fprintf(to, "; jitter %g", info.jitter);
    if (info.rank < info.n && hidden == 0) fprintf(to, "; K has rank %zu of %zu", info.rank, info.n);
    if (is_distributed(problem))
        fprintf(
            to,
            "; matrices distributed over %zu process%s: approximations agree with those of one process to "
            "about 1e-8, draws in distribution",
            tw_context_team(problem->ctx)->size, tw_context_team(problem->ctx)->size == 1 ? "" : "es");
    fprintf(to, "\n");
}

static json_t *encode_kernel(const tw_problem *problem)
{
    char *expression = NULL;
    json_t *text = NULL;
    if (tw_kernel_matrix(problem->kernel, NULL)) return json_null();
    if (tw_kernel_print(problem->kernel, &expression) == TW_OK) text = json_string(expression);
    tw_release(problem->ctx, expression);
    return text;
}

static json_t *encode_parameters(const tw_problem *problem, bool *ok)
{
    json_t *object = json_object();
    const tw_likelihood *likelihood = problem->likelihood;
    tw_observations observed = tw_problem_observed(problem);
    for (size_t j = 0; j < tw_kernel_count(problem->kernel); j++) {
        const tw_parameter *p = tw_kernel_parameter(problem->kernel, j);
        double value = tw_parameter_value(p, tw_kernel_theta(problem->kernel)[j]);
        tw_json_set(object, p->name, tw_json_number(value), ok);
    }
    for (size_t k = 0; k < likelihood->parameters; k++)
        tw_json_set(object, likelihood->parameter[k].name,
                    tw_json_number(tw_observations_parameter(&observed, k)), ok);
    return object;
}

json_t *tw_model_encode(const tw_problem *problem, bool *ok)
{
    json_t *object = json_object();
    bool given = tw_kernel_matrix(problem->kernel, NULL) != NULL;
    tw_json_set(object, "cases", tw_json_count(problem->data->n - problem->data->hidden), ok);
    if (problem->data->hidden > 0) tw_json_set(object, "hidden", tw_json_count(problem->data->hidden), ok);
    tw_json_set(object, "inputs", given ? json_null() : tw_json_count(problem->data->d), ok);
    tw_json_set(object, "standardised", json_boolean(problem->scaling != NULL), ok);
    tw_json_set(object, "likelihood", json_string(problem->likelihood->name), ok);
    if (tw_likelihood_column(problem->likelihood, "censored") < problem->likelihood->columns)
        tw_json_set(object, "censored", tw_json_count(tw_problem_censored(problem)), ok);
    tw_json_set(object, "kernel", encode_kernel(problem), ok);
    tw_json_set(object, "jitter", tw_json_number(tw_model_describe(problem->model).jitter), ok);
    tw_json_set(object, "parameters", encode_parameters(problem, ok), ok);
    if (is_distributed(problem))
        tw_json_set(object, "distributed_processes", tw_json_count(tw_context_team(problem->ctx)->size), ok);
    return object;
}
