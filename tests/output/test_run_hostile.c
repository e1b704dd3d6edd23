/* Malicious run files and journals: whatever they contain, they are read or refused. tests/fuzz/ looks for
 * more of them. */
#include <math.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/journal/frame.h"
#include "output/run/file.h"
#include "support/run_place.h"
#include "support/support.h"

/* ---- journals ---- */

static void mend_checksum(char *frame)
{
    uint64_t head[TW_FRAME_WORDS];
    memcpy(head, frame, sizeof head);
    head[TW_FRAME_CHECKSUM] =
        tw_checksum(TW_CHECKSUM_START, head[TW_FRAME_LENGTH] / sizeof *head, frame + sizeof head);
    memcpy(frame, head, sizeof head);
}

/* 2^29 chains of 2^32 - 7 latents are draws of 2^64 bytes, and their head of 48. */
static void a_journal_of_more_numbers_than_can_be_counted_is_none(void **state)
{
    (void)state;
    run_place p;
    size_t length = 0;
    tw_journal_settings settings;
    run_place_open(&p);
    run_leave_journal(&p, NULL, 3);
    char *bytes = run_read_bytes(p.journal, &length), *at = bytes + TW_FRAME_WORDS * sizeof(uint64_t);
    memcpy(&settings, at, sizeof settings);
    settings.chains = UINT64_C(1) << 29;
    settings.n = (UINT64_C(1) << 32) - 7;
    memcpy(at, &settings, sizeof settings);
    mend_checksum(bytes);
    run_write_bytes(p.journal, bytes, length);
    assert_run_refused(&p, TW_BAD_DATA, "run.nc.journal is not the journal of a run");
    assert_int_equal(access(p.journal, F_OK), 0);
    free(bytes);
    run_place_close(&p);
}

/* Change a byte of draw `damaged` out of five. */
static void damage_draw(run_place *p, size_t damaged)
{
    size_t length = 0;
    uint64_t image = 0;
    const tw_journal_settings settings = {.n = RUN_N, .chains = RUN_CHAINS};
    run_leave_journal(p, NULL, 5);
    char *bytes = run_read_bytes(p->journal, &length);
    memcpy(&image, bytes + TW_FRAME_LENGTH * sizeof image, sizeof image);
    size_t first = TW_FRAME_WORDS * sizeof image + (size_t)image;
    assert_int_equal(length, first + 5 * tw_draw_stride(&settings));
    bytes[first + damaged * tw_draw_stride(&settings) + 100] ^= 1;
    run_write_bytes(p->journal, bytes, length);
    free(bytes);
}

/* A journal that cannot be read from its first draw on stays; what one loses further on is said. */
static void draws_behind_damage_are_not_lost_in_silence(void **state)
{
    (void)state;
    run_place p;
    run_place_open(&p);
    damage_draw(&p, 0);
    assert_run_refused(&p, TW_BAD_DATA, "run.nc.journal: the journal is damaged at its first draw");
    assert_int_equal(access(p.journal, F_OK), 0);
    unlink(p.journal);
    damage_draw(&p, 2);
    assert_run_opens(&p, 2);
    if (!strstr(p.said, "is damaged after draw 2")) fail_msg("%s", p.said);
    run_place_close(&p);
}

/* ---- run files ---- */

/* Groups with the variables of draws, of these dimensions (0: unlimited, and empty), in the place of those there. */
static void replace_draws(int file, long long chains, long long draws)
{
    int group = -1, variable = -1, dimensions[3];
    for (int k = 0; k < 2; k++) {
        const char *name = k ? "posterior" : "sample_stats";
        assert_int_equal(nc_inq_ncid(file, name, &group), NC_NOERR);
        assert_int_equal(nc_rename_grp(group, k ? "old" : "older"), NC_NOERR);
        assert_int_equal(nc_def_grp(file, name, &group), NC_NOERR);
        nc_def_dim(group, "chain", (size_t)chains, &dimensions[0]);
        nc_def_dim(group, "draw", (size_t)draws, &dimensions[1]);
        nc_def_dim(group, "obs", RUN_N, &dimensions[2]);
        for (size_t s = 0; s < (k ? 1 : TW_STATISTIC_COUNT); s++) {
            nc_def_var(group, k ? "x" : tw_statistics[s].name, NC_DOUBLE, k ? 3 : 2, dimensions, &variable);
            nc_def_var_chunking(group, variable, NC_CHUNKED, (const size_t[]){1, 1, 1});
        }
    }
    nc_put_att_longlong(file, NC_GLOBAL, "chains", NC_INT64, 1, &chains);
    nc_put_att_longlong(file, NC_GLOBAL, "draws", NC_INT64, 1, &draws);
}

