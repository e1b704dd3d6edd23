/* figure.c: figures by gnuplot as inline SVG; see figure.h. */
#include "output/report/figure.h"

#include <math.h>

#include "output/report/html.h"

/* The name of the y axis is a label, so that its position does not depend on the tics. */
static void print_names(const char *x_name, const char *y_name, FILE *script)
{
    fputs("set xlabel ", script);
    tw_gnuplot_quote(x_name, script);
    fputs("\nset label ", script);
    tw_gnuplot_quote(y_name, script);
    fputs(" at screen 0.035, graph 0.5 center rotate textcolor " TW_INK "\n", script);
}

tw_status tw_figure_begin(tw_figures *f, int height, const char *x_name, const char *y_name)
{
    TW_TRY(tw_gnuplot_begin(f->ctx, &f->plot));
    f->count++;
    fprintf(f->plot.script,
            "set encoding utf8\n"
            "set terminal svg size %d,%d standalone noenhanced font 'sans,13'\n"
            "set lmargin at screen 0.175\nset rmargin at screen 0.955\n"
            "set tmargin at screen %.3f\nset bmargin at screen %.3f\n"
            "if (GPVAL_VERSION >= 5.4) set minussign\n"
            "set border 3 lw 0.8 lc " TW_INK "\n"
            "set tics nomirror out scale 0.5 textcolor " TW_INK "\nset xtics offset 0,0.3\n"
            "set xlabel offset 0,0.7 textcolor " TW_INK "\n"
            "set grid lt 1 lw 0.5 lc " TW_FAINT "\n"
            "unset key\nset style fill solid 0.35 noborder\n",
            TW_FIGURE_WIDTH, height, 1.0 - 10.0 / height, 52.0 / height);
    print_names(x_name, y_name, f->plot.script);
    return TW_OK;
}

/* Read a whole stream into a string. */
static tw_status read_all(tw_context *ctx, FILE *from, char **text)
{
    void *memory = NULL;
    long length = fseek(from, 0, SEEK_END) == 0 ? ftell(from) : -1;
    if (length < 0) return tw_fail(ctx, TW_WRITE_FAILED, "a temporary file cannot be read");
    TW_TRY(tw_allocate(ctx, (size_t)length + 1, 1, "a picture", &memory));
    rewind(from);
    *text = memory;
    (*text)[fread(*text, 1, (size_t)length, from)] = '\0';
    return TW_OK;
}

static tw_status draw_into(tw_figures *f, const char *description, FILE *picture)
{
    char *svg = NULL;
    TW_TRY(tw_gnuplot_end(&f->plot, picture));
    TW_TRY(read_all(f->ctx, picture, &svg));
    bool is_svg = tw_svg_inline(svg, description, f->page);
    tw_release(f->ctx, svg);
    return is_svg ? TW_OK : tw_fail(f->ctx, TW_WRITE_FAILED, "gnuplot wrote no SVG");
}

static tw_status draw(tw_figures *f, const char *description)
{
    FILE *picture = tmpfile();
    if (!picture) {
        tw_gnuplot_abandon(&f->plot);
        return tw_fail(f->ctx, TW_WRITE_FAILED, "a temporary file cannot be written");
    }
    tw_status status = draw_into(f, description, picture);
    fclose(picture);
    return status;
}

void tw_figure_draw(tw_figures *f, const char *description)
{
    fputs("<figure>\n", f->page);
    if (!f->drawn) {
        tw_gnuplot_abandon(&f->plot);
        fputs("<p class=\"absent\">No figure: gnuplot is not installed.</p>\n", f->page);
    } else if (draw(f, description) != TW_OK) {
        tw_warn(f->ctx, &(tw_warning){.code = TW_WARN_FIGURE,
                                      .number = {(double)f->count},
                                      .name = tw_context_message(f->ctx)});
        fputs("<p class=\"absent\">No figure: gnuplot failed.</p>\n", f->page);
    }
    fprintf(f->page, "<figcaption><b>Figure %zu.</b> ", f->count);
}

void tw_figure_end(tw_figures *f)
{
    fputs("</figcaption>\n</figure>\n", f->page);
}

void tw_figure_key(const tw_figures *f, int colour, const char *words)
{
    fprintf(f->page, "<span style=\"color:var(--c%d)\">●</span>&nbsp;", colour);
    tw_html_text(words, f->page);
}

void tw_figure_number(FILE *script, double value)
{
    if (isfinite(value))
        fprintf(script, " %.7g", value);
    else
        fputs(" NaN", script);
}

void tw_figure_widen(double width, double *low, double *high)
{
    double middle = 0.5 * (*low + *high);
    if (*high - *low >= width) return;
    *low = middle - 0.5 * width;
    *high = middle + 0.5 * width;
}

void tw_figure_steps(FILE *script, const char *block, size_t bins, double low, double width,
                     const double *height)
{
    fprintf(script, "$%s << END\n%.7g 0\n", block, low);
    for (size_t b = 0; b < bins; b++)
        fprintf(script, "%.7g %.7g\n%.7g %.7g\n", low + (double)b * width, height[b],
                low + (double)(b + 1) * width, height[b]);
    fprintf(script, "%.7g 0\nEND\n", low + (double)bins * width);
}
