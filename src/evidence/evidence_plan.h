/* evidence_plan.h: functions shared by the files of an evidence plan and its run. */
#ifndef TALWEG_EVIDENCE_EVIDENCE_PLAN_H
#define TALWEG_EVIDENCE_EVIDENCE_PLAN_H

#include "talweg/evidence_plan.h"

/* ---- evidence_options.c */

/* Read a list of methods, in its order. TW_BAD_ARGUMENT if one is unknown or given twice. */
tw_status tw_evidence_read_methods(tw_context *ctx, const char *text, size_t *count,
                                   tw_evidence_method method[TW_EVIDENCE_METHODS]);

/* The kind of schedule with this name; false if no kind has it. */
bool tw_schedule_named(const char *name, tw_schedule_kind *kind);

/* ---- evidence_run.c: a run in progress */

typedef struct tw_evidence_job {
    const tw_evidence_plan *plan;
    const tw_evidence_watch *watch;
    tw_evidence_result *out;
    unsigned finished; /* finished methods, a bit for each */

    /* The current method. */
    const char *method;
    double start, cpu; /* wall and processor time at its start, as if it had not been interrupted */
    bool second_run;   /* the second run of a method with a goal for its error, */
    size_t effort;     /* with this many rounds or particles */
    union {
        tw_ais_state ais;
        tw_pt_state pt;
        tw_rm_state rm;
    } resume; /* its state in the store, if there is one */
} tw_evidence_job;

/* ---- evidence_state.c: the state of a run in a store */

/* Restore the estimates of finished methods, if the store has any. */
tw_status tw_evidence_resume(tw_evidence_job *job);

/* Store the estimates of finished methods. */
void tw_evidence_store_methods(const tw_evidence_job *job);

/* Before a method starts: set its options so that it stores its state, and resumes from a stored one. */
tw_status tw_evidence_store_ais(tw_evidence_job *job, tw_ais_options *options);
tw_status tw_evidence_store_pt(tw_evidence_job *job, tw_pt_options *options);
tw_status tw_evidence_store_rm(tw_evidence_job *job, tw_rm_options *options);

/* ---- evidence_judge.c */

/* Set the agreement, the verdict and the warnings of the estimates. */
void tw_evidence_judge(const tw_evidence_plan *plan, tw_evidence_result *result);

#endif
