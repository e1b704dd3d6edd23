/* evidence_save.h: talweg evidence in a checkpoint: the methods that are done, and AIS between two temperatures. */
#ifndef TALWEG_CLI_EVIDENCE_SAVE_H
#define TALWEG_CLI_EVIDENCE_SAVE_H

#include "cli/evidence.h"

/* The methods that are done, with their estimates; the file is written at once. */
void tw_evidence_save(tw_evidence_results *results);

/* Take them up from an earlier part; nothing where there is none. */
void tw_evidence_take_up(tw_evidence_results *results);

/* AIS on its way. */
typedef struct tw_ais_saver {
    tw_saver *saver;
    const char *method;
    double start, cpu;  /* moments at which it began, those of an earlier part counted in */
    tw_ais_state state; /* of an earlier part */
} tw_ais_saver;

/* Have a run of AIS keep where it stands when a checkpoint is due, and go on where an earlier part of the same method
 * stood. `saver` must last as long as the run. */
void tw_evidence_save_ais(tw_ais_saver *saver, tw_evidence_results *results, const char *method,
                          tw_ais_options *options);

#endif
