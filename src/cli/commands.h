/* commands.h: the subcommands. Each is one file with one table of options; the list of them is in commands.c.
 */
#ifndef TALWEG_CLI_COMMANDS_H
#define TALWEG_CLI_COMMANDS_H

#include "cli/options.h"
#include "talweg/base.h"

extern const tw_command tw_command_model;
extern const tw_command tw_command_fit;
extern const tw_command tw_command_compare;
extern const tw_command tw_command_check;
extern const tw_command tw_command_approx;
extern const tw_command tw_command_sample;
extern const tw_command tw_command_evidence;
extern const tw_command tw_command_grid;
extern const tw_command tw_command_predict;
extern const tw_command tw_command_summary;
extern const tw_command tw_command_report;
extern const tw_command tw_command_selftest;
extern const tw_command tw_command_merge;
extern const tw_command tw_command_bench;
extern const tw_command tw_command_demo;

/* All of them, in the order of the help; NULL behind the last. */
const tw_command *tw_command_at(size_t k);

/* Parse arguments[0..count) (without the command's name) and run it. --help prints and is TW_OK. */
tw_status tw_command_run(tw_context *ctx, const tw_command *command, size_t count,
                         const char *const *arguments);

/* The whole program: dispatch on arguments[0]. */
tw_status tw_program_run(tw_context *ctx, size_t count, const char *const *arguments);

/* "talweg NAME ARGUMENT ...", with quotes where a shell needs them. Freed with tw_release. */
tw_status tw_command_line(tw_context *ctx, const char *name, size_t count, const char *const *arguments,
                          char **out);

#endif
