/* run_place.h: a folder for runs that are interrupted or damaged, and checks of what remains. */
#ifndef TALWEG_TESTS_RUN_PLACE_H
#define TALWEG_TESTS_RUN_PLACE_H

#include "support/run_case.h"
#include "support/scratch_folder.h"

/* A folder with a problem, for runs named run.nc. */
typedef struct run_place {
    tw_context *ctx;
    tw_problem *problem;
    scratch_folder folder;
    char run[1024], journal[1024];
    char said[2048]; /* the last log message */
} run_place;

void run_place_open(run_place *p);
void run_place_close(run_place *p); /* also checks that the context holds no memory */

/* Read all bytes of a file, for free(); write a file of these bytes. */
char *run_read_bytes(const char *path, size_t *length);
void run_write_bytes(const char *path, const char *bytes, size_t length);

/* Run a process that makes this many draws and is then killed. */
void run_leave_journal(run_place *p, const tw_run_options *options, size_t draws);

/* Check that the run opens with this many draws, that the last is correct, and that the journal is gone. */
void assert_run_opens(run_place *p, size_t draws);

/* Check that the run does not open, and that the message contains these words. */
void assert_run_refused(run_place *p, tw_status expected, const char *words);

#endif
