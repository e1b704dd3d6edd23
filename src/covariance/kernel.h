/* kernel.h: the shapes g of covariance.h. A new kernel is a new row of the table in kernel.c. */
#ifndef TALWEG_COVARIANCE_KERNEL_H
#define TALWEG_COVARIANCE_KERNEL_H

#include <stddef.h>

typedef struct tw_kernel {
    const char *name;
    /* Turn n scaled squared distances d2 >= 0 into sigma2 * g(d2), in place. */
    void (*evaluate)(size_t n, double sigma2, double *d2);
} tw_kernel;

/* NULL when there is none of that name. */
const tw_kernel *tw_kernel_find(const char *name);

#endif
