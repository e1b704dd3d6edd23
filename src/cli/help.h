/* help.h: what the tables of options become for a reader: --help, the manual page, completion in shells. */
#ifndef TALWEG_CLI_HELP_H
#define TALWEG_CLI_HELP_H

#include "cli/options.h"

/* "DATA", or "-o, --output FILE". */
enum { TW_OPTION_NAME_BYTES = 128, TW_OPTION_TEXT_BYTES = 1024 };
void tw_option_name(const tw_option *option, char text[TW_OPTION_NAME_BYTES]);

/* All that is to be said of it: help, choices, range, default. */
void tw_option_text(const tw_option *option, char text[TW_OPTION_TEXT_BYTES]);

/* The command's arguments in one line: "DATA [NEWDATA] [options]". */
void tw_command_synopsis(const tw_command *command, char text[TW_OPTION_NAME_BYTES]);

/* What every command has in common: results, messages, exit codes, environment; paragraphs end in \n\n. */
const char *tw_help_conventions(void);

/* What talweg --help, --man-page and --completion SHELL print. */
void tw_print_program_help(FILE *to);
void tw_print_manual(FILE *to);
void tw_print_bash_completion(FILE *to);
void tw_print_zsh_completion(FILE *to);

#endif
