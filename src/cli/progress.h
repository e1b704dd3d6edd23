/* progress.h: how far the program is, on standard error: on a terminal a line with a bar that is redrawn at
 * most ten times a second and when a stage is over, elsewhere plain lines, the first after two seconds and then one every ten seconds,
 * and one when a stage that had any is over.
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

/* What there is to show: numbers that are NaN, and a total of 0, are left out. */
typedef struct tw_meter_view {
    size_t done, total;
    double acceptance;
    double log_z, se;
    bool part;     /* log_z is of Z_b, at the temperature b that has been reached */
    char note[48]; /* where there is nothing to count */
} tw_meter_view;
#define TW_METER_COUNT(d, t) \
    ((tw_meter_view){.done = (d), .total = (t), .acceptance = NAN, .log_z = NAN, .se = NAN})

typedef struct tw_meter {
    bool quiet, live;
    const char *stage, *unit; /* "sampling", "draws" */
    double start, next;       /* moments: of the beginning, and of the next line */
    bool said;                /* is there a plain line of this stage? */
    size_t said_done;         /* and what was done in the last one */
    size_t first;             /* what was done at the beginning: the rate is of what came after */
    tw_meter_view last;
} tw_meter;

/* Begin a stage, with a meter of zeros or one whose stage ends thereby: on a terminal its name is seen at
 * once. Both texts must last; unit NULL: there is nothing to count. */
void tw_meter_begin(tw_meter *meter, bool quiet, const char *stage, const char *unit);

/* Show where it is, unless the last time was just now. */
void tw_meter_show(tw_meter *meter, tw_meter_view view);

/* The same of what the library says. As a progress function, with the meter as its user: whether Ctrl-C was seen. */
bool tw_meter_watch(void *meter, const tw_progress *progress);

/* The stage is over: its last state is shown, and on a terminal the line is taken away. Does nothing to a meter of zeros. */
void tw_meter_end(tw_meter *meter);

/* A computation of several stages: a meter for each, named by method and stage. As a progress function, with zeros but for
 * `quiet` as its user, as tw_meter_watch; end its meter when it is over. */
typedef struct tw_stages {
    bool quiet;
    const char *method, *stage; /* as the library calls them */
    char name[64];              /* of the stage, for people */
    tw_meter meter;
} tw_stages;
bool tw_stages_watch(void *stages, const tw_progress *progress);

/* The texts themselves, after `seconds` of the stage: a line of at most `width` columns with a bar where there
 * is room for one, and a sentence. */
enum { TW_METER_BYTES = 512 };
void tw_meter_line(const tw_meter *meter, double seconds, int width, char text[TW_METER_BYTES]);
void tw_meter_sentence(const tw_meter *meter, double seconds, char text[TW_METER_BYTES]);

#endif
