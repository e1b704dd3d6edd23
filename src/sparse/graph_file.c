/* graph_file.c: read the neighbours of areas from a file, as the Laplacian of their graph: degrees on the
 * diagonal, -1 for neighbours.
 *
 *   4              the number of areas
 *   1 2 2 3        an area, its number of neighbours, and the neighbours, counted from 1
 *   2 1 1
 *   ...
 *
 * This is the format of R-INLA's graphs; # begins a comment. A file may also be in Matrix Market's format, of
 * which only the positions of the entries count. The number of areas is compared with the length of the file
 * before memory is allocated. Two neighbours must name each other, once each.
 */
#include <string.h>

#include "data/file.h"
#include "sparse/sparse.h"

typedef struct graph_text {
    const tw_file *file;
    const char *at;
    size_t areas, count;
    uint32_t *row, *column;
} graph_text;

/* Advance to the next word; false at the end of the file. */
static bool skip(graph_text *g)
{
    for (;;) {
        g->at += strspn(g->at, " \t\r\n,;:");
        if (*g->at != '#') return *g->at != '\0';
        g->at += strcspn(g->at, "\n");
    }
}

static tw_status fail_at(const graph_text *g, const char *expected)
{
    return tw_fail(g->file->ctx, TW_BAD_DATA, "line %zu: found %s; expected %s",
                   tw_file_line_number(g->file, g->at),
                   tw_quote(g->at, g->at + strcspn(g->at, " \t\r\n,;:#")).text, expected);
}

/* Read a whole number from least to most. */
static tw_status read_number(graph_text *g, size_t least, size_t most, const char *expected, size_t *number)
{
    if (!skip(g)) return tw_fail(g->file->ctx, TW_BAD_DATA, "is truncated: %s is missing", expected);
    size_t digits = strspn(g->at, "0123456789"), sum = 0;
    bool ends = strchr(" \t\r\n,;:#", g->at[digits]) != NULL; /* strchr also finds the NUL */
    for (size_t i = 0; i < digits && digits < 18; i++) sum = 10 * sum + (size_t)(g->at[i] - '0');
    if (digits == 0 || digits >= 18 || !ends || sum < least || sum > most) return fail_at(g, expected);
    g->at += digits;
    *number = sum;
    return TW_OK;
}

static tw_status read_area(graph_text *g, char *seen)
{
    size_t area = 0, neighbours = 0, other = 0;
    TW_TRY(read_number(g, 1, g->areas, "the number of an area", &area));
    if (seen[area - 1]++)
        return tw_fail(g->file->ctx, TW_BAD_DATA, "line %zu: area %zu occurs twice",
                       tw_file_line_number(g->file, g->at - 1), area);
    TW_TRY(read_number(g, 0, g->areas - 1, "its number of neighbours", &neighbours));
    for (size_t k = 0; k < neighbours; k++) {
        TW_TRY(read_number(g, 1, g->areas, "the number of a neighbour", &other));
        if (other == area)
            return tw_fail(g->file->ctx, TW_BAD_DATA, "line %zu: area %zu is its own neighbour",
                           tw_file_line_number(g->file, g->at - 1), area);
        g->row[g->count] = (uint32_t)(area - 1);
        g->column[g->count++] = (uint32_t)(other - 1);
    }
    return TW_OK;
}

/* A neighbour takes at least two bytes, so memory for half the file's length suffices. */
static tw_status read_areas(graph_text *g)
{
    tw_context *ctx = g->file->ctx;
    void *seen = NULL;
    TW_TRY(read_number(g, 1, UINT32_MAX / 2, "the number of areas", &g->areas));
    if (g->areas > g->file->length)
        return tw_fail(ctx, TW_BAD_DATA, "declares %zu areas but is only %zu bytes long: it may be truncated",
                       g->areas, g->file->length);
    TW_TRY(tw_index_allocate(ctx, g->file->length / 2 + 1, "a graph", &g->row));
    TW_TRY(tw_index_allocate(ctx, g->file->length / 2 + 1, "a graph", &g->column));
    TW_TRY(tw_allocate(ctx, g->areas, 1, "a graph", &seen));
    tw_status status = TW_OK;
    for (size_t k = 0; status == TW_OK && k < g->areas; k++) status = read_area(g, seen);
    tw_release(ctx, seen);
    TW_TRY(status);
    return skip(g) ? fail_at(g, "the end of the file, after all areas") : TW_OK;
}

/* Check that two neighbours name each other. */
static tw_status check_mutual(const tw_sparse *m)
{
    for (size_t j = 0; j < m->columns; j++)
        for (size_t e = m->start[j]; e < m->start[j + 1]; e++) {
            size_t i = m->row[e], f = m->start[i];
            while (f < m->start[i + 1] && m->row[f] != j) f++;
            if (f == m->start[i + 1])
                return tw_fail(m->ctx, TW_BAD_DATA,
                               "area %zu lists %zu as a neighbour, but area %zu does not list %zu", i + 1,
                               j + 1, j + 1, i + 1);
        }
    return TW_OK;
}

