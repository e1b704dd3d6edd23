/* model_file.h: a model in a file, as the options that say it, with priors and what is fixed:
 *
 *   {"format": "talweg model", "version": 1, "data": "train.csv",
 *    "options": {"standardise": true, "likelihood": "gaussian", "kernel": "se(log_ell=1.2, log_sigma=0.4)", "noise": 0.5},
 *    "priors": ["ell ~ gamma(25, 4)"], "fixed": ["noise"]}
 *
 * A command that is given --model FILE behaves as if these options stood before those that were typed, which have the last
 * word, and the data in front of them, where no other are named.
 */
#ifndef TALWEG_CLI_MODEL_FILE_H
#define TALWEG_CLI_MODEL_FILE_H

#include "cli/json.h"
#include "cli/options.h"
#include "talweg/prior.h"
#include "talweg/problem.h"

/* Is this a model file? Not whether it is a good one. */
bool tw_model_file_is(const char *path);

/* Arguments with those of a model file in front. */
typedef struct tw_model_arguments {
    size_t count;
    const char **item;
} tw_model_arguments;

/* The arguments of a command, with those of the file that --model among them names. Release it in any case. */
tw_status tw_model_file_expand(tw_context *ctx, const tw_command *command, size_t count,
                               const char *const *arguments, tw_model_arguments *out);
void tw_model_arguments_release(tw_context *ctx, tw_model_arguments *arguments);

/* Write the model of a command's values: its options, the problem's parameters as they are, its priors. */
typedef struct tw_model_description {
    const tw_command *command;
    const void *values;
    const char *data;
    const tw_problem *problem;
    const tw_priors *priors;
} tw_model_description;
tw_status tw_model_file_write(const tw_model_description *model, const char *path, bool overwrite);

/* The same on a stream. */
tw_status tw_model_file_print(const tw_model_description *model, FILE *to);

/* ["log_ell ~ normal(0, 1)", ...] */
json_t *tw_priors_encode(const tw_problem *problem, const tw_priors *priors, bool *ok);

/* The problem of a model file: are its priors and fixed parameters of this problem? The message says where they are not. */
tw_status tw_model_file_check(tw_problem *problem, const char *path);

#endif
