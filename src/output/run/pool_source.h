/* pool_source.h: the draws of all files of a pool, for predictions. */
#ifndef TALWEG_OUTPUT_RUN_POOL_SOURCE_H
#define TALWEG_OUTPUT_RUN_POOL_SOURCE_H

#include "talweg/predict.h"
#include "talweg/report.h"

/* Every stride-th draw of each chain. */
typedef struct tw_pool_draws {
    tw_pool *pool;
    size_t stride;
} tw_pool_draws;

/* *draws must outlive the source. */
tw_draw_source tw_pool_source(tw_pool_draws *draws);

/* For unknown parameters, the models of the source's draws; *out is NULL if all parameters are known. */
tw_status tw_pool_places(const tw_pool_draws *draws, tw_theta_places **out);

#endif
