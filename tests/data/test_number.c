/* Decimal text to double: the same bits as strtod, which is exact, for many kinds of numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/number.h"
#include "support/scratch_file.h"
#include "support/support.h"

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The tests run in the locale "C", where strtod needs no help. */
static void check(const char *text)
{
    double value = NAN, exact = strtod(text, NULL);
    const char *end = tw_number_parse(text, &value);
    if (!end || *end != '\0') fail_msg("%s: not read to its end", text);
    if (bits_of(value) != bits_of(exact)) fail_msg("%s: %.17g is not %.17g", text, value, exact);
}

static void every_way_of_writing_a_number_is_read(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+1",
        "1.",
        ".5",
        "-.5e1",
        "1e5",
        "1E+5",
        "1e-5",
        "007",
        "0e999",
        "1e308",
        "1e309",
        "1e-400",
        "4.9e-324",
        "2.4e-324",
        "-1e999",
        "0.1",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "123456789012345678e4",
        "9007199254740993",
        "9007199254740992",
        "9999999999999999999",
        "99999999999999999999",
        "18446744073709551616",
        "0.000000000000000000000000012345",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "8.5e15",
        "179769313486231580793728971405301e276",
        "2.2250738585072011e-308",
        "0.500000000000000166533453693773481063544750213623046875",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check(texts[i]);
}

static void a_long_fraction_balances_a_large_exponent(void **state)
{
    (void)state;
    enum { ZEROS = 150000 };
    char *text = malloc(ZEROS + 32);
    assert_non_null(text);
    strcpy(text, "0.");
    memset(text + 2, '0', ZEROS);
    strcpy(text + 2 + ZEROS, "25e150000");
    double value = 0;
    assert_int_equal(*tw_number_parse(text, &value), '\0');
    assert_true(value == 0.25);
    strcpy(text + 2 + ZEROS, "25e100000");
    tw_number_parse(text, &value);
    assert_true(value == 0.0);
    free(text);
}

static void what_is_not_a_number_is_left_alone(void **state)
{
    (void)state;
    static const char *const none[] = {"",    "-",  "+",   ".",   "e5",   "nan",
                                       "inf", "x1", "--1", "+-1", "-.e1", "#"};
    double value = 0;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_null(tw_number_parse(none[i], &value));
    assert_string_equal(tw_number_parse("1e", &value), "e");
    assert_string_equal(tw_number_parse("1e+", &value), "e+");
    assert_string_equal(tw_number_parse("0x10", &value), "x10");
    assert_string_equal(tw_number_parse("1,5", &value), ",5");
    assert_string_equal(tw_number_parse("1.5.2", &value), ".2");
}

/* Any double, printed with 17 digits, returns. */
static void random_doubles_return_bit_by_bit(void **state)
{
    (void)state;
    uint64_t stream = 1;
    char text[64];
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = scratch_bits(&stream);
        if (i % 2) bits = (bits & ~(UINT64_C(0x7ff) << 52)) | (1023 - 60 + bits % 120) << 52;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        snprintf(text, sizeof text, i % 3 ? "%.17g" : "%.16e", value);
        check(text);
    }
}

/* w * 10^e with up to 19 digits, and exact halfway points between doubles, where a wrong rounding shows. */
static void random_decimals_and_halfway_points_round_as_strtod(void **state)
{
    (void)state;
    uint64_t stream = 2;
    char text[512];
    for (int i = 0; i < 200000; i++) {
        uint64_t w = scratch_bits(&stream) >> (scratch_bits(&stream) % 64);
        int exponent = (int)(scratch_bits(&stream) % 61) - 30;
        snprintf(text, sizeof text, "%" PRIu64 "e%d", w, exponent);
        check(text);
        uint64_t odd = (scratch_bits(&stream) >> 10) | 1; /* 54 bits, odd: halfway between two doubles */
        snprintf(text, sizeof text, "%" PRIu64 "e%d", odd, 0);
        check(text);
        snprintf(text, sizeof text, "%.1f", (double)(odd >> 2) / 4);
        check(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_of_writing_a_number_is_read),
        cmocka_unit_test(a_long_fraction_balances_a_large_exponent),
        cmocka_unit_test(what_is_not_a_number_is_left_alone),
        cmocka_unit_test(random_doubles_return_bit_by_bit),
        cmocka_unit_test(random_decimals_and_halfway_points_round_as_strtod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
