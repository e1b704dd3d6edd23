/* clusters.h: divide weighted points into clusters, about which the proposal starts its components. */
#ifndef TALWEG_HYPER_CLUSTERS_H
#define TALWEG_HYPER_CLUSTERS_H

#include "hyper/proposal.h"

enum { TW_CLUSTERS_MOST = 16 };

/* number (points): the cluster of each point, below `count`, by k-means in the metric of `whole`. */
tw_status tw_clusters_find(const tw_proposal *whole, const tw_weighed *from, size_t count, size_t *number);

#endif
