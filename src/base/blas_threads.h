/* blas_threads.h: keep the BLAS single-threaded.
 *
 * Results must not depend on the number of threads, and talweg is parallel over tiles of columns, so the
 * BLAS underneath runs on the calling thread only. OpenBLAS has a call for that, found as a weak symbol;
 * with any other BLAS the call does nothing and its own settings apply. (Base may not know numbers, and
 * does not: this is a matter of threads.)
 */
#ifndef TALWEG_BASE_BLAS_THREADS_H
#define TALWEG_BASE_BLAS_THREADS_H

void tw_blas_use_one_thread(void);

#endif
