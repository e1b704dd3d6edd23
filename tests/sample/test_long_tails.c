/* judge */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"
#include "support/tail_case.h"

int main(int argc, char **argv)
{
    const char *method = argc > 1 ? argv[1] : "auto", *metric = argc > 2 ? argv[2] : "auto";
    size_t seeds = argc > 3 ? (size_t)atoi(argv[3]) : 20;
    const char *only = argc > 4 ? argv[4] : "";
    size_t count;
    const tail_case *all = tail_cases(&count);
    tail_tally total = {0};
    for (size_t i = 0; i < count; i++) {
        tail_tally t = {0};
        tail_truth truth[2];
        const tail_case *c = &all[i];
        if (!strstr(c->likelihood, only)) continue;
        tail_integrate(c, truth);
        double start = cpu_seconds();
        if (strcmp(method, "perfect") == 0 && c->n > 1) continue;
        for (uint64_t seed = 1 + 1000 * i; seed <= seeds + 1000 * i; seed++)
            if (strcmp(method, "perfect") == 0)
                tail_run_perfect(c, truth, 64, seed, &t);
            else
                tail_run(c, truth, method, metric, seed, &t);
        double ok = (double)(t.runs - t.flagged);
        printf("%-22s n%zu y%6g %6g sigma%5g mean %8.3f sd %7.3f | runs %zu flag %zu (right %zu) scores %zu beyond %zu (%.2f%%) rms %.2f max %.1f visits",
               c->likelihood, c->n, c->y[0], c->y[1], c->sigma, truth[0].mean, truth[0].sd, t.runs, t.flagged, t.right_flagged,
               t.scores, t.beyond, 100.0 * (double)t.beyond / (double)t.scores, sqrt(t.square / (double)t.scores), t.largest);
        for (int k = 0; k < 2; k++) {
            double m = t.visits[k] / ok, se = sqrt((t.square_visits[k] / ok - m * m) / (ok - 1));
            printf(" %.3f(%.0f)", m, 1000 * se);
        }
        printf(" %.1f ms", 1e3 * (cpu_seconds() - start) / (double)seeds);
        for (int m = 0; m < TW_METHOD_COUNT; m++)
            for (int k = 0; k < TW_METRIC_COUNT; k++)
                if (t.won[m][k]) printf(" %s/%s %zu", tw_method_name(m), tw_metric_name(k), t.won[m][k]);
        for (int k = 0; k < TW_WARNING_COUNT; k++)
            if (t.warned[k]) printf(" %s %zu", tw_warning_name(k), t.warned[k]);
        printf("\n");
        fflush(stdout);
        tail_add(&t, &total);
    }
    printf("TOTAL runs %zu flag %zu (right %zu) scores %zu beyond %zu (%.2f%%) rms %.3f max %.1f\n", total.runs, total.flagged, total.right_flagged, total.scores, total.beyond,
           100.0 * (double)total.beyond / (double)total.scores, sqrt(total.square / (double)total.scores), total.largest);
    return 0;
}
