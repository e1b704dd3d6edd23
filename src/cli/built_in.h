/* built_in.h: the data and model of commands that need none: without DATA they take the built-in problem of two
 * classes, for which other parameters suit. */
#ifndef TALWEG_CLI_BUILT_IN_H
#define TALWEG_CLI_BUILT_IN_H

#include "cli/model_options.h"

/* DATA, log-ell and log-sigma, whose defaults depend on whether there is DATA, instead of the shared rows. */
enum { TW_BUILT_IN_OPTION_COUNT = 3 };
extern const tw_option tw_built_in_option_rows[TW_BUILT_IN_OPTION_COUNT];
#define TW_BUILT_IN_OPTION_GROUPS(type, member)                                                         \
    {"Data and parameters", tw_built_in_option_rows, TW_BUILT_IN_OPTION_COUNT, offsetof(type, member)}, \
        {"Model", tw_model_option_rows + 1, TW_GRID_MODEL_OPTION_COUNT - 1, offsetof(type, member)},    \
        TW_LIKELIHOOD_OPTION_GROUP(offsetof(type, member) + offsetof(tw_model_options, given)),         \
    {                                                                                                   \
        "A given matrix", tw_model_option_rows + TW_MODEL_OPTION_COUNT - 1, 1, offsetof(type, member)   \
    }

/* The model of the options, or of that many cases of the built-in problem. */
tw_status tw_built_in_load(tw_context *ctx, const tw_model_options *options, size_t cases, tw_problem **out);

#endif
