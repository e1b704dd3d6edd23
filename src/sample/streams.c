/* streams.c: the ranges of chain numbers, one for each user of random streams. tests/sample/test_streams.c
 * checks that the ranges of one job do not overlap. Changing a number here changes results. */
#include "base/context.h"
#include "talweg/sample.h"

/* A run has 2^40 chains; a method that may run twice in a job has twice as many. */
static const uint64_t unit = (uint64_t)1 << 40;

tw_streams tw_streams_of(tw_streams_user user)
{
    const tw_streams table[TW_STREAMS_COUNT] = {
        [TW_STREAMS_SAMPLE] = {"the chains of a sampling run", 0, unit},
        [TW_STREAMS_AIS] = {"annealed importance sampling", 0, unit},
        [TW_STREAMS_AIS_REVERSE] = {"reverse annealed importance sampling", unit, unit},
        [TW_STREAMS_PT] = {"parallel tempering", 2 * unit, 2 * unit},
        [TW_STREAMS_RM] = {"resample-move", ((uint64_t)1 << 61) + 4 * unit, 2 * unit},
        [TW_STREAMS_AIS_PILOT] = {"the pilot of annealed importance sampling", (uint64_t)1 << 62, unit},
        [TW_STREAMS_AIS_TRIAL] = {"trial steps of reverse annealed importance sampling", (uint64_t)5 << 60,
                                  unit},
        [TW_STREAMS_RM_PILOT] = {"the pilot of resample-move", (uint64_t)3 << 61, unit},
        [TW_STREAMS_HYPER] = {"importance sampling of parameters", (uint64_t)7 << 60, unit},
    };
    return table[user];
}

tw_status tw_streams_take(tw_context *ctx, tw_streams_user user, uint64_t skip, uint64_t count,
                          uint64_t *first)
{
    tw_streams range = tw_streams_of(user);
    *first = range.first + skip;
    if (count <= range.count && skip <= range.count - count) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   "%s has random streams for 2^%d chains: %llu chains from number %llu are too many",
                   range.user, range.count == unit ? 40 : 41, (unsigned long long)count,
                   (unsigned long long)skip);
}
