/* Items divided among the members of a team: every member gets all results, and a failure of one is a failure
 * of all. */
#include "base/team.h"

#include <stdio.h>
#include <string.h>

#include "support/support.h"
#include "support/thread_team.h"

enum { ITEMS = 7, NUMBERS = 100 };

typedef struct job {
    size_t bad; /* the item that fails; ITEMS: none does */
    tw_status status[MOST_MEMBERS];
    double result[MOST_MEMBERS][2][ITEMS];
    char message[MOST_MEMBERS][200];
} job;

typedef struct member {
    tw_context *ctx;
    size_t bad;
    double *square, *cube;
    bool alone;
} member;

static tw_status compute(void *user, size_t item)
{
    member *m = user;
    double x = (double)item;
    m->alone = m->alone && !tw_context_team(m->ctx);
    m->square[item] = x * x;
    m->cube[item] = x * x * x;
    return item == m->bad ? tw_fail(m->ctx, TW_BAD_DATA, "item %zu is bad", item) : TW_OK;
}

static void work(void *user, const tw_team *team)
{
    job *j = user;
    size_t r = team->rank;
    tw_context *ctx = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) return;
    member m = {ctx, j->bad, j->result[r][0], j->result[r][1], true};
    void *arrays[] = {m.square, m.cube};
    j->status[r] = tw_context_set_team(ctx, team);
    if (j->status[r] == TW_OK)
        j->status[r] =
            tw_team_compute(ctx, ITEMS, compute, &m, (tw_shared_arrays){2, sizeof(double), arrays});
    if (!m.alone || tw_context_team(ctx) != team) j->status[r] = TW_BAD_ARGUMENT;
    snprintf(j->message[r], sizeof j->message[r], "%s", tw_context_message(ctx));
    tw_context_free(ctx);
}

static void everybody_has_all_items(void **state)
{
    (void)state;
    for (size_t size = 1; size <= MOST_MEMBERS; size++) {
        job j = {.bad = ITEMS};
        run_team(size, work, &j);
        for (size_t r = 0; r < size; r++) {
            assert_int_equal(j.status[r], TW_OK);
            for (size_t k = 0; k < ITEMS; k++)
                assert_true(j.result[r][0][k] == (double)(k * k) && j.result[r][1][k] == (double)(k * k * k));
        }
    }
}

static void a_failure_is_everybodys(void **state)
{
    (void)state;
    for (size_t bad = 0; bad < ITEMS; bad++) {
        job j = {.bad = bad};
        run_team(3, work, &j);
        for (size_t r = 0; r < 3; r++) {
            assert_int_not_equal(j.status[r], TW_OK);
            assert_non_null(strstr(j.message[r], "is bad"));
        }
    }
}

/* What a member says that all must have in common. */
typedef struct claim {
    uint64_t digest[MOST_MEMBERS];
    tw_status status[MOST_MEMBERS];
    char message[MOST_MEMBERS][200];
} claim;

static void claims(void *user, const tw_team *team)
{
    claim *c = user;
    size_t r = team->rank;
    tw_context *ctx = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) return;
    c->status[r] = tw_context_set_team(ctx, team);
    if (c->status[r] == TW_OK) c->status[r] = tw_team_agree(ctx, c->digest[r], "data");
    snprintf(c->message[r], sizeof c->message[r], "%s", tw_context_message(ctx));
    tw_context_free(ctx);
}

static void members_must_have_the_same(void **state)
{
    (void)state;
    const uint64_t common = UINT64_C(0xfedcba9876543210);
    for (size_t bit = 0; bit <= 64; bit++) { /* 64: all have the same */
        claim c = {.digest = {common, common, common}};
        if (bit < 64) c.digest[1] ^= UINT64_C(1) << bit;
        run_team(3, claims, &c);
        for (size_t r = 0; r < 3; r++) {
            assert_int_equal(c.status[r], bit < 64 ? TW_BAD_ARGUMENT : TW_OK);
            if (bit < 64) assert_non_null(strstr(c.message[r], "data of rank 1 differ"));
        }
    }
}

/* What the members add up, and where the first that answers yes is heard by all. */
typedef struct sums {
    tw_status status[MOST_MEMBERS];
    double number[MOST_MEMBERS][NUMBERS];
    bool none[MOST_MEMBERS], one[MOST_MEMBERS];
} sums;

static void add(void *user, const tw_team *team)
{
    sums *s = user;
    size_t r = team->rank;
    tw_context *ctx = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) return;
    s->status[r] = tw_context_set_team(ctx, team);
    for (size_t k = 0; k < NUMBERS; k++) s->number[r][k] = (double)((k + 1) << (8 * r));
    tw_team_add(ctx, NUMBERS, s->number[r]);
    s->none[r] = tw_team_any(ctx, false);
    s->one[r] = tw_team_any(ctx, r == 0);
    tw_context_free(ctx);
}

static void numbers_add_up(void **state)
{
    (void)state;
    for (size_t size = 1; size <= MOST_MEMBERS; size++) {
        static sums s;
        run_team(size, add, &s);
        for (size_t r = 0; r < size; r++) {
            assert_int_equal(s.status[r], TW_OK);
            assert_true(s.one[r] && !s.none[r]);
            for (size_t k = 0; k < NUMBERS; k++) {
                size_t sum = 0;
                for (size_t i = 0; i < size; i++) sum += (k + 1) << (8 * i);
                assert_true(s.number[r][k] == (double)sum);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_has_all_items),
        cmocka_unit_test(a_failure_is_everybodys),
        cmocka_unit_test(members_must_have_the_same),
        cmocka_unit_test(numbers_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
