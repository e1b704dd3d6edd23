/* methods.h: the library's tables of methods and metrics as options see them: what help says of them, and whether
 * what a user asked for goes together. */
#ifndef TALWEG_CLI_METHODS_H
#define TALWEG_CLI_METHODS_H

#include "cli/options.h"
#include "talweg/sample.h"

/* What help says of every method, and of the metrics of every method. For tw_option's more. */
void tw_methods_help(char *text, size_t bytes);
void tw_methods_help_metrics(char *text, size_t bytes);

/* Is the metric of this name one of the method's? */
tw_status tw_methods_check_metric(tw_context *ctx, const tw_method_info *method, const char *metric);

/* Were eps or steps given to a method (NULL: to the automatic choice) that does not have them? */
tw_status tw_methods_check_tuning(tw_context *ctx, const tw_method_info *method, bool eps, bool steps);

#endif
