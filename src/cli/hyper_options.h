/* hyper_options.h: unknown parameters for sample, evidence and compare: their options, and a run over them. */
#ifndef TALWEG_CLI_HYPER_OPTIONS_H
#define TALWEG_CLI_HYPER_OPTIONS_H

#include "cli/model_options.h"
#include "cli/prior_options.h"
#include "cli/progress.h"
#include "cli/saver.h"
#include "talweg/hyper.h"

typedef struct tw_hyper_flags {
    tw_prior_options priors;
    uint64_t points, particles, temperatures;
} tw_hyper_flags;

enum { TW_HYPER_OPTION_COUNT = 3 };
extern const tw_option tw_hyper_option_rows[TW_HYPER_OPTION_COUNT];
#define TW_HYPER_OPTION_GROUPS(type, member)                                                                \
    TW_PRIOR_OPTION_GROUP(type, member.priors),                                                             \
    {                                                                                                       \
        "Points of unknown parameters", tw_hyper_option_rows, TW_HYPER_OPTION_COUNT, offsetof(type, member) \
    }

/* Was any parameter given a prior? */
bool tw_hyper_is_wanted(const tw_hyper_flags *flags);

/* A problem with unknown parameters, and what was found. */
typedef struct tw_hyper_job {
    tw_problem *problem;
    tw_priors *priors;
    tw_hyper_result *result;
    bool quiet;
    tw_meter meter;
    const char *stage; /* that the meter is for; NULL: none yet */
} tw_hyper_job;

/* What a run is to do beside its flags. */
typedef struct tw_hyper_wish {
    uint64_t seed, threads;
    bool draws; /* of x too */
} tw_hyper_wish;

/* Load the model, run over its unknown parameters, and keep the warnings. */
tw_status tw_hyper_job_run(tw_context *ctx, const tw_model_options *model, const tw_hyper_flags *flags,
                           const tw_hyper_wish *wish, tw_hyper_job *job);
void tw_hyper_job_release(tw_hyper_job *job);

/* Checkpoints are not written here: say so. */
tw_status tw_hyper_refuse_saver(tw_context *ctx, const tw_saver_flags *flags);

/* What is no result is an error after all is printed: exit 2. */
tw_status tw_hyper_judge(tw_context *ctx, const tw_hyper_result *result);

/* The model and its priors; a table of the parameters; the same for programs. */
void tw_hyper_print_model(const tw_hyper_job *job, const char *data);
void tw_hyper_print_rows(const tw_hyper_job *job);
json_t *tw_hyper_encode_rows(const tw_hyper_job *job, bool *ok);

/* The estimate of the whole model's evidence, and how the points were made, as objects. */
json_t *tw_hyper_encode_estimate(const tw_hyper_result *result, bool *ok);
json_t *tw_hyper_encode_points(const tw_hyper_result *result, bool *ok);

#endif
