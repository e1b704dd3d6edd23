/* A state that the same code counts, saves and restores: every number is restored, and from the first invalid
 * number on nothing changes. */
#include <math.h>

#include "base/visit.h"
#include "support/support.h"

typedef struct thing {
    double x[3], y;
    size_t done, of;
} thing;

static void visit(thing *t, tw_visit *v)
{
    tw_visit_doubles(v, 3, t->x);
    tw_visit_size(v, &t->done, 1, 5);
    tw_visit_doubles(v, 0, NULL);
    tw_visit_doubles(v, 1, &t->y);
    tw_visit_size(v, &t->of, 0, (size_t)1 << 53);
}

static const thing filled = {{1.5, -2.0, 0.1}, 7.25, 4, (size_t)1 << 40};

static void what_is_saved_comes_back(void **state)
{
    (void)state;
    thing from = filled, to = {{0}, 0, 0, 0};
    double numbers[6];
    tw_visit count = tw_visit_count(), save = tw_visit_save(numbers);
    visit(&from, &count);
    assert_true(count.count == 6 && count.sound);
    visit(&from, &save);
    assert_true(save.count == 6 && save.to == numbers + 6);
    tw_visit restore = tw_visit_restore(numbers, 6);
    visit(&to, &restore);
    assert_true(tw_visit_is_whole(&restore));
    assert_true(to.done == filled.done && to.of == filled.of && to.y == filled.y && to.x[2] == filled.x[2]);
}

static void other_numbers_are_refused(void **state)
{
    (void)state;
    const double bad[] = {0.0, 6.0, 2.5, -1.0, (double)NAN, 1e300};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        thing to = filled;
        const double numbers[] = {1, 2, 3, bad[k], 5, 6};
        tw_visit v = tw_visit_restore(numbers, 6);
        visit(&to, &v);
        assert_false(v.sound || tw_visit_is_whole(&v));
        assert_true(to.x[0] == 1.0 && to.done == 4 && to.y == 7.25 && to.of == filled.of);
    }
}

/* Too few are not read beyond their end, and too many are not the whole. */
static void the_count_must_fit(void **state)
{
    (void)state;
    const double numbers[] = {1, 2, 3, 4, 5, 6, 7};
    for (size_t count = 0; count <= 7; count++) {
        thing to = filled;
        tw_visit v = tw_visit_restore(numbers, count);
        visit(&to, &v);
        assert_true(tw_visit_is_whole(&v) == (count == 6));
        assert_true(v.sound == (count >= 6));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_comes_back),
        cmocka_unit_test(other_numbers_are_refused),
        cmocka_unit_test(the_count_must_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
