/* The name nearest to a mistyped word, and a user's text in a message. */
#include <string.h>

#include "support/support.h"
#include "talweg/base.h"

/* At most a third of the letters may be wrong: an insertion, a deletion, another letter and an exchange of neighbours
 * count as one each; the nearest wins, and of two the first. */
static void the_nearest_name_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *word, *names, *nearest;
    } cases[] = {
        {"abcd", "abcd", "abcd"},
        {"abdc", "abcd", "abcd"},
        {"bacd", "abcd", "abcd"},
        {"abcde", "abcd", "abcd"},
        {"abc", "abcd", "abcd"},
        {"abxd", "abcd", "abcd"},
        {"axxd", "abcd", ""},
        {"badc", "abcd", ""},
        {"badcef", "abcdef", "abcdef"},
        {"abdcfe", "abcdef", "abcdef"},
        {"cab", "abc", ""},
        {"SIGMA", "ell, sigma", "sigma"},
        {"sgima", "ell, sigma", "sigma"},
        {"prir", "probit, prior, post", "prior"},
        {"abc", "abd, abe", "abd"},
        {"abcdef", "abcdxx, abcdex", "abcdex"},
        {"", "a, b", ""},
        {"x", "", ""},
    };
    char nearest[TW_NAME_BYTES];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tw_nearest_name(cases[k].word, cases[k].names, nearest);
        assert_string_equal(nearest, cases[k].nearest);
    }
}

static void assert_quoted(const char *text, size_t length, const char *expected)
{
    assert_string_equal(tw_quote(text, text + length).text, expected);
}

/* What is not printable is in hexadecimal, and what is long is cut after 40 bytes. */
static void a_text_is_quoted(void **state)
{
    (void)state;
    const char *digits = "0123456789012345678901234567890123456789";
    assert_quoted("", 0, "\"\"");
    assert_quoted("abcdef", 3, "\"abc\"");
    assert_quoted("a\nb\x7f\xc3~ ", 7, "\"a\\x0ab\\x7f\\xc3~ \"");
    assert_quoted(digits, 39, "\"012345678901234567890123456789012345678\"");
    assert_quoted(digits, 40, "\"012345678901234567890123456789012345678...\"");
    assert_quoted("\1\1\1\1\1\1\1\1\1\1\1\1", 12,
                  "\"\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01...\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_name_is_found),
        cmocka_unit_test(a_text_is_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
