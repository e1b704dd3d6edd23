/* help.h: texts made from the tables of options: --help, the manual page, completion scripts. */
#ifndef TALWEG_CLI_HELP_H
#define TALWEG_CLI_HELP_H

#include "cli/options.h"

/* The name of an option in the help: "DATA", or "-o, --output FILE". */
enum { TW_OPTION_NAME_BYTES = 128, TW_OPTION_TEXT_BYTES = 1024 };
void tw_option_name(const tw_option *option, char text[TW_OPTION_NAME_BYTES]);

/* Its text in the help, with choices, range and default. */
void tw_option_text(const tw_option *option, char text[TW_OPTION_TEXT_BYTES]);

/* The command's arguments in one line: "DATA [NEWDATA] [options]". */
void tw_command_synopsis(const tw_command *command, char text[TW_OPTION_NAME_BYTES]);

/* The conventions of all commands: output, messages, colours, options, files. "\n\n" separates paragraphs. */
const char *tw_help_conventions(void);

/* The output of talweg --help, --man-page and --completion SHELL. */
void tw_print_program_help(FILE *to);
void tw_print_manual(FILE *to);
void tw_print_bash_completion(FILE *to);
void tw_print_zsh_completion(FILE *to);

#endif
