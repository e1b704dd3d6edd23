/* CSV in all dialects; every value is restored to the bit; wide files; memory. */
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/scratch_file.h"
#include "support/support.h"
#include "talweg/data.h"

/* Files that all hold the matrix 1.5 -2 3; 4 5e3 0.25, with a header or without. */
static const char *const plain_files[] = {
    "1.5,-2,3\n4,5e3,.25\n",
    "1.5,-2,3\n4,5e3,.25",
    "1.5,-2,3\r\n4,5e3,.25\r\n",
    ("\xef\xbb\xbf"
     "1.5,-2,3\n4,5e3,.25\n"),
    "# a comment, with commas\n\n  \t\n1.5,-2,+3\n   # more\n\n4,5e3,.25\n\n\n",
    "  1.5 ,\t-2 ,  3  \n 4,5e3 , .25 \n",
    "1.5;-2;3\n4;5e3;.25\n",
    "1.5\t-2\t3\n4\t5e3\t.25\n",
    "1.5 -2   3\n4 5e3 .25\n",
    "   1.5 \t-2 \t3  \n\t 4\t5e3 \t.25 \r\n",
    "  1.5   -2    3 \n   4   5e3   .25\n",
    "\"1.5\",\"-2\",\"3\"\n\"4\" , \" 5e3 \",\".25\"\n",
    "\"1.5\" \"-2\" \"3\"\n\"4\" \"5e3\" \".25\"\n",
    "1.50000000000000000000000,-2.0,3e0\n0.00000000000000000000004e23,+5E+3,25e-2\n",
};

static const char *const files_with_header[] = {
    "a,b b,\"c,\"\"d\"\"\"\n1.5,-2,3\n4,5e3,.25\n",
    "# first a comment\r\n\r\n a , \"b b\" ,\"c,\"\"d\"\"\"\r\n1.5,-2,3\r\n4,5e3,.25\r\n",
    "a;b b;c,\"d\"\n1.5;-2;3\n4;5e3;.25\n",
    "a\tb b\tc,\"d\"\n1.5\t-2\t3\n4\t5e3\t.25",
    "a \"b b\" \"c,\"\"d\"\"\"\n1.5 -2 3\n4 5e3 .25\n",
    ("\xef\xbb\xbf"
     "\"a\",\"b b\",\"c,\"\"d\"\"\"\n\"1.5\",-2,3\n4,\"5e3\",.25"),
};

static tw_table *read_text(tw_context *ctx, const char *text)
{
    tw_table *table = NULL;
    scratch_file file = scratch_write_text(".csv", text);
    tw_status status = tw_table_read(ctx, file.path, &table);
    scratch_remove(&file);
    if (status != TW_OK) fail_msg("%s\nin\n%s", tw_context_message(ctx), text);
    return table;
}

static void assert_the_matrix(const tw_table *table)
{
    static const double expected[] = {1.5, 4, -2, 5000, 3, 0.25};
    assert_int_equal(table->rows, 2);
    assert_int_equal(table->columns, 3);
    assert_memory_equal(table->values, expected, sizeof expected);
}

