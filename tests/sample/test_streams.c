/* Random streams: the chain numbers of different uses do not overlap, and the numbers that determine results
 * do not change. */
#include "support/support.h"
#include "talweg/sample.h"

static bool meet(tw_streams a, tw_streams b)
{
    return a.first < b.first + b.count && b.first < a.first + a.count;
}

static void ranges_of_a_job_never_meet(void **state)
{
    (void)state;
    for (int a = 0; a < TW_STREAMS_COUNT; a++) {
        tw_streams range = tw_streams_of((tw_streams_user)a);
        assert_non_null(range.user);
        assert_true(range.count > 0 && range.first + range.count > range.first);
        for (int b = 0; b < a; b++)
            if (a != TW_STREAMS_SAMPLE && b != TW_STREAMS_SAMPLE) /* a job of its own */
                assert_false(meet(range, tw_streams_of((tw_streams_user)b)));
    }
}

/* Results of a seed are those of these numbers. */
static void numbers_stay(void **state)
{
    (void)state;
    static const struct {
        tw_streams_user user;
        uint64_t first, second;
    } expected[] = {
        {TW_STREAMS_SAMPLE, 0, 0},
        {TW_STREAMS_AIS, 0, 0},
        {TW_STREAMS_AIS_REVERSE, UINT64_C(0x10000000000), 0},
        {TW_STREAMS_PT, UINT64_C(0x20000000000), UINT64_C(0x30000000000)},
        {TW_STREAMS_RM, UINT64_C(0x2000040000000000), UINT64_C(0x2000050000000000)},
        {TW_STREAMS_AIS_PILOT, UINT64_C(0x4000000000000000), 0},
        {TW_STREAMS_AIS_TRIAL, UINT64_C(0x5000000000000000), 0},
        {TW_STREAMS_RM_PILOT, UINT64_C(0x6000000000000000), 0},
        {TW_STREAMS_HYPER, UINT64_C(0x7000000000000000), 0},
    };
    assert_int_equal(sizeof expected / sizeof *expected, TW_STREAMS_COUNT);
    for (size_t k = 0; k < TW_STREAMS_COUNT; k++) {
        tw_streams range = tw_streams_of(expected[k].user);
        assert_true(range.first == expected[k].first);
        if (expected[k].second) assert_true(range.first + TW_STREAMS_SECOND_RUN == expected[k].second);
    }
}

static void what_would_be_anothers_is_refused(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    for (int user = 0; user < TW_STREAMS_COUNT; user++) {
        tw_streams range = tw_streams_of((tw_streams_user)user);
        uint64_t first = 0;
        assert_int_equal(tw_streams_take(ctx, (tw_streams_user)user, range.count - 7, 7, &first), TW_OK);
        assert_true(first == range.first + range.count - 7);
        assert_int_equal(tw_streams_take(ctx, (tw_streams_user)user, range.count - 7, 8, &first),
                         TW_BAD_ARGUMENT);
        assert_int_equal(tw_streams_take(ctx, (tw_streams_user)user, UINT64_MAX, 1, &first), TW_BAD_ARGUMENT);
        assert_int_equal(tw_streams_take(ctx, (tw_streams_user)user, 0, UINT64_MAX, &first), TW_BAD_ARGUMENT);
    }
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_a_job_never_meet),
        cmocka_unit_test(numbers_stay),
        cmocka_unit_test(what_would_be_anothers_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
