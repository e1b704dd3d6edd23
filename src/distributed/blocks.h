/* blocks.h: matrices in blocks over a grid of processes, as ScaLAPACK has them, and what it does with them.
 *
 * Block (I, J) of TW_BLOCK x TW_BLOCK numbers lies on the process in row I modulo `rows` and column J modulo `columns` of the
 * grid. Vectors over sites are the same on all ranks; a panel carries some of them through a computation.
 * Every function is called by all ranks together.
 */
#ifndef TALWEG_DISTRIBUTED_BLOCKS_H
#define TALWEG_DISTRIBUTED_BLOCKS_H

#include <mpi.h>

#include "base/context.h"

enum { TW_BLOCK = 64, TW_PANEL_BLOCK = 8, TW_BLOCK_COLUMNS = 64 };

typedef struct tw_block_matrix {
    int descriptor[9];
    size_t rows, columns;           /* of the part that lies here */
    size_t row_block, column_block; /* sizes of a block */
    double *part;                   /* rows x columns */
} tw_block_matrix;

/* The grid, and two panels of n x TW_BLOCK_COLUMNS numbers. */
typedef struct tw_blocks {
    tw_context *ctx;
    MPI_Comm comm;
    int grid;                       /* BLACS's context; -1: none */
    int rows, columns, row, column; /* of the grid; of this process in it */
    size_t n, users;
    tw_block_matrix panel[2];
    double *work; /* n x TW_BLOCK_COLUMNS */
} tw_blocks;

/* A grid for matrices of n x n, with one user; a further one, and one less: the last frees it. */
tw_status tw_blocks_new(tw_context *ctx, MPI_Comm comm, size_t n, tw_blocks **out);
tw_blocks *tw_blocks_use(tw_blocks *b);
void tw_blocks_free(tw_blocks *b);

/* The worst status of all ranks: what one of them could not do, all give up. */
tw_status tw_blocks_agree(tw_blocks *b, tw_status status);

/* Memory for n x n numbers in blocks, zeroed. */
tw_status tw_block_matrix_new(tw_blocks *b, const char *what, tw_block_matrix *out);
void tw_block_matrix_release(tw_blocks *b, tw_block_matrix *m);

/* The row and column, of the whole matrix, of what lies here. */
size_t tw_block_row(const tw_blocks *b, const tw_block_matrix *m, size_t row);
size_t tw_block_column(const tw_blocks *b, const tw_block_matrix *m, size_t column);

/* Factor the lower triangle, a = l l'; zeros above. False where it is not positive definite. *log_det = log |a|. */
bool tw_blocks_factor(tw_blocks *b, tw_block_matrix *a, double *log_det);

/* x = l' x, of n x n matrices, l lower triangular; x = x l'^-1. */
void tw_blocks_multiply_transposed(tw_blocks *b, const tw_block_matrix *l, tw_block_matrix *x);
void tw_blocks_solve_right(tw_blocks *b, const tw_block_matrix *l, tw_block_matrix *x);

/* c = a' x. */
void tw_blocks_product(tw_blocks *b, const tw_block_matrix *a, const tw_block_matrix *x, tw_block_matrix *c);

/* Sums of squares of the rows, n numbers. */
void tw_blocks_row_squares(tw_blocks *b, const tw_block_matrix *m, double *sums);

/* Panel 0 becomes x (n x columns, at most TW_BLOCK_COLUMNS), and x what is in it. */
void tw_blocks_put(tw_blocks *b, size_t columns, const double *x);
void tw_blocks_get(tw_blocks *b, size_t columns, double *x);

/* Some rows of what is in it, rows x columns. */
void tw_blocks_get_rows(tw_blocks *b, size_t row, size_t rows, size_t columns, double *x);

/* What is in panel 0, multiplied by l, l', l^-1 or l'^-1, lower triangular; or by a full matrix f or f'. */
typedef enum tw_block_step { TW_BLOCK_MULTIPLY, TW_BLOCK_SOLVE } tw_block_step;
void tw_blocks_triangle(tw_blocks *b, tw_block_step step, bool transposed, const tw_block_matrix *l,
                        size_t columns);
void tw_blocks_full(tw_blocks *b, bool transposed, const tw_block_matrix *f, size_t columns);

#endif
