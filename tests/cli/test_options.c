/* The option parser: every kind of option in every spelling, refusals, and checks of the tables. */
#include "cli/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "support/support.h"
#include "talweg/approximate.h"

static const char *fruits(void)
{
    return "apple, pear, quince";
}

typedef struct values {
    bool flag;
    double number, bare;
    uint64_t integer;
    const char *numbers, *text, *choice, *first, *second;
} values;

static const tw_option rows[] = {
    {.name = "FIRST", .kind = TW_OPTION_OPERAND, .offset = offsetof(values, first), .help = "a file"},
    {.name = "SECOND",
     .kind = TW_OPTION_OPERAND,
     .offset = offsetof(values, second),
     .default_value = "",
     .help = "more"},
    {.name = "flag", .kind = TW_OPTION_FLAG, .offset = offsetof(values, flag), .help = "f"},
    {.name = "number",
     .letter = 'n',
     .kind = TW_OPTION_NUMBER,
     .offset = offsetof(values, number),
     .argument = "X",
     .default_value = "0.1",
     .least = -2,
     .most = 1e300,
     .help = "n"},
    {.name = "bare",
     .kind = TW_OPTION_NUMBER,
     .offset = offsetof(values, bare),
     .argument = "X",
     .help = "b"},
    {.name = "integer",
     .kind = TW_OPTION_INTEGER,
     .offset = offsetof(values, integer),
     .argument = "N",
     .default_value = "7",
     .help = "i"},
    {.name = "numbers",
     .kind = TW_OPTION_NUMBERS,
     .offset = offsetof(values, numbers),
     .argument = "X,..",
     .default_value = "0",
     .help = "l"},
    {.name = "text", .kind = TW_OPTION_TEXT, .offset = offsetof(values, text), .argument = "T", .help = "t"},
    {.name = "choice",
     .kind = TW_OPTION_CHOICE,
     .offset = offsetof(values, choice),
     .argument = "NAME",
     .default_value = "pear",
     .choices = fruits,
     .help = "c"},
};
static const tw_option_group groups[] = {{"All", rows, TW_COUNT(rows), 0}};
static const tw_command command = {.name = "try",
                                   .description = "d",
                                   .example = "",
                                   .groups = groups,
                                   .group_count = 1,
                                   .bytes = sizeof(values)};

enum { MOST_ARGUMENTS = 12 };

static tw_status parse(tw_context *ctx, const char *const *arguments, values *into)
{
    bool help = false;
    size_t count = 0;
    while (arguments[count]) count++;
    memset(into, 0, sizeof *into);
    tw_status status = tw_options_parse(ctx, &command, count, arguments, into, &help);
    assert_false(help);
    return status;
}

static void defaults_come_from_the_table(void **state)
{
    (void)state;
    values v;
    tw_context *ctx = new_context();
    const char *arguments[MOST_ARGUMENTS] = {"file"};
    assert_int_equal(parse(ctx, arguments, &v), TW_OK);
    assert_false(v.flag);
    assert_true(v.number == 0.1 && isnan(v.bare) && v.integer == 7);
    assert_string_equal(v.numbers, "0");
    assert_string_equal(v.choice, "pear");
    assert_string_equal(v.first, "file");
    assert_string_equal(v.second, "");
    assert_null(v.text);
    tw_context_free(ctx);
}

