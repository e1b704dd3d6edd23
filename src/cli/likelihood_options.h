/* likelihood_options.h: what may be said of an observation beside y: a likelihood's parameters (--noise 0.5) and its columns
 * (--exposure-column e, or --exposure 2 for all cases). The rows are made from the tables of all likelihoods, so that a
 * new one has its options as soon as it is listed.
 */
#ifndef TALWEG_CLI_LIKELIHOOD_OPTIONS_H
#define TALWEG_CLI_LIKELIHOOD_OPTIONS_H

#include "cli/options.h"
#include "talweg/data.h"
#include "talweg/likelihood.h"

/* Values by the place of a name among all names of parameters and columns. */
enum { TW_LIKELIHOOD_NAMES = 32 };
typedef struct tw_likelihood_options {
    double number[TW_LIKELIHOOD_NAMES];      /* NaN: not given, and there is no default */
    const char *column[TW_LIKELIHOOD_NAMES]; /* of the data file; NULL: none */
    bool typed[TW_LIKELIHOOD_NAMES];         /* was the number typed? */
} tw_likelihood_options;

/* The rows for training data, and those for new data, which have columns only, as the one row of a group. */
extern const tw_option tw_likelihood_option_row, tw_new_column_option_row;
#define TW_LIKELIHOOD_OPTION_GROUP(where)                   \
    {                                                       \
        "Likelihood", &tw_likelihood_option_row, 1, (where) \
    }
#define TW_NEW_COLUMN_OPTION_GROUP(where)                                 \
    {                                                                     \
        "Columns of the new cases", &tw_new_column_option_row, 1, (where) \
    }

/* Refuse what cannot be used with the likelihood, and a number and a column for one thing; for new data, columns that do
 * not go with it. */
tw_status tw_likelihood_options_check(tw_context *ctx, const tw_likelihood_options *options,
                                      const tw_likelihood *likelihood);
tw_status tw_new_columns_check(tw_context *ctx, const tw_likelihood_options *options,
                               const tw_likelihood *likelihood);

/* The name of an option that was given and needs a data file: "exposure-column"; NULL: there is none. */
const char *tw_likelihood_options_file(const tw_likelihood_options *options);

/* The columns that were named for the likelihood, for tw_data_read_columns; returns how many. */
size_t tw_likelihood_options_places(const tw_likelihood_options *options, const tw_likelihood *likelihood,
                                    tw_column_place places[TW_COLUMNS]);

/* Give the data the columns that the options have as one number for all cases. */
tw_status tw_likelihood_options_fill(const tw_likelihood_options *options, const tw_likelihood *likelihood,
                                     tw_data *data);

/* The likelihood's parameters, and which were typed: phi and given hold as many as it has. */
void tw_likelihood_options_phi(const tw_likelihood_options *options, const tw_likelihood *likelihood,
                               double *phi, bool *given);

#endif
