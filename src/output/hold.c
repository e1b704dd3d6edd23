/* hold.c: the exclusive right to write a file; see hold.h. */
#include "output/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "talweg/files.h"

static void let_go(tw_context *ctx, tw_hold *hold)
{
    if (hold->lock[0]) unlink(hold->lock);
    if (hold->descriptor >= 0) close(hold->descriptor);
    tw_release(ctx, hold);
}

static void release_all(tw_context *ctx)
{
    tw_hold **first = tw_context_holds(ctx, NULL);
    while (*first) {
        tw_hold *hold = *first;
        *first = hold->next;
        let_go(ctx, hold);
    }
}

/* An owner deletes its lock before it closes it, so a lock may be on a file that has lost its name. */
static bool is_named(const tw_hold *hold)
{
    struct stat mine, named;
    return fstat(hold->descriptor, &mine) == 0 && lstat(hold->lock, &named) == 0 &&
           mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

/* Whether the lock is another's. A signal may come while it is taken, so it may exist without being locked yet. */
static bool is_anothers(const tw_hold *hold)
{
    int descriptor = hold->descriptor;
    if (descriptor >= 0 && !is_named(hold)) return true;
    if (descriptor < 0) descriptor = open(hold->lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

void tw_writer_clean_up(tw_context *ctx)
{
    for (const tw_hold *hold = *tw_context_holds(ctx, NULL); hold; hold = hold->next) {
        if (hold->part[0]) unlink(hold->part);
        if (hold->lock[0] && !is_anothers(hold)) unlink(hold->lock);
    }
}

/* The name of the lock of this file. */
static bool name_lock(const char *target, char name[PATH_MAX])
{
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash + 1 - target) : 0;
    return snprintf(name, PATH_MAX, "%.*s.%s.talweg.lock", folder, target, target + folder) < PATH_MAX;
}

void tw_hold_sweep(const char *target)
{
    tw_hold left = {.descriptor = -1};
    if (!name_lock(target, left.lock)) return;
    left.descriptor = open(left.lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (left.descriptor < 0) return;
    if (flock(left.descriptor, LOCK_EX | LOCK_NB) == 0 && is_named(&left)) unlink(left.lock);
    close(left.descriptor);
}

/* Returns 0, EWOULDBLOCK if another has the lock, or the error. */
static int lock(tw_hold *hold)
{
    if (!name_lock(hold->target, hold->lock)) return ENAMETOOLONG;
    for (;;) {
        hold->descriptor = open(hold->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (hold->descriptor < 0 && errno == EACCES) { /* that of another user, or none in a closed folder */
            hold->descriptor = open(hold->lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
            if (hold->descriptor < 0) errno = EACCES;
        }
        if (hold->descriptor < 0) break;
        int failed = flock(hold->descriptor, LOCK_EX | LOCK_NB) != 0 ? errno : 0;
        if (failed == EWOULDBLOCK) {
            hold->lock[0] = '\0'; /* it is another's */
            return failed;
        }
        hold->locked = failed == 0;
        if (failed != EINTR && is_named(hold)) return 0;
        close(hold->descriptor);
        hold->descriptor = -1;
    }
    hold->lock[0] = '\0';
    return errno;
}

static tw_status fail_hold(tw_context *ctx, const char *path, int error)
{
    if (error == EWOULDBLOCK)
        return tw_fail(
            ctx, TW_WRITE_FAILED,
            "%.1000s: another talweg is writing this file: wait until it ends, or choose another name", path);
    return tw_fail(ctx, TW_WRITE_FAILED, "%.1000s: cannot be written: %s", path, strerror(error));
}

tw_status tw_hold_take(tw_context *ctx, const char *target, const char *path, tw_hold **out)
{
    tw_hold **first = tw_context_holds(ctx, release_all), *hold = *first;
    void *memory = NULL;
    while (hold && strcmp(hold->target, target) != 0) hold = hold->next;
    if (hold && hold->busy) return fail_hold(ctx, path, EWOULDBLOCK);
    if (!hold) {
        TW_TRY(tw_allocate(ctx, 1, sizeof *hold, "the name of a file", &memory));
        hold = memory;
        *hold = (tw_hold){.next = *first, .descriptor = -1};
        strcpy(hold->target, target);
        *first = hold; /* before there is a file that a signal must remove */
        int error = lock(hold);
        if (error) {
            *first = hold->next;
            let_go(ctx, hold);
            return fail_hold(ctx, path, error);
        }
    }
    hold->busy = true;
    *out = hold;
    return TW_OK;
}

void tw_hold_end(tw_context *ctx, tw_hold *hold)
{
    hold->busy = false;
    if (hold->kept) return;
    tw_hold **at = tw_context_holds(ctx, NULL);
    while (*at != hold) at = &(*at)->next;
    *at = hold->next;
    let_go(ctx, hold);
}
