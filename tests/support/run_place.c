/* run_place.c: interrupted and damaged runs; see run_place.h. */
#include "support/run_place.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/support.h"

static void keep_words(void *user, tw_log_level level, const char *text)
{
    run_place *p = user;
    (void)level;
    snprintf(p->said, sizeof p->said, "%s", text);
}

void run_place_open(run_place *p)
{
    *p = (run_place){.ctx = new_context(), .folder = scratch_folder_new()};
    assert_int_equal(run_problem_new(p->ctx, RUN_KERNEL, &p->problem), TW_OK);
    snprintf(p->run, sizeof p->run, "%s", scratch_path(&p->folder, "run.nc"));
    snprintf(p->journal, sizeof p->journal, "%s", scratch_path(&p->folder, "run.nc.journal"));
    tw_context_set_log(p->ctx, keep_words, p);
}

void run_place_close(run_place *p)
{
    tw_problem_free(p->problem);
    assert_int_equal(tw_context_bytes_in_use(p->ctx), 0);
    tw_context_free(p->ctx);
    scratch_folder_remove(&p->folder);
}

char *run_read_bytes(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*length);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

void run_write_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

void run_leave_journal(run_place *p, const tw_run_options *options, size_t draws)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tw_run_writer *writer = NULL;
        if (run_begin(p->ctx, p->run, options, p->problem, draws, &writer) != TW_OK) _exit(1);
        raise(SIGKILL);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how));
}

void assert_run_opens(run_place *p, size_t draws)
{
    tw_run *run = NULL;
    run_draw last;
    double x[RUN_N];
    if (tw_run_open(p->ctx, p->run, &run) != TW_OK) fail_msg("%s", tw_context_message(p->ctx));
    assert_int_equal(tw_run_describe(run)->draws, draws);
    run_draw_make(p->problem, draws - 1, &last);
    assert_int_equal(tw_run_read_draws(run, RUN_CHAINS - 1, draws - 1, 1, x), TW_OK);
    assert_memory_equal(x, last.x + RUN_N * (RUN_CHAINS - 1), sizeof x);
    tw_run_close(run);
    assert_int_equal(access(p->journal, F_OK), -1);
}

void assert_run_refused(run_place *p, tw_status expected, const char *words)
{
    tw_run *run = NULL;
    tw_status status = tw_run_open(p->ctx, p->run, &run);
    if (status != expected || !strstr(tw_context_message(p->ctx), words))
        fail_msg("%d, \"%s\" does not say \"%s\"", (int)status, tw_context_message(p->ctx), words);
    assert_null(run);
}
