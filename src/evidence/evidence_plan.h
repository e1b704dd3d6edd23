/* evidence_plan.h: what the files of a plan and its run share. */
#ifndef TALWEG_EVIDENCE_EVIDENCE_PLAN_H
#define TALWEG_EVIDENCE_EVIDENCE_PLAN_H

#include "talweg/evidence_plan.h"

/* ---- evidence_options.c */

/* The methods that are named, in their order; refused where one is unknown or named twice. */
tw_status tw_evidence_read_methods(tw_context *ctx, const char *text, size_t *count,
                                   tw_evidence_method method[TW_EVIDENCE_METHODS]);

/* Names of schedules that have a formula. */
bool tw_schedule_named(const char *name, tw_schedule_kind *kind);

/* ---- evidence_run.c: a run on its way */

typedef struct tw_evidence_job {
    const tw_evidence_plan *plan;
    const tw_evidence_watch *watch;
    tw_evidence_result *out;
    unsigned finished; /* methods that are done: a bit for each */
    /* The one on its way. */
    const char *method;
    double start, cpu; /* moments at which it began, those of an earlier part counted in */
    bool again;        /* towards a goal: the second run, */
    size_t effort;     /* which has so many rounds or particles */
    /* What an earlier part of it left. */
    union {
        tw_ais_state ais;
        tw_pt_state pt;
        tw_rm_state rm;
    } resume;
} tw_evidence_job;

/* ---- evidence_state.c: the run in a store */

/* Take up the methods that an earlier part finished; nothing where the store has none. */
tw_status tw_evidence_resume(tw_evidence_job *job);

/* Keep those that are done. */
void tw_evidence_keep(const tw_evidence_job *job);

/* Begin a method: have it keep where it stands, and go on where an earlier part of it stood. */
tw_status tw_evidence_store_ais(tw_evidence_job *job, tw_ais_options *options);
tw_status tw_evidence_store_pt(tw_evidence_job *job, tw_pt_options *options);
tw_status tw_evidence_store_rm(tw_evidence_job *job, tw_rm_options *options);

/* ---- evidence_judge.c */

/* Agreement, verdict and warnings of what is there. */
void tw_evidence_judge(const tw_evidence_plan *plan, tw_evidence_result *result);

#endif
