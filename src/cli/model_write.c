/* model_write.c: writes a model file (model_file.h). */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/json.h"
#include "cli/model_file.h"
#include "cli/model_options.h"
#include "cli/names.h"
#include "talweg/files.h"

/* Options that are not written: the kernel is written as an expression with its parameters. */
static const char not_kept[] = "model, kernel, log-ell, log-sigma, ell, sigma, constant, white";

/* Is the number the default, or not given? */
static bool is_default(const tw_option *option, double number)
{
    double usual = NAN;
    if (isnan(number)) return true;
    return option->default_value && tw_options_number(option->default_value, "", &usual) && usual == number;
}

/* An array of the texts; NULL if there are none. */
static json_t *encode_texts(const tw_operands *texts)
{
    bool ok = true;
    json_t *array = texts->count > 0 ? json_array() : NULL;
    for (size_t k = 0; k < texts->count; k++) tw_json_append(array, json_string(texts->item[k]), &ok);
    return array;
}

/* The value of an option; NULL if it is the default or not given. */
static json_t *encode_value(const tw_option *option, const void *field)
{
    double number = NAN;
    const char *text = NULL, *usual = option->default_value;
    if (option->kind == TW_OPTION_FLAG) return *(const bool *)field ? json_true() : NULL;
    if (option->kind == TW_OPTION_TEXTS) return encode_texts(field);
    if (option->kind == TW_OPTION_NUMBER) {
        memcpy(&number, field, sizeof number);
        return is_default(option, number) ? NULL : json_real(number);
    }
    memcpy(&text, field, sizeof text);
    return text && (!usual || strcmp(text, usual) != 0) ? json_string(text) : NULL;
}

/* The options of the model that were given. */
static void encode_given(const tw_model_description *m, json_t *to, bool *ok)
{
    const tw_option *option = NULL;
    for (size_t g = 0; g < m->command->group_count; g++) {
        const tw_option_group *group = &m->command->groups[g];
        for (size_t i = 0; tw_group_is_of_model(group) && (option = tw_group_option(group, i)); i++) {
            const char *field = (const char *)m->values + group->offset + option->offset;
            if (tw_option_is_operand(option) || tw_name_is_among(option->name, not_kept)) continue;
            json_t *value = encode_value(option, field);
            if (value) tw_json_set(to, option->name, value, ok);
        }
    }
}

/* The current kernel, and the likelihood's parameters that were given or fitted. */
static tw_status encode_parameters(const tw_problem *problem, json_t *to, bool *ok)
{
    const tw_likelihood *likelihood = problem->likelihood;
    size_t kernel = tw_kernel_count(problem->kernel);
    char *expression = NULL;
    tw_observations observed = tw_problem_observed(problem);
    for (size_t k = 0; k < likelihood->parameters; k++)
        if (tw_problem_is_given(problem, kernel + k))
            tw_json_set(to, likelihood->parameter[k].name, json_real(tw_observations_parameter(&observed, k)),
                        ok);
    if (tw_kernel_matrix(problem->kernel, NULL) || json_object_get(to, "precision-matrix")) return TW_OK;
    TW_TRY(tw_kernel_print_by_name(problem->kernel, &expression));
    tw_json_set(to, "kernel", json_string(expression), ok);
    tw_release(problem->ctx, expression);
    return TW_OK;
}

json_t *tw_priors_encode(const tw_problem *problem, const tw_priors *priors, bool *ok)
{
    json_t *array = json_array();
    for (size_t j = 0; j < priors->count; j++) {
        char words[300];
        if (!priors->has[j]) continue;
        tw_prior_print(&priors->prior[j], tw_problem_parameter(problem, j), words, sizeof words);
        tw_json_append(array, json_string(words), ok);
    }
    return array;
}

static json_t *encode_fixed(const tw_model_description *m, bool *ok)
{
    json_t *array = json_array();
    for (size_t j = 0; j < m->priors->count; j++)
        if (m->priors->fixed[j])
            tw_json_append(array, json_string(tw_problem_parameter(m->problem, j)->name), ok);
    return array;
}

tw_status tw_model_file_print(const tw_model_description *m, FILE *to)
{
    bool ok = true;
    json_t *root = json_object(), *options = json_object();
    tw_json_set(root, "format", json_string("talweg model"), &ok);
    tw_json_set(root, "version", json_integer(1), &ok);
    tw_json_set(root, "data", json_string(m->data), &ok);
    encode_given(m, options, &ok);
    tw_status status = encode_parameters(m->problem, options, &ok);
    tw_json_set(root, "options", options, &ok);
    tw_json_set(root, "priors", tw_priors_encode(m->problem, m->priors, &ok), &ok);
    tw_json_set(root, "fixed", encode_fixed(m, &ok), &ok);
    if (status == TW_OK) return tw_json_print(m->problem->ctx, root, ok, to);
    json_decref(root);
    return status;
}

tw_status tw_model_file_write(const tw_model_description *m, const char *path, bool overwrite)
{
    tw_writer *writer = NULL;
    TW_TRY(tw_writer_open(m->problem->ctx, path, overwrite, &writer));
    return tw_writer_close(writer, tw_model_file_print(m, tw_writer_stream(writer)));
}
