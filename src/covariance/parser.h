/* parser.h: what the files that parse an expression share. */
#ifndef TALWEG_COVARIANCE_PARSER_H
#define TALWEG_COVARIANCE_PARSER_H

#include "covariance/kernel.h"

/* A parameter as it was given. */
typedef struct tw_entry {
    double theta, value;
    bool as_log, given;
} tw_entry;

typedef struct tw_parser {
    tw_context *ctx;
    const char *text, *at;
    size_t inputs;            /* 0: not known */
    const char *const *names; /* of the inputs; NULL: they have none, or are not known */
    size_t depth;             /* open brackets */

    size_t node_count;
    tw_node nodes[TW_KERNEL_NODES];

    size_t entry_count, entry_room; /* theta so far */
    tw_entry *entries;
    double *numbers; /* of the leaf at hand: room for as many as there can be in the text */

    size_t column_count; /* of all leaves so far: room for as many as there can be in the text */
    size_t *columns;

    /* Amplitudes so far, fixed ones too; and is the next one fixed? */
    size_t amplitudes;
    bool fix_next;
} tw_parser;

/* A name in the text. */
typedef struct tw_word {
    const char *at;
    size_t length;
} tw_word;

void tw_parser_skip(tw_parser *p); /* blanks */
bool tw_parser_accept(tw_parser *p, char c);
tw_word tw_parser_word(tw_parser *p); /* of length 0 where none begins here */
tw_status tw_parser_number(tw_parser *p, double *value);

/* Append a node; `at` is where it stands in the text. */
tw_status tw_parser_add(tw_parser *p, const char *at, tw_node node);

/* A leaf with its arguments, appended. */
tw_status tw_parser_leaf(tw_parser *p);

/* Which of a leaf's files a word names (TW_LEAF_FILES: none of them); read it; are all there that the leaf, whose name is given,
 * needs? */
size_t tw_parser_file_slot(const tw_leaf *leaf, tw_word word);
tw_status tw_parser_file(tw_parser *p, tw_word word, size_t slot, tw_node *node);
tw_status tw_parser_check_files(const tw_parser *p, tw_word leaf, const tw_node *node);

/* TW_BAD_ARGUMENT with these words, the expression and a mark under the place `at`. */
tw_status tw_parser_fail(const tw_parser *p, const char *at, const char *format, ...) TW_PRINTF(3, 4);

/* Does the text name an input here? And which: perhaps in quotes, or by its number. */
bool tw_parser_at_column(const tw_parser *p);
tw_status tw_parser_column(tw_parser *p, size_t *column);

/* Can a name stand in an expression without quotes? */
bool tw_is_bare_column(const char *name);

/* As tw_nearest_name, of a word of the text. */
void tw_parser_nearest(tw_word word, const char *names, char nearest[TW_NAME_BYTES]);

/* There is no leaf of that name. */
tw_status tw_parser_fail_name(const tw_parser *p, tw_word word);

#endif
