/* parallel.h: run independent pieces of work on several threads.
 *
 * A piece is a unit of the problem (a tile of columns, a chain) and does not depend on the number of threads.
 * It writes only its own output, so results are the same to the bit for any number of threads.
 */
#ifndef TALWEG_BASE_PARALLEL_H
#define TALWEG_BASE_PARALLEL_H

#include "talweg/base.h"

/* Compute piece `piece` with the work space of `worker`. */
typedef void tw_parallel_function(void *user, size_t piece, size_t worker);

/* Call function for every piece 0..pieces-1, on up to `threads` threads (at most TW_MOST_THREADS), including
 * the calling one; workers are numbered 0..threads-1. If threads cannot be created, the others do their
 * work. */
void tw_parallel_for(size_t pieces, size_t threads, tw_parallel_function *function, void *user);

#endif
