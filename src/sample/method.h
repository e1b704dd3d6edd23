/* method.h: the table of sampling methods. A row has a method's properties, its transition, its cost, and the
 * conditions under which the automatic choice tries it. The row tw_method_NAME is at the end of the method's
 * file; TW_METHOD_LIST in talweg/sample.h generates the enum and the table (method.c). */
#ifndef TALWEG_SAMPLE_METHOD_H
#define TALWEG_SAMPLE_METHOD_H

#include "base/context.h"
#include "talweg/chains.h"

/* An array of a column's state that a transition keeps for the next one. */
typedef struct tw_column_part {
    double *at;
    size_t count;
} tw_column_part;
enum { TW_MOST_PARTS = 8, TW_MOST_TRIALS = 2 };

/* A metric with which the automatic choice tries the method. The candidates run in increasing order of
 * `turn`, likely winners first, so that an expensive candidate that cannot win is never run. */
typedef struct tw_trial {
    unsigned turn; /* 0: an unused entry */
    tw_metric metric;
    bool (*applies)(const tw_posterior *posterior); /* NULL: always */
} tw_trial;

typedef struct tw_method_row {
    tw_method_info info;

    /* ---- the transition: it works on pieces, each a tile of columns or a single column */
    size_t piece_columns;
    bool dense;                         /* needs one dense Gaussian for all columns */
    tw_status (*set_up)(tw_sampler *s); /* makes s->own; the caller calls `release` if it fails */
    void (*release)(tw_sampler *s);
    /* Recompute the state of a piece after x changed (moved), or after only the temperature changed. */
    void (*load)(tw_sampler *s, size_t piece, size_t worker, bool moved);
    void (*advance)(tw_sampler *s, const tw_move *move, size_t piece, size_t worker, tw_record *records);
    /* The column's position in the method's own coordinates. */
    double *(*coordinates)(tw_sampler *s, size_t column);
    /* The column's state except x, log_density and log_likelihood; returns the number of parts. */
    size_t (*parts)(tw_sampler *s, size_t column, tw_column_part part[TW_MOST_PARTS]);

    /* ---- the cost of a transition (cost.h) */
    double (*cost)(tw_sampler *s, double steps); /* with this many steps (tw_record.steps) */
    double (*least_cost)(tw_sampler *s);         /* a lower bound at the current positions */
    /* A lower bound before a sampler exists. NULL: making a sampler is cheap, so least_cost is enough. */
    double (*floor)(const tw_posterior *p);
    /* All steps since the sampler was made, including reversed trajectories. NULL: those of the records. */
    double (*work)(tw_sampler *s);

    /* ---- automatic choice and self-test */
    /* Does it reach the tails of the target? `auto` does not use it if it does not. NULL: it always does. */
    bool (*reaches)(const tw_sampler *s);
    tw_trial trials[TW_MOST_TRIALS];
    bool cheap; /* draws are cheap: if it mixes slowly, a second, longer pilot run is not worth it */
    size_t selftest_draws;   /* of each chain, for the comparison with HMC */
    const char *selftest_of; /* the name of that comparison: "HMC and RMHMC"; NULL: HMC itself */
} tw_method_row;

/* Declare the row of every method. */
#define TW_METHOD_DECLARE(value, name) extern const tw_method_row tw_method_##name;
TW_METHOD_LIST(TW_METHOD_DECLARE)
#undef TW_METHOD_DECLARE

/* The row of a method; NULL if the number is unknown. */
const tw_method_row *tw_method_row_of(tw_method method);

/* The form of the target that a method with its metric needs. An unknown method gives the open form;
 * tw_sampler_new then refuses the method. */
tw_form tw_sampler_form(const tw_sampler_options *options);

/* Check that a metric of this name exists and that the method supports it. The error message lists those it
 * supports. */
tw_status tw_method_check_metric(tw_context *ctx, const tw_method_info *method, const char *name);

#endif
