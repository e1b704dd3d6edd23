/* The recorded command line is printed as a user would type it, and a shell splits it into the same words. */
#include "cli/commands.h"

#include "base/context.h"
#include "cli/names.h"
#include "support/support.h"

static void words_are_quoted_where_they_must_be(void **state)
{
    (void)state;
    static const char *const arguments[] = {"my data.csv", "--log-ell", "-1.5,2", "",
                                            "it's",        "$HOME",     "-o",     "a/b.nc"};
    tw_context *ctx = new_context();
    char *line = NULL;
    assert_int_equal(tw_command_line(ctx, "sample", 8, arguments, &line), TW_OK);
    assert_string_equal(line, "talweg sample 'my data.csv' --log-ell -1.5,2 '' 'it'\\''s' '$HOME' -o a/b.nc");
    tw_release(ctx, line);
    assert_int_equal(tw_command_line(ctx, "demo", 0, NULL, &line), TW_OK);
    assert_string_equal(line, "talweg demo");
    tw_release(ctx, line);
    static const char *const quotes[] = {"''''"}; /* the longest that four characters can become */
    assert_int_equal(tw_command_line(ctx, "demo", 1, quotes, &line), TW_OK);
    assert_string_equal(line, "talweg demo ''\\'''\\'''\\'''\\'''");
    tw_release(ctx, line);
    tw_context_free(ctx);
}

static void endings_need_something_in_front(void **state)
{
    (void)state;
    assert_true(tw_name_ends_in("run.nc", ".nc"));
    assert_false(tw_name_ends_in("run.nc.gz", ".nc"));
    assert_false(tw_name_ends_in(".nc", ".nc"));
    assert_false(tw_name_ends_in("nc", ".nc"));
    assert_false(tw_name_ends_in(NULL, ".nc"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_quoted_where_they_must_be),
        cmocka_unit_test(endings_need_something_in_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
