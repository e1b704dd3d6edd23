/* progress.h: progress on standard error. On a terminal it is a line with a bar, redrawn at most ten times a
 * second and at the end of a stage. Otherwise it is plain lines: the first after two seconds, then one every
 * ten seconds, and one at the end of a stage that had any.
 *
 *   tw_meter meter;
 *   tw_meter_begin(&meter, quiet, "sampling", "draws");
 *   tw_meter_show(&meter, TW_METER_COUNT(45, 100));
 *   tw_meter_end(&meter);
 */
#ifndef TALWEG_CLI_PROGRESS_H
#define TALWEG_CLI_PROGRESS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "talweg/progress.h"

/* The state to show. Numbers that are NaN, and a total of 0, are not shown. */
typedef struct tw_meter_view {
    size_t done, total;
    double acceptance;
    double log_z, se;
    bool part;     /* log_z is log Z_b at the current inverse temperature b */
    char note[48]; /* shown instead of a count */
} tw_meter_view;
#define TW_METER_COUNT(d, t) \
    ((tw_meter_view){.done = (d), .total = (t), .acceptance = NAN, .log_z = NAN, .se = NAN})

typedef struct tw_meter {
    bool quiet, live;
    const char *stage, *unit; /* "sampling", "draws" */
    double start, next;       /* times of the beginning and of the next output */
    bool said;                /* was a plain line printed in this stage? */
    size_t said_done;         /* `done` in the last plain line */
    size_t first;             /* `done` at the beginning, which the rate does not count */
    tw_meter_view last;
} tw_meter;

/* Begin a stage. The meter must be zero or in use; in that case its stage ends. A terminal shows the name at
 * once. Both texts must outlive the stage. unit NULL: nothing is counted. */
void tw_meter_begin(tw_meter *meter, bool quiet, const char *stage, const char *unit);

/* Set the state, and show it if enough time has passed. */
void tw_meter_show(tw_meter *meter, tw_meter_view view);

/* A progress function for the library, with the meter as `user`. Returns true after Ctrl-C. */
bool tw_meter_watch(void *meter, const tw_progress *progress);

/* End the stage: show its last state, and clear the line on a terminal. Does nothing if the meter is zero. */
void tw_meter_end(tw_meter *meter);

/* Progress of a computation with several stages: each gets a meter named by method and stage. tw_stages_watch
 * is a progress function like tw_meter_watch, with a tw_stages as `user`, zero except for `quiet`. End its
 * meter afterwards. */
typedef struct tw_stages {
    bool quiet;
    const char *method, *stage; /* the library's names */
    char name[64];              /* the stage's name in the output */
    tw_meter meter;
} tw_stages;
bool tw_stages_watch(void *stages, const tw_progress *progress);

/* The texts after `seconds` of the stage:
 * a line of at most `width` columns, with a bar if there is room, and a sentence. */
enum { TW_METER_BYTES = 512 };
void tw_meter_line(const tw_meter *meter, double seconds, int width, char text[TW_METER_BYTES]);
void tw_meter_sentence(const tw_meter *meter, double seconds, char text[TW_METER_BYTES]);

#endif
