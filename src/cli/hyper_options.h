/* hyper_options.h: unknown parameters in talweg sample, evidence and compare:
 * options, computation, output. */
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
    const char *method;
} tw_hyper_flags;

enum { TW_HYPER_OPTION_COUNT = 4 };
extern const tw_option tw_hyper_option_rows[TW_HYPER_OPTION_COUNT];
#define TW_POINT_OPTION_GROUP(type, member)                                                                 \
    {                                                                                                       \
        "Points of unknown parameters", tw_hyper_option_rows, TW_HYPER_OPTION_COUNT, offsetof(type, member) \
    }
#define TW_HYPER_OPTION_GROUPS(type, member)                            \
    {"Unknown parameters", tw_prior_option_rows, TW_PRIOR_OPTION_COUNT, \
     offsetof(type, member) + offsetof(tw_hyper_flags, priors)},        \
        TW_POINT_OPTION_GROUP(type, member)

/* Was any parameter given a prior? */
bool tw_hyper_is_wanted(const tw_hyper_flags *flags);

/* A problem with unknown parameters, and its result. */
typedef struct tw_hyper_job {
    tw_problem *problem;
    tw_priors *priors;
    tw_hyper_result *result;
    bool quiet;
    tw_meter meter;
    const char *stage; /* the stage that the meter shows; NULL: none yet */
} tw_hyper_job;

/* What a command asks of a run, besides its flags. */
typedef struct tw_hyper_wish {
    uint64_t seed, threads;
    size_t kept;           /* particles to keep at each point; 0: no draws of x */
    size_t joint;          /* particles of a second estimate of the evidence; 0: none */
    const tw_store *store; /* for checkpoints; NULL: none */
    bool draws;            /* only draws are needed, no evidence, so chains may make them */
} tw_hyper_wish;

/* Compute job->result; job->problem and job->priors are given. */
tw_status tw_hyper_job_compute(tw_context *ctx, const tw_hyper_flags *flags, const tw_hyper_wish *wish,
                               tw_hyper_job *job);

/* Load the model and its priors, compute, and keep the warnings. */
tw_status tw_hyper_job_run(tw_context *ctx, const tw_model_options *model, const tw_hyper_flags *flags,
                           const tw_hyper_wish *wish, tw_hyper_job *job);
void tw_hyper_job_release(tw_hyper_job *job);

/* tw_hyper_judge fails if the weights collapsed (exit code 2); call it after everything is printed.
 * tw_hyper_say prints all warnings except the one that becomes this error. */
void tw_hyper_say(const tw_hyper_result *result);
tw_status tw_hyper_judge(tw_context *ctx, const tw_hyper_result *result);

/* Were the draws made by chains, not by weighted points? */
bool tw_hyper_is_chain(const tw_hyper_result *result);

/* Print the model and its priors; print a table of the parameters; encode that table as JSON. */
void tw_hyper_print_model(const tw_hyper_job *job, const char *data);
void tw_hyper_print_rows(const tw_hyper_job *job);
json_t *tw_hyper_encode_rows(const tw_hyper_job *job, bool *ok);

/* The one or two estimates of the evidence; returns their number. */
size_t tw_hyper_estimates(const tw_hyper_result *result, tw_estimate estimates[2], double seconds[2]);

/* An estimate of the evidence from so many weights, and facts about the points, as JSON objects. */
json_t *tw_hyper_encode_estimate(const tw_estimate *estimate, size_t weights, double seconds, bool *ok);
json_t *tw_hyper_encode_points(const tw_hyper_result *result, bool *ok);

#endif
