/* blas_threads.c: sets OpenBLAS to one thread, if it is the BLAS in use. */
#include "base/blas_threads.h"

extern void openblas_set_num_threads(int threads) __attribute__((weak));

void tw_blas_use_one_thread(void)
{
    if (openblas_set_num_threads) openblas_set_num_threads(1);
}
