/* visit.h: the numbers of a state, walked in one function that counts, saves or restores them.
 *
 *   static void visit(thing *t, tw_visit *v)
 *   {
 *       tw_visit_doubles(v, t->n, t->x);
 *       tw_visit_size(v, &t->done, 0, t->n);
 *   }
 *
 * With tw_visit_count() it counts, with tw_visit_save(to) it writes to `to`, with tw_visit_restore(from, count) it reads
 * back. A restoring visit that meets what cannot be, or an end too early, changes nothing from there on.
 */
#ifndef TALWEG_BASE_VISIT_H
#define TALWEG_BASE_VISIT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tw_visit {
    double *to;         /* where the next number goes; NULL: nothing is saved */
    const double *from; /* where the next number is; NULL: nothing is restored */
    size_t left;        /* restoring: numbers from there on */
    size_t count;       /* numbers so far */
    bool sound;         /* false: the numbers are those of something else */
} tw_visit;

tw_visit tw_visit_count(void);
tw_visit tw_visit_save(double *to);
tw_visit tw_visit_restore(const double *from, size_t count);

void tw_visit_doubles(tw_visit *v, size_t count, double *at);

/* An integer, as a double; restored only where it is one in [least, most]. */
void tw_visit_size(tw_visit *v, size_t *at, size_t least, size_t most);

/* Is everything restored, and nothing left? */
bool tw_visit_is_whole(const tw_visit *v);

#endif
