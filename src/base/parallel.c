/* parallel.c: tw_parallel_for. Each worker takes the next piece from an atomic counter. */
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct job {
    size_t pieces;
    atomic_size_t next;
    tw_parallel_function *function;
    void *user;
} job;

typedef struct worker {
    job *job;
    size_t number;
    pthread_t thread;
    bool running;
} worker;

static void *work(void *argument)
{
    worker *self = argument;
    job *j = self->job;
    for (size_t piece = atomic_fetch_add(&j->next, 1); piece < j->pieces;
         piece = atomic_fetch_add(&j->next, 1))
        j->function(j->user, piece, self->number);
    return NULL;
}

void tw_parallel_for(size_t pieces, size_t threads, tw_parallel_function *function, void *user)
{
    job j = {.pieces = pieces, .function = function, .user = user};
    worker workers[TW_MOST_THREADS] = {{.job = &j}};
    if (threads > pieces) threads = pieces;
    if (threads > TW_MOST_THREADS) threads = TW_MOST_THREADS;
    if (threads == 0) threads = 1;
    atomic_init(&j.next, 0);
    for (size_t i = 0; i < threads; i++) workers[i] = (worker){.job = &j, .number = i};
    for (size_t i = 1; i < threads; i++)
        workers[i].running = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
    work(&workers[0]);
    for (size_t i = 1; i < threads; i++)
        if (workers[i].running) pthread_join(workers[i].thread, NULL);
}
