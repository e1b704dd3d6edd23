/* Text from outside cannot command a terminal: control characters of ASCII and of U+0080 to U+009F, marks that turn the
 * direction of text, and what is not UTF-8 but could be one of them become question marks; all other text stays. */
#include <string.h>

#include "support/support.h"
#include "talweg/warning.h"

static void assert_becomes(const char *text, const char *expected)
{
    char copy[64];
    strcpy(copy, text);
    assert_ptr_equal(tw_make_plain(copy), copy);
    assert_string_equal(copy, expected);
}

static void only_commands_are_replaced(void **state)
{
    (void)state;
    assert_becomes("", "");
    assert_becomes("a b.csv", "a b.csv");
    assert_becomes("\xc3\xa9t\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80",
                   "\xc3\xa9t\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80");
    assert_becomes("a\033[2Jb\a\x7f\t\r\n", "a?[2Jb?????");
    assert_becomes("a\xc2\x9b"
                   "31m",
                   "a??31m");
    assert_becomes("a\xc2\xa0", "a\xc2\xa0");
    /* NOLINTNEXTLINE(misc-misleading-bidirectional): that is the case */
    assert_becomes("a\xe2\x80\xae"
                   "b\xe2\x81\xa6"
                   "c\xe2\x80\x94",
                   "a???b???c\xe2\x80\x94");
    assert_becomes("a\x9b"
                   "b\xe9",
                   "a?b\xe9"); /* Latin-1 */
    assert_becomes("a\xc0\x9b"
                   "b\xe0\x80\x9b",
                   "a??b\xe0??"); /* overlong */
    assert_becomes("cut \xe2\x80", "cut \xe2?");
}

/* The line ends of a message are its own; those of what fills its placeholders are not. */
static void messages_are_plain(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_fail(ctx, TW_BAD_DATA, "%s: bad", "a\n    b\033[0m");
    assert_string_equal(tw_context_message(ctx), "a?    b?[0m: bad");
    tw_fail_within(ctx, TW_BAD_DATA, "%s: ", "x\ny");
    assert_string_equal(tw_context_message(ctx), "x?y: a?    b?[0m: bad");
    tw_fail(ctx, TW_BAD_DATA, "mark\n    %s", "^\033");
    tw_fail_within(ctx, TW_BAD_DATA, "file: ");
    assert_string_equal(tw_context_message(ctx), "file: mark\n    ^?");
    char words[TW_WARNING_BYTES];
    tw_warning_print(&(tw_warning){.code = TW_WARN_CHECKPOINT, .name = "a\033b\n"}, NULL, words);
    assert_null(strpbrk(words, "\033\n"));
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_commands_are_replaced),
        cmocka_unit_test(messages_are_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