static void every_spelling_works(void **state)
{
    (void)state;
    values v;
    tw_context *ctx = new_context();
    const char *one[MOST_ARGUMENTS] = {"--number",    "-1.5",   "--bare=-3e-2", "a",        "--numbers",
                                       "-1,2.5,+3e1", "--flag", "--text=x=y",   "--choice", "quince"};
    assert_int_equal(parse(ctx, one, &v), TW_OK);
    assert_true(v.number == -1.5 && v.bare == -3e-2 && v.flag);
    assert_int_equal(tw_options_numbers(v.numbers), 3);
    double numbers[3] = {0.0};
    tw_options_read_numbers(v.numbers, numbers);
    assert_true(numbers[0] == -1.0 && numbers[1] == 2.5 && numbers[2] == 30.0);
    assert_string_equal(v.text, "x=y");
    assert_string_equal(v.choice, "quince");
    const char *two[MOST_ARGUMENTS] = {"-n", "1",  "-n",     "2", "--integer", "18446744073709551615",
                                       "-",  "--", "--flag", NULL};
    assert_int_equal(parse(ctx, two, &v), TW_OK);
    assert_true(v.number == 2.0 && v.integer == UINT64_MAX && !v.flag);
    const char *three[MOST_ARGUMENTS] = {"a", "--integer", "+1.5e3"};
    assert_int_equal(parse(ctx, three, &v), TW_OK);
    assert_int_equal(v.integer, 1500);
    assert_int_equal(parse(ctx, two, &v), TW_OK);
    assert_string_equal(v.first, "-");
    assert_string_equal(v.second, "--flag");
    tw_context_free(ctx);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    values v;
    tw_context *ctx = new_context();
    const struct {
        const char *arguments[MOST_ARGUMENTS], *says;
    } bad[] = {
        {{NULL}, "talweg try needs FIRST: a file"},
        {{"a", "b", "c"}, "unexpected argument \"c\""},
        {{"a", "--nunber", "1"}, "no option \"--nunber\" (did you mean --number?)"},
        {{"a", "--nunber=1"}, "did you mean --number?"},
        {{"a", "--zzzzzzzz"}, "no option \"--zzzzzzzz\"; talweg try --help"},
        {{"a", "--FIRST", "b"}, "no option \"--FIRST\""},
        {{"a", "-nn"}, "no option \"-nn\""},
        {{"a", "--number"}, "--number needs a value: --number X"},
        {{"a", "--number", "--flag"}, "--number needs a value"},
        {{"a", "--number", ""}, "--number needs a number, not \"\""},
        {{"a", "--number", "1,5"}, "needs a number, not \"1,5\""},
        {{"a", "--number", "nan"}, "needs a number, not \"nan\""},
        {{"a", "--number", "0x10"}, "needs a number, not \"0x10\""},
        {{"a", "--number", " 1"}, "needs a number"},
        {{"a", "--number=-2.5"}, "--number must be from -2 to 1e+300, not -2.5"},
        {{"a", "--integer", "-1"}, "--integer must be at least 0, not -1"},
        {{"a", "--integer", "1.5e0"}, "--integer needs a whole number, not \"1.5e0\""},
        {{"a", "--integer", "1e16"}, "--integer must be at most 18446744073709551615"},
        {{"a", "--integer", "18446744073709551616"}, "must be at most 18446744073709551615"},
        {{"a", "--numbers", "1,,2"}, "several separated by commas, not \"1,,2\""},
        {{"a", "--numbers", ""}, "several separated by commas"},
        {{"a", "--choice", "peare"},
         "unknown choice \"peare\" (did you mean pear?); choose from: apple, pear"},
        {{"a", "--choice", "peach"}, "unknown choice \"peach\"; choose from: apple, pear"},
        {{"a", "--choice", "pe"}, "unknown choice \"pe\""},
        {{"a", "--flag=1"}, "--flag takes no value, but \"1\" was given"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(parse(ctx, bad[i].arguments, &v), TW_BAD_ARGUMENT);
        if (!strstr(tw_context_message(ctx), bad[i].says))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", i, tw_context_message(ctx), bad[i].says);
    }
    tw_context_free(ctx);
}

/* A row that takes all operands that are left, wherever they stand among the options. */
static void many_operands(void **state)
{
    (void)state;
    struct several {
        const char *first;
        tw_operands rest;
        bool flag;
    } v;
    const tw_option some[] = {
        {.name = "FIRST", .kind = TW_OPTION_OPERAND, .help = "a file"},
        {.name = "REST...", .kind = TW_OPTION_OPERANDS, .offset = offsetof(struct several, rest)},
        {.name = "flag", .kind = TW_OPTION_FLAG, .offset = offsetof(struct several, flag)},
    };
    const tw_option_group group = {"All", some, TW_COUNT(some), 0};
    const tw_command many = {.name = "many", .groups = &group, .group_count = 1, .bytes = sizeof v};
    const char *arguments[TW_MOST_OPERANDS + 2] = {"a", "b", "--flag", "--", "--c"};
    tw_context *ctx = new_context();
    bool help = false;
    memset(&v, 0, sizeof v);
    assert_int_equal(tw_options_parse(ctx, &many, 5, arguments, &v, &help), TW_OK);
    assert_true(v.flag && v.rest.count == 2);
    assert_string_equal(v.first, "a");
    assert_string_equal(v.rest.item[0], "b");
    assert_string_equal(v.rest.item[1], "--c");
    memset(&v, 0, sizeof v);
    assert_int_equal(tw_options_parse(ctx, &many, 1, arguments, &v, &help), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(ctx), "talweg many needs REST..."));
    for (size_t i = 0; i < TW_COUNT(arguments); i++) arguments[i] = "a";
    memset(&v, 0, sizeof v);
    assert_int_equal(tw_options_parse(ctx, &many, TW_MOST_OPERANDS + 1, arguments, &v, &help), TW_OK);
    memset(&v, 0, sizeof v);
    assert_int_equal(tw_options_parse(ctx, &many, TW_MOST_OPERANDS + 2, arguments, &v, &help),
                     TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(ctx), "the limit is 64 REST..."));
    tw_context_free(ctx);
}

