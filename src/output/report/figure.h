/* figure.h: the figures of a page, drawn by gnuplot and inserted as inline SVG.
 *
 * A script names colours by number, and the page's style sheet defines each for light and dark pages: colour
 * k is '#0100kk' in the script, in hexadecimal, and var(--ck), in decimal, in the page.
 */
#ifndef TALWEG_OUTPUT_REPORT_FIGURE_H
#define TALWEG_OUTPUT_REPORT_FIGURE_H

#include "talweg/report.h"

#define TW_COLOUR(digits) "rgb '#0100" digits "'"
#define TW_INK TW_COLOUR("01")    /* axes and letters */
#define TW_FAINT TW_COLOUR("02")  /* guide lines */
#define TW_FIRST TW_COLOUR("03")  /* the first of several series; the class +1 */
#define TW_SECOND TW_COLOUR("04") /* the second; the class -1 */
#define TW_THIRD TW_COLOUR("05")
#define TW_LIMIT TW_COLOUR("06")                        /* a threshold */
enum { TW_CHAIN_COLOUR = 10, TW_CHAIN_COLOURS = 8 };    /* colours of chains, from '#01000a' on */
enum { TW_FIGURE_WIDTH = 440, TW_FIGURE_HEIGHT = 250 }; /* in CSS pixels, before scaling */

typedef struct tw_figures {
    tw_context *ctx;
    FILE *page;
    bool drawn;      /* whether gnuplot is available; otherwise figures are captions with a note */
    size_t count;    /* figures so far */
    tw_gnuplot plot; /* the current figure: commands go to plot.script */
} tw_figures;

/* Begin a figure with names for its axes; the script then contains the settings that all figures share. */
tw_status tw_figure_begin(tw_figures *figures, int height, const char *x_name, const char *y_name);

/* Draw it and insert it into the page; `description` is the text alternative. The caller then prints the
 * caption to the page and calls tw_figure_end. If gnuplot fails, the page gets a note and the log a warning. */
void tw_figure_draw(tw_figures *figures, const char *description);
void tw_figure_end(tw_figures *figures);

/* Give a range at least this width: gnuplot draws nothing over a range without one, and tics that differ behind six
 * digits look alike. */
void tw_figure_widen(double width, double *low, double *high);

/* For a caption: a mark in colour k and its meaning. */
void tw_figure_key(const tw_figures *figures, int colour, const char *words);

/* A histogram as a data block: the outline of its bars, to fill or to draw. */
void tw_figure_steps(FILE *script, const char *block, size_t bins, double low, double width,
                     const double *height);
#define TW_STEPS(block, colour) \
    "$" block " with filledcurves y1=0 lc " colour ", $" block " with lines lw 1.2 lc " colour

/* A number in a data block; gnuplot knows NaN. */
void tw_figure_number(FILE *script, double value);

/* svg_inline.c: adapt the output of gnuplot's svg terminal to a page: replace colours by numbered styles, and
 * drop ids and definitions that would occur twice as well as metadata. False if the text is not SVG. The page
 * defines the symbols of plots once: TW_SVG_SYMBOLS. */
bool tw_svg_inline(const char *svg, const char *description, FILE *to);
#define TW_SVG_SYMBOLS                                                                          \
    "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>"     \
    "<circle id=\"gpDot\" r=\"0.5\" stroke-width=\"0.5\" stroke=\"currentColor\"/>"             \
    "<circle id=\"gpPt5\" fill=\"none\" stroke-width=\"0.4\" stroke=\"currentColor\" r=\"1\"/>" \
    "<circle id=\"gpPt6\" fill=\"currentColor\" r=\"1\"/>"                                      \
    "<path id=\"gpPt8\" fill=\"currentColor\" d=\"M0,-1.33 L-1.33,0.67 L1.33,0.67 z\"/>"        \
    "</defs></svg>\n"

#endif
