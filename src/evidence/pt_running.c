/* pt_running.c: an estimate of log Z for progress reports while parallel tempering runs.
 *
 * Forward stepping stones over the T rounds so far, in each copy c and over all C copies:
 *   log Z_c = sum_k log[(1/T) sum_t exp((b_{k+1} - b_k) R_{k,c,t})],
 *   log Z   = the same with the mean over t and c,
 *   se      = the standard deviation of the log Z_c, divided by sqrt(C).
 * A round costs one exponential for each level and copy: stone[k, c] = log sum_t exp((b_{k+1} - b_k) R). The
 * final estimates (pt_estimate.c) are computed at the end from the recorded R.
 */
#include <math.h>

#include "evidence/pt.h"

/* log(exp(a) + exp(b)). */
static double log_add(double a, double b)
{
    double high = fmax(a, b), low = fmin(a, b);
    return low == -INFINITY ? high : high + log1p(exp(low - high));
}

void tw_pt_running_add(tw_pt *pt)
{
    for (size_t k = 0; k + 1 < pt->levels; k++)
        for (size_t c = 0; c < pt->copies; c++) {
            double term = (pt->beta[k + 1] - pt->beta[k]) * pt->walk[k]->log_ratio[c];
            double *stone = &pt->stone[k * pt->copies + c];
            *stone = pt->counted ? log_add(*stone, term) : term;
        }
    pt->counted++;
}

tw_log_z tw_pt_running(const tw_pt *pt)
{
    double rounds = (double)pt->counted, copies = (double)pt->copies;
    double sum = 0.0, squares = 0.0, all = 0.0;
    if (pt->counted == 0) return (tw_log_z){NAN, NAN};
    for (size_t c = 0; c < pt->copies; c++) {
        double log_z = 0.0;
        for (size_t k = 0; k + 1 < pt->levels; k++) log_z += pt->stone[k * pt->copies + c] - log(rounds);
        sum += log_z;
        squares += log_z * log_z;
    }
    for (size_t k = 0; k + 1 < pt->levels; k++) {
        double level = -INFINITY;
        for (size_t c = 0; c < pt->copies; c++) level = log_add(level, pt->stone[k * pt->copies + c]);
        all += level - log(rounds * copies);
    }
    double variance = fmax(squares - sum * sum / copies, 0.0) / (copies - 1.0);
    return (tw_log_z){all, sqrt(variance / copies)};
}
