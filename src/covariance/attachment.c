/* attachment.c: reads, shares and compares the files of leaves (attachment.h). */
#include "covariance/attachment.h"

#include <string.h>

static void release(tw_attachment *a)
{
    tw_context *ctx = a->ctx;
    tw_release(ctx, a->path);
    tw_sparse_free(a->matrix);
    tw_mesh_free(ctx, &a->mesh);
    tw_release(ctx, a);
}

tw_status tw_attachment_new(tw_context *ctx, const tw_leaf_file *file, const char *path, tw_attachment **out)
{
    void *memory = NULL, *text = NULL;
    size_t bytes = strlen(path) + 1;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof **out, "a file of a kernel", &memory));
    tw_attachment *a = memory;
    a->ctx = ctx;
    atomic_init(&a->holders, 1);
    tw_status status = tw_allocate(ctx, bytes, 1, "the name of a file", &text);
    a->path = text;
    if (status == TW_OK) {
        memcpy(a->path, path, bytes);
        status = file->read(ctx, path, a);
    }
    if (status == TW_OK)
        *out = a;
    else
        release(a);
    return status;
}

tw_attachment *tw_attachment_hold(tw_attachment *a)
{
    if (a) atomic_fetch_add(&a->holders, 1);
    return a;
}

void tw_attachment_release(tw_attachment *a)
{
    if (a && atomic_fetch_sub(&a->holders, 1) == 1) release(a);
}

static bool same_matrix(const tw_sparse *a, const tw_sparse *b)
{
    if (a->rows != b->rows || a->columns != b->columns || a->symmetric != b->symmetric) return false;
    for (size_t j = 0; j <= a->columns; j++)
        if (a->start[j] != b->start[j]) return false;
    for (size_t e = 0; e < a->start[a->columns]; e++)
        if (a->row[e] != b->row[e] || a->value[e] != b->value[e]) return false;
    return true;
}

static bool same_mesh(const tw_mesh *a, const tw_mesh *b)
{
    if (a->nodes != b->nodes || a->triangles != b->triangles) return false;
    for (size_t i = 0; i < 2 * a->nodes; i++)
        if (a->node[i] != b->node[i]) return false;
    return memcmp(a->corner, b->corner, 3 * a->triangles * sizeof *a->corner) == 0;
}

bool tw_attachment_same(const tw_attachment *a, const tw_attachment *b)
{
    if (a == b) return true;
    if (!a || !b || strcmp(a->path, b->path) != 0) return false;
    return a->matrix && b->matrix ? same_matrix(a->matrix, b->matrix)
                                  : !a->matrix && !b->matrix && same_mesh(&a->mesh, &b->mesh);
}

tw_status tw_attachment_read_symmetric(tw_context *ctx, const char *path, tw_attachment *to)
{
    return tw_sparse_read(ctx, path, true, &to->matrix);
}

tw_status tw_attachment_read_general(tw_context *ctx, const char *path, tw_attachment *to)
{
    return tw_sparse_read(ctx, path, false, &to->matrix);
}