/* At most a third of the letters of the longer name differ; two neighbours exchanged are one difference, and a capital
 * is none. */
static void nearest_names(void **state)
{
    (void)state;
    const char *fruit = fruits(), *methods = "auto, rmhmc, hmc, ess, mgrad, ep, pt";
    char nearest[TW_NAME_BYTES];
    const struct {
        const char *names, *word, *nearest;
    } cases[] = {{fruit, "aple", "apple"},
                 {fruit, "quinze", "quince"},
                 {fruit, "paer", "pear"},
                 {fruit, "pear", "pear"},
                 {fruit, "", ""},
                 {fruit, "banana", ""},
                 {fruit, "appel", "apple"},
                 {fruit, "qunice", "quince"},
                 {fruit, "quinnze", "quince"},
                 {fruit, "quixyz", ""},
                 {fruit, "pare", ""},
                 {methods, "nuts", ""},
                 {methods, "atuo", "auto"},
                 {methods, "hmcc", "hmc"},
                 {methods, "es", "ess"},
                 {methods, "HMC", "hmc"},
                 {methods, "rmhcm", "rmhmc"},
                 {methods, "mh", ""},
                 {methods, "gibbs", ""},
                 {methods, "pp", ""},
                 {methods, "ept", "ep"},
                 {methods, "mgard", "mgrad"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tw_nearest_name(cases[i].word, cases[i].names, nearest);
        assert_string_equal(nearest, cases[i].nearest);
    }
    assert_true(tw_name_is_among("pear", fruits()));
    assert_false(tw_name_is_among("pea", fruits()));
    assert_false(tw_name_is_among("", fruits()));
}

static const tw_option *option_of(const tw_command *of, const char *name)
{
    const tw_option *option = NULL;
    for (size_t g = 0; g < of->group_count; g++)
        for (size_t i = 0; (option = tw_group_option(&of->groups[g], i)); i++)
            if (strcmp(option->name, name) == 0) return option;
    return NULL;
}

/* Every command: no name twice, help for everything, a value for what takes one, defaults that parse. */
static void tables_are_sound(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    for (size_t k = 0; tw_command_at(k); k++) {
        const tw_command *of = tw_command_at(k);
        const tw_option *option = NULL;
        for (size_t g = 0; g < of->group_count; g++)
            for (size_t i = 0; (option = tw_group_option(&of->groups[g], i)); i++) {
                bool takes_value = option->kind != TW_OPTION_FLAG && !tw_option_is_operand(option);
                assert_non_null(option->help);
                assert_true(takes_value == (option->argument != NULL));
                assert_true(option->kind == TW_OPTION_CHOICE
                                ? option->choices != NULL
                                : !option->choices || option->kind == TW_OPTION_TEXT);
                assert_ptr_equal(option_of(of, option->name), option);
                assert_true(of->groups[g].offset + option->offset < of->bytes);
            }
        void *memory = NULL;
        bool help = false;
        const char *const operands[] = {"a", "b"};
        assert_int_equal(tw_allocate(ctx, 1, of->bytes, "values", &memory), TW_OK);
        bool one = option_of(of, "DATA") || option_of(of, "RUN...") || option_of(of, "MODEL...");
        size_t count = option_of(of, "NEWDATA") ? 2 : one ? 1 : 0;
        assert_int_equal(tw_options_parse(ctx, of, count, operands, memory, &help), TW_OK);
        tw_release(ctx, memory);
    }
    tw_context_free(ctx);
}

/* What help says are EP's defaults are the library's. */
static void defaults_are_the_library_s(void **state)
{
    (void)state;
    tw_ep_options ep = TW_EP_DEFAULTS;
    const struct {
        const char *name;
        double value;
    } same[] = {
        {"max-sweeps", (double)ep.max_sweeps}, {"tol", ep.tolerance}, {"site-tol", ep.site_tolerance}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(strtod(option_of(&tw_command_approx, same[i].name)->default_value, NULL) ==
                    same[i].value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_from_the_table),
        cmocka_unit_test(every_spelling_works),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(many_operands),
        cmocka_unit_test(nearest_names),
        cmocka_unit_test(tables_are_sound),
        cmocka_unit_test(defaults_are_the_library_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
