/* parallel.h: run independent pieces of work on several threads.
 *
 * Work is cut into pieces by its own nature (a tile of columns, a chain), never by the number of threads, and
 * a piece writes only what is its own: so results are the same to the bit for any number of threads.
 */
#ifndef TALWEG_BASE_PARALLEL_H
#define TALWEG_BASE_PARALLEL_H

#include "talweg/base.h"

/* Do piece `piece` with the work space of `worker`. */
typedef void tw_parallel_function(void *user, size_t piece, size_t worker);

/* Call function for every piece 0..pieces-1, on up to `threads` threads (workers 0..threads-1, TW_MOST_THREADS at
 * most), this one included. Where no thread can be had, this one does the rest. */
void tw_parallel_for(size_t pieces, size_t threads, tw_parallel_function *function, void *user);

#endif
