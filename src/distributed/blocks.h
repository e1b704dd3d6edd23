/* blocks.h: block-cyclic matrices over a grid of processes, as in ScaLAPACK, and operations on them.
 *
 * Block (I, J) of TW_BLOCK x TW_BLOCK numbers is stored on the process in row I modulo `rows` and column J
 * modulo `columns` of the grid. Every rank holds a copy of vectors over sites; a panel is a distributed
 * matrix of a few such vectors, to compute with. All ranks must call every function together.
 */
#ifndef TALWEG_DISTRIBUTED_BLOCKS_H
#define TALWEG_DISTRIBUTED_BLOCKS_H

#include <mpi.h>

#include "base/context.h"

enum { TW_BLOCK = 64, TW_PANEL_BLOCK = 8, TW_BLOCK_COLUMNS = 64 };

typedef struct tw_block_matrix {
    int descriptor[9];
    size_t rows, columns;           /* of the local part */
    size_t row_block, column_block; /* sizes of a block */
    double *part;                   /* the local part, rows x columns */
} tw_block_matrix;

/* The grid, and two panels of n x TW_BLOCK_COLUMNS numbers. */
typedef struct tw_blocks {
    tw_context *ctx;
    MPI_Comm comm;
    int grid;                       /* BLACS's context; -1: none */
    int rows, columns, row, column; /* the size of the grid, and the position of this process */
    size_t n, users;
    tw_block_matrix panel[2];
    double *work; /* n x TW_BLOCK_COLUMNS */
} tw_blocks;

/* A grid for n x n matrices with a reference count: new sets it to 1, use adds 1, and free subtracts 1 and
 * frees at 0. */
tw_status tw_blocks_new(tw_context *ctx, MPI_Comm comm, size_t n, tw_blocks **out);
tw_blocks *tw_blocks_use(tw_blocks *b);
void tw_blocks_free(tw_blocks *b);

/* The worst status of all ranks: if one rank fails, all fail. */
tw_status tw_blocks_agree(tw_blocks *b, tw_status status);

/* Allocate an n x n distributed matrix of zeros. */
tw_status tw_block_matrix_new(tw_blocks *b, const char *what, tw_block_matrix *out);
void tw_block_matrix_release(tw_blocks *b, tw_block_matrix *m);

/* The row and column in the whole matrix of a local row and column. */
size_t tw_block_row(const tw_blocks *b, const tw_block_matrix *m, size_t row);
size_t tw_block_column(const tw_blocks *b, const tw_block_matrix *m, size_t column);

/* Factor a = l l' from its lower triangle and set the upper one to 0. False if a is not positive definite.
 * *log_det = log |a|. */
bool tw_blocks_factor(tw_blocks *b, tw_block_matrix *a, double *log_det);

/* x = l' x and x = x l'^-1 for n x n matrices, l lower triangular. */
void tw_blocks_multiply_transposed(tw_blocks *b, const tw_block_matrix *l, tw_block_matrix *x);
void tw_blocks_solve_right(tw_blocks *b, const tw_block_matrix *l, tw_block_matrix *x);

/* c = a' x. */
void tw_blocks_product(tw_blocks *b, const tw_block_matrix *a, const tw_block_matrix *x, tw_block_matrix *c);

/* The n sums of squares of the rows. */
void tw_blocks_row_squares(tw_blocks *b, const tw_block_matrix *m, double *sums);

/* Copy x (n x columns, at most TW_BLOCK_COLUMNS columns) to panel 0, and panel 0 to x. */
void tw_blocks_put(tw_blocks *b, size_t columns, const double *x);
void tw_blocks_get(tw_blocks *b, size_t columns, double *x);

/* Copy `rows` rows of panel 0, from `row` on, to x (rows x columns). */
void tw_blocks_get_rows(tw_blocks *b, size_t row, size_t rows, size_t columns, double *x);

/* Multiply panel 0 by l, l', l^-1 or l'^-1 with l lower triangular; or by a full matrix f or f'. */
typedef enum tw_block_step { TW_BLOCK_MULTIPLY, TW_BLOCK_SOLVE } tw_block_step;
void tw_blocks_triangle(tw_blocks *b, tw_block_step step, bool transposed, const tw_block_matrix *l,
                        size_t columns);
void tw_blocks_full(tw_blocks *b, bool transposed, const tw_block_matrix *f, size_t columns);

#endif
