/* common_rows.h: the common fields of options that several commands take. A command's table adds its own
 * fields:
 *
 *     {TW_ROW_SEED(FIELD(seed)), .help = "seed of the random numbers"},
 *
 * --threads, --ignore-column and --new-categories mean the same in every command, so their help is here too.
 */
#ifndef TALWEG_CLI_COMMON_ROWS_H
#define TALWEG_CLI_COMMON_ROWS_H

#include "cli/options.h"
#include "talweg/base.h"

#define TW_ROW_SEED(at) \
    .name = "seed", .kind = TW_OPTION_INTEGER, .offset = (at), .argument = "S", .default_value = "1"

#define TW_ROW_THREADS(at)                                                                               \
    .name = "threads", .kind = TW_OPTION_INTEGER, .offset = (at), .argument = "T", .default_value = "0", \
    .most = TW_MOST_THREADS, .help = "number of threads, which does not change results; 0: one per core"

/* Transitions: metric, step size, number of steps, and the implicit equations of RMHMC. */
#define TW_ROW_METRIC(at) .name = "metric", .kind = TW_OPTION_CHOICE, .offset = (at), .argument = "NAME"
#define TW_ROW_EPS(at) .name = "eps", .kind = TW_OPTION_NUMBER, .offset = (at), .argument = "X"
#define TW_ROW_STEPS(at) .name = "steps", .kind = TW_OPTION_INTEGER, .offset = (at), .argument = "L"
#define TW_ROW_SOLVER_TOL(at)                                                        \
    .name = "solver-tol", .kind = TW_OPTION_NUMBER, .offset = (at), .argument = "X", \
    .default_value = "1e-9", .positive = true
#define TW_ROW_FIXED_POINT(at) \
    .name = "fixed-point", .kind = TW_OPTION_INTEGER, .offset = (at), .argument = "N", .default_value = "0"

/* The number of cases of the built-in problem. */
#define TW_ROW_CASES(at) \
    .name = "cases", .kind = TW_OPTION_INTEGER, .offset = (at), .argument = "N", .least = 2, .most = 5000

/* Files. */
#define TW_ROW_TEST(at) .name = "test", .kind = TW_OPTION_TEXT, .offset = (at), .argument = "FILE"
#define TW_ROW_OUTPUT(at) \
    .name = "output", .letter = 'o', .kind = TW_OPTION_TEXT, .offset = (at), .argument = "FILE"

#define TW_ROW_IGNORE(field)                                                                       \
    .name = "ignore-column", .kind = TW_OPTION_TEXTS, .offset = (field), .argument = "NAME|INDEX", \
    .help = "ignore a column, named as for --label-column; may be repeated"

#define TW_ROW_NEW_CATEGORIES(at)                                                                      \
    .name = "new-categories", .kind = TW_OPTION_FLAG, .offset = (at),                                  \
    .help = "accept categories that the training data do not have, and predict their effect from the " \
            "prior; default: they are an error"

#endif
