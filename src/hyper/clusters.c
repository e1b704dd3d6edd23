/* clusters.c: k-means for weighted points (Lloyd 1982), seeded as in k-means++ (Arthur and Vassilvitskii 2007)
 * but without random numbers: the next centre is the point at which the running sum of weight times squared
 * distance to the centres so far reaches one half. The points are in the order of Sobol sequences, so this
 * point is as good as a random one. */
#include "hyper/clusters.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 6 };

typedef struct clusters {
    size_t d, points, count;
    const double *weight;
    double *z;         /* d x points: in the metric of all points */
    double *distance2; /* points: to the nearest centre */
    double centre[TW_CLUSTERS_MOST][TW_PROPOSAL_MOST];
} clusters;

static double distance2(const clusters *k, size_t s, size_t c)
{
    double sum = 0.0;
    for (size_t a = 0; a < k->d; a++) {
        double difference = k->z[a + s * k->d] - k->centre[c][a];
        sum += difference * difference;
    }
    return sum;
}

static size_t point_at_half(const clusters *k)
{
    double total = 0.0, sum = 0.0;
    size_t at = 0;
    for (size_t s = 0; s < k->points; s++) total += k->weight[s] * k->distance2[s];
    for (size_t s = 0; s < k->points && sum < 0.5 * total; s++) {
        sum += k->weight[s] * k->distance2[s];
        at = s;
    }
    return at;
}

static void seed(clusters *k)
{
    for (size_t s = 0; s < k->points; s++) k->distance2[s] = 1.0;
    for (size_t c = 0; c < k->count; c++) {
        memcpy(k->centre[c], k->z + point_at_half(k) * k->d, k->d * sizeof(double));
        for (size_t s = 0; s < k->points; s++)
            k->distance2[s] = c == 0 ? distance2(k, s, c) : fmin(k->distance2[s], distance2(k, s, c));
    }
}

static void assign(const clusters *k, size_t *number)
{
    for (size_t s = 0; s < k->points; s++) {
        number[s] = 0;
        for (size_t c = 1; c < k->count; c++)
            if (distance2(k, s, c) < distance2(k, s, number[s])) number[s] = c;
    }
}

static void move_centres(clusters *k, const size_t *number)
{
    double sum[TW_CLUSTERS_MOST] = {0.0}, first[TW_CLUSTERS_MOST][TW_PROPOSAL_MOST] = {{0.0}};
    for (size_t s = 0; s < k->points; s++) {
        sum[number[s]] += k->weight[s];
        for (size_t a = 0; a < k->d; a++) first[number[s]][a] += k->weight[s] * k->z[a + s * k->d];
    }
    for (size_t c = 0; c < k->count; c++)
        for (size_t a = 0; a < k->d && sum[c] > 0.0; a++) k->centre[c][a] = first[c][a] / sum[c];
}

tw_status tw_clusters_find(const tw_proposal *whole, const tw_weighed *from, size_t count, size_t *number)
{
    tw_context *ctx = whole->ctx;
    clusters k = {.d = whole->d, .points = from->points, .count = count, .weight = from->weight};
    tw_status status = tw_allocate_doubles(ctx, k.d + 1, k.points, "clusters", &k.z);
    if (status != TW_OK) return status;
    k.distance2 = k.z + k.d * k.points;
    tw_gaussian_solve(whole->shape, k.points, from->theta, k.z);
    seed(&k);
    assign(&k, number);
    for (int i = 0; i < ITERATIONS; i++) {
        move_centres(&k, number);
        assign(&k, number);
    }
    tw_release(ctx, k.z);
    return TW_OK;
}
