/* model_file.h: model files. A model file holds the options of a model, its priors and its fixed parameters:
 *
 *   {"format": "talweg model", "version": 1, "data": "train.csv",
 *    "options": {"standardise": true, "likelihood": "gaussian", "kernel": "se(log_ell=1.2, log_sigma=0.4)", "noise": 0.5},
 *    "priors": ["ell ~ gamma(25, 4)"], "fixed": ["noise"]}
 *
 * --model FILE inserts these options before those of the command line, which therefore override them. The
 * data of the file are used unless the command line names others.
 */
#ifndef TALWEG_CLI_MODEL_FILE_H
#define TALWEG_CLI_MODEL_FILE_H

#include "cli/json.h"
#include "cli/options.h"
#include "talweg/prior.h"
#include "talweg/problem.h"

/* Is this a model file? Checks only its "format". */
bool tw_model_file_is(const char *path);

/* The arguments of a model file, followed by those of the command line. */
typedef struct tw_model_arguments {
    size_t count;
    const char **item;
} tw_model_arguments;

/* Insert the arguments of the model file that --model names, if any. Release *out also after a failure. */
tw_status tw_model_file_expand(tw_context *ctx, const tw_command *command, size_t count,
                               const char *const *arguments, tw_model_arguments *out);
void tw_model_arguments_release(tw_context *ctx, tw_model_arguments *arguments);

/* Write the model of a command: its options, the current parameters of the problem, its priors. */
typedef struct tw_model_description {
    const tw_command *command;
    const void *values;
    const char *data;
    const tw_problem *problem;
    const tw_priors *priors;
} tw_model_description;
tw_status tw_model_file_write(const tw_model_description *model, const char *path, bool overwrite);

/* Print it to a stream. */
tw_status tw_model_file_print(const tw_model_description *model, FILE *to);

/* The priors as JSON: ["log_ell ~ normal(0, 1)", ...]. */
json_t *tw_priors_encode(const tw_problem *problem, const tw_priors *priors, bool *ok);

/* Fail if a prior or fixed parameter of the model file does not belong to the problem. */
tw_status tw_model_file_check(tw_problem *problem, const char *path);

#endif
