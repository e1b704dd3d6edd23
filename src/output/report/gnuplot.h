/* gnuplot.h: pictures by the program gnuplot. A script goes in through a temporary file and the picture comes
 * out through another one; no shell is between them, so that nothing in a script or a name can become a
 * command. */
#ifndef TALWEG_OUTPUT_REPORT_GNUPLOT_H
#define TALWEG_OUTPUT_REPORT_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/context.h"

/* Is there a gnuplot to run? What to say where there is none. */
bool tw_gnuplot_is_there(void);
#define TW_GNUPLOT_MISSING \
    "the program gnuplot, which is not there: install it (on Debian and Ubuntu the package gnuplot-nox)"

/* A picture in the making: write gnuplot commands, data blocks included, to script. */
typedef struct tw_gnuplot {
    tw_context *ctx;
    FILE *script;
} tw_gnuplot;

tw_status tw_gnuplot_begin(tw_context *ctx, tw_gnuplot *plot);

/* Run the script, with gnuplot's standard output going to `picture`, a file with a descriptor. Takes the
 * script away in any case. TW_WRITE_FAILED, with gnuplot's first words, where it did not draw. */
tw_status tw_gnuplot_end(tw_gnuplot *plot, FILE *picture);

/* Take the script away without running it. */
void tw_gnuplot_abandon(tw_gnuplot *plot);

/* Text between gnuplot's single quotes, where nothing is expanded. */
void tw_gnuplot_quote(const char *text, FILE *to);

#endif
