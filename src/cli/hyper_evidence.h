/* hyper_evidence.h: talweg evidence with unknown parameters: the evidence of the whole model. */
#ifndef TALWEG_CLI_HYPER_EVIDENCE_H
#define TALWEG_CLI_HYPER_EVIDENCE_H

#include "cli/evidence.h"

/* Run the command. */
tw_status tw_hyper_evidence(tw_context *ctx, const tw_evidence_flags *flags);

#endif
