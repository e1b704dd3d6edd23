/* parser.h: the state and functions shared by the files that parse kernel expressions. */
#ifndef TALWEG_COVARIANCE_PARSER_H
#define TALWEG_COVARIANCE_PARSER_H

#include "covariance/kernel.h"

/* A parameter of the expression. */
typedef struct tw_entry {
    double theta, value;
    bool as_log, given;
} tw_entry;

typedef struct tw_parser {
    tw_context *ctx;
    const char *text, *at;
    size_t inputs;            /* number of inputs; 0: not known */
    const char *const *names; /* of the inputs; NULL: none, or not known */
    size_t depth;             /* number of open brackets */

    size_t node_count;
    tw_node nodes[TW_KERNEL_NODES];

    size_t entry_count, entry_room; /* parameters so far */
    tw_entry *entries;
    double *numbers; /* of the current leaf; room for as many as the text can hold */

    size_t column_count; /* inputs of all leaves so far; room for as many as the text can hold */
    size_t *columns;

    size_t amplitudes; /* number of amplitudes so far, including fixed ones */
    bool fix_next;     /* is the next amplitude fixed? */
} tw_parser;

/* A name in the text. */
typedef struct tw_word {
    const char *at;
    size_t length;
} tw_word;

void tw_parser_skip(tw_parser *p); /* blanks */
bool tw_parser_accept(tw_parser *p, char c);
tw_word tw_parser_word(tw_parser *p); /* of length 0 if none begins here */
tw_status tw_parser_number(tw_parser *p, double *value);

/* Append a node; `at` is its position in the text. */
tw_status tw_parser_add(tw_parser *p, const char *at, tw_node node);

/* Parse a leaf with its arguments, and append it. */
tw_status tw_parser_leaf(tw_parser *p);

/* File arguments: the index of the file that a word names (TW_LEAF_FILES: none); parse the argument and read
 * the file; fail if a required file is missing. */
size_t tw_parser_file_slot(const tw_leaf *leaf, tw_word word);
tw_status tw_parser_file(tw_parser *p, tw_word word, size_t slot, tw_node *node);
tw_status tw_parser_check_files(const tw_parser *p, tw_word leaf, const tw_node *node);

/* Fail with TW_BAD_ARGUMENT and a message:
 * these words, the expression, and a mark under the position `at`. */
tw_status tw_parser_fail(const tw_parser *p, const char *at, const char *format, ...) TW_PRINTF(3, 4);

/* Does the text name an input here? Read an input: a name, with or without quotes, or a number. */
bool tw_parser_at_column(const tw_parser *p);
tw_status tw_parser_column(tw_parser *p, size_t *column);

/* Can this name be written in an expression without quotes? */
bool tw_is_bare_column(const char *name);

/* As tw_nearest_name, for a word of the text. */
void tw_parser_nearest(tw_word word, const char *names, char nearest[TW_NAME_BYTES]);

/* Fail: there is no leaf of that name. */
tw_status tw_parser_fail_name(const tw_parser *p, tw_word word);

#endif
