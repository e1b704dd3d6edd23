/* hyper_evidence.h: talweg evidence where some parameters are unknown: the evidence of the whole model. */
#ifndef TALWEG_CLI_HYPER_EVIDENCE_H
#define TALWEG_CLI_HYPER_EVIDENCE_H

#include "cli/evidence.h"

/* All of the command. */
tw_status tw_hyper_evidence(tw_context *ctx, const tw_evidence_flags *flags);

#endif
