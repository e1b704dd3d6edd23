/* talweg grid in a team: the members divide the rows, and the table is the same to the bit for any number of
 * members. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "support/scratch_file.h"
#include "support/support.h"
#include "support/thread_team.h"

enum { BYTES = 8192 };

typedef struct job {
    const char *data, *output, *method;
    tw_status status[MOST_MEMBERS];
} job;

static void compute(void *user, const tw_team *team)
{
    job *j = user;
    const char *const arguments[] = {j->data,    "--log-ell", "-1:1:3",         "--log-sigma", "0:1.5:5",
                                     "--method", j->method,   "--temperatures", "5",           "--particles",
                                     "8",        "--quiet",   "--force",        "-o",          j->output};
    tw_context *ctx = NULL;
    j->status[team->rank] = tw_context_new(NULL, &ctx);
    if (j->status[team->rank] != TW_OK) return;
    if (team->size > 1) (void)tw_context_set_team(ctx, team);
    j->status[team->rank] =
        tw_command_run(ctx, &tw_command_grid, sizeof arguments / sizeof *arguments, arguments);
    tw_context_free(ctx);
}

static size_t read_back(const char *path, char *text)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, BYTES, file);
    fclose(file);
    return length;
}

/* Five rows: three, four or all of them go to one member, and of eight members some have none. */
static void compare(const char *method)
{
    static const size_t sizes[] = {1, 2, 3, 8};
    static char first[BYTES], other[BYTES];
    size_t length = 0;
    scratch_file data =
        scratch_write_text(".csv", "x,y\n0,1\n0.4,1\n0.9,-1\n1.3,1\n1.8,-1\n2.1,-1\n2.9,-1\n3.3,1\n");
    scratch_file output = scratch_write_text(".csv", "");
    for (size_t k = 0; k < 4; k++) {
        job j = {.data = data.path, .output = output.path, .method = method};
        run_team(sizes[k], compute, &j);
        for (size_t r = 0; r < sizes[k]; r++) assert_int_equal(j.status[r], TW_OK);
        size_t found = read_back(output.path, k ? other : first);
        if (k == 0) length = found;
        assert_true(found > 400 && found < BYTES);
        assert_int_equal(found, length);
        if (k > 0) assert_memory_equal(first, other, length);
    }
    scratch_remove(&data);
    scratch_remove(&output);
}

static void rows_of_ep_are_shared_out(void **state)
{
    (void)state;
    compare("ep");
}

/* A cell draws as if it were alone: were it to share its particles with the team, members in different cells would wait for ever. */
static void rows_of_estimates_are_shared_out(void **state)
{
    (void)state;
    compare("ais");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_ep_are_shared_out),
        cmocka_unit_test(rows_of_estimates_are_shared_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
