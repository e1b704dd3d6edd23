/* visit.c: counts, saves or restores the numbers of a state (visit.h). */
#include "base/visit.h"

#include <string.h>

tw_visit tw_visit_count(void)
{
    return (tw_visit){.sound = true};
}

tw_visit tw_visit_save(double *to)
{
    return (tw_visit){.to = to, .sound = true};
}

tw_visit tw_visit_restore(const double *from, size_t count)
{
    return (tw_visit){.from = from, .left = count, .sound = true};
}

void tw_visit_doubles(tw_visit *v, size_t count, double *at)
{
    v->count += count;
    if (count == 0) return;
    if (v->to) {
        memcpy(v->to, at, count * sizeof *at);
        v->to += count;
    }
    if (!v->from) return;
    v->sound = v->sound && count <= v->left;
    if (!v->sound) return;
    memcpy(at, v->from, count * sizeof *at);
    v->from += count;
    v->left -= count;
}

void tw_visit_size(tw_visit *v, size_t *at, size_t least, size_t most)
{
    double number = (double)*at;
    tw_visit_doubles(v, 1, &number);
    if (!v->from || !v->sound) return;
    v->sound = number >= (double)least && number <= (double)most && (double)(size_t)number == number;
    if (v->sound) *at = (size_t)number;
}

bool tw_visit_is_whole(const tw_visit *v)
{
    return v->sound && v->left == 0;
}
