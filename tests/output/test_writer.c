/* Files are written completely or not at all; the files they replace survive every failure. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/support.h"
#include "talweg/files.h"

static char directory[512];

static const char *path_of(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static int make_directory(void **state)
{
    (void)state;
    const char *root = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%.400s/talweg-writer-XXXXXX", root ? root : P_tmpdir);
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    struct dirent *entry;
    DIR *listing = opendir(directory);
    while (listing && (entry = readdir(listing)))
        if (entry->d_name[0] != '.') unlink(path_of(entry->d_name));
    if (listing) closedir(listing);
    return rmdir(directory);
}

static size_t files_in_directory(void)
{
    size_t count = 0;
    struct dirent *entry;
    DIR *listing = opendir(directory);
    assert_non_null(listing);
    while ((entry = readdir(listing))) count += entry->d_name[0] != '.';
    closedir(listing);
    return count;
}

static void assert_holds(const char *name, const char *expected)
{
    char found[512] = "";
    FILE *file = fopen(path_of(name), "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, expected);
}

static tw_status write_text(tw_context *ctx, const char *name, const char *text, bool overwrite)
{
    tw_writer *writer = NULL;
    tw_status status = tw_writer_open(ctx, path_of(name), overwrite, &writer);
    if (status != TW_OK) return status;
    fputs(text, tw_writer_stream(writer));
    return tw_writer_close(writer, TW_OK);
}

static void a_file_is_replaced_only_when_asked(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    assert_int_equal(write_text(ctx, "a", "old\n", false), TW_OK);
    assert_int_equal(write_text(ctx, "a", "new\n", false), TW_FILE_EXISTS);
    assert_non_null(strstr(tw_context_message(ctx), "already exists"));
    assert_int_equal(tw_writer_check(ctx, path_of("a"), false), TW_FILE_EXISTS);
    assert_holds("a", "old\n");
    assert_int_equal(write_text(ctx, "a", "new\n", true), TW_OK);
    assert_holds("a", "new\n");
    assert_int_equal(tw_writer_check(ctx, path_of("b"), false), TW_OK);
    assert_int_equal(files_in_directory(), 1);
    tw_context_free(ctx);
}

static void an_abandoned_file_leaves_nothing(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_writer *writer = NULL;
    assert_int_equal(write_text(ctx, "a", "old\n", true), TW_OK);
    assert_int_equal(tw_writer_open(ctx, path_of("a"), true, &writer), TW_OK);
    fputs("half of the new", tw_writer_stream(writer));
    tw_writer_abandon(writer);
    assert_holds("a", "old\n");
    assert_int_equal(files_in_directory(), 1);
    tw_context_free(ctx);
}

/* A limit on the size of files makes write() fail as a full disk does. */
static void a_full_disk_costs_nothing(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    struct rlimit before, small;
    assert_int_equal(write_text(ctx, "a", "old\n", true), TW_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    small = before;
    small.rlim_cur = 2;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    tw_status status = write_text(ctx, "a", "a longer text\n", true);
    tw_writer *writer = NULL; /* and a disk with room again before the end: the hole must not go unnoticed */
    assert_int_equal(tw_writer_open(ctx, path_of("a"), true, &writer), TW_OK);
    fputs("first", tw_writer_stream(writer));
    fflush(tw_writer_stream(writer));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, TW_WRITE_FAILED);
    fputs("second", tw_writer_stream(writer));
    assert_int_equal(tw_writer_close(writer, TW_OK), TW_WRITE_FAILED);
    assert_non_null(strstr(tw_context_message(ctx), "could not be written completely"));
    assert_holds("a", "old\n");
    assert_int_equal(files_in_directory(), 1);
    tw_context_free(ctx);
}

