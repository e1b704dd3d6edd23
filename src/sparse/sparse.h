/* sparse.h: what the files of this room share beside talweg/sparse.h. */
#ifndef TALWEG_SPARSE_SPARSE_H
#define TALWEG_SPARSE_SPARSE_H

#include "base/context.h"
#include "talweg/sparse.h"

/* Memory for a matrix of `count` entries. */
tw_status tw_sparse_allocate(tw_context *ctx, size_t rows, size_t columns, size_t count, tw_sparse **out);

tw_status tw_sparse_copy(const tw_sparse *from, tw_sparse **out);

/* Zeroed arrays of indices, and of places in arrays. */
tw_status tw_index_allocate(tw_context *ctx, size_t count, const char *what, uint32_t **out);
tw_status tw_start_allocate(tw_context *ctx, size_t count, const char *what, size_t **out);

#endif
