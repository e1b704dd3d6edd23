/* The program's advice on warnings: each option that it names exists, and JSON contains every warning, also
 * if a file's name is not UTF-8. */
#include "cli/warnings.h"

#include <string.h>

#include "cli/commands.h"
#include "support/support.h"

static bool is_option_of(const tw_command *command, const char *name, size_t length)
{
    const tw_option *option;
    for (size_t g = 0; g < command->group_count; g++)
        for (size_t i = 0; (option = tw_group_option(&command->groups[g], i)); i++)
            if (strlen(option->name) == length && memcmp(option->name, name, length) == 0) return true;
    return false;
}

static bool is_option(const char *name, size_t length)
{
    const tw_command *command;
    for (size_t k = 0; (command = tw_command_at(k)); k++)
        if (is_option_of(command, name, length)) return true;
    return false;
}

static void words_name_options_that_there_are(void **state)
{
    (void)state;
    size_t options = 0;
    for (tw_warning_code code = 0; code < TW_WARNING_COUNT; code++) {
        char words[TW_WARNING_BYTES];
        tw_warning_say(&(tw_warning){.code = code, .name = "exposure"}, words); /* a name that options have */
        for (const char *c = strstr(words, "--"); c; c = strstr(c + 2, "--"), options++) {
            size_t length = strspn(c + 2, "abcdefghijklmnopqrstuvwxyz-");
            if (!is_option(c + 2, length)) fail_msg("%s: \"%s\"", tw_warning_name(code), words);
        }
    }
    assert_true(options > 20);
}

static void json_has_every_warning(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_warnings warnings = {0};
    char text[1000] = "";
    FILE *file = tmpfile();
    tw_warnings_silence(true);
    tw_warnings_receive(ctx);
    tw_warn(ctx, &(tw_warning){.code = TW_WARN_SAVED,
                               .file = "a\xff"
                                       "b.json"});
    tw_warnings_add(&warnings, &(tw_warning){.code = TW_WARN_RHAT, .number = {1.2}});
    tw_warnings_keep(&warnings);
    assert_int_equal(tw_result_print_json(ctx, NULL, json_object(), true, file), TW_OK);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_non_null(
        strstr(text, "\"warnings\": [{\"code\":\"saved_not_converged\",\"message\":\"a?b.json: this "));
    assert_non_null(strstr(
        text, "{\"code\":\"rhat\",\"message\":\"R-hat is 1.200, above 1.01 and more than chance explains: "));
    assert_non_null(strstr(text, "Raise --draws and --warmup"));
    assert_non_null(strstr(text, "\"model\": null"));
    tw_context_free(ctx);
}

static void a_subject_precedes_what_concerns_it(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_warnings warnings = {0};
    char text[2000] = "";
    FILE *file = tmpfile();
    tw_warnings_forget();
    tw_warnings_silence(true);
    tw_warnings_add(&warnings, &(tw_warning){.code = TW_WARN_THETA_TAIL, .number = {0.9, 0.7}});
    tw_warnings_about("a.json");
    tw_warnings_keep(&warnings);
    tw_warnings_about("b.json");
    tw_warnings_keep(&warnings);
    tw_warnings_about(NULL);
    tw_warnings_keep(&warnings);
    assert_int_equal(tw_result_print_json(ctx, NULL, json_object(), true, file), TW_OK);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_non_null(strstr(text, "\"message\":\"a.json: the weights of the parameters"));
    assert_non_null(strstr(text, "\"message\":\"b.json: the weights of the parameters"));
    assert_non_null(strstr(text, "\"message\":\"the weights of the parameters"));
    tw_warnings_forget();
    tw_context_free(ctx);
}

/* What is in use already is not recommended. */
static void advice_fits_the_run(void **state)
{
    (void)state;
    char words[TW_WARNING_BYTES];
    tw_warning implicit = {.code = TW_WARN_IMPLICIT};
    tw_warning_say(&implicit, words);
    assert_non_null(strstr(words, "--metric smoothed"));
    tw_warnings_use(TW_USED_METRIC, "smoothed");
    tw_warning_say(&implicit, words);
    assert_null(strstr(words, "--metric"));
    assert_non_null(strstr(words, "--eps"));
    tw_warnings_use(TW_USED_METHOD, "ais, pt");
    assert_null(strstr(tw_warning_advice(TW_WARN_DISAGREE), "--method"));
    tw_warnings_use(TW_USED_METHOD, "ais");
    assert_non_null(strstr(tw_warning_advice(TW_WARN_DISAGREE), "--method pt"));
}

/* talweg check has few of the options that talweg sample and evidence have, and --method is that of log Z there. */
static void advice_of_a_check_names_its_own_options(void **state)
{
    (void)state;
    const tw_warning_code codes[] = {
        TW_WARN_ESS_BULK,     TW_WARN_ESS_TAIL,      TW_WARN_ESS_FOLD,  TW_WARN_EBFMI,
        TW_WARN_RHAT,         TW_WARN_RHAT_SLIGHT,   TW_WARN_STUCK,     TW_WARN_ENERGY,
        TW_WARN_IMPLICIT,     TW_WARN_FACTORISATION, TW_WARN_DISAGREE,  TW_WARN_HEAVY_TAIL,
        TW_WARN_MISSED,       TW_WARN_WITHHELD,      TW_WARN_TRIPS,     TW_WARN_DRIFT,
        TW_WARN_IRREVERSIBLE, TW_WARN_NO_NUMBER,     TW_WARN_COLLAPSED, TW_WARN_GOAL};
    tw_warnings_forget();
    assert_non_null(strstr(tw_warning_advice(TW_WARN_ESS_BULK), "--method"));
    tw_warnings_use(TW_USED_COMMAND, "check");
    for (size_t k = 0; k < TW_COUNT(codes); k++) {
        const char *words = tw_warning_advice(codes[k]);
        assert_null(strstr(words, "--method"));
        for (const char *c = strstr(words, "--"); c; c = strstr(c + 2, "--"))
            assert_true(is_option_of(&tw_command_check, c + 2, strspn(c + 2, "abcdefghijklmnopqrstuvwxyz-")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_name_options_that_there_are),       cmocka_unit_test(json_has_every_warning),
        cmocka_unit_test(a_subject_precedes_what_concerns_it),     cmocka_unit_test(advice_fits_the_run),
        cmocka_unit_test(advice_of_a_check_names_its_own_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
