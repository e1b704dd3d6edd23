/* entries.h: the entries of a sparse matrix that is being made. */
#ifndef TALWEG_COVARIANCE_ENTRIES_H
#define TALWEG_COVARIANCE_ENTRIES_H

#include "sparse/sparse.h"

typedef struct tw_entries {
    tw_context *ctx;
    size_t count;
    uint32_t *row, *column;
    double *value;
} tw_entries;

/* Room for so many. Release them also after a failure; tw_entries_finish does. */
tw_status tw_entries_new(tw_context *ctx, size_t room, tw_entries *e);
void tw_entries_free(tw_entries *e);

/* The matrix of the entries, where `status` is TW_OK; else that status. */
tw_status tw_entries_finish(tw_entries *e, tw_status status, size_t rows, size_t columns, bool symmetric,
                            tw_sparse **out);

static inline void tw_entries_add(tw_entries *e, size_t i, size_t j, double value)
{
    e->row[e->count] = (uint32_t)i;
    e->column[e->count] = (uint32_t)j;
    e->value[e->count++] = value;
}

#endif
