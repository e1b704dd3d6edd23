/* reference_file.h: the reference q of --from that is not fitted: the prior, a saved approximation, or a mean
 * and a covariance matrix in files. */
#ifndef TALWEG_CLI_REFERENCE_FILE_H
#define TALWEG_CLI_REFERENCE_FILE_H

#include "talweg/model.h"

/* from: "prior", APPROX.json, or MEAN.npy,COV.npy. *name becomes prior, saved or gaussian. make_model is the
 * function that made the model (NULL: tw_model_from_data); the model of APPROX.json is made with it too. The
 * caller frees *out. */
tw_status tw_reference_read(tw_context *ctx, const tw_model *model, tw_model_maker *make_model,
                            const char *from, const char **name, tw_reference **out);

#endif
