/* Warnings: every code has its own name and a message whose placeholders can be filled; numbers and texts are
 * printed by their formats; a receiver gets the warnings, otherwise the log their messages. */
#include <string.h>

#include "base/context.h"
#include "support/support.h"

static void every_code_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (tw_warning_code a = 0; a < TW_WARNING_COUNT; a++) {
        const char *name = tw_warning_name(a);
        assert_true(strlen(name) > 0 && strspn(name, "abcdefghijklmnopqrstuvwxyz_") == strlen(name));
        for (tw_warning_code b = 0; b < a; b++) assert_string_not_equal(name, tw_warning_name(b));
    }
    assert_string_equal(tw_warning_name(TW_WARNING_COUNT), "unknown");
}

/* No place is left over, and no option of the program has crept in. */
static void every_finding_can_be_said(void **state)
{
    (void)state;
    for (tw_warning_code code = 0; code < TW_WARNING_COUNT; code++) {
        char words[TW_WARNING_BYTES];
        tw_warning w = {.code = code, .number = {1, 2, 3, 4}, .file = "f", .name = "n", .other = "o"};
        tw_warning_print(&w, NULL, words);
        if (strlen(words) < 10 || strpbrk(words, "{}") || strstr(words, "--"))
            fail_msg("%s: \"%s\"", tw_warning_name(code), words);
    }
}

static void numbers_and_texts_take_their_places(void **state)
{
    (void)state;
    char words[TW_WARNING_BYTES];
    tw_warning w = {.code = TW_WARN_ESS_BULK, .number = {41.4, 400}, .index = 6};
    tw_warning_print(&w, ", not {0:.1e}: raise {name}", words);
    assert_string_equal(words, "the worst latent (x.7) has a bulk ESS of 41; estimates need at least 400 "
                               "over all chains, not 4.1e+01: raise ");
    w = (tw_warning){.code = TW_WARN_NOT_POSTERIOR, .number = {0.5}, .file = "run.nc"};
    tw_warning_print(&w, NULL, words);
    assert_string_equal(
        words,
        "run.nc: these are draws from the path to the posterior at beta = 0.5, not from the posterior");
}

static void counts_are_words(void **state)
{
    (void)state;
    char words[TW_WARNING_BYTES];
    tw_warning w = {.code = TW_WARN_NO_MEANS, .number = {1, 2, 0, 4}, .name = "they do not exist"};
    tw_warning_print(&w, NULL, words);
    assert_string_equal(words,
                        "withheld, because they do not exist: 1 mean and 2 standard deviations of 4 cases "
                        "(empty in a CSV file, null in JSON)");
    w.number[2] = 1;
    tw_warning_print(&w, NULL, words);
    assert_non_null(strstr(words, ": 1 mean, 2 standard deviations and 1 log score of 4 cases"));
}

/* Texts of any length leave room for the finding, and words end where their room does. */
static void long_texts_are_cut(void **state)
{
    (void)state;
    static char file[5000], advice[5000];
    char words[TW_WARNING_BYTES];
    memset(file, 'f', sizeof file - 1);
    memset(advice, 'a', sizeof advice - 1);
    tw_warning w = {.code = TW_WARN_SAVED, .file = file};
    tw_warning_print(&w, NULL, words);
    assert_non_null(strstr(words, "when it was saved"));
    tw_warning_print(&w, advice, words);
    assert_int_equal(strlen(words), TW_WARNING_BYTES - 1);
}

static void a_result_holds_so_many_and_no_more(void **state)
{
    (void)state;
    tw_warnings all = {0};
    for (size_t k = 0; k < TW_MOST_WARNINGS + 3; k++) tw_warnings_add(&all, &(tw_warning){.index = k});
    assert_int_equal(all.count, TW_MOST_WARNINGS);
    assert_int_equal(all.warning[TW_MOST_WARNINGS - 1].index, TW_MOST_WARNINGS - 1);
}

/* ---- who hears of it ---- */

static void count_warning(void *user, const tw_warning *warning)
{
    assert_int_equal(warning->code, TW_WARN_ONE_CLASS);
    ++*(int *)user;
}

static void count_log(void *user, tw_log_level level, const char *text)
{
    assert_int_equal(level, TW_LOG_WARNING);
    assert_string_equal(text, "every label is 1: there is only one class");
    ++*(int *)user;
}

static void the_receiver_hears_of_it_else_the_log(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_warning w = {.code = TW_WARN_ONE_CLASS, .number = {7, 1}};
    int received = 0, logged = 0;
    tw_warn(ctx, &w); /* nobody */
    tw_context_set_log(ctx, count_log, &logged);
    tw_warn(ctx, &w);
    tw_context_set_warn(ctx, count_warning, &received);
    tw_warn(ctx, &w);
    tw_log_mute(ctx, true);
    tw_warn(ctx, &w);
    assert_int_equal(logged, 1);
    assert_int_equal(received, 1);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_a_name_of_its_own),
        cmocka_unit_test(every_finding_can_be_said),
        cmocka_unit_test(counts_are_words),
        cmocka_unit_test(numbers_and_texts_take_their_places),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(a_result_holds_so_many_and_no_more),
        cmocka_unit_test(the_receiver_hears_of_it_else_the_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
