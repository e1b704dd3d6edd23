/* progress.c: shows progress (progress.h). The state of a stage is turned into a few facts ("45/100 draws",
 * "12/s", "5 s left"), which are joined to a line or a sentence. If a line is too long, the least important
 * facts are left out. */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>

#include "cli/terminal.h"

static const double redraw_seconds = 0.1, first_line_seconds = 2.0, line_seconds = 10.0;

enum { FACT_BYTES = 64, LEAST_BAR = 8, MOST_BAR = 30 };

/* The facts, in the order of the line. */
typedef enum fact { COUNT, UNIT, RATE, TIME, ACCEPTANCE, LOG_Z, FACTS } fact;
typedef char facts[FACTS][FACT_BYTES];

/* ---- facts ---- */

static void print_time(double seconds, const char *behind, char text[FACT_BYTES])
{
    if (seconds < 99.5)
        snprintf(text, FACT_BYTES, "%.0f s%s", seconds, behind);
    else if (seconds < 5400.0)
        snprintf(text, FACT_BYTES, "%.0f min%s", seconds / 60.0, behind);
    else
        snprintf(text, FACT_BYTES, "%.1f h%s", seconds / 3600.0, behind);
}

static void print_count(const tw_meter_view *v, const char *of, char text[FACT_BYTES])
{
    if (v->total)
        snprintf(text, FACT_BYTES, "%zu%s%zu", v->done, of, v->total);
    else
        snprintf(text, FACT_BYTES, "%zu", v->done);
}

static void print_rate(double rate, const char *unit, char text[FACT_BYTES])
{
    int decimals = rate >= 10.0 ? 0 : rate >= 1.0 ? 1 : rate >= 0.1 ? 2 : 3;
    snprintf(text, FACT_BYTES, "%.*f%s", decimals, rate, unit);
}

/* Fill in all facts; "" if one is not known. A sentence has words where a line has symbols. */
static void fill_facts(const tw_meter *m, double seconds, bool sentence, facts f)
{
    const tw_meter_view *v = &m->last;
    double done = (double)(v->done - m->first), left = (double)(v->total - v->done);
    memset(f, 0, sizeof(facts));
    if (v->note[0])
        memcpy(f[COUNT], v->note, sizeof v->note);
    else if (m->unit && (v->done || v->total))
        print_count(v, sentence ? " of " : "/", f[COUNT]);
    if (f[COUNT][0] && !v->note[0]) snprintf(f[UNIT], FACT_BYTES, "%.40s", m->unit);
    if (m->unit && done > 0.0 && seconds > 0.0)
        print_rate(done / seconds, sentence ? " per second" : "/s", f[RATE]);
    if (v->total && done > 0.0 && left > 0.0)
        print_time(left * seconds / done, " left", f[TIME]);
    else if (seconds >= 1.0)
        print_time(seconds, "", f[TIME]);
    if (!isnan(v->acceptance)) snprintf(f[ACCEPTANCE], FACT_BYTES, "acceptance %.2f", v->acceptance);
    if (isfinite(v->log_z))
        snprintf(f[LOG_Z], FACT_BYTES, "log Z%s %.3f +- %.3f", v->part ? "_b" : "", v->log_z, v->se);
}

/* Join the facts; the unit follows its number after one space. Returns the length. */
static int join(facts f, const char *between, char text[TW_METER_BYTES])
{
    int length = 0;
    text[0] = '\0';
    for (int k = 0; k < FACTS; k++)
        if (f[k][0])
            length += snprintf(text + length, (size_t)(TW_METER_BYTES - length), "%s%s",
                               !length     ? ""
                               : k == UNIT ? " "
                                           : between,
                               f[k]);
    return length;
}

/* ---- texts ---- */

/* Print a bar "[=====>      ]" of at most `length` columns; nothing if that is too short. */
static void print_bar(const tw_meter_view *v, int length, char text[MOST_BAR + 3])
{
    text[0] = '\0';
    if (!v->total || length < LEAST_BAR) return;
    int inside = (length < MOST_BAR ? length : MOST_BAR) - 2;
    double share = fmin((double)v->done / (double)v->total, 1.0);
    int full = (int)(share * (double)inside);
    text[0] = '[';
    for (int i = 0; i < inside; i++) text[1 + i] = i < full ? '=' : i == full ? '>' : ' ';
    memcpy(text + 1 + inside, "]", 2);
}

/* Join the facts, leaving out the least important until they fit into `most` columns; FACTS stands for the
 * bar. Returns the columns left for the bar. */
static int fit(const tw_meter *m, int most, facts f, char joined[TW_METER_BYTES])
{
    static const fact dispensable[] = {UNIT, RATE, ACCEPTANCE, FACTS, LOG_Z, TIME, COUNT};
    int bar = m->last.total ? LEAST_BAR + 2 : 0;
    int used = (int)strlen(m->stage) + 2;
    int length = join(f, "  ", joined);
    for (size_t k = 0; k < sizeof dispensable / sizeof *dispensable && used + bar + length > most; k++) {
        if (dispensable[k] == FACTS)
            bar = 0;
        else
            f[dispensable[k]][0] = '\0';
        length = join(f, "  ", joined);
    }
    return bar ? most - used - length - 2 : 0;
}

