/* Readers under faults: the n-th allocation fails, for every n; bytes are changed, removed and doubled. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/npy_file.h"
#include "support/scratch_file.h"
#include "support/support.h"
#include "talweg/data.h"

typedef struct sample_file {
    const char *ending;
    unsigned char bytes[512];
    size_t length;
} sample_file;

enum { TEXTS = 6, SAMPLES = TEXTS + 3 };

/* A valid file of each kind. */
static void make_samples(sample_file *samples)
{
    static const char *const texts[][2] = {
        {".csv",
         "id,\"size, in \"\"m\"\"\",label\n1,-2.5e-3,0\n# note\n2,\"3.5\",1\r\n3,1.2345678901234567,1"},
        {".csv", "1;2.5;3\n4;5e-30;6\n\n7;8;9\n"},
        {".tsv", "\xef\xbb\xbf"
                 "a\tb\n1\t2\n 3 \t 4\n5\t6\n"},
        {".txt", "0.1  0.2   0.3\n 12345678901234567890 1e300  2\n"},
        {".libsvm", "# head\n+1 1:0.5 3:-2e5 7:1 # tail\n-1 2:0.25\n1\n-1 1:1 2:2 3:3\n"},
        {".csv", ",sex,y\n1,M,yes\n2,F,no\n3,M,no\n"},
    };
    static const char compressed[] = /* "a,b\n1,2\n" and "3,4\n" */
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\xd4\x49\xe2\x32\xd4\x31\xe2\x02\x00\x7b\x07\x97\x0a\x08"
        "\x00\x00\x00\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x33\xd6\x31\xe1\x02\x00\x3e\x2d\x72\xa9\x04\x00"
        "\x00\x00";
    for (size_t i = 0; i < TEXTS; i++) {
        samples[i].ending = texts[i][0];
        samples[i].length = strlen(texts[i][1]);
        memcpy(samples[i].bytes, texts[i][1], samples[i].length);
    }
    samples[SAMPLES - 1].ending = ".csv.gz";
    samples[SAMPLES - 1].length = sizeof compressed - 1;
    memcpy(samples[SAMPLES - 1].bytes, compressed, sizeof compressed - 1);
    const double numbers[6] = {1, -2.5, 3e10, 4, 5, 0};
    for (int version = 1; version <= 2; version++) {
        sample_file *sample = &samples[TEXTS - 1 + version];
        sample->ending = ".npy";
        sample->length =
            npy_header(sample->bytes, version, "'<f8'", version == 1 ? "False" : "True", "(3, 2)");
        memcpy(sample->bytes + sample->length, numbers, sizeof numbers);
        sample->length += sizeof numbers;
    }
}

/* Read, take labels off and standardise: everything that allocates. */
static tw_status use_file(tw_context *ctx, const char *path)
{
    tw_data *data = NULL, *copy = NULL;
    tw_scaling *scaling = NULL;
    tw_status status = tw_data_read(ctx, path, NULL, &data);
    if (status == TW_OK) status = tw_data_new(ctx, data->n, data->d, data->x, data->n, data->y, &copy);
    if (status == TW_OK) status = tw_scaling_fit(copy, &scaling);
    if (status == TW_OK) status = tw_scaling_apply(scaling, copy);
    tw_scaling_free(scaling);
    tw_data_free(copy);
    tw_data_free(data);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static sample_file samples[SAMPLES];
    make_samples(samples);
    for (size_t s = 0; s < SAMPLES; s++) {
        scratch_file file = scratch_write(samples[s].ending, samples[s].bytes, samples[s].length);
        tw_status status = TW_NO_MEMORY;
        size_t fail_at = 0;
        while (status == TW_NO_MEMORY) {
            failing_allocator allocator = {.fail_at = ++fail_at};
            tw_context *ctx = failing_context(&allocator);
            status = use_file(ctx, file.path);
            assert_int_equal(tw_context_bytes_in_use(ctx), 0);
            assert_true(status == TW_NO_MEMORY || allocator.calls < fail_at);
            if (status != TW_OK) assert_non_null(strstr(tw_context_message(ctx), "memory"));
            tw_context_free(ctx);
        }
        assert_int_equal(status, TW_OK);
        assert_true(fail_at > 10);
        scratch_remove(&file);
    }
}

/* A pipe that somebody fills for ever, and its name. */
static pid_t open_endless(int *reader, char path[32])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static const char zeros[1 << 16] = {0};
        close(ends[0]);
        while (write(ends[1], zeros, sizeof zeros) > 0) {
        }
        _exit(0);
    }
    close(ends[1]);
    *reader = ends[0];
    snprintf(path, 32, "/dev/fd/%d", ends[0]);
    return child;
}

static void a_growing_buffer_may_fail_too(void **state)
{
    (void)state;
    for (size_t fail_at = 1; fail_at < 10; fail_at++) {
        failing_allocator allocator = {.fail_at = fail_at};
        tw_context *ctx = failing_context(&allocator);
        tw_table *table = NULL;
        char path[32];
        int reader = -1;
        pid_t child = open_endless(&reader, path);
        tw_context_set_byte_limit(ctx, 3000000);
        assert_int_equal(tw_table_read(ctx, path, &table), TW_NO_MEMORY);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
        close(reader);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
}

/* Change a few bytes, cut, or double a piece. */
static size_t mutate(uint64_t *stream, unsigned char *bytes, size_t length)
{
    static const char likely[] = "0123456789.,;:\t \n\r\"#eE+-()'nai\xff\x80";
    uint64_t kind = scratch_bits(stream) % 8;
    if (kind == 0) return scratch_bits(stream) % (length + 1);
    if (kind == 1) {
        size_t from = scratch_bits(stream) % length, piece = scratch_bits(stream) % (length - from) + 1;
        memmove(bytes + from + piece, bytes + from, length - from);
        return length + piece;
    }
    for (uint64_t changes = 1 + scratch_bits(stream) % 4; changes > 0; changes--) {
        size_t at = scratch_bits(stream) % length;
        uint64_t bits = scratch_bits(stream);
        if (kind < 5)
            bytes[at] = (unsigned char)likely[bits % (sizeof likely - 1)];
        else
            bytes[at] ^= (unsigned char)(1u << bits % 8);
    }
    return length;
}

static void broken_files_never_crash_and_always_have_words(void **state)
{
    (void)state;
    static sample_file samples[SAMPLES];
    make_samples(samples);
    uint64_t stream = 4;
    tw_context *ctx = new_context();
    tw_context_set_byte_limit(ctx, 10000000);
    for (size_t s = 0; s < SAMPLES; s++) {
        scratch_file file = scratch_write(samples[s].ending, "", 0);
        size_t read = 0, refused = 0;
        for (int round = 0; round < 800; round++) {
            unsigned char bytes[1024];
            memcpy(bytes, samples[s].bytes, samples[s].length);
            size_t length = mutate(&stream, bytes, samples[s].length);
            scratch_overwrite(&file, bytes, length);
            tw_status status = use_file(ctx, file.path);
            assert_true(status == TW_OK || status == TW_BAD_DATA || status == TW_NO_MEMORY);
            if (status != TW_OK) assert_true(strlen(tw_context_message(ctx)) > strlen("is empty"));
            assert_int_equal(tw_context_bytes_in_use(ctx), 0);
            *(status == TW_OK ? &read : &refused) += 1;
        }
        assert_true(refused > 0 && (read > 0 || s == SAMPLES - 1)); /* gzip finds every change */
        scratch_remove(&file);
    }
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_growing_buffer_may_fail_too),
        cmocka_unit_test(broken_files_never_crash_and_always_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