static void every_dialect_gives_the_same_matrix(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    for (size_t i = 0; i < sizeof plain_files / sizeof *plain_files; i++) {
        tw_table *table = read_text(ctx, plain_files[i]);
        assert_the_matrix(table);
        assert_null(table->names);
        tw_table_free(table);
    }
    for (size_t i = 0; i < sizeof files_with_header / sizeof *files_with_header; i++) {
        tw_table *table = read_text(ctx, files_with_header[i]);
        assert_the_matrix(table);
        assert_string_equal(table->names[0], "a");
        assert_string_equal(table->names[1], "b b");
        assert_string_equal(table->names[2], "c,\"d\"");
        tw_table_free(table);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void one_column_needs_no_separator(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_table *table = read_text(ctx, "event time\n1851.25\n 1852\n");
    assert_int_equal(table->rows, 2);
    assert_int_equal(table->columns, 1);
    assert_string_equal(table->names[0], "event time");
    assert_true(table->values[0] == 1851.25 && table->values[1] == 1852);
    tw_table_free(table);
    table = read_text(ctx, "7");
    assert_true(table->rows == 1 && table->columns == 1 && table->values[0] == 7);
    tw_table_free(table);
    tw_context_free(ctx);
}

static void keep_text(void *user, tw_log_level level, const char *text)
{
    snprintf(user, 256, "%d:%s", (int)level, text);
}

static void a_header_with_numbers_in_it_is_doubted(void **state)
{
    (void)state;
    char seen[256] = "";
    tw_context *ctx = new_context();
    tw_context_set_log(ctx, keep_text, seen);
    tw_table *table = read_text(ctx, "1,2x,3\n4,5,6\n");
    assert_int_equal(table->rows, 1);
    tw_table_free(table);
    assert_non_null(strstr(seen, "1:line 1 is read as the header because \"2x\" is not a number"));
    seen[0] = '\0';
    tw_table_free(read_text(ctx, "a,b\n4,5\n"));
    assert_string_equal(seen, "");
    tw_context_free(ctx);
}

/* A random finite double: any bit pattern, or an ordinary size, or a whole number. */
static double random_double(uint64_t *stream)
{
    uint64_t bits = scratch_bits(stream), kind = scratch_bits(stream) % 3;
    double value;
    if (kind == 0) return (double)(bits % 2001) - 1000;
    if (kind == 1) return (double)(int64_t)bits * 0x1p-60;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : -0.0;
}

static void random_tables_return_bit_by_bit(void **state)
{
    (void)state;
    static const char *const separators[] = {",", ";", "\t", " ", " , "};
    uint64_t stream = 3;
    tw_context *ctx = new_context();
    static char text[64 * 1024];
    static double values[40 * 20];
    for (int round = 0; round < 200; round++) {
        size_t rows = 1 + scratch_bits(&stream) % 40, columns = 1 + scratch_bits(&stream) % 20, length = 0;
        const char *separator = separators[scratch_bits(&stream) % 5];
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++) {
                double value = values[i + j * rows] = random_double(&stream);
                length +=
                    (size_t)sprintf(text + length, "%.17g%s", value, j + 1 < columns ? separator : "\n");
            }
        tw_table *table = read_text(ctx, text);
        assert_int_equal(table->rows, rows);
        assert_int_equal(table->columns, columns);
        assert_memory_equal(table->values, values, rows * columns * sizeof(double));
        tw_table_free(table);
    }
    tw_context_free(ctx);
}

/* A locale that writes 1,5: one of the system's, or German made on the spot. False where neither is. */
static bool set_comma_locale(char *folder, size_t bytes)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8", "pt_BR.UTF-8"};
    const char *parent = getenv("TMPDIR");
    char command[1200];
    folder[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i])) return true;
    snprintf(folder, bytes, "%s/talweg_locale_XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder)) {
        folder[0] = '\0';
        return false;
    }
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", folder);
    if (system(command) != 0) return false;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

/* 1e-30 and 25 digits take the way through strtod, which does look at the locale. */
static void the_locale_does_not_matter(void **state)
{
    (void)state;
    char folder[1024], written[16], command[1100];
    bool there = set_comma_locale(folder, sizeof folder);
    snprintf(written, sizeof written, "%.1f", 1.5);
    tw_context *ctx = new_context();
    tw_table *table = read_text(ctx, "1.5,1.5e-30\n2.500000000000000000000000,0.1\n");
    setlocale(LC_ALL, "C");
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (folder[0]) assert_int_equal(system(command), 0);
    static const double expected[] = {1.5, 2.5, 1.5e-30, 0.1};
    assert_memory_equal(table->values, expected, sizeof expected);
    tw_table_free(table);
    tw_context_free(ctx);
    if (!there) {
        print_message("skipped: there is no locale with a decimal comma\n");
        skip();
    }
    assert_string_equal(written, "1,5");
}

