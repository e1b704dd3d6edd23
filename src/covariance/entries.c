/* entries.c: collects the entries of a sparse matrix (entries.h). */
#include "covariance/entries.h"

tw_status tw_entries_new(tw_context *ctx, size_t room, tw_entries *e)
{
    static const char what[] = "the entries of a prior";
    *e = (tw_entries){.ctx = ctx};
    TW_TRY(tw_index_allocate(ctx, room, what, &e->row));
    TW_TRY(tw_index_allocate(ctx, room, what, &e->column));
    return tw_allocate_doubles(ctx, room, 1, what, &e->value);
}

void tw_entries_free(tw_entries *e)
{
    tw_release(e->ctx, e->row);
    tw_release(e->ctx, e->column);
    tw_release(e->ctx, e->value);
}

tw_status tw_entries_finish(tw_entries *e, tw_status status, size_t rows, size_t columns, bool symmetric,
                            tw_sparse **out)
{
    if (status == TW_OK)
        status = tw_sparse_new(e->ctx, rows, columns, symmetric, e->count, e->row, e->column, e->value, out);
    tw_entries_free(e);
    return status;
}
