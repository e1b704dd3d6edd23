/* run_place.h: a folder in which runs come to grief, and what is found there afterwards. */
#ifndef TALWEG_TESTS_RUN_PLACE_H
#define TALWEG_TESTS_RUN_PLACE_H

#include "support/run_case.h"
#include "support/scratch_folder.h"

/* A folder with a problem, for runs called run.nc. */
typedef struct run_place {
    tw_context *ctx;
    tw_problem *problem;
    scratch_folder folder;
    char run[1024], journal[1024];
    char said[2048]; /* what came to the log last */
} run_place;

void run_place_open(run_place *p);
void run_place_close(run_place *p); /* also checks that no memory is left in use */

/* All bytes of a file, to be freed; and a file of these bytes. */
char *run_read_bytes(const char *path, size_t *length);
void run_write_bytes(const char *path, const char *bytes, size_t length);

/* A process that makes so many draws and is then killed. */
void run_leave_journal(run_place *p, const tw_run_options *options, size_t draws);

/* The run opens with so many draws, the last of which is right, and its journal is gone. */
void assert_run_opens(run_place *p, size_t draws);

/* It does not, and the message has these words. */
void assert_run_refused(run_place *p, tw_status expected, const char *words);

#endif
