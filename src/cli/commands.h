/* commands.h: the subcommands. Each has its own file with a table of options; commands.c lists them all. */
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

/* Command k, in the order of the help; NULL after the last. */
const tw_command *tw_command_at(size_t k);

/* Parse arguments[0..count), which do not include the command's name, and run the command;
 * --help prints its help. */
tw_status tw_command_run(tw_context *ctx, const tw_command *command, size_t count,
                         const char *const *arguments);

/* Run the program: arguments[0] names the command. */
tw_status tw_program_run(tw_context *ctx, size_t count, const char *const *arguments);

/* The command line "talweg NAME ARGUMENT ...", quoted for a shell. Free it with tw_release. */
tw_status tw_command_line(tw_context *ctx, const char *name, size_t count, const char *const *arguments,
                          char **out);

#endif