/* Convert a pattern in both triangles to the lower triangle of a Laplacian; row and column have room for it. */
static tw_status make_laplacian(graph_text *g, const tw_sparse *pattern, tw_sparse **out)
{
    tw_context *ctx = pattern->ctx;
    size_t count = 0, n = pattern->columns;
    double *value = NULL;
    TW_TRY(tw_allocate_doubles(ctx, pattern->start[n] + n, 1, "a graph", &value));
    for (size_t j = 0; j < n; j++)
        for (size_t e = pattern->start[j]; e < pattern->start[j + 1]; e++) {
            if (pattern->row[e] <= j) continue;
            g->row[count] = pattern->row[e];
            g->column[count] = (uint32_t)j;
            value[count++] = -1.0;
        }
    tw_status status = tw_sparse_new(ctx, n, n, true, count, g->row, g->column, value, out);
    tw_release(ctx, value);
    if (status != TW_OK) return status;
    tw_sparse *m = *out;
    for (size_t j = 0; j < n; j++)
        for (size_t e = m->start[j] + 1; e < m->start[j + 1]; e++) {
            m->value[m->start[j]] += 1.0;
            m->value[m->start[m->row[e]]] += 1.0;
        }
    return TW_OK;
}

static tw_status make(graph_text *g, tw_sparse **out)
{
    tw_context *ctx = g->file->ctx;
    tw_sparse *pattern = NULL;
    double *ones = NULL;
    TW_TRY(read_areas(g));
    TW_TRY(tw_allocate_doubles(ctx, g->count, 1, "a graph", &ones));
    tw_status status =
        tw_sparse_new(ctx, g->areas, g->areas, false, g->count, g->row, g->column, ones, &pattern);
    tw_release(ctx, ones);
    if (status == TW_OK) status = check_mutual(pattern);
    if (status == TW_OK) status = make_laplacian(g, pattern, out);
    tw_sparse_free(pattern);
    return status;
}

static tw_status read_text(const tw_file *file, tw_sparse **out)
{
    graph_text g = {.file = file};
    TW_TRY(tw_file_check_text(file));
    g.at = tw_file_text(file);
    tw_status status = make(&g, out);
    tw_release(file->ctx, g.row);
    tw_release(file->ctx, g.column);
    return status;
}

/* ---- Matrix Market ---- */

static tw_status read_matrix(tw_context *ctx, const char *path, tw_sparse **out)
{
    graph_text g = {0};
    tw_sparse *matrix = NULL;
    TW_TRY(tw_sparse_read(ctx, path, true, &matrix));
    size_t room = matrix->start[matrix->columns] + 1;
    tw_status status = tw_index_allocate(ctx, room, "a graph", &g.row);
    if (status == TW_OK) status = tw_index_allocate(ctx, room, "a graph", &g.column);
    if (status == TW_OK) status = make_laplacian(&g, matrix, out);
    tw_release(ctx, g.row);
    tw_release(ctx, g.column);
    tw_sparse_free(matrix);
    return status;
}

tw_status tw_graph_read(tw_context *ctx, const char *path, tw_sparse **out)
{
    static const char market[] = "%%MatrixMarket";
    tw_file file;
    *out = NULL;
    tw_status status = tw_file_read(ctx, path, &file);
    if (status == TW_OK) status = tw_file_inflate(&file);
    bool is_matrix = status == TW_OK && strncmp(tw_file_text(&file), market, sizeof market - 1) == 0;
    if (status == TW_OK && !is_matrix) status = read_text(&file, out);
    tw_file_release(&file);
    if (is_matrix) return read_matrix(ctx, path, out);
    return status == TW_OK ? TW_OK : tw_fail_within(ctx, status, "%.1000s: ", path);
}

/* ---- connected components ---- */

size_t tw_graph_parts(const tw_sparse *laplacian, uint32_t *part)
{
    size_t n = laplacian->columns, parts = 0;
    bool changed = true;
    for (size_t i = 0; i < n; i++) part[i] = (uint32_t)i;
    while (changed) { /* propagate the smallest number; with jumps, about log n rounds */
        changed = false;
        for (size_t j = 0; j < n; j++)
            for (size_t e = laplacian->start[j] + 1; e < laplacian->start[j + 1]; e++) {
                uint32_t i = laplacian->row[e], a = part[i], b = part[j];
                if (a == b) continue;
                changed = true;
                part[i] = part[j] = part[a > b ? a : b] = a < b ? a : b;
            }
        for (size_t i = 0; i < n; i++)
            while (part[i] != part[part[i]]) part[i] = part[part[i]];
    }
    for (size_t i = 0; i < n; i++) parts += part[i] == i;
    return parts;
}
