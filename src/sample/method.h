/* method.h: a method of sampling as one row of a table: what is to be known of it, its transition, its cost, and
 * when the automatic choice tries it. The row tw_method_NAME stands at the end of the method's own file; the list
 * TW_METHOD_LIST in talweg/sample.h makes the enum and the table (method.c). */
#ifndef TALWEG_SAMPLE_METHOD_H
#define TALWEG_SAMPLE_METHOD_H

#include "base/context.h"
#include "talweg/chains.h"

/* Numbers of a column that last from one transition to the next. */
typedef struct tw_column_part {
    double *at;
    size_t count;
} tw_column_part;
enum { TW_MOST_PARTS = 8, TW_MOST_TRIALS = 2 };

/* A metric with which the automatic choice tries the method. Candidates come in order of `turn`, likely winners first, so
 * that a dear one that cannot win is never run. */
typedef struct tw_trial {
    unsigned turn; /* 0: there is none */
    tw_metric metric;
    bool (*applies)(const tw_posterior *posterior); /* NULL: always */
} tw_trial;

typedef struct tw_method_row {
    tw_method_info info;

    /* ---- the transition, in pieces: tiles of columns, or single columns */
    size_t piece_columns;
    bool dense;                         /* needs one dense Gaussian for all columns */
    tw_status (*set_up)(tw_sampler *s); /* s->own; after a failure `release` is called */
    void (*release)(tw_sampler *s);
    /* Take up x after it changed (moved), or the temperature alone after that did. */
    void (*load)(tw_sampler *s, size_t piece, size_t worker, bool moved);
    void (*advance)(tw_sampler *s, const tw_move *move, size_t piece, size_t worker, tw_record *records);
    /* The coordinates of a column that the transition keeps beside x. */
    double *(*coordinates)(tw_sampler *s, size_t column);
    /* All that it keeps of a column beside x, log_density and log_likelihood; returns how many parts. */
    size_t (*parts)(tw_sampler *s, size_t column, tw_column_part part[TW_MOST_PARTS]);

    /* ---- what it costs (cost.h) */
    double (*cost)(tw_sampler *s, double steps); /* of a transition with so many of what it counts */
    double (*least_cost)(tw_sampler *s);         /* of one, where the columns are now */
    double (*floor)(const tw_posterior *p); /* of one, before there is a sampler; NULL: that is soon made */
    /* All steps since the sampler was made, ways back included. NULL: those of the records. */
    double (*work)(tw_sampler *s);

    /* ---- choosing and checking it */
    tw_trial trials[TW_MOST_TRIALS];
    bool cheap;              /* cheap draws: where they are slow, how slow they are need not be measured */
    size_t selftest_draws;   /* of each chain, for the comparison with HMC */
    const char *selftest_of; /* what that is called: "HMC and RMHMC"; NULL: HMC itself */
} tw_method_row;

/* The rows, by name. */
#define TW_METHOD_DECLARE(value, name) extern const tw_method_row tw_method_##name;
TW_METHOD_LIST(TW_METHOD_DECLARE)
#undef TW_METHOD_DECLARE

/* The row of a method; NULL: there is none. */
const tw_method_row *tw_method_row_of(tw_method method);

/* The form of the target that a method with its metric wants; open where there is no such method, which the sampler refuses. */
tw_form tw_sampler_form(const tw_sampler_options *options);

/* Is there a metric of this name that the method takes? The refusal lists those. */
tw_status tw_method_check_metric(tw_context *ctx, const tw_method_info *method, const char *name);

#endif
