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
    char found[256] = "";
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_replaced_only_when_asked),
        cmocka_unit_test(an_abandoned_file_leaves_nothing),
        cmocka_unit_test(a_full_disk_costs_nothing),
        cmocka_unit_test(a_link_keeps_pointing),
        cmocka_unit_test(places_that_cannot_be_written_are_named),
        cmocka_unit_test(csv_numbers_read_back),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
