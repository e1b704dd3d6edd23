/* evidence_save.h: talweg evidence in a checkpoint: the methods that are done, and the one that is on its
 * way: AIS and resample-move between two temperatures, parallel tempering between two rounds. */
#ifndef TALWEG_CLI_EVIDENCE_SAVE_H
#define TALWEG_CLI_EVIDENCE_SAVE_H

#include "cli/evidence.h"

/* The methods that are done, with their estimates; the file is written at once. */
void tw_evidence_save(tw_evidence_results *results);

/* Take them up from an earlier part; nothing where there is none. */
void tw_evidence_take_up(tw_evidence_results *results);

/* A method on its way. */
typedef struct tw_run_saver {
    tw_saver *saver;
    const char *method;
    double start, cpu; /* moments at which it began, those of an earlier part counted in */
    /* pt and rm, towards a goal: the second run, and the rounds or particles it has. */
    bool again;
    size_t effort;
    union { /* of an earlier part */
        tw_ais_state ais;
        tw_pt_state pt;
        tw_rm_state rm;
    } state;
} tw_run_saver;

/* Have a run keep where it stands when a checkpoint is due, and go on where an earlier part of the same method
 * stood. `saver` must last as long as the run. */
void tw_evidence_save_ais(tw_run_saver *saver, tw_evidence_results *results, const char *method,
                          tw_ais_options *options);
void tw_evidence_save_pt(tw_run_saver *saver, tw_evidence_results *results, tw_pt_options *options);
void tw_evidence_save_rm(tw_run_saver *saver, tw_evidence_results *results, tw_rm_options *options);

#endif
