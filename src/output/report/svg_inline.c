/* svg_inline.c: adapt gnuplot's SVG to a page; see figure.h.
 *
 * gnuplot's SVG is regular, so a list of pieces to remove or replace suffices; everything else is copied.
 */
#include <stdlib.h>
#include <string.h>

#include "output/report/figure.h"
#include "output/report/html.h"

/* Replace the text from `begin` through the next `end` (or `begin` alone if `end` is "") by `instead`. */
typedef struct piece {
    const char *begin, *end, *instead;
} piece;

static const piece pieces[] = {
    {"<title>", "</title>", ""},
    {"<desc>", "</desc>", ""},
    {"<defs>", "</defs>", ""},
    {" id=\"", "\"", ""},
    {" font-family=\"", "\"", ""},
    {" color=\"", "\"", ""}, /* black or white: the page sets it */
    {" stroke-linecap=\"butt\"", "", ""},
    {" stroke-linejoin=\"miter\"", "", ""},
    {" shape-rendering='crispEdges'", "", ""},
    {"xlink:href", "", "href"},
    {"\t", "", ""},
};

static bool starts_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The end of an empty group, of which there are many; NULL if there is none here. */
static const char *skip_empty_group(const char *at)
{
    if (!starts_with(at, "<g ")) return NULL;
    const char *inside = strchr(at, '>');
    if (!inside) return NULL;
    inside += 1 + strspn(inside + 1, " \t\n");
    return starts_with(inside, "</g>") ? inside + strlen("</g>") : NULL;
}

/* The end of the piece that starts here; NULL if there is none. */
static const char *skip_piece(const char *at, const char **instead)
{
    const char *behind = skip_empty_group(at);
    *instead = "";
    if (behind) return behind;
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
        if (!starts_with(at, pieces[k].begin)) continue;
        const char *inside = at + strlen(pieces[k].begin), *end = strstr(inside, pieces[k].end);
        *instead = pieces[k].instead;
        return end ? end + strlen(pieces[k].end) : NULL;
    }
    return NULL;
}

/* The end of a numbered colour, rgb(1, 0, k); *number is k. */
static const char *skip_colour(const char *at, long *number)
{
    if (!starts_with(at, "rgb(")) return NULL;
    char *end = NULL;
    long red = strtol(at + strlen("rgb("), &end, 10), green = *end ? strtol(end + 1, &end, 10) : 0;
    *number = *end ? strtol(end + 1, &end, 10) : 0;
    return red == 1 && green == 0 && *end == ')' ? end + 1 : NULL;
}

static void print_opening(const char *svg, const char *description, FILE *to)
{
    const char *box = strstr(svg, "viewBox=\"");
    int length = box ? (int)strcspn(box + strlen("viewBox=\""), "\"<>") : 0;
    fprintf(to, "<svg viewBox=\"%.*s\" role=\"img\" aria-label=\"", length,
            box ? box + strlen("viewBox=\"") : "");
    tw_html_text(description, to);
    fputs("\">", to);
}

bool tw_svg_inline(const char *svg, const char *description, FILE *to)
{
    const char *at = strstr(svg, "<svg"), *next = NULL, *instead = NULL;
    bool line_start = false; /* to avoid empty lines where pieces were removed */
    long number = 0;
    if (!at || !strstr(at, "</svg>")) return false;
    print_opening(at, description, to);
    for (at = strchr(at, '>') + 1; *at; at = next) {
        if ((next = skip_piece(at, &instead))) {
            fputs(instead, to);
        } else if ((next = skip_colour(at, &number))) {
            fprintf(to, "var(--c%ld)", number);
        } else {
            next = at + 1;
            if (*at != '\n' || !line_start) fputc(*at, to);
            line_start = *at == '\n';
        }
    }
    return true;
}
