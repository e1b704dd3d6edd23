/* blas_threads.h: keep the BLAS single-threaded.
 *
 * Results must not depend on the number of threads, and talweg is already parallel over tiles of columns, so
 * BLAS must run on the calling thread only. OpenBLAS has a function for that, which is linked as a weak
 * symbol. For any other BLAS tw_blas_use_one_thread does nothing, and the user's settings apply.
 */
#ifndef TALWEG_BASE_BLAS_THREADS_H
#define TALWEG_BASE_BLAS_THREADS_H

void tw_blas_use_one_thread(void);

#endif
