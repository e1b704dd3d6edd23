/* map.c: risks by area, where neighbouring areas are similar: a prior with a sparse precision, and several reports
 * per area.
 *
 *   u ~ N(0, Q^-1),   Q = (D - 0.99 W) / sigma^2     W: which areas touch, D: how many neighbours each has
 *   x = C u,          y_i ~ Poisson(10 exp(x_i))     report i comes from one area, whose column of C it names
 *
 * (a conditional autoregression, Besag 1974). No matrix is stored in full, so a map may have a hundred thousand
 * areas. This example simulates 196 areas and 450 reports, so that the results can be compared with the truth. log
 * Z by EP is compared with AIS.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <talweg/talweg.h>

enum { SIDE = 14, AREAS = SIDE * SIDE, REPORTS = 450 };

static void check(tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "map: %s\n", tw_context_message(ctx));
    exit(tw_status_exit_code(status));
}

/* Areas in a square, each touching the next in its row and in its column. */
static tw_sparse *make_precision(tw_context *ctx, double sigma)
{
    uint32_t row[3 * AREAS], column[3 * AREAS];
    double value[3 * AREAS], neighbours[AREAS] = {0.0};
    size_t count = 0;
    tw_sparse *q = NULL;
    for (uint32_t i = 0; i < AREAS; i++)
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t j = i + (k ? SIDE : 1);
            if (k ? j >= AREAS : j % SIDE == 0) continue;
            row[count] = j;
            column[count] = i;
            value[count++] = -0.99 / (sigma * sigma);
            neighbours[i]++;
            neighbours[j]++;
        }
    for (uint32_t i = 0; i < AREAS; i++) {
        row[count] = column[count] = i;
        value[count++] = neighbours[i] / (sigma * sigma);
    }
    check(ctx, tw_sparse_new(ctx, AREAS, AREAS, true, count, row, column, value, &q));
    return q;
}

/* Every area reports once, and some again. */
static uint32_t area_of(size_t report)
{
    return (uint32_t)(report * 131 % AREAS);
}

static tw_sparse *make_design(tw_context *ctx)
{
    uint32_t row[REPORTS], column[REPORTS];
    double one[REPORTS];
    tw_sparse *c = NULL;
    for (size_t i = 0; i < REPORTS; i++) {
        row[i] = (uint32_t)i;
        column[i] = area_of(i);
        one[i] = 1.0;
    }
    check(ctx, tw_sparse_new(ctx, REPORTS, AREAS, false, REPORTS, row, column, one, &c));
    return c;
}

static double true_risk(uint32_t area)
{
    double a = (double)(area % SIDE);
    return exp(0.8 * sin(a / 4.0) * cos((double)area / (3.0 * SIDE)));
}

/* Counts of events at exponential distances, from a linear congruential generator. */
static void make_counts(double *y)
{
    uint64_t state = 7;
    for (size_t i = 0; i < REPORTS; i++) {
        double time = 0.0;
        y[i] = -1.0;
        while (time < 10.0 * true_risk(area_of(i))) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            time -= log(((double)(state >> 33) + 0.5) / 2147483648.0);
            y[i]++;
        }
    }
}

/* In how many reports out of a hundred is the true risk within two of EP's standard deviations? */
static double share_inside(const tw_approximation *ep)
{
    double inside = 0.0;
    for (size_t i = 0; i < REPORTS; i++)
        inside += fabs(ep->mean[i] - log(true_risk(area_of(i)))) <= 2.0 * sqrt(ep->variance[i]);
    return 100.0 * inside / REPORTS;
}

int main(void)
{
    tw_context *ctx = NULL;
    tw_model *model = NULL;
    tw_evidence_plan *plan = NULL;
    tw_evidence_result r;
    double y[REPORTS], exposure[REPORTS];
    if (!tw_sparse_orderings()) {
        printf("this talweg was built without sparse matrices\n");
        return 0;
    }
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    make_counts(y);
    for (size_t i = 0; i < REPORTS; i++) exposure[i] = 10.0;
    const tw_observations observed = {
        .likelihood = tw_likelihood_find("poisson"), .n = REPORTS, .y = y, .column = {exposure}};
    tw_sparse *q = make_precision(ctx, 0.5), *c = make_design(ctx);
    check(ctx, tw_model_from_precision(q, c, &observed, &model)); /* copied */
    tw_sparse_free(q);
    tw_sparse_free(c);

    check(ctx, tw_evidence_plan_new(model, NULL, NULL, &plan));
    check(ctx, tw_evidence_run(plan, NULL, &r));
    printf("%d reports from %d areas\n", REPORTS, AREAS);
    printf("Laplace  log Z %10.4f\n", plan->fits.laplace->log_z);
    printf("EP       log Z %10.4f, corrected %.4f\n", plan->fits.ep->log_z, plan->fits.correction.log_z);
    printf("AIS      log Z %10.4f +- %.4f\n", r.estimate[0].log_z, r.estimate[0].se);
    printf("the truth is inside EP's two standard deviations in %.0f %% of the reports\n",
           share_inside(plan->fits.ep));
    tw_evidence_plan_free(plan);
    tw_model_free(model);
    tw_context_free(ctx);
    return 0;
}
