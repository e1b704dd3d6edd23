/* options.h: what a subcommand understands, as tables. One table says what an option is called, what it
 * takes, what it is when not given and what help says about it; the parser, --help, and whatever else is made
 * from it read the same rows.
 *
 * A command's values live in one struct of its own. A row names a field by its offset; the rows of a group
 * that several commands share are offset once more by where that group's struct lies in the command's.
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
    TW_OPTION_NUMBER,  /* double; NaN where there is no default and none was given */
    TW_OPTION_INTEGER, /* uint64_t */
    TW_OPTION_NUMBERS, /* const char *: numbers with commas between them, already checked */
    TW_OPTION_TEXT,    /* const char * */
    TW_OPTION_TEXTS,   /* tw_operands: texts, one each time that the option is given */
    TW_OPTION_CHOICE,  /* const char *: one of choices() */
    TW_OPTION_OPERAND, /* const char *: an argument without a name, taken in the order of the table */
    TW_OPTION_OPERANDS /* tw_operands: all arguments without a name that are left, at least one */
} tw_option_kind;

enum { TW_MOST_OPERANDS = 64 };
typedef struct tw_operands {
    size_t count;
    const char *item[TW_MOST_OPERANDS];
} tw_operands;

/* What an INTEGER is where the word of its row (`also`) was given in place of a number. */
#define TW_OPTION_WORD UINT64_MAX

typedef struct tw_option {
    const char *name;     /* without the dashes; of an operand, what help calls it: "DATA", "RUN..." */
    size_t offset;        /* of the field that it fills */
    const char *argument; /* what help calls its value: "X", "FILE" */
    /* The default as one would type it, or NULL for none. An operand without one is required. */
    const char *default_value;
    const char *help;                       /* what it is, with its unit */
    void (*more)(char *text, size_t bytes); /* adds to that what only a table knows; NULL: nothing */
    const char *(*choices)(void); /* CHOICE: "se, matern12, ..."; TEXT: names that help and shells offer */
    /* CHOICE: one beside those, "auto"; INTEGER: a word for TW_OPTION_WORD; NULL: none */
    const char *also;
    double least, most; /* NUMBER, INTEGER: the range allowed; both 0: any */
    tw_option_kind kind;
    bool positive; /* NUMBER: must be above 0 */
    char letter;   /* a short form, as in -o, or '\0' */
    size_t given;  /* offset of a bool that becomes true where the option is typed; 0: nobody asks */
    /* Not NULL: this row is the only one of its group and stands for others, the i-th, up to NULL. */
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
    size_t line;  /* where in it the whole command line goes, as text; 0: it is not wanted */
    tw_status (*run)(tw_context *ctx, const void *values);
} tw_command;

/* The i-th option of a group, NULL behind the last. */
static inline const tw_option *tw_group_option(const tw_option_group *group, size_t i)
{
    if (group->count == 1 && group->options->made) return group->options->made(i);
    return i < group->count ? &group->options[i] : NULL;
}

/* Is this an argument without a name? */
static inline bool tw_option_is_operand(const tw_option *option)
{
    return option->kind == TW_OPTION_OPERAND || option->kind == TW_OPTION_OPERANDS;
}

#define TW_COUNT(array) (sizeof(array) / sizeof *(array))

/* Fill values (command->bytes of zeros) with the defaults and then from arguments[0..count), those behind the
 * command's name; text values point into them. --name value and --name=value both work, the last of several
 * wins (but for TW_OPTION_TEXTS, which keeps all), "--" ends the options. *wants_help: --help or -h was among them; nothing else was checked then. */
tw_status tw_options_parse(tw_context *ctx, const tw_command *command, size_t count,
                           const char *const *arguments, void *values, bool *wants_help);

/* Is there an argument without a name among them? */
bool tw_options_have_operand(const tw_command *command, size_t count, const char *const *arguments);

/* Was this flag given? False where the command has none of that name. */
bool tw_options_flag(const tw_command *command, const void *values, const char *name);

/* The k-th option that the command takes, as every command does, and has no use for; NULL behind the last. */
const tw_option *tw_option_ignored(const tw_command *command, size_t k);

/* ---- option_values.c ---- */

/* Check the text of an option's value, and store the value in the member of the command's struct. */
tw_status tw_option_store(tw_context *ctx, const tw_option *option, const char *text, void *field);

/* A finite decimal number at text with the end of the text or one of `ends` behind it: where that is, or NULL. */
const char *tw_options_number(const char *text, const char *ends, double *value);

/* How many numbers a TW_OPTION_NUMBERS value has, and all of them. */
size_t tw_options_numbers(const char *text);
void tw_options_read_numbers(const char *text, double *values);

/* The names that it may be given, with commas between them; "" where any text will do. */
enum { TW_CHOICES_BYTES = 256 };
void tw_option_choices(const tw_option *option, char names[TW_CHOICES_BYTES]);

/* ---- help.c ---- */

/* What --help prints. */
void tw_options_help(const tw_command *command, FILE *to);

/* Text in lines of at most 79 columns, all but the first indented by `indent`; the first starts at `column`.
 */
void tw_print_wrapped(FILE *to, const char *text, int column, int indent);

#endif
