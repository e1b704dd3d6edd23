/* thread_team.c: a team of threads; see thread_team.h. Members publish pointers to their data, wait for all,
 * copy, and wait again. */
#include "support/thread_team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t all_here;
    size_t size, waiting, turn;
    bool broken;
    char why[512]; /* the reason of the first member that gave up */
    void *data[MOST_MEMBERS];
    const void *offer[MOST_MEMBERS][MOST_MEMBERS]; /* offer[a][b]: data from member a to member b */
} meeting;

typedef struct member {
    meeting *at;
    tw_team team;
    void (*work)(void *user, const tw_team *team);
    void *user;
    pthread_t thread;
} member;

static tw_status meet(meeting *m)
{
    pthread_mutex_lock(&m->lock);
    size_t turn = m->turn;
    if (++m->waiting == m->size) {
        m->waiting = 0;
        m->turn++;
        pthread_cond_broadcast(&m->all_here);
    }
    while (turn == m->turn && !m->broken) pthread_cond_wait(&m->all_here, &m->lock);
    tw_status status = m->broken ? TW_INTERRUPTED : TW_OK;
    pthread_mutex_unlock(&m->lock);
    return status;
}

static tw_status gather(void *user, void *data, const size_t *offset)
{
    member *self = user;
    meeting *m = self->at;
    m->data[self->team.rank] = data;
    tw_status status = meet(m);
    for (size_t r = 0; status == TW_OK && r < m->size; r++)
        if (r != self->team.rank)
            memcpy((char *)data + offset[r], (char *)m->data[r] + offset[r], offset[r + 1] - offset[r]);
    return status == TW_OK ? meet(m) : status;
}

static tw_status broadcast(void *user, void *data, size_t bytes)
{
    member *self = user;
    meeting *m = self->at;
    m->data[self->team.rank] = data;
    tw_status status = meet(m);
    if (status == TW_OK && self->team.rank > 0) memcpy(data, m->data[0], bytes);
    return status == TW_OK ? meet(m) : status;
}

/* Each member publishes its part, copies the other's, and leaves when its own has been copied. */
static tw_status trade(void *user, size_t with, size_t bytes, const void *mine, void *theirs)
{
    member *self = user;
    meeting *m = self->at;
    const void **given = &m->offer[self->team.rank][with], **got = &m->offer[with][self->team.rank];
    pthread_mutex_lock(&m->lock);
    *given = mine;
    pthread_cond_broadcast(&m->all_here);
    while (!*got && !m->broken) pthread_cond_wait(&m->all_here, &m->lock);
    if (*got) memcpy(theirs, *got, bytes);
    *got = NULL;
    pthread_cond_broadcast(&m->all_here);
    while (*given && !m->broken) pthread_cond_wait(&m->all_here, &m->lock);
    tw_status status = m->broken ? TW_INTERRUPTED : TW_OK;
    pthread_mutex_unlock(&m->lock);
    return status;
}

static void give_up(void *user, tw_status status, const char *why)
{
    (void)status;
    member *self = user;
    pthread_mutex_lock(&self->at->lock);
    if (!self->at->broken) snprintf(self->at->why, sizeof self->at->why, "%s", why);
    self->at->broken = true;
    pthread_cond_broadcast(&self->at->all_here);
    pthread_mutex_unlock(&self->at->lock);
}

static const char *reason(void *user)
{
    member *self = user;
    return self->at->why;
}

static void *start(void *argument)
{
    member *self = argument;
    self->work(self->user, &self->team);
    return NULL;
}

void run_team(size_t size, void (*work)(void *user, const tw_team *team), void *user)
{
    meeting at = {.size = size};
    member members[MOST_MEMBERS];
    if (size > MOST_MEMBERS || pthread_mutex_init(&at.lock, NULL) || pthread_cond_init(&at.all_here, NULL))
        abort();
    for (size_t r = 0; r < size; r++) {
        members[r] = (member){.at = &at, .work = work, .user = user};
        members[r].team = (tw_team){.rank = r,
                                    .size = size,
                                    .user = &members[r],
                                    .gather = gather,
                                    .broadcast = broadcast,
                                    .give_up = give_up,
                                    .reason = reason,
                                    .trade = trade};
    }
    for (size_t r = 0; r < size; r++)
        if (pthread_create(&members[r].thread, NULL, start, &members[r])) abort();
    for (size_t r = 0; r < size; r++) pthread_join(members[r].thread, NULL);
    pthread_cond_destroy(&at.all_here);
    pthread_mutex_destroy(&at.lock);
}
