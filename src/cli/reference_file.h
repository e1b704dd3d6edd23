/* reference_file.h: the q of --from that is given and not fitted: the prior, a saved approximation, or a mean and a
 * covariance in files. */
#ifndef TALWEG_CLI_REFERENCE_FILE_H
#define TALWEG_CLI_REFERENCE_FILE_H

#include "talweg/model.h"

/* from: "prior", APPROX.json, or MEAN.npy,COV.npy. *name says which it was: prior, saved, gaussian. make_model is how the model
 * was made (NULL: by tw_model_from_data): that of APPROX.json is made so, too. The caller frees *out. */
tw_status tw_reference_read(tw_context *ctx, const tw_model *model, tw_model_maker *make_model,
                            const char *from, const char **name, tw_reference **out);

#endif
