/* draws.c: equally weighted draws of (theta, x) from weighted points: systematic resampling, then a shuffle (Fisher and Yates), so that
 * no other program takes neighbours for a chain. The copies of a point take its particles in turn. */
#include <math.h>

#include "evidence/resample.h"
#include "hyper/hyper.h"
#include "math/random.h"

/* The chain of its streams: no particle has it. */
static uint64_t chain_of(const tw_hyper_result *r)
{
    return tw_streams_of(TW_STREAMS_HYPER).first + r->points * r->particles;
}

static void shuffle(tw_stream *stream, size_t count, size_t *point, size_t *copy)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(tw_stream_uniform(stream) * (double)i), p = point[j], c = copy[j];
        point[j] = point[i - 1];
        copy[j] = copy[i - 1];
        point[i - 1] = p;
        copy[i - 1] = c;
    }
}

tw_status tw_hyper_draw(const tw_hyper_result *r, uint64_t seed, size_t count, size_t *point, size_t *copy)
{
    tw_stream stream = tw_stream_at(seed, TW_STREAM_RESAMPLE, chain_of(r), 0);
    if (!isfinite(r->estimate.log_z))
        return tw_fail(r->ctx, TW_NUMERICAL_FAILURE, "no point has a weight: there is nothing to draw from");
    tw_resample_systematic(r->points, r->log_weight, tw_stream_uniform(&stream), count, point);
    for (size_t i = 0, seen = 0; i < count; i++) {
        seen = i > 0 && point[i] == point[i - 1] ? seen + 1 : 0;
        copy[i] = r->kept ? seen % r->kept : 0;
    }
    shuffle(&stream, count, point, copy);
    return TW_OK;
}
