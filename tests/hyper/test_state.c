/* A run over unknown parameters that is stopped and resumed, also to more points than first requested, equals
 * the uninterrupted run to the bit; the state of another run is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/orthants.h"
#include "support/support.h"
#include "talweg/hyper.h"

enum { BLOCKS = 8 };

/* A store in memory. */
typedef struct memory_store {
    struct {
        char name[32];
        size_t bytes;
        void *data;
    } block[BLOCKS];
    size_t commits;
} memory_store;

static bool is_due(void *user)
{
    (void)user;
    return true;
}

static void put(void *user, const char *name, size_t bytes, const void *data)
{
    memory_store *m = user;
    size_t k = 0;
    while (k < BLOCKS && m->block[k].data && strcmp(m->block[k].name, name) != 0) k++;
    assert_true(k < BLOCKS);
    free(m->block[k].data);
    strcpy(m->block[k].name, name);
    m->block[k].bytes = bytes;
    m->block[k].data = malloc(bytes + 1);
    assert_non_null(m->block[k].data);
    memcpy(m->block[k].data, data, bytes);
}

static void commit(void *user)
{
    ((memory_store *)user)->commits++;
}

static const void *get(void *user, const char *name, size_t *bytes)
{
    const memory_store *m = user;
    for (size_t k = 0; k < BLOCKS; k++)
        if (m->block[k].data && strcmp(m->block[k].name, name) == 0) {
            *bytes = m->block[k].bytes;
            return m->block[k].data;
        }
    *bytes = 0;
    return NULL;
}

static void empty(memory_store *m)
{
    for (size_t k = 0; k < BLOCKS; k++) free(m->block[k].data);
}

static bool stop_at_half(void *user, const tw_progress *p)
{
    (void)user;
    return strcmp(p->stage, "run") == 0 && p->done >= 48;
}

typedef struct bits {
    size_t points;
    double numbers[2048];
} bits;

/* Run, and note what came out; the status is that of the run. */
static tw_status run(size_t points, size_t kept, bool stop, const tw_store *store, bits *out)
{
    tw_context *ctx = new_context();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = NULL;
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    tw_hyper_result *r = NULL;
    o.points = points;
    o.scrambles = 16;
    o.kept = kept;
    o.starts = 1;
    o.threads = 1;
    o.store = store;
    o.on_progress = stop ? stop_at_half : NULL;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, "default"), TW_OK);
    tw_status status = tw_hyper_run(problem, priors, &o, &r);
    if (status == TW_OK) {
        double *to = out->numbers;
        out->points = r->points;
        memcpy(to, r->theta, 2 * r->points * sizeof *to);
        memcpy(to + 2 * r->points, r->log_weight, r->points * sizeof *to);
        if (r->x) memcpy(to + 3 * r->points, r->x, 3 * r->points * sizeof *to);
        to[6 * r->points] = r->estimate.log_z;
        to[6 * r->points + 1] = r->estimate.acceptance;
        to[6 * r->points + 2] = (double)r->started[TW_HYPER_EP];
    }
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    return status;
}

static void a_run_goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    static bits whole, part, rest;
    memory_store memory = {.commits = 0};
    const tw_store store = {&memory, is_due, put, commit, get};
    assert_int_equal(run(128, 1, false, NULL, &whole), TW_OK);
    assert_int_equal(run(96, 1, true, &store, &part), TW_OK);
    assert_true(part.points == 48 && memory.commits > 0);
    assert_int_equal(run(128, 1, false, &store, &rest), TW_OK);
    assert_int_equal(rest.points, 128);
    assert_memory_equal(whole.numbers, rest.numbers, (6 * 128 + 3) * sizeof(double));
    assert_int_equal(run(128, 2, false, &store, &rest), TW_BAD_DATA); /* another number of particles */
    ((double *)memory.block[1].data)[5] += 1e-9;                      /* another theta */
    assert_int_equal(run(128, 1, false, &store, &rest), TW_BAD_DATA);
    empty(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_goes_on_where_it_was_stopped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
