/* Counted allocation, error messages, status texts. */
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "support/support.h"

static void every_status_has_words_and_an_exit_code(void **state)
{
    (void)state;
    for (int s = 0; s < TW_STATUS_COUNT; s++) {
        assert_true(strlen(tw_status_text((tw_status)s)) > 3);
        int code = tw_status_exit_code((tw_status)s);
        assert_true(s == TW_OK ? code == 0 : code >= 1 && code <= 3);
    }
    assert_string_equal(tw_status_text((tw_status)99), "unknown status");
}

static void memory_is_counted_aligned_and_zeroed(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    double *a = NULL, *b = NULL;
    assert_int_equal(tw_allocate_doubles(ctx, 7, 11, "a", &a), TW_OK);
    size_t with_a = tw_context_bytes_in_use(ctx);
    assert_int_equal(tw_allocate_doubles(ctx, 100, 100, "b", &b), TW_OK);
    size_t with_both = tw_context_bytes_in_use(ctx);
    assert_true(with_a >= 7 * 11 * 8 && with_both - with_a >= 80000);
    assert_int_equal((uintptr_t)a % 64, 0);
    assert_int_equal((uintptr_t)b % 64, 0);
    for (size_t i = 0; i < 77; i++) assert_true(a[i] == 0.0);
    tw_release(ctx, b);
    assert_int_equal(tw_context_bytes_in_use(ctx), with_a);
    assert_int_equal(tw_context_bytes_peak(ctx), with_both);
    tw_release(ctx, a);
    tw_release(ctx, NULL);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void too_much_memory_is_refused_with_its_size(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    double *a = NULL;
    tw_context_set_byte_limit(ctx, 1000000);
    assert_int_equal(tw_allocate_doubles(ctx, 1000, 1000, "the kernel matrix", &a), TW_NO_MEMORY);
    assert_null(a);
    assert_non_null(
        strstr(tw_context_message(ctx), "not enough memory for the kernel matrix: it needs 8.0 MB"));
    assert_int_equal(tw_allocate_doubles(ctx, SIZE_MAX / 4, SIZE_MAX / 4, "it", &a), TW_NO_MEMORY);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void a_failed_allocation_leaves_the_count_alone(void **state)
{
    (void)state;
    failing_allocator allocator = {.fail_at = 2};
    tw_context *ctx = failing_context(&allocator);
    double *a = NULL, *b = NULL;
    assert_int_equal(tw_allocate_doubles(ctx, 3, 3, "a", &a), TW_OK);
    size_t before = tw_context_bytes_in_use(ctx);
    assert_int_equal(tw_allocate_doubles(ctx, 3, 3, "b", &b), TW_NO_MEMORY);
    assert_int_equal(tw_context_bytes_in_use(ctx), before);
    tw_release(ctx, a);
    tw_context_free(ctx);
}

static void keep_text(void *user, tw_log_level level, const char *text)
{
    snprintf(user, 64, "%d:%s", (int)level, text);
}

static void messages_nest_and_logs_arrive(void **state)
{
    (void)state;
    char seen[64] = "";
    tw_context *ctx = new_context();
    tw_fail(ctx, TW_BAD_DATA, "line %d is ragged", 7);
    assert_int_equal(tw_fail_within(ctx, TW_BAD_DATA, "%s: ", "a.csv"), TW_BAD_DATA);
    assert_string_equal(tw_context_message(ctx), "a.csv: line 7 is ragged");
    tw_log(ctx, TW_LOG_WARNING, "dropped");
    tw_context_set_log(ctx, keep_text, seen);
    tw_log(ctx, TW_LOG_WARNING, "kept %s", "this");
    assert_string_equal(seen, "1:kept this");
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_words_and_an_exit_code),
        cmocka_unit_test(memory_is_counted_aligned_and_zeroed),
        cmocka_unit_test(too_much_memory_is_refused_with_its_size),
        cmocka_unit_test(a_failed_allocation_leaves_the_count_alone),
        cmocka_unit_test(messages_nest_and_logs_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
