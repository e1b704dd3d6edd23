/* Pieces of work on several threads: each is done once, and all are done when the call returns. */
#include "base/parallel.h"

#include <stdatomic.h>
#include <time.h>

#include "support/support.h"

enum { PIECES = 12 };

typedef struct done {
    size_t threads;
    atomic_size_t times[PIECES];
    atomic_bool strange; /* a worker with a number beyond the threads */
} done;

/* The calling thread is quick, and the others are not. */
static void work(void *user, size_t piece, size_t worker)
{
    done *d = user;
    const struct timespec little = {.tv_nsec = worker > 0 ? 30000000 : 1000000};
    nanosleep(&little, NULL);
    if (worker >= d->threads) atomic_store(&d->strange, true);
    atomic_fetch_add(&d->times[piece], 1);
}

static void every_piece_is_done_once(void **state)
{
    (void)state;
    static const size_t pieces[] = {0, 1, 2, PIECES};
    for (size_t k = 0; k < 4; k++)
        for (size_t threads = 1; threads <= 5; threads += 2) {
            static done d; /* which outlives the threads, whatever they do */
            d = (done){.threads = threads};
            tw_parallel_for(pieces[k], threads, work, &d);
            for (size_t i = 0; i < PIECES; i++) assert_int_equal(atomic_load(&d.times[i]), i < pieces[k]);
            assert_false(atomic_load(&d.strange));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_piece_is_done_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
