/* read_file.c: parses file arguments of leaves, graph=areas.graph, and reads the files. A name with a blank,
 * comma or bracket must be in quotes. */
#include <string.h>

#include "covariance/attachment.h"
#include "covariance/parser.h"

enum { MOST = 4096 };

size_t tw_parser_file_slot(const tw_leaf *leaf, tw_word word)
{
    size_t k = 0;
    for (; k < TW_LEAF_FILES; k++) {
        const char *name = leaf->file[k].name;
        if (name && strlen(name) == word.length && memcmp(name, word.at, word.length) == 0) break;
    }
    return k;
}

/* Read the name of a file, with or without quotes. */
static tw_status read_name(tw_parser *p, tw_word *name)
{
    bool quoted = *p->at == '"';
    *name = (tw_word){p->at + quoted, strcspn(p->at + quoted, quoted ? "\"" : " \t\r\n,()\"")};
    const char *end = name->at + name->length;
    if (quoted && !*end) return tw_parser_fail(p, p->at, "this quote is not closed");
    if (name->length == 0) return tw_parser_fail(p, p->at, "the name of a file is missing here");
    if (name->length >= MOST) return tw_parser_fail(p, p->at, "the name of this file is too long");
    p->at = end + quoted;
    return TW_OK;
}

tw_status tw_parser_file(tw_parser *p, tw_word word, size_t slot, tw_node *node)
{
    char path[MOST];
    tw_word name;
    const tw_leaf_file *file = &node->leaf->file[slot];
    if (node->file[slot]) return tw_parser_fail(p, word.at, "%s is given twice", file->name);
    if (!tw_parser_accept(p, '=')) return tw_parser_fail(p, p->at, "a \"=\" is missing here");
    TW_TRY(read_name(p, &name));
    memcpy(path, name.at, name.length);
    path[name.length] = '\0';
    return tw_attachment_new(p->ctx, file, path, &node->file[slot]);
}

tw_status tw_parser_check_files(const tw_parser *p, tw_word leaf, const tw_node *node)
{
    for (size_t k = 0; k < TW_LEAF_FILES; k++)
        if (node->leaf->file[k].required && !node->file[k])
            return tw_parser_fail(p, leaf.at, "%s needs a file: %s=FILE", node->leaf->name,
                                  node->leaf->file[k].name);
    return TW_OK;
}