/* A dimension costs nothing: that of no chains, and that of draws whose bytes no number counts. */
static void dimensions_of_any_length_do_no_harm(void **state)
{
    (void)state;
    static const long long counts[][2] = {{0, 3}, {1LL << 31, 1LL << 31}};
    for (size_t k = 0; k < 2; k++) {
        run_place p;
        int file = -1;
        run_place_open(&p);
        assert_int_equal(run_write(p.ctx, p.run, NULL, p.problem, 3), TW_OK);
        assert_int_equal(nc_open(p.run, NC_WRITE, &file), NC_NOERR);
        replace_draws(file, counts[k][0], counts[k][1]);
        assert_int_equal(nc_close(file), NC_NOERR);
        assert_run_refused(&p, TW_BAD_DATA, "latents: the file is damaged");
        run_place_close(&p);
    }
}

/* A number of cases that the data do not have asks for no memory. */
static void a_false_number_of_cases_is_seen_at_the_data(void **state)
{
    (void)state;
    run_place p;
    tw_run *run = NULL;
    tw_problem *problem = NULL;
    int file = -1;
    run_place_open(&p);
    tw_run_facts facts = run_facts(p.problem);
    assert_int_equal(
        tw_run_write_evidence(p.ctx, p.run, false, p.problem, &facts, &(tw_run_evidence){.count = 0}), TW_OK);
    assert_int_equal(nc_open(p.run, NC_WRITE, &file), NC_NOERR);
    nc_put_att_longlong(file, NC_GLOBAL, "n", NC_INT64, 1, &(long long){1LL << 40});
    assert_int_equal(nc_close(file), NC_NOERR);
    assert_int_equal(tw_run_open(p.ctx, p.run, &run), TW_OK);
    assert_int_equal(tw_run_problem(run, &problem), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(p.ctx), "observed_data/y has the wrong dimensions"));
    tw_run_close(run);
    run_place_close(&p);
}

/* Estimates with counts that are none. */
static void counts_in_estimates_are_counts(void **state)
{
    (void)state;
    run_place p;
    tw_run *run = NULL;
    int file = -1, group = -1, variable = -1;
    const double counts[] = {-1.0, NAN, 1e300, 7.0};
    const size_t expected[] = {0, 0, SIZE_MAX, 7};
    tw_run_evidence evidence = {.count = 4};
    for (size_t i = 0; i < 4; i++) evidence.estimates[i].method = "ais";
    run_place_open(&p);
    tw_run_facts facts = run_facts(p.problem);
    assert_int_equal(tw_run_write_evidence(p.ctx, p.run, false, p.problem, &facts, &evidence), TW_OK);
    assert_int_equal(nc_open(p.run, NC_WRITE, &file), NC_NOERR);
    assert_int_equal(nc_inq_ncid(file, "evidence", &group), NC_NOERR);
    assert_int_equal(nc_inq_varid(group, "particles", &variable), NC_NOERR);
    assert_int_equal(nc_rename_var(group, variable, "other"), NC_NOERR);
    int dimension = -1;
    assert_int_equal(nc_inq_dimid(group, "estimate", &dimension), NC_NOERR);
    assert_int_equal(nc_def_var(group, "particles", NC_DOUBLE, 1, &dimension, &variable), NC_NOERR);
    assert_int_equal(nc_put_var_double(group, variable, counts), NC_NOERR);
    assert_int_equal(nc_close(file), NC_NOERR);
    if (tw_run_open(p.ctx, p.run, &run) != TW_OK) fail_msg("%s", tw_context_message(p.ctx));
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(tw_run_read_evidence(run)->estimates[i].particles, expected[i]);
    tw_run_close(run);
    run_place_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_journal_of_more_numbers_than_can_be_counted_is_none),
        cmocka_unit_test(draws_behind_damage_are_not_lost_in_silence),
        cmocka_unit_test(dimensions_of_any_length_do_no_harm),
        cmocka_unit_test(a_false_number_of_cases_is_seen_at_the_data),
        cmocka_unit_test(counts_in_estimates_are_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