static void a_million_columns_work_or_say_what_they_need(void **state)
{
    (void)state;
    enum { COLUMNS = 1000000 };
    char *text = malloc(2 * COLUMNS);
    assert_non_null(text);
    for (size_t j = 0; j < COLUMNS; j++) memcpy(text + 2 * j, "7,", 2);
    text[2 * COLUMNS - 1] = '\n';
    scratch_file file = scratch_write(".csv", text, 2 * COLUMNS);
    free(text);
    tw_context *ctx = new_context();
    tw_table *table = NULL;
    assert_int_equal(tw_table_read(ctx, file.path, &table), TW_OK);
    assert_true(table->rows == 1 && table->columns == COLUMNS && table->values[COLUMNS - 1] == 7);
    tw_table_free(table);
    tw_context_set_byte_limit(ctx, 4000000);
    assert_int_equal(tw_table_read(ctx, file.path, &table), TW_NO_MEMORY);
    assert_null(table);
    assert_non_null(strstr(tw_context_message(ctx),
                           "not enough memory for a table of 1 rows and 1000000 columns: it needs 8.0 MB"));
    scratch_remove(&file);
    tw_context_free(ctx);
}

/* One wide line and many short ones: the table that they seem to ask for has 4 GB. */
static void a_ragged_file_does_not_ask_for_memory_it_cannot_fill(void **state)
{
    (void)state;
    enum { COLUMNS = 20000, ROWS = 25000 };
    char *text = malloc(2 * COLUMNS + 2 * ROWS);
    assert_non_null(text);
    for (size_t j = 0; j < COLUMNS; j++) memcpy(text + 2 * j, "7,", 2);
    text[2 * COLUMNS - 1] = '\n';
    for (size_t i = 0; i < ROWS; i++) memcpy(text + 2 * COLUMNS + 2 * i, "1\n", 2);
    scratch_file file = scratch_write(".csv", text, 2 * COLUMNS + 2 * ROWS);
    free(text);
    tw_context *ctx = new_context();
    tw_table *table = NULL;
    assert_int_equal(tw_table_read(ctx, file.path, &table), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "line 2: expected 20000 fields"));
    assert_true(tw_context_bytes_peak(ctx) < 1000000);
    scratch_remove(&file);
    tw_context_free(ctx);
}

/* The peak is the file, one table and the line of each row, and tw_data_read adds no more than the labels. */
static void memory_stays_at_file_plus_table(void **state)
{
    (void)state;
    enum { ROWS = 5000, COLUMNS = 20, NUMBER = 10 };
    size_t bytes = ROWS * COLUMNS * NUMBER, length = 0;
    char *text = malloc(bytes + 1);
    assert_non_null(text);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        length += (size_t)sprintf(text + length, "%9.6f%c", (double)(i % 997) / 997,
                                  i % COLUMNS + 1 < COLUMNS ? ',' : '\n');
    scratch_file file = scratch_write(".csv", text, length);
    free(text);
    tw_context *ctx = new_context();
    tw_data *data = NULL;
    assert_int_equal(tw_data_read(ctx, file.path, "1", &data), TW_OK);
    assert_true(data->n == ROWS && data->d == COLUMNS - 1);
    assert_true(tw_context_bytes_peak(ctx) <
                length + ROWS * COLUMNS * sizeof(double) + ROWS * sizeof(size_t) + 2000);
    tw_data_free(data);
    scratch_remove(&file);
    tw_context_free(ctx);
}

static void a_pipe_is_read_to_its_end(void **state)
{
    (void)state;
    int ends[2];
    char path[64];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "a,b\n1,2\n", 8), 8);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    tw_context *ctx = new_context();
    tw_table *table = NULL;
    tw_status status = tw_table_read(ctx, path, &table);
    close(ends[0]);
    if (status == TW_OK) assert_true(table->rows == 1 && table->columns == 2 && table->values[1] == 2);
    if (status != TW_OK) assert_int_equal(status, TW_BAD_FILE); /* a system without /dev/fd */
    tw_table_free(table);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dialect_gives_the_same_matrix),
        cmocka_unit_test(one_column_needs_no_separator),
        cmocka_unit_test(a_header_with_numbers_in_it_is_doubted),
        cmocka_unit_test(random_tables_return_bit_by_bit),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(a_million_columns_work_or_say_what_they_need),
        cmocka_unit_test(a_ragged_file_does_not_ask_for_memory_it_cannot_fill),
        cmocka_unit_test(memory_stays_at_file_plus_table),
        cmocka_unit_test(a_pipe_is_read_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