static void a_link_keeps_pointing(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    struct stat about;
    char target[1024];
    assert_int_equal(write_text(ctx, "a", "old\n", true), TW_OK);
    strcpy(target, path_of("a"));
    assert_int_equal(symlink(target, path_of("link")), 0);
    assert_int_equal(write_text(ctx, "link", "new\n", true), TW_OK);
    assert_int_equal(lstat(path_of("link"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_holds("a", "new\n");
    unlink(path_of("link"));
    tw_context_free(ctx);
}

static mode_t mode_of(const char *name)
{
    struct stat about;
    assert_int_equal(stat(path_of(name), &about), 0);
    return about.st_mode & 07777;
}

/* Neither before nor while nor after it is written can others read what only its owner could; a file that could not
 * be written by anybody is replaced all the same, and a new one is what umask says. */
static void a_file_keeps_its_rights(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    static const mode_t modes[] = {0600, 0640, 0444, 0664};
    mode_t before = umask(022);
    assert_int_equal(write_text(ctx, "rights", "old\n", true), TW_OK);
    assert_int_equal(mode_of("rights"), 0644);
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
        tw_writer *writer = NULL;
        assert_int_equal(chmod(path_of("rights"), modes[k]), 0);
        assert_int_equal(tw_writer_open(ctx, path_of("rights"), true, &writer), TW_OK);
        assert_int_equal(mode_of("rights.talweg.part"), modes[k] | 0600);
        fputs("new\n", tw_writer_stream(writer));
        assert_int_equal(tw_writer_close(writer, TW_OK), TW_OK);
        assert_int_equal(mode_of("rights"), modes[k]);
        assert_holds("rights", "new\n");
    }
    umask(before);
    unlink(path_of("rights"));
    tw_context_free(ctx);
}

/* root may keep the owner; the group it has then may read it. */
static void an_owner_stays_where_that_is_allowed(void **state)
{
    (void)state;
    struct stat about;
    if (geteuid() != 0) skip();
    tw_context *ctx = new_context();
    assert_int_equal(write_text(ctx, "owned", "old\n", true), TW_OK);
    if (chown(path_of("owned"), 12, 34) != 0) skip();
    assert_int_equal(write_text(ctx, "owned", "new\n", true), TW_OK);
    assert_int_equal(stat(path_of("owned"), &about), 0);
    assert_true(about.st_uid == 12 && about.st_gid == 34);
    unlink(path_of("owned"));
    tw_context_free(ctx);
}

/* A link to a file that is not there yet is followed, too, and both names are one file. */
static void an_empty_link_is_followed(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_writer *writer = NULL;
    struct stat about;
    assert_int_equal(symlink("to", path_of("empty")), 0);
    assert_int_equal(tw_writer_open(ctx, path_of("empty"), false, &writer), TW_OK);
    assert_int_equal(write_text(ctx, "to", "other\n", false), TW_WRITE_FAILED);
    fputs("text\n", tw_writer_stream(writer));
    assert_int_equal(tw_writer_close(writer, TW_OK), TW_OK);
    assert_int_equal(lstat(path_of("empty"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_holds("to", "text\n");
    unlink(path_of("empty"));
    unlink(path_of("to"));
    tw_context_free(ctx);
}

/* One at a time, from the check on; what a killed process left is replaced, and nothing is left in the end. */
static void a_file_has_one_writer(void **state)
{
    (void)state;
    tw_context *ctx = new_context(), *other = new_context();
    size_t before = files_in_directory();
    assert_int_equal(tw_writer_hold(ctx, path_of("one"), false), TW_OK);
    assert_int_equal(tw_writer_check(other, path_of("one"), true), TW_WRITE_FAILED);
    assert_non_null(strstr(tw_context_message(other), "another talweg is writing this file"));
    assert_int_equal(write_text(ctx, "one", "mine\n", false), TW_OK);
    assert_int_equal(write_text(other, "one", "other\n", true), TW_WRITE_FAILED);
    assert_holds("one", "mine\n");
    tw_context_free(ctx);
    FILE *left = fopen(path_of("one.talweg.part"), "w");
    assert_non_null(left);
    fputs("of a killed process", left);
    fclose(left);
    left = fopen(path_of(".one.talweg.lock"), "w");
    assert_non_null(left);
    fclose(left);
    assert_int_equal(write_text(other, "one", "other\n", true), TW_OK);
    assert_holds("one", "other\n");
    assert_int_equal(access(path_of(".one.talweg.lock"), F_OK), -1);
    unlink(path_of("one"));
    assert_int_equal(files_in_directory(), before);
    tw_context_free(other);
}

static void places_that_cannot_be_written_are_named(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    assert_int_equal(write_text(ctx, "absent/b", "x", false), TW_WRITE_FAILED);
    assert_non_null(strstr(tw_context_message(ctx), "absent/b: cannot be written: No such file"));
    assert_int_equal(write_text(ctx, ".", "x", true), TW_WRITE_FAILED);
    tw_context_free(ctx);
}

/* Every digit that matters and none that does not; 1e-320 is subnormal. */
static void csv_numbers_read_back(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double numbers[] = {0.1, 1.0 / 3.0, -2.5e300, 1e-320, 3.0};
    const double *const columns[] = {numbers, numbers};
    const char *const names[] = {"a", "b"};
    const tw_csv csv = {5, 2, names, columns, NULL, false};
    assert_int_equal(tw_csv_save(ctx, &csv, path_of("a"), true), TW_OK);
    assert_holds("a", "a,b\n0.1,0.1\n0.3333333333333333,0.3333333333333333\n-2.5e+300,-2.5e+300\n"
                      "9.99988867182683e-321,9.99988867182683e-321\n3,3\n");
    tw_context_free(ctx);
}

/* ---- draws ---- */

static size_t lines_with(const char *name, const char *text)
{
    char line[256];
    size_t count = 0;
    FILE *file = fopen(path_of(name), "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) count += strstr(line, text) != NULL;
    fclose(file);
    return count;
}

/* Five chains: all is well, and each of the four ways to fail. */
static void every_failure_of_a_trajectory_diverges(void **state)
{
    (void)state;
    enum { CHAINS = 5 };
    tw_context *ctx = new_context();
    const double x[CHAINS] = {0.5, 1.5, 2.5, 3.5, 4.5}, log_likelihood[CHAINS] = {0.0};
    const tw_record well = {.log_density = -1.0, .energy = 2.0, .acceptance_rate = 0.75, .steps = 3};
    tw_record records[CHAINS] = {well, well, well, well, well};
    const tw_draw draw = {
        .n = 1, .chains = CHAINS, .x = x, .log_likelihood = log_likelihood, .records = records, .eps = 0.5};
    const tw_stan_settings settings = {
        .n = 1, .chains = CHAINS, .draws = 1, .thin = 1, .data = "d", .method = "hmc", .metric = "ep"};
    tw_stan_csv *csv = NULL;
    records[1].energy_divergence = records[2].implicit_failure = records[3].irreversible =
        records[4].factorisation = true;
    FILE *all = fopen(path_of("draws.csv"), "w");
    assert_non_null(all);
    tw_draws_csv_header(1, all);
    assert_int_equal(tw_draws_csv_add(ctx, &draw, all), TW_OK);
    fclose(all);
    assert_holds(
        "draws.csv",
        "chain,draw,lp,acceptance_rate,step_size,n_steps,diverging,energy,x.1\n1,1,-1,0.75,0.5,3,0,2,0.5\n"
        "2,1,-1,0.75,0.5,3,1,2,1.5\n3,1,-1,0.75,0.5,3,1,2,2.5\n4,1,-1,0.75,0.5,3,1,2,3.5\n5,1,-1,0.75,0.5,3,"
        "1,2,4.5\n");
    assert_int_equal(tw_stan_csv_open(ctx, path_of("stan"), true, &settings, &csv), TW_OK);
    assert_int_equal(tw_stan_csv_add(csv, &draw), TW_OK);
    assert_int_equal(tw_stan_csv_close(csv, 0.0, 0.0), TW_OK);
    for (int c = 1; c <= CHAINS; c++) {
        char name[32], row[64];
        snprintf(name, sizeof name, "stan_%d.csv", c);
        snprintf(row, sizeof row, "-1,0.75,0.5,2,3,%d,2,%d.5\n", c > 1,
                 c - 1); /* a tree of depth 2 has 3 steps */
        assert_int_equal(lines_with(name, row), 1);
    }
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_replaced_only_when_asked),
        cmocka_unit_test(an_abandoned_file_leaves_nothing),
        cmocka_unit_test(a_full_disk_costs_nothing),
        cmocka_unit_test(a_link_keeps_pointing),
        cmocka_unit_test(a_file_keeps_its_rights),
        cmocka_unit_test(an_owner_stays_where_that_is_allowed),
        cmocka_unit_test(an_empty_link_is_followed),
        cmocka_unit_test(a_file_has_one_writer),
        cmocka_unit_test(places_that_cannot_be_written_are_named),
        cmocka_unit_test(csv_numbers_read_back),
        cmocka_unit_test(every_failure_of_a_trajectory_diverges),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
