/* support.c: shared by all tests; see support.h. */
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void shared_path(const char *name, char *path, size_t bytes)
{
    const char *root = getenv("TALWEG_SHARED");
    snprintf(path, bytes, "%s/%s", root ? root : "../shared", name);
    if (access(path, R_OK) != 0) {
        print_message("skipped: %s is not there (set TALWEG_SHARED)\n", path);
        skip();
    }
}

double relative_error(double a, double b)
{
    double size = fabs(b);
    return size < 1e-300 ? fabs(a - b) : fabs(a - b) / size;
}

void assert_close(double a, double b, double tolerance, const char *what)
{
    if (fabs(a - b) <= tolerance) return;
    fail_msg("%s: %.17g is not %.17g within %g (difference %g)", what, a, b, tolerance, a - b);
}

static void *count_and_fail(void *user, size_t bytes)
{
    failing_allocator *state = user;
    return ++state->calls == state->fail_at ? NULL : malloc(bytes);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

tw_context *failing_context(failing_allocator *state)
{
    tw_allocator allocator = {count_and_fail, release, state};
    tw_context *ctx = NULL;
    state->calls = 0;
    size_t fail_at = state->fail_at;
    state->fail_at = 0; /* do not fail the context's own allocations */
    assert_int_equal(tw_context_new(&allocator, &ctx), TW_OK);
    state->fail_at = fail_at;
    state->calls = 0;
    return ctx;
}

tw_context *new_context(void)
{
    tw_context *ctx = NULL;
    assert_int_equal(tw_context_new(NULL, &ctx), TW_OK);
    return ctx;
}

tw_context *context_for_shared(const char *name)
{
    char path[1024];
    shared_path(name, path, sizeof path);
    return new_context();
}

double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

tw_kernel *new_kernel(tw_context *ctx, const char *expression)
{
    tw_kernel *kernel = NULL;
    if (tw_kernel_parse(ctx, expression, 0, &kernel) != TW_OK) fail_msg("%s", tw_context_message(ctx));
    return kernel;
}
