/* methods.h: help on the library's methods and metrics, and checks that a method,
 * its metric and its options are compatible. */
#ifndef TALWEG_CLI_METHODS_H
#define TALWEG_CLI_METHODS_H

#include "cli/options.h"
#include "talweg/sample.h"

/* Append to a help text a description of every method, or the metrics of every method. For tw_option.more. */
void tw_methods_help(char *text, size_t bytes);
void tw_methods_help_metrics(char *text, size_t bytes);

/* Fail if the method does not have the metric of this name. */
tw_status tw_methods_check_metric(tw_context *ctx, const tw_method_info *method, const char *metric);

/* Fail if eps or steps were given to a method that does not have them.
 * NULL: the automatic choice, which has neither. */
tw_status tw_methods_check_tuning(tw_context *ctx, const tw_method_info *method, bool eps, bool steps);

#endif
