/* mesh_file.c: reads a mesh of triangles from a file:
 *
 *   nodes 4                  the number of nodes, and the coordinates of each
 *   0 0
 *   ...
 *   triangles 2              the number of triangles, and the corners of each: nodes, counted from 1
 *   1 2 3
 *   ...
 *
 * # begins a comment. Both numbers are compared with the length of the file before memory is allocated.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "covariance/mesh.h"
#include "data/file.h"
#include "data/number.h"
#include "sparse/sparse.h"

typedef struct mesh_text {
    const tw_file *file;
    const char *at;
} mesh_text;

static const char blanks[] = " \t\r\n,;";

/* Skip blanks and comments. Returns false at the end of the text. */
static bool skip(mesh_text *m)
{
    for (;;) {
        m->at += strspn(m->at, blanks);
        if (*m->at != '#') return *m->at != '\0';
        m->at += strcspn(m->at, "\n");
    }
}

static tw_status fail_at(const mesh_text *m, const char *expected)
{
    if (!*m->at) return tw_fail(m->file->ctx, TW_BAD_DATA, "is truncated: expected %s", expected);
    return tw_fail(m->file->ctx, TW_BAD_DATA, "line %zu: found %s; expected %s",
                   tw_file_line_number(m->file, m->at), tw_quote(m->at, m->at + strcspn(m->at, blanks)).text,
                   expected);
}

static tw_status read_number(mesh_text *m, const char *expected, double *value)
{
    skip(m);
    const char *end = tw_number_parse(m->at, value);
    if (!end || (*end && !strchr(" \t\r\n,;#", *end)) || !isfinite(*value)) return fail_at(m, expected);
    m->at = end;
    return TW_OK;
}

/* Read a whole number from 1 to most. */
static tw_status read_index(mesh_text *m, size_t most, const char *expected, size_t *index)
{
    double value = 0.0;
    skip(m);
    const char *before = m->at;
    TW_TRY(read_number(m, expected, &value));
    *index = value >= 1.0 && value <= (double)most ? (size_t)value : 0;
    if (*index > 0 && (double)*index == value) return TW_OK;
    m->at = before;
    return fail_at(m, expected);
}

/* Read "nodes 4"; each item takes at least `least` bytes of the file. */
static tw_status read_head(mesh_text *m, const char *word, size_t least, size_t *count)
{
    char expected[60];
    snprintf(expected, sizeof expected, "\"%s\" and their number", word);
    skip(m);
    if (strncmp(m->at, word, strlen(word)) != 0) return fail_at(m, expected);
    m->at += strlen(word);
    TW_TRY(read_index(m, UINT32_MAX / 4, expected, count));
    if (*count <= m->file->length / least) return TW_OK;
    return tw_fail(m->file->ctx, TW_BAD_DATA,
                   "declares %zu %s but is only %zu bytes long: it may be truncated", *count, word,
                   m->file->length);
}

static tw_status read_nodes(mesh_text *m, tw_mesh *to)
{
    TW_TRY(read_head(m, "nodes", 4, &to->nodes));
    TW_TRY(tw_allocate_doubles(m->file->ctx, to->nodes, 2, "the nodes of a mesh", &to->node));
    for (size_t i = 0; i < 2 * to->nodes; i++) TW_TRY(read_number(m, "a coordinate of a node", &to->node[i]));
    return TW_OK;
}

static tw_status read_triangles(mesh_text *m, tw_mesh *to)
{
    TW_TRY(read_head(m, "triangles", 6, &to->triangles));
    TW_TRY(tw_index_allocate(m->file->ctx, 3 * to->triangles, "the triangles of a mesh", &to->corner));
    for (size_t t = 0; t < to->triangles; t++) {
        uint32_t *c = to->corner + 3 * t;
        for (size_t k = 0; k < 3; k++) {
            size_t node = 0;
            TW_TRY(read_index(m, to->nodes, "the number of a node", &node));
            c[k] = (uint32_t)(node - 1);
        }
        if (!(fabs(tw_mesh_area(to, t, (const double[]){1.0, 1.0})) > 0.0))
            return tw_fail(m->file->ctx, TW_BAD_DATA,
                           "line %zu: triangle %zu has no area: its corners are %u, %u and %u",
                           tw_file_line_number(m->file, m->at - 1), t + 1, c[0] + 1, c[1] + 1, c[2] + 1);
    }
    return skip(m) ? fail_at(m, "the end of the file, after all triangles") : TW_OK;
}

/* Fail if a node is not a corner of any triangle: its precision would be 0. */
static tw_status check_nodes(tw_context *ctx, const tw_mesh *mesh)
{
    void *memory = NULL;
    size_t lonely = 0;
    TW_TRY(tw_allocate(ctx, mesh->nodes, 1, "a mesh", &memory));
    char *used = memory;
    for (size_t k = 0; k < 3 * mesh->triangles; k++) used[mesh->corner[k]] = 1;
    while (lonely < mesh->nodes && used[lonely]) lonely++;
    tw_release(ctx, memory);
    if (lonely == mesh->nodes) return TW_OK;
    return tw_fail(ctx, TW_BAD_DATA, "node %zu is not a corner of any triangle: remove it", lonely + 1);
}

static tw_status parse(const tw_file *file, tw_mesh *to)
{
    mesh_text m = {.file = file};
    tw_number_locale locale;
    TW_TRY(tw_file_check_text(file));
    TW_TRY(tw_number_locale_begin(file->ctx, &locale));
    m.at = tw_file_text(file);
    tw_status status = read_nodes(&m, to);
    if (status == TW_OK) status = read_triangles(&m, to);
    tw_number_locale_end(&locale);
    return status == TW_OK ? check_nodes(file->ctx, to) : status;
}

tw_status tw_mesh_read(tw_context *ctx, const char *path, tw_mesh *to)
{
    tw_file file;
    tw_status status = tw_file_read(ctx, path, &file);
    if (status == TW_OK) status = tw_file_inflate(&file);
    if (status == TW_OK) status = parse(&file, to);
    tw_file_release(&file);
    return status == TW_OK ? TW_OK : tw_fail_within(ctx, status, "%.1000s: ", path);
}

void tw_mesh_free(tw_context *ctx, tw_mesh *mesh)
{
    tw_release(ctx, mesh->node);
    tw_release(ctx, mesh->corner);
    *mesh = (tw_mesh){0};
}