void tw_meter_line(const tw_meter *m, double seconds, int width, char text[TW_METER_BYTES])
{
    char joined[TW_METER_BYTES], bar[MOST_BAR + 3], whole[2 * TW_METER_BYTES];
    facts f;
    int most = width < 1 ? 0 : width < TW_METER_BYTES ? width : TW_METER_BYTES - 1;
    fill_facts(m, seconds, false, f);
    print_bar(&m->last, fit(m, most, f, joined), bar);
    snprintf(whole, sizeof whole, "%.200s%s%s%s%s", m->stage, *bar ? "  " : "", bar, *joined ? "  " : " ...",
             joined);
    snprintf(text, TW_METER_BYTES, "%.*s", most, whole);
}

void tw_meter_sentence(const tw_meter *m, double seconds, char text[TW_METER_BYTES])
{
    char joined[TW_METER_BYTES];
    facts f;
    fill_facts(m, seconds, true, f);
    join(f, ", ", joined);
    snprintf(text, TW_METER_BYTES, "%.100s: %.400s", m->stage, joined);
}

/* ---- output ---- */

static void draw(tw_meter *m, double now)
{
    char text[TW_METER_BYTES];
    if (m->live) {
        tw_meter_line(m, now - m->start, tw_terminal_width() - 1, text);
        tw_terminal_progress(false, text);
        m->next = now + redraw_seconds;
    } else {
        tw_meter_sentence(m, now - m->start, text);
        fprintf(stderr, "talweg: %s\n", text);
        m->said = true;
        m->said_done = m->last.done;
        m->next = now + line_seconds;
    }
}

void tw_meter_begin(tw_meter *m, bool quiet, const char *stage, const char *unit)
{
    tw_meter_end(m);
    double now = tw_wall_seconds();
    *m = (tw_meter){.quiet = quiet,
                    .live = tw_terminal_is_live(),
                    .stage = stage,
                    .unit = unit,
                    .start = now,
                    .next = now + first_line_seconds,
                    .last = TW_METER_COUNT(0, 0)};
    if (m->live && !quiet) draw(m, now);
}

void tw_meter_show(tw_meter *m, tw_meter_view view)
{
    m->last = view;
    if (m->quiet || !m->stage) return;
    double now = tw_wall_seconds();
    if (now >= m->next) draw(m, now);
}

/* The number of sweeps is not known in advance, so a note shows the current sweep. */
static tw_meter_view view_sweep(const tw_progress *p)
{
    tw_meter_view view = TW_METER_COUNT(0, 0);
    int length = snprintf(view.note, sizeof view.note, "sweep %zu, %.0f %%", p->done, 100.0 * p->share);
    if (isfinite(p->residual))
        snprintf(view.note + length, sizeof view.note - (size_t)length, ", residual %.1e", p->residual);
    return view;
}

bool tw_meter_watch(void *meter, const tw_progress *p)
{
    bool sweeps = p->unit && strcmp(p->unit, "sweeps") == 0;
    tw_meter_view view = sweeps ? view_sweep(p) : TW_METER_COUNT(p->done, p->total);
    if (!sweeps) {
        view.acceptance = p->acceptance;
        view.log_z = p->log_z;
        view.se = p->se;
        view.part = p->part;
    }
    tw_meter_show(meter, view);
    return tw_interrupt_seen();
}

void tw_meter_end(tw_meter *m)
{
    bool shown = m->stage && !m->quiet;
    bool said_last = m->last.total > 0 && m->said_done == m->last.done; /* the final state was printed */
    if (shown && ((m->said && !said_last) || (m->live && (m->last.done || m->last.note[0]))))
        draw(m, tw_wall_seconds());
    if (shown && m->live) tw_terminal_progress(false, NULL);
    *m = (tw_meter){0};
}

/* ---- several stages ---- */

static void show_stage(tw_stages *s, const tw_progress *p)
{
    bool named = p->method && strcmp(p->stage, "run") != 0;
    tw_meter_end(&s->meter);
    s->method = p->method;
    s->stage = p->stage;
    snprintf(s->name, sizeof s->name, "%s%s%s", p->method ? p->method : p->stage, named ? ", " : "",
             named ? p->stage : "");
    tw_meter_begin(&s->meter, s->quiet, s->name, p->unit);
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool tw_stages_watch(void *stages, const tw_progress *p)
{
    tw_stages *s = stages;
    if (!is_same(p->stage, s->stage) || !is_same(p->method, s->method)) show_stage(s, p);
    return tw_meter_watch(&s->meter, p);
}
