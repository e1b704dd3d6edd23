/* options.h: tables of the options of subcommands. A row gives an option's name, type, default and help; the
 * parser, --help, the manual page and shell completion all read the same rows.
 *
 * Each command has one struct for its values. A row names a field of it by its offset. Several commands can
 * share a group of rows: the offset of the group's struct in the command's struct is added.
 */
#ifndef TALWEG_CLI_OPTIONS_H
#define TALWEG_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "talweg/base.h"

typedef enum tw_option_kind {
    TW_OPTION_FLAG,    /* bool */
    TW_OPTION_NUMBER,  /* double; NaN if it is not given and has no default */
    TW_OPTION_INTEGER, /* uint64_t */
    TW_OPTION_NUMBERS, /* const char *: comma-separated numbers, already checked */
    TW_OPTION_TEXT,    /* const char * */
    TW_OPTION_TEXTS,   /* tw_operands: one text for each time that the option is given */
    TW_OPTION_CHOICE,  /* const char *: one of choices() */
    TW_OPTION_OPERAND, /* const char *: an argument without a name, in the order of the table */
    TW_OPTION_OPERANDS /* tw_operands: all remaining arguments without a name, at least one */
} tw_option_kind;

enum { TW_MOST_OPERANDS = 64 };
typedef struct tw_operands {
    size_t count;
    const char *item[TW_MOST_OPERANDS];
} tw_operands;

/* The value of an INTEGER if the word of its row (`also`) was given instead of a number. */
#define TW_OPTION_WORD UINT64_MAX

typedef struct tw_option {
    const char *name;     /* without the dashes; of an operand, its name in the help: "DATA", "RUN..." */
    size_t offset;        /* of its field */
    const char *argument; /* the name of its value in the help: "X", "FILE" */
    /* The default, as text; NULL: none. An operand without a default is required. */
    const char *default_value;
    const char *help;                       /* its meaning, with its unit */
    void (*more)(char *text, size_t bytes); /* appends to the help text, from another table; NULL: nothing */
    const char *(*choices)(void); /* CHOICE: "se, matern12, ..."; TEXT: names that help and shells offer */
    /* CHOICE: one more choice, "auto"; INTEGER: the word for TW_OPTION_WORD; NULL: none */
    const char *also;
    double least, most; /* NUMBER, INTEGER: the allowed range; both 0: any */
    tw_option_kind kind;
    bool positive; /* NUMBER: must be above 0 */
    bool per_case; /* NUMBER: --NAME-column names a column with a value for each case */
    char letter;   /* the short form, as in -o, or '\0' */
    size_t given;  /* offset of a bool that is set if the option is given; 0: none */
    /* Not NULL: this only row of its group stands for the rows made(0), made(1), ..., up to NULL. */
    const struct tw_option *(*made)(size_t i);
} tw_option;

typedef struct tw_option_group {
    const char *heading; /* for help */
    const tw_option *options;
    size_t count;
    size_t offset; /* of the group's struct in the command's */
} tw_option_group;

typedef struct tw_command {
    const char *name;
    const char *summary;     /* one line, for the list of commands */
    const char *description; /* what it does, its stopping rules, its exit codes; paragraphs end in \n\n */
    const char *example;     /* command lines, each ending in \n */
    const tw_option_group *groups;
    size_t group_count;
    size_t bytes; /* of its struct of values */
    size_t line;  /* offset of a const char * in it for the command line; 0: none */
    tw_status (*run)(tw_context *ctx, const void *values);
} tw_command;

/* The i-th option of a group, NULL after the last. */
static inline const tw_option *tw_group_option(const tw_option_group *group, size_t i)
{
    if (group->count == 1 && group->options->made) return group->options->made(i);
    return i < group->count ? &group->options[i] : NULL;
}

/* Is the option an argument without a name? */
static inline bool tw_option_is_operand(const tw_option *option)
{
    return option->kind == TW_OPTION_OPERAND || option->kind == TW_OPTION_OPERANDS;
}

#define TW_COUNT(array) (sizeof(array) / sizeof *(array))

/* Fill values (command->bytes of zeros) with the defaults and then from arguments[0..count), which follow the
 * command's name; text values point into them. --name value and --name=value both work; a repeated option
 * keeps its last value (TW_OPTION_TEXTS keeps all); "--" ends the options. *wants_help: --help or -h was
 * given; then nothing else is checked. */
tw_status tw_options_parse(tw_context *ctx, const tw_command *command, size_t count,
                           const char *const *arguments, void *values, bool *wants_help);

/* Do the arguments contain one without a name? */
bool tw_options_have_operand(const tw_command *command, size_t count, const char *const *arguments);

/* Was this flag given? False if the command has no flag of that name. */
bool tw_options_flag(const tw_command *command, const void *values, const char *name);

/* The k-th option that every command accepts and this one ignores; NULL after the last. */
const tw_option *tw_option_ignored(const tw_command *command, size_t k);

/* ---- option_values.c ---- */

/* Check the text of an option's value, and store the value in the member of the command's struct. */
tw_status tw_option_store(tw_context *ctx, const tw_option *option, const char *text, void *field);

/* Read a finite decimal number at `text`, followed by the end of the text or by one of the characters `ends`.
 * Returns the end of the number, or NULL. */
const char *tw_options_number(const char *text, const char *ends, double *value);

/* The number of numbers in a TW_OPTION_NUMBERS value; and all of them. */
size_t tw_options_numbers(const char *text);
void tw_options_read_numbers(const char *text, double *values);

/* The names that an option accepts, separated by commas; "" if it accepts any text. */
enum { TW_CHOICES_BYTES = 256 };
void tw_option_choices(const tw_option *option, char names[TW_CHOICES_BYTES]);

/* ---- help.c ---- */

/* Print the command's --help. */
void tw_options_help(const tw_command *command, FILE *to);

/* Print a text in lines of at most 79 columns. The first line starts at `column`;
 * the others are indented by `indent`. */
void tw_print_wrapped(FILE *to, const char *text, int column, int indent);

#endif
