/* visit.h: one function lists the numbers of a state, and serves to count, save and restore them.
 *
 *   static void visit(thing *t, tw_visit *v)
 *   {
 *       tw_visit_doubles(v, t->n, t->x);
 *       tw_visit_size(v, &t->done, 0, t->n);
 *   }
 *
 * A visit from tw_visit_count() counts the numbers, one from tw_visit_save(to) writes them to `to`, and one
 * from tw_visit_restore(from, count) reads them back. If a restored number is impossible or the numbers end
 * too early, the visit changes nothing from there on.
 */
#ifndef TALWEG_BASE_VISIT_H
#define TALWEG_BASE_VISIT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tw_visit {
    double *to;         /* where to save the next number; NULL: do not save */
    const double *from; /* the next number to restore; NULL: do not restore */
    size_t left;        /* numbers left to restore */
    size_t count;       /* numbers visited so far */
    bool sound;         /* false: the numbers do not fit this state */
} tw_visit;

tw_visit tw_visit_count(void);
tw_visit tw_visit_save(double *to);
tw_visit tw_visit_restore(const double *from, size_t count);

void tw_visit_doubles(tw_visit *v, size_t count, double *at);

/* An integer, stored as a double. Restoring fails unless it is an integer in [least, most]. */
void tw_visit_size(tw_visit *v, size_t *at, size_t least, size_t most);

/* Was everything restored, and were all numbers used? */
bool tw_visit_is_whole(const tw_visit *v);

#endif
