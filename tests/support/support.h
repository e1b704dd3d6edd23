/* support.h: shared by all tests: cmocka with its required headers, shared data, contexts, relative errors. */
#ifndef TALWEG_TESTS_SUPPORT_H
#define TALWEG_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "talweg/covariance.h"

/* Write the path of a file under TALWEG_SHARED (default ../shared) into path. If the file is absent, the test
 * prints a message and is skipped. */
void shared_path(const char *name, char *path, size_t bytes);

/* |a - b| / |b|, or |a - b| if |b| is below 1e-300. */
double relative_error(double a, double b);

/* Fail with both values unless |a - b| <= tolerance. NaN fails. */
void assert_close(double a, double b, double tolerance, const char *what);

/* A context whose allocator fails at the n-th allocation (counted from 1; 0: never). */
typedef struct failing_allocator {
    size_t calls;
    size_t fail_at;
} failing_allocator;
tw_context *failing_context(failing_allocator *state);

/* Processor time so far, to print the cost of a test. */
double cpu_seconds(void);

/* An ordinary context; the test fails if it cannot be created. */
tw_context *new_context(void);

/* The same for a test of a shared file; if the file is absent, the test is skipped without holding memory. */
tw_context *context_for_shared(const char *name);

/* Parse a kernel expression; the test fails if it is invalid. */
tw_kernel *new_kernel(tw_context *ctx, const char *expression);

#endif
