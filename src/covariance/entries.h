/* entries.h: a list of entries (row, column, value) from which a sparse matrix is made. */
#ifndef TALWEG_COVARIANCE_ENTRIES_H
#define TALWEG_COVARIANCE_ENTRIES_H

#include "sparse/sparse.h"

typedef struct tw_entries {
    tw_context *ctx;
    size_t count;
    uint32_t *row, *column;
    double *value;
} tw_entries;

/* Allocate room for `room` entries. Free them also after a failure; tw_entries_finish does. */
tw_status tw_entries_new(tw_context *ctx, size_t room, tw_entries *e);
void tw_entries_free(tw_entries *e);

/* Make the matrix if `status` is TW_OK, otherwise return that status; free the entries in both cases. */
tw_status tw_entries_finish(tw_entries *e, tw_status status, size_t rows, size_t columns, bool symmetric,
                            tw_sparse **out);

/* Append an entry; there must be room. */
static inline void tw_entries_add(tw_entries *e, size_t i, size_t j, double value)
{
    e->row[e->count] = (uint32_t)i;
    e->column[e->count] = (uint32_t)j;
    e->value[e->count++] = value;
}

#endif
