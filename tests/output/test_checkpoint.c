/* Checkpoints: the contents are restored to the bit; truncated, changed or other files are refused; the
 * previous file survives a failure. */
#include "talweg/files.h"

#include <stdio.h>
#include <string.h>

#include "support/scratch_folder.h"
#include "support/support.h"

enum { NUMBERS = 1000 };

static void fill(tw_checkpoint *c)
{
    double numbers[NUMBERS];
    for (size_t i = 0; i < NUMBERS; i++) numbers[i] = 1.0 / (double)(i + 1);
    assert_int_equal(tw_checkpoint_put(c, "text", 6, "hello"), TW_OK);
    assert_int_equal(tw_checkpoint_put(c, "nothing", 0, NULL), TW_OK);
    assert_int_equal(tw_checkpoint_put(c, "numbers", 3, "old"), TW_OK);
    assert_int_equal(tw_checkpoint_put(c, "numbers", sizeof numbers, numbers), TW_OK);
}

static void what_was_put_comes_back(void **state)
{
    (void)state;
    scratch_folder folder = scratch_folder_new();
    tw_context *ctx = new_context();
    tw_checkpoint *c = NULL, *again = NULL;
    size_t bytes = 1;
    assert_int_equal(tw_checkpoint_new(ctx, &c), TW_OK);
    fill(c);
    for (int twice = 0; twice < 2; twice++)
        assert_int_equal(tw_checkpoint_save(c, scratch_path(&folder, "a")), TW_OK);
    assert_int_equal(scratch_count(&folder), 1);
    assert_int_equal(tw_checkpoint_load(ctx, scratch_path(&folder, "a"), &again), TW_OK);
    assert_string_equal(tw_checkpoint_get(again, "text", &bytes), "hello");
    assert_int_equal(bytes, 6);
    const double *numbers = tw_checkpoint_get(again, "numbers", &bytes);
    assert_int_equal(bytes, NUMBERS * sizeof *numbers);
    for (size_t i = 0; i < NUMBERS; i++) assert_true(numbers[i] == 1.0 / (double)(i + 1));
    assert_non_null(tw_checkpoint_get(again, "nothing", &bytes));
    assert_int_equal(bytes, 0);
    assert_null(tw_checkpoint_get(again, "absent", &bytes));
    tw_checkpoint_free(again);
    tw_checkpoint_free(c);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    scratch_folder_remove(&folder);
}

static size_t read_file(const char *path, char *bytes, size_t most)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(bytes, 1, most, file);
    fclose(file);
    return length;
}

static void write_file(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static void assert_refused(tw_context *ctx, const char *path, const char *words)
{
    tw_checkpoint *c = NULL;
    assert_int_equal(tw_checkpoint_load(ctx, path, &c), TW_BAD_DATA);
    assert_null(c);
    assert_non_null(strstr(tw_context_message(ctx), words));
    assert_non_null(strstr(tw_context_message(ctx), path));
}

/* Cut anywhere, or with one bit changed anywhere (every 97th byte of it is tried), it is not taken. */
static void damage_is_noticed(void **state)
{
    (void)state;
    static char bytes[20000];
    scratch_folder folder = scratch_folder_new();
    tw_context *ctx = new_context();
    tw_checkpoint *c = NULL;
    assert_int_equal(tw_checkpoint_new(ctx, &c), TW_OK);
    fill(c);
    const char *path = scratch_path(&folder, "a");
    assert_int_equal(tw_checkpoint_save(c, path), TW_OK);
    tw_checkpoint_free(c);
    size_t length = read_file(path, bytes, sizeof bytes);
    assert_true(length > NUMBERS * sizeof(double) && length < sizeof bytes);
    for (size_t cut = 0; cut < length; cut += 97) {
        write_file(path, bytes, cut);
        assert_refused(ctx, path, "checkpoint");
    }
    for (size_t i = 0; i < length; i += 97) {
        bytes[i] = (char)(bytes[i] ^ 16);
        write_file(path, bytes, length);
        assert_refused(ctx, path, "checkpoint");
        bytes[i] = (char)(bytes[i] ^ 16);
    }
    write_file(path, "a,b,y\n1,2,1\n", 12);
    assert_refused(ctx, path, "this is not a talweg checkpoint");
    assert_int_equal(tw_checkpoint_load(ctx, scratch_path(&folder, "absent"), &c), TW_BAD_FILE);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    scratch_folder_remove(&folder);
}

static void there_is_an_end_to_blocks(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_checkpoint *c = NULL;
    char name[TW_CHECKPOINT_NAME_BYTES + 1];
    tw_status status = TW_OK;
    assert_int_equal(tw_checkpoint_new(ctx, &c), TW_OK);
    for (size_t k = 0; status == TW_OK && k < 1000; k++) {
        snprintf(name, sizeof name, "%zu", k);
        status = tw_checkpoint_put(c, name, 4, "abc");
    }
    assert_int_equal(status, TW_BAD_ARGUMENT);
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(tw_checkpoint_put(c, name, 4, "abc"), TW_BAD_ARGUMENT);
    tw_checkpoint_free(c);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_put_comes_back),
                                       cmocka_unit_test(damage_is_noticed),
                                       cmocka_unit_test(there_is_an_end_to_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
