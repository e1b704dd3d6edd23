/* The texts of a progress line: their contents, that they fit every width, and which parts are omitted
 * first. */
#include "cli/progress.h"

#include <string.h>

#include "support/support.h"

static tw_meter meter_at(size_t done, size_t total)
{
    tw_meter m = {.stage = "sampling", .unit = "draws", .last = TW_METER_COUNT(done, total)};
    m.last.acceptance = 0.8125;
    m.last.log_z = -36.4026;
    m.last.se = 0.0208;
    return m;
}

static void everything_is_said_where_there_is_room(void **state)
{
    (void)state;
    char text[TW_METER_BYTES];
    tw_meter m = meter_at(250, 1000);
    tw_meter_line(&m, 5.0, 120, text);
    assert_string_equal(text, "sampling  [=======>                    ]  250/1000 draws  50/s  15 s left  "
                              "acceptance 0.81  log Z -36.403 +- 0.021");
    tw_meter_sentence(&m, 5.0, text);
    assert_string_equal(text, "sampling: 250 of 1000 draws, 50 per second, 15 s left, acceptance 0.81, log Z "
                              "-36.403 +- 0.021");
}

/* Part of the way is not called the whole. */
static void log_z_of_a_part_is_told_apart(void **state)
{
    (void)state;
    char text[TW_METER_BYTES];
    tw_meter m = meter_at(250, 1000);
    m.last.part = true;
    tw_meter_sentence(&m, 5.0, text);
    assert_non_null(strstr(text, "log Z_b -36.403 +- 0.021"));
}

/* At 80 columns there is still a bar, and all numbers. */
static void a_usual_terminal_has_room_for_the_numbers(void **state)
{
    (void)state;
    char text[TW_METER_BYTES];
    tw_meter m = meter_at(20, 50);
    m.stage = "ais";
    m.unit = "temperatures";
    tw_meter_line(&m, 1.0, 79, text);
    assert_string_equal(text,
                        "ais  [===>    ]  20/50  20/s  2 s left  acceptance 0.81  log Z -36.403 +- 0.021");
}

static void no_line_is_too_long(void **state)
{
    (void)state;
    static const char *const order[] = {"draws", "/s", "acceptance", "[", "log Z", "left", "250/1000"};
    char text[TW_METER_BYTES];
    tw_meter m = meter_at(250, 1000);
    size_t there = sizeof order / sizeof *order;
    for (int width = 600; width >= -1; width--) {
        tw_meter_line(&m, 5.0, width, text);
        assert_true((int)strlen(text) <= (width > 0 ? width : 0));
        assert_true(width < 8 || strncmp(text, "sampling", 8) == 0);
        size_t gone = 0; /* what is left out is the beginning of the list, and never comes back */
        while (gone < sizeof order / sizeof *order && !strstr(text, order[gone])) gone++;
        size_t left = sizeof order / sizeof *order - gone;
        for (size_t k = gone; k < sizeof order / sizeof *order; k++) assert_non_null(strstr(text, order[k]));
        assert_true(left <= there);
        there = left;
    }
    assert_int_equal(there, 0);
}

static void the_bar_is_empty_at_first_and_full_in_the_end(void **state)
{
    (void)state;
    char text[TW_METER_BYTES];
    tw_meter m = meter_at(0, 1000);
    tw_meter_line(&m, 0.0, 100, text);
    assert_non_null(strstr(text, "[>      "));
    assert_null(strstr(text, "left"));
    m = meter_at(1000, 1000);
    tw_meter_line(&m, 300.0, 100, text);
    assert_non_null(strstr(text, "======]"));
    assert_non_null(strstr(text, "  5 min  "));
    assert_null(strstr(text, "left"));
}

static void what_is_not_known_is_left_out(void **state)
{
    (void)state;
    char text[TW_METER_BYTES];
    tw_meter m = {.stage = "EP", .last = TW_METER_COUNT(0, 0)};
    tw_meter_line(&m, 0.1, 80, text);
    assert_string_equal(text, "EP ...");
    m.unit = "points";
    m.last = TW_METER_COUNT(7, 0);
    tw_meter_line(&m, 7200.0, 80, text);
    assert_string_equal(text, "EP  7 points  0.001/s  2.0 h");
    m.unit = NULL;
    strcpy(m.last.note, "sweep 3, 50 %");
    tw_meter_sentence(&m, 12.0, text);
    assert_string_equal(text, "EP: sweep 3, 50 %, 12 s");
}

/* After a resume the rate is of what was done since. */
static void the_rate_is_of_this_run(void **state)
{
    (void)state;
    char text[TW_METER_BYTES];
    tw_meter m = meter_at(900, 1000);
    m.first = 880;
    tw_meter_sentence(&m, 10.0, text);
    assert_non_null(strstr(text, "900 of 1000 draws, 2.0 per second, 50 s left"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_said_where_there_is_room),
        cmocka_unit_test(log_z_of_a_part_is_told_apart),
        cmocka_unit_test(a_usual_terminal_has_room_for_the_numbers),
        cmocka_unit_test(no_line_is_too_long),
        cmocka_unit_test(the_bar_is_empty_at_first_and_full_in_the_end),
        cmocka_unit_test(what_is_not_known_is_left_out),
        cmocka_unit_test(the_rate_is_of_this_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
