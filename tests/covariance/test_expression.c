/* Expressions: their meaning, their printed form, and the messages and positions of errors. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/support.h"

/* ---- meaning ---- */

typedef struct meaning {
    const char *expression, *names; /* of the parameters, in order */
    double theta[8];
} meaning;

static void parameters_have_names_and_values(void **state)
{
    (void)state;
    const double l2 = log(2.0), l3 = log(3.0), half = log(0.5);
    const meaning cases[] = {
        {"se", "ell sigma", {0, 0}},
        {" rbf ( ell = 2 , sigma = 3 ) ", "ell sigma", {l2, l3}},
        {"matern12(log_sigma=-0.5,log_ell=.25)", "ell sigma", {0.25, -0.5}},
        {"se(ell=(2, 3), sigma=0.5)", "ell.1 ell.2 sigma", {l2, l3, half}},
        {"se(ard)", "ell.1 ell.2 sigma", {0, 0, 0}},
        {"se(ard, ell=2)", "ell.1 ell.2 sigma", {l2, l2, 0}},
        {"se()", "ell sigma", {0, 0}},
        {"constant(variance=2)", "variance", {l2}},
        {"se(ell=2) + constant(variance=3)+white",
         "se.ell se.sigma constant.variance white.variance",
         {l2, 0, l3, 0}},
        {"se + se(ell=2) + matern52 + se",
         "se.ell se.sigma se2.ell se2.sigma matern52.ell matern52.sigma se3.ell se3.sigma",
         {0, 0, l2, 0, 0, 0, 0, 0}},
        {"se * matern32(ell=2)", "se.ell se.sigma matern32.ell", {0, 0, l2}},
        {"2 * se * constant", "se.ell se.sigma", {0, 0}},
        {"se * (matern32 + constant(variance=2))",
         "se.ell se.sigma matern32.ell constant.variance",
         {0, 0, 0, l2}},
        {"(se + white) * (constant * matern32 + white(variance=2)) + constant",
         "se.ell se.sigma white.variance matern32.ell white2.variance constant2.variance",
         {0, 0, 0, 0, l2, 0}},
        {"se(2, ell=2)", "ell sigma", {l2, 0}},
        {"se(2, 1, ard, ell=(2, 3))", "ell.1 ell.2 sigma", {l2, l3, 0}},
        {"rq(alpha=2)", "ell sigma alpha", {0, 0, l2}},
        {"periodic(1, period=3) + cosine(period=2)",
         "periodic.period periodic.ell periodic.sigma cosine.period cosine.sigma",
         {l3, 0, 0, l2, 0}},
        {"linear + polynomial(degree=3, offset=2)",
         "linear.sigma polynomial.sigma polynomial.offset",
         {0, 0, l2}},
        {"linear(ard, ell=2) * se", "linear.ell.1 linear.ell.2 se.ell", {l2, l2, 0}},
        {"categorical(2, sigma=3)", "sigma", {l3}},
        {"2", "", {0}},
    };
    tw_context *ctx = new_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tw_kernel *kernel = NULL;
        char names[256] = "";
        assert_int_equal(tw_kernel_parse(ctx, cases[i].expression, 2, &kernel), TW_OK);
        for (size_t j = 0; j < tw_kernel_count(kernel); j++) {
            const tw_parameter *p = tw_kernel_parameter(kernel, j);
            if (j) strcat(names, " ");
            strcat(names, p->name);
            assert_true(p->transform == TW_TRANSFORM_LOG && p->initial == 1.0);
            assert_true(tw_kernel_theta(kernel)[j] == cases[i].theta[j]);
            assert_int_equal(tw_kernel_find(kernel, p->name), j);
        }
        assert_string_equal(names, cases[i].names);
        assert_int_equal(tw_kernel_find(kernel, "no such name"), tw_kernel_count(kernel));
        tw_kernel_free(kernel);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void theta_can_be_set(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_kernel *kernel = new_kernel(ctx, "se(ell=2) + white(variance=0.1)"), *copy = NULL;
    const double theta[3] = {0.5, -1.0, -3.0}, bad[3] = {0.7, 1e4, 0.0}, nan[3] = {0.0, 0.0, NAN};
    char *text = NULL;
    assert_int_equal(tw_kernel_copy(kernel, &copy), TW_OK);
    assert_int_equal(tw_kernel_set_theta(copy, tw_kernel_theta(kernel)), TW_OK);
    assert_int_equal(tw_kernel_print(copy, &text), TW_OK);
    assert_string_equal(text, "se(ell=2, sigma=1) + white(variance=0.1)"); /* as it was given */
    tw_release(ctx, text);
    assert_int_equal(tw_kernel_set_theta(copy, theta), TW_OK);
    assert_memory_equal(tw_kernel_theta(copy), theta, sizeof theta);
    assert_false(tw_kernel_same(kernel, copy));
    assert_int_equal(tw_kernel_set_theta(copy, bad), TW_BAD_ARGUMENT);
    assert_string_equal(tw_context_message(ctx),
                        "log sigma must be a number between -300 and 300, not 10000");
    assert_int_equal(tw_kernel_set_theta(copy, nan), TW_BAD_ARGUMENT);
    assert_memory_equal(tw_kernel_theta(copy), theta, sizeof theta); /* nothing changed */
    assert_int_equal(tw_kernel_print(copy, &text), TW_OK);
    assert_string_equal(text, "se(log_ell=0.5, log_sigma=-1) + white(log_variance=-3)");
    tw_release(ctx, text);
    tw_kernel_free(kernel);
    tw_kernel_free(copy);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* ---- printing ---- */

/* What is printed parses to the same kernel and theta, to the bit, and is printed in the same way. */
static void what_is_printed_is_parsed(void **state)
{
    (void)state;
    static const char *const expressions[] = {
        "se(ell=0.1, sigma=3.3333333333333335) + constant(variance=0.1) + white(variance=1e-300)",
        "matern52(log_ell=0.30000000000000004, sigma=7)",
        "se(ell=(0.1, 0.2, 1e+20), log_sigma=1)",
        "2 * (se(ell=1, sigma=1) + constant(variance=1)) * (matern32(ell=1) * matern12(ell=1) + 0.1)",
        "(se(ell=1, sigma=1) + white(variance=1)) + constant(variance=1)",
        "se(ell=1, sigma=1) * (matern32(ell=1) * white)",
        "se(ell=1, sigma=1) + 3 * matern32(ell=1, sigma=1)",
        "rq(2, 1, ell=(1, 2), sigma=1, alpha=0.3) * periodic(3, period=7, ell=0.5) * cosine(log_period=2)",
        "linear(sigma=2) + polynomial(4, degree=3, sigma=1, offset=0.1) + linear(1, 2, ell=(1, 2))",
        "categorical(2, sigma=1.5) + white(variance=1)",
        "linear(2, ard, ell=3) + polynomial(1, degree=2, ard, ell=0.5, offset=1)",
    };
    tw_context *ctx = new_context();
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
        tw_kernel *kernel = new_kernel(ctx, expressions[i]), *again = NULL;
        char *text = NULL;
        assert_int_equal(tw_kernel_print(kernel, &text), TW_OK);
        assert_string_equal(text, expressions[i]);
        assert_int_equal(tw_kernel_parse(ctx, text, 0, &again), TW_OK);
        assert_true(tw_kernel_same(kernel, again));
        tw_release(ctx, text);
        tw_kernel_free(kernel);
        tw_kernel_free(again);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void the_simple_kernel_is_an_expression(void **state)
{
    (void)state;
    const double log_ell[2] = {0.25, -1.0 / 3.0};
    tw_context *ctx = new_context();
    tw_kernel *kernel = NULL, *parsed = NULL;
    char *words = NULL;
    assert_int_equal(tw_kernel_simple(ctx, "rbf", 2, log_ell, 0.7, 0.3, 0.0, &kernel), TW_OK);
    assert_int_equal(
        tw_kernel_parse(ctx,
                        "se(log_ell=(0.25, -0.33333333333333331), log_sigma=0.7) + constant(variance=0.3)", 2,
                        &parsed),
        TW_OK);
    assert_true(tw_kernel_same(kernel, parsed));
    assert_string_equal(tw_kernel_shape(parsed), "se");
    assert_int_equal(tw_kernel_describe(parsed, 12, &words), TW_OK);
    assert_string_equal(words, "log ell = 0.25, -0.333333; log sigma = 0.7; constant 0.3");
    tw_release(ctx, words);
    assert_int_equal(tw_kernel_describe(kernel, 1, &words), TW_OK);
    assert_string_equal(words, "log ell = 0.25, ...; log sigma = 0.7; constant 0.3");
    tw_release(ctx, words);
    tw_kernel_free(kernel);
    tw_kernel_free(parsed);
    parsed = new_kernel(ctx, "se + white + constant"); /* not in that order */
    assert_null(tw_kernel_shape(parsed));
    assert_int_equal(tw_kernel_describe(parsed, 1, &words), TW_OK);
    assert_string_equal(words, "se(ell=1, sigma=1) + white(variance=1) + constant(variance=1)");
    tw_release(ctx, words);
    tw_kernel_free(parsed);
    assert_true(tw_kernel_is_shape("matern12") && tw_kernel_is_shape("rbf"));
    assert_false(tw_kernel_is_shape("constant") || tw_kernel_is_shape("se()") || tw_kernel_is_shape(""));
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* ---- mistakes ---- */

static void bad_parameters_of_the_simple_kernel_are_named(void **state)
{
    (void)state;
    const double log_ell[2] = {0.0, NAN};
    tw_context *ctx = new_context();
    tw_kernel *kernel = NULL;
    const struct {
        const char *shape;
        size_t scales;
        const double *log_ell;
        double log_sigma, constant;
        const char *says;
    } bad[] = {
        {"cubic", 1, log_ell, 0, 0, "unknown kernel \"cubic\"; choose from: se"},
        {"se", 0, log_ell, 0, 0, "a kernel needs at least one length scale"},
        {"se", 1, log_ell + 1, 0, 0, "log ell must be a number"},
        {"se", 1, log_ell, 1e4, 0, "log sigma must be a number between -300 and 300, not 10000"},
        {"se", 1, log_ell, 0, -1, "variances must be >= 0"},
        {"se", 1, log_ell, 0, INFINITY, "variances must be >= 0"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(tw_kernel_simple(ctx, bad[i].shape, bad[i].scales, bad[i].log_ell, bad[i].log_sigma,
                                          bad[i].constant, 0.0, &kernel),
                         TW_BAD_ARGUMENT);
        assert_null(kernel);
        assert_non_null(strstr(tw_context_message(ctx), bad[i].says));
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* The last line has its mark under the place. */
static void assert_refused(tw_context *ctx, const char *expression, const char *says, size_t place)
{
    tw_kernel *kernel = NULL;
    char expected[1024];
    snprintf(expected, sizeof expected, "\n    %s\n    %*s^", expression, (int)place, "");
    assert_int_equal(tw_kernel_parse(ctx, expression, 3, &kernel), TW_BAD_ARGUMENT);
    assert_null(kernel);
    const char *message = tw_context_message(ctx), *end = strchr(message, '\n');
    if (strncmp(message, says, strlen(says)) != 0 || !end || strcmp(end, expected) != 0)
        fail_msg("%s\nis answered by\n%s\nand not by\n%s%s", expression, message, says, expected);
}

static void mistakes_are_shown_where_they_are(void **state)
{
    (void)state;
    const struct {
        const char *expression, *says;
        size_t place;
    } bad[] = {
        {"", "a kernel is missing here", 0},
        {"se +", "a kernel is missing here", 4},
        {"se + + se", "a kernel is missing here", 5},
        {"se * )", "a kernel is missing here", 5},
        {"se se", "a \"+\" or \"*\" is missing here", 3},
        {"se - se", "a \"+\" or \"*\" is missing here", 3},
        {"se + white)", "this \")\" has no matching", 10},
        {"(se + white", "a \")\" is missing here", 11},
        {"cubic", "unknown kernel \"cubic\"; choose from: se, matern12", 0},
        {"rbff", "unknown kernel \"rbff\" (did you mean rbf?); choose from: se, matern12", 0},
        {"se + matren32(ell=2)", "unknown kernel \"matren32\" (did you mean matern32?)", 5},
        {"se + Whte", "unknown kernel \"Whte\" (did you mean white?)", 5},
        {"matrix", "a given matrix cannot be part of an expression", 0},
        {"se(elll=2)", "se has no parameter \"elll\"; it has ell and sigma", 3},
        {"white(sigma=2)", "white has no parameter \"sigma\"; it has variance", 6},
        {"white(ard)", "white has no parameter \"ard\"; it has variance", 6},
        {"se(ell=1, log_ell=2)", "ell is given twice", 10},
        {"se(ell)", "a \"=\" is missing here", 6},
        {"se(ell=)", "a number is missing here", 7},
        {"se(ell=two)", "a number is missing here", 7},
        {"se(ell=1e999)", "this number is too large", 7},
        {"se(ell=1", "a \",\" or \")\" is missing here", 8},
        {"se(ell=(1, 2, 3)", "a \",\" or \")\" is missing here", 16},
        {"se(ell=(1, 2, 3", "a \",\" or \")\" is missing here", 15},
        {"se(ell=1,)", "the name of a parameter is missing here", 9},
        {"se(ell=0)", "ell must be above 0, not 0", 3},
        {"se(sigma=-1)", "sigma must be above 0, not -1", 3},
        {"se(log_ell=400)", "log ell must be a number between -300 and 300, not 400", 3},
        {"white(log_variance=-800)", "log variance must be a number between -700 and 700", 6},
        {"se(ell=(1, 2))", "2 length scales were given for 3 inputs", 3},
        {"se(sigma=(1, 2))", "sigma must be one number, not 2", 3},
        {"se * white(variance=2)",
         "in a product only the first amplitude is free, and the later terms of a bracket are relative to "
         "its first term: remove this variance",
         11},
        {"se * (se(sigma=2) + linear(sigma=3))",
         "in a product only the first amplitude is free, and the later terms of a bracket are relative to "
         "its first term: remove this sigma",
         9},
        {"se + periodic(period=0)", "period must be above 0, not 0", 14},
        {"se(4)", "there are 3 inputs", 3},
        {"se(0)", "inputs are numbered from 1", 3},
        {"se(1, 2, 1)", "this input is given twice", 9},
        {"se(age)", "unknown input \"age\": the inputs have no names, so give their numbers", 3},
        {"se(\"age)", "this quote is not closed", 3},
        {"white(1)", "white takes no inputs", 6},
        {"se(1, 3, ell=(1, 2, 3))", "3 length scales were given for 2 inputs", 9},
        {"polynomial(degree=2.5)", "degree must be a whole number from 1 to 16, not 2.5", 11},
        {"polynomial(degree=0)", "degree must be a whole number from 1 to 16, not 0", 11},
        {"polynomial(degree=2, degree=2)", "degree is given twice", 21},
        {"polynomial(3 2)", "a \",\" or \")\" is missing here", 13},
        {"linear(ell=2)", "one ell for all inputs is redundant with sigma: remove it, or add ard", 7},
        {"linear(ell=(1, 2, 3), sigma=2)",
         "one ell for each input is redundant with sigma: remove this sigma", 22},
        {"rq(alpah=2)", "rq has no parameter \"alpah\"; it has ell, sigma and alpha", 3},
        {"linaer + se", "unknown kernel \"linaer\" (did you mean linear?)", 0},
        {"0 * se", "a number in a kernel must be above 0", 0},
        {"-1 * se", "a number in a kernel must be above 0", 0},
    };
    tw_context *ctx = new_context();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(ctx, bad[i].expression, bad[i].says, bad[i].place);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* ---- names of inputs ---- */

static tw_data *named_data(tw_context *ctx, const char *const *names)
{
    static const double x[6] = {1, 2, 3, 4, 5, 6};
    tw_data *data = NULL;
    assert_int_equal(tw_data_new(ctx, 2, 3, x, 2, NULL, &data), TW_OK);
    assert_int_equal(tw_data_set_names(data, names), TW_OK);
    return data;
}

static void inputs_have_names(void **state)
{
    (void)state;
    static const char *const names[] = {"age", "blood pressure", "ell"};
    tw_context *ctx = new_context();
    tw_data *data = named_data(ctx, names);
    tw_kernel *kernel = NULL, *same = NULL, *copy = NULL;
    char *text = NULL;
    const char *expression = "se(\"blood pressure\", age, ell=(2, 3)) + linear(ell)";
    assert_int_equal(tw_kernel_parse_for(ctx, expression, data, &kernel), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, "se(2, 1, ell=(2, 3)) + linear(3)", 3, &same), TW_OK);
    assert_true(tw_kernel_same(kernel, same));
    assert_int_equal(tw_kernel_copy(kernel, &copy), TW_OK);
    assert_int_equal(tw_kernel_print(copy, &text), TW_OK);
    assert_string_equal(text, "se(\"blood pressure\", age, ell=(2, 3), sigma=1) + linear(ell, sigma=1)");
    tw_kernel_free(same);
    assert_int_equal(tw_kernel_parse_for(ctx, text, data, &same), TW_OK);
    assert_true(tw_kernel_same(kernel, same));
    tw_release(ctx, text);
    tw_kernel_free(kernel);
    tw_kernel_free(same);
    tw_kernel_free(copy);
    tw_data_free(data);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void unknown_and_ambiguous_inputs_are_shown(void **state)
{
    (void)state;
    static const char *const names[] = {"age", "dose", "dose"};
    static const struct {
        const char *expression, *says;
    } bad[] = {
        {"se(agee)", "unknown input \"agee\" (did you mean age?); choose from: age, dose, dose\n"
                     "    se(agee)\n       ^"},
        {"se(1) + linear(\"gr\xc3\xb6\xc3\x9f"
         "e\")",
         "unknown input \"gr\xc3\xb6\xc3\x9f"
         "e\"; choose from: age, dose, dose\n"},
        {"se(dose)", "2 inputs have this name: give its number instead\n"},
    };
    tw_context *ctx = new_context();
    tw_data *data = named_data(ctx, names);
    tw_kernel *kernel = NULL;
    char *text = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(tw_kernel_parse_for(ctx, bad[i].expression, data, &kernel), TW_BAD_ARGUMENT);
        if (strncmp(tw_context_message(ctx), bad[i].says, strlen(bad[i].says)) != 0)
            fail_msg("%s", tw_context_message(ctx));
    }
    assert_int_equal(tw_kernel_parse_for(ctx, "se(3, age)", data, &kernel), TW_OK);
    assert_int_equal(tw_kernel_print(kernel, &text), TW_OK);
    assert_string_equal(text, "se(3, age, ell=1, sigma=1)"); /* by number where the name does not tell */
    tw_release(ctx, text);
    tw_kernel_free(kernel);
    tw_data_free(data);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void inputs_must_be_known_for_ard(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_kernel *kernel = NULL;
    assert_int_equal(tw_kernel_parse(ctx, "se(ard)", 0, &kernel), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(ctx), "the number of inputs is unknown here"));
    kernel = new_kernel(ctx, "se(ell=(1, 2)) + matern32(ard)"); /* now it is */
    assert_int_equal(tw_kernel_count(kernel), 6);
    tw_kernel_free(kernel);
    assert_int_equal(tw_kernel_parse(ctx, "se(ell=(1, 2)) + se(ell=(1, 2, 3))", 0, &kernel), TW_BAD_ARGUMENT);
    tw_context_free(ctx);
}

/* Of a long expression the part around the place is shown; characters of several bytes are one column. */
static void long_lines_are_cut(void **state)
{
    (void)state;
    char expression[1000] = "";
    tw_context *ctx = new_context();
    tw_kernel *kernel = NULL;
    for (int i = 0; i < 60; i++) strcat(expression, "constant + ");
    strcat(expression, "\xc3\xa4 + constant + constant + constant + constant + constant + constant");
    assert_int_equal(tw_kernel_parse(ctx, expression, 0, &kernel), TW_BAD_ARGUMENT);
    const char *shown = strchr(tw_context_message(ctx), '\n') + 1, *mark = strchr(shown, '\n') + 1;
    const char *place = strstr(shown, "\xc3\xa4");
    assert_true(mark - shown < 120 && place && strchr(mark, '^') - mark == place - shown);
    tw_context_free(ctx);
}

static void there_are_limits(void **state)
{
    (void)state;
    static char deep[100], wide[2000];
    tw_context *ctx = new_context();
    tw_kernel *kernel = NULL;
    memset(deep, '(', 33);
    strcat(deep, "se");
    memset(deep + 35, ')', 33);
    assert_int_equal(tw_kernel_parse(ctx, deep, 0, &kernel), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(ctx), "brackets are nested more than 32 deep"));
    deep[67] = '\0';
    assert_int_equal(tw_kernel_parse(ctx, deep + 1, 0, &kernel), TW_OK);
    tw_kernel_free(kernel);
    strcat(wide, "se");
    for (int i = 0; i < 255; i++) strcat(wide, "+se");
    assert_int_equal(tw_kernel_parse(ctx, wide, 0, &kernel), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(ctx), "an expression can have at most 256 parts"));
    wide[strlen(wide) - 3] = '\0'; /* 255 leaves and their sum */
    assert_int_equal(tw_kernel_parse(ctx, wide, 0, &kernel), TW_OK);
    assert_int_equal(tw_kernel_count(kernel), 510);
    tw_kernel_free(kernel);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_have_names_and_values),
        cmocka_unit_test(theta_can_be_set),
        cmocka_unit_test(what_is_printed_is_parsed),
        cmocka_unit_test(the_simple_kernel_is_an_expression),
        cmocka_unit_test(bad_parameters_of_the_simple_kernel_are_named),
        cmocka_unit_test(mistakes_are_shown_where_they_are),
        cmocka_unit_test(inputs_have_names),
        cmocka_unit_test(unknown_and_ambiguous_inputs_are_shown),
        cmocka_unit_test(inputs_must_be_known_for_ard),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(there_are_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
