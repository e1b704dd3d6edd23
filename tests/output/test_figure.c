/* Text and figures in a page: no text of a user becomes markup, gnuplot's SVG keeps its drawing without the
 * parts that a page cannot use, and a failing script gives an error with gnuplot's message. */
#include "output/report/figure.h"

#include <stdlib.h>
#include <string.h>

#include "output/report/html.h"
#include "support/support.h"

/* What was printed to a stream, with a NUL behind it. */
static const char *printed(FILE *stream)
{
    static char text[16384];
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    return text;
}

static FILE *scratch(void)
{
    FILE *stream = tmpfile();
    assert_non_null(stream);
    return stream;
}

static void text_is_escaped(void **state)
{
    (void)state;
    FILE *to = scratch();
    tw_html_text("<script>alert('1' & \"2\")</script>\x01\x7f\ta\xc3\xa4", to);
    assert_string_equal(printed(to), "&lt;script&gt;alert(&#39;1&#39; &amp; &quot;2&quot;)&lt;/script&gt;"
                                     "&#xFFFD;&#xFFFD;\ta\xc3\xa4");
    to = scratch();
    tw_html_fact(to, "name", "%s %d", "<b>", 5);
    tw_html_cell(to, "%s", "a&b");
    assert_string_equal(printed(to), "<div><dt>name</dt><dd>&lt;b&gt; 5</dd></div>\n<td>a&amp;b</td>");
}

static void numbers_have_digits_that_say_something(void **state)
{
    (void)state;
    const struct {
        int digits;
        double value;
        const char *text;
    } cases[] = {{3, 5023.4, "5023"}, {3, 0.0123456, "0.0123"}, {2, 0.1, "0.10"},      {2, 12.3, "12"},
                 {3, 0.0, "0.00"},    {3, -1.5, "-1.50"},       {3, 1e-9, "1.00e-09"}, {3, 1e12, "1.00e+12"}};
    char text[TW_DIGITS_BYTES];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_string_equal(tw_html_digits(cases[k].digits, cases[k].value, text), cases[k].text);
    FILE *to = scratch();
    tw_html_number(to, 2, 1.005e3);
    tw_html_number(to, -2, 0.1);
    tw_html_number(to, 2, strtod("nan", NULL));
    assert_string_equal(printed(to), "<td>1005.00</td><td>0.10</td><td>–</td>");
}

static const char *inlined(const char *svg)
{
    FILE *to = scratch();
    assert_true(tw_svg_inline(svg, "a \"plot\"", to));
    return printed(to);
}

static void svg_is_made_fit_for_a_page(void **state)
{
    (void)state;
    assert_string_equal(
        inlined("<?xml version=\"1.0\"?>\n<svg width=\"600\"\n viewBox=\"0 0 6 3\"\n xmlns=\"http://x\"\n>\n"
                "<title>Gnuplot</title>\n<desc>Produced by</desc>\n<defs>\n<circle id='gpDot'/>\n</defs>\n"
                "<g id=\"plot_1\" ><title>plot_1</title>\n"
                "<g fill=\"none\" color=\"white\" stroke=\"currentColor\">\n</g>\n"
                "<path stroke='rgb(  1,   0,  12)'/><text fill=\"rgb(1,0,3)\" font-family=\"sans\" >1 &lt; "
                "2</text>\n"
                "<path stroke='rgb(  1,   1,   3)'/><use xlink:href='#gpPt6' color='rgb(  1,   0,   4)'/>\n"
                "</g>\n</svg>\n"),
        "<svg viewBox=\"0 0 6 3\" role=\"img\" aria-label=\"a &quot;plot&quot;\">\n<g >\n"
        "<path stroke='var(--c12)'/><text fill=\"var(--c3)\" >1 &lt; 2</text>\n"
        "<path stroke='rgb(  1,   1,   3)'/><use href='#gpPt6' color='var(--c4)'/>\n</g>\n</svg>\n");
}

static void what_is_no_svg_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "hello", "<svg", "<svg viewBox=\"0 0 1 1\"><g>", "</svg>"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        FILE *to = scratch();
        assert_false(tw_svg_inline(bad[k], "", to));
        assert_string_equal(printed(to), "");
    }
    /* cut short anywhere, it is still read to its end and no further */
    const char svg[] =
        "<svg viewBox=\"0 0 1 1\"></svg><title>a<g fill=\"b\"> </g><defs> id=\"rgb(1,0,3) rgb(1";
    for (size_t length = strlen("<svg viewBox=\"0 0 1 1\"></svg>"); length < sizeof svg; length++) {
        char *copy = calloc(length + 1, 1); /* its own block, so that a sanitizer sees its end */
        assert_non_null(copy);
        memcpy(copy, svg, length);
        FILE *to = scratch();
        assert_true(tw_svg_inline(copy, "", to));
        fclose(to);
        free(copy);
    }
}

/* gnuplot, where it is installed. */
static void gnuplot_draws_or_says_why_not(void **state)
{
    (void)state;
    if (!tw_gnuplot_available()) skip();
    tw_context *ctx = new_context();
    tw_gnuplot plot;
    FILE *picture = scratch();
    assert_int_equal(tw_gnuplot_begin(ctx, &plot), TW_OK);
    fputs("set terminal svg\nset title ", plot.script);
    tw_gnuplot_quote("it's `touch x`\n\\ $(x)", plot.script);
    fputs(" noenhanced\nplot x\n", plot.script);
    assert_int_equal(tw_gnuplot_end(&plot, picture), TW_OK);
    assert_non_null(strstr(printed(picture), "it's `touch x` \\ $(x)"));
    picture = scratch();
    assert_int_equal(tw_gnuplot_begin(ctx, &plot), TW_OK);
    fputs("set terminal svg\nplot nonsense\n", plot.script);
    assert_int_equal(tw_gnuplot_end(&plot, picture), TW_WRITE_FAILED);
    assert_non_null(strstr(tw_context_message(ctx), "gnuplot could not draw the figure: "));
    assert_non_null(strstr(tw_context_message(ctx), "undefined variable: nonsense"));
    /* half a picture, as a full disk leaves it, is none */
    assert_int_equal(tw_gnuplot_begin(ctx, &plot), TW_OK);
    fputs("set print '-'\nprint '<svg viewBox=\"0 0 1 1\"><g>'\n", plot.script);
    assert_int_equal(tw_gnuplot_end(&plot, picture), TW_WRITE_FAILED);
    assert_non_null(strstr(tw_context_message(ctx), "gnuplot could not write the whole figure"));
    assert_string_equal(printed(picture), "");
    tw_context_free(ctx);
}

static void without_gnuplot_a_figure_is_its_caption(void **state)
{
    (void)state;
    tw_figures figures = {.ctx = new_context(), .page = scratch()};
    assert_int_equal(tw_figure_begin(&figures, TW_FIGURE_HEIGHT, "x", "y"), TW_OK);
    tw_figure_draw(&figures, "nothing");
    fputs("What one would see.", figures.page);
    tw_figure_end(&figures);
    const char *page = printed(figures.page);
    assert_non_null(strstr(page, "No figure: gnuplot is not installed."));
    assert_non_null(strstr(page, "<figcaption><b>Figure 1.</b> What one would see.</figcaption>"));
    assert_null(strstr(page, "<svg"));
    tw_context_free(figures.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(numbers_have_digits_that_say_something),
        cmocka_unit_test(svg_is_made_fit_for_a_page),
        cmocka_unit_test(what_is_no_svg_is_refused),
        cmocka_unit_test(gnuplot_draws_or_says_why_not),
        cmocka_unit_test(without_gnuplot_a_figure_is_its_caption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
