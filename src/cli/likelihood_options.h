/* likelihood_options.h: the options of likelihoods: parameters (--noise 0.5) and columns (--exposure-column
 * e, or --exposure 2 for all cases). The rows are made from the tables of all likelihoods, so a new
 * likelihood gets its options without further code.
 */
#ifndef TALWEG_CLI_LIKELIHOOD_OPTIONS_H
#define TALWEG_CLI_LIKELIHOOD_OPTIONS_H

#include "cli/options.h"
#include "talweg/data.h"
#include "talweg/likelihood.h"

/* Values, indexed by the names of the parameters and columns of all likelihoods. */
enum { TW_LIKELIHOOD_NAMES = 32 };
typedef struct tw_likelihood_options {
    double number[TW_LIKELIHOOD_NAMES];      /* NaN: not given, and there is no default */
    const char *column[TW_LIKELIHOOD_NAMES]; /* in the data file; NULL: none */
    bool typed[TW_LIKELIHOOD_NAMES];         /* the number was given, by the user or a model file */
} tw_likelihood_options;

/* The rows for training data, and those for new data, which are columns only. Each stands for all rows of a
 * group (tw_option.made). */
extern const tw_option tw_likelihood_option_row, tw_new_column_option_row;
#define TW_LIKELIHOOD_OPTION_GROUP(where)                   \
    {                                                       \
        "Likelihood", &tw_likelihood_option_row, 1, (where) \
    }
#define TW_NEW_COLUMN_OPTION_GROUP(where)                                 \
    {                                                                     \
        "Columns of the new cases", &tw_new_column_option_row, 1, (where) \
    }

/* Fail if an option does not belong to the likelihood, or if both a number and a column are given for one
 * name; tw_new_columns_check checks only columns, for new data. */
tw_status tw_likelihood_options_check(tw_context *ctx, const tw_likelihood_options *options,
                                      const tw_likelihood *likelihood);
tw_status tw_new_columns_check(tw_context *ctx, const tw_likelihood_options *options,
                               const tw_likelihood *likelihood);

/* The name of a given option that needs a data file, such as "exposure-column"; NULL: none. */
const char *tw_likelihood_options_file(const tw_likelihood_options *options);

/* The columns named for the likelihood, for tw_reading; returns their number. */
size_t tw_likelihood_options_places(const tw_likelihood_options *options, const tw_likelihood *likelihood,
                                    tw_column_place places[TW_COLUMNS]);

/* Add to the data the columns whose value is given as one number for all cases. */
tw_status tw_likelihood_options_fill(const tw_likelihood_options *options, const tw_likelihood *likelihood,
                                     tw_data *data);

/* The likelihood's parameters phi, and which of them were given;
 * both arrays hold likelihood->parameters entries. */
void tw_likelihood_options_phi(const tw_likelihood_options *options, const tw_likelihood *likelihood,
                               double *phi, bool *given);

#endif
