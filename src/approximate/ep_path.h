/* ep_path.h: EP along a path of similar models, such as a row of a grid of kernel parameters.
 *
 * The sites of the next model are extrapolated from those of the last ones, at equal steps, by polynomials of order
 * 0 to 3: 1, (2, -1), (3, -3, 1) or (4, -6, 4, -1) times the last points. The order is the one that would have
 * been best at the last point. Where even that one would have missed by more than a tenth of the marginals, nothing is
 * predicted: the first sweep from the prior does as well, and putting sites in takes a sweep too.
 */
#ifndef TALWEG_APPROXIMATE_EP_PATH_H
#define TALWEG_APPROXIMATE_EP_PATH_H

#include "talweg/approximate.h"

enum { TW_EP_PATH_POINTS = 4 };

typedef struct tw_ep_path {
    tw_context *ctx;
    size_t n;
    double *sites; /* (tau, nu) of the last points, latest first, 2n numbers each; then those predicted */
    struct {
        size_t points; /* how many there are, at most TW_EP_PATH_POINTS */
        size_t order;  /* the best one at the last point */
        double error;  /* its error there */
    } state;
} tw_ep_path;

tw_status tw_ep_path_new(tw_context *ctx, size_t n, tw_ep_path *path);
void tw_ep_path_release(tw_ep_path *path);

/* Another path begins. */
void tw_ep_path_restart(tw_ep_path *path);

/* Have EP begin with predicted sites, where there are any worth it. */
void tw_ep_path_predict(tw_ep_path *path, tw_ep_options *options);

/* Take up what EP found; where it did not converge, the path begins anew. */
void tw_ep_path_learn(tw_ep_path *path, const tw_approximation *ep);

#endif
