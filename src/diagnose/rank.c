/* rank.c: replace draws, or their distances from the median, by the normal scores of their ranks.
 *
 * Ranks refer to the draws of all half chains together and come from the sorted draws; the middle draw of an
 * odd chain is omitted, and equal draws share their mean rank. The distances |x - median| need no second
 * sort: they increase from the median to the left and to the right, and a merge combines the two sides.
 */
#include <math.h>

#include "diagnose/diagnose.h"

/* Whether x[place] is the middle draw of an odd chain. */
static bool in_neither_half(const tw_diagnose *d, uint32_t place)
{
    return d->draws % 2 && place % d->draws == d->half;
}

static void write_scores(tw_diagnose *d, const double *sorted, const uint32_t *place)
{
    size_t rank = 0; /* number of draws ranked so far */
    for (size_t first = 0, end; first < d->total; first = end) {
        size_t ties = 0;
        for (end = first; end < d->total && sorted[end] == sorted[first]; end++)
            ties += !in_neither_half(d, place[end]);
        double score = ties ? d->score[2 * rank + ties + 1] : 0.0; /* mean rank: rank + (ties + 1)/2 */
        for (size_t i = first; i < end; i++) d->series[place[i]] = score;
        rank += ties;
    }
}

void tw_rank_scores(tw_diagnose *d)
{
    write_scores(d, d->sorted, d->place);
}

void tw_folded_rank_scores(tw_diagnose *d)
{
    double median = tw_diagnose_quantile(d, 0.5);
    size_t right = 0;
    while (right < d->total && d->sorted[right] <= median) right++;
    size_t left = right; /* the candidates are sorted[left - 1] and sorted[right] */
    for (size_t i = 0; i < d->total; i++) {
        double below = left > 0 ? median - d->sorted[left - 1] : INFINITY;
        double above = right < d->total ? d->sorted[right] - median : INFINITY;
        bool take_left = left > 0 && (right == d->total || below <= above);
        d->folded[i] = take_left ? below : above;
        d->folded_place[i] = d->place[take_left ? --left : right++];
    }
    write_scores(d, d->folded, d->folded_place);
}
