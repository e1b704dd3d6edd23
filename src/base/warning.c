/* warning.c: names and messages of warnings, from the list in talweg/warning.h. A message has placeholders in
 * braces, which tw_warning_print replaces: {file}, {name}, {other}, {latent}, {counts}, and {0:.3f}, number 0 in the
 * format %.3f. */
#include "talweg/warning.h"

#include <stdio.h>
#include <string.h>

#define TW_WARNING_NAME(code, name, finding) name,
static const char *const names[] = {TW_WARNING_LIST(TW_WARNING_NAME)};

#define TW_WARNING_FINDING(code, name, finding) finding,
static const char *const findings[] = {TW_WARNING_LIST(TW_WARNING_FINDING)};

const char *tw_warning_name(tw_warning_code code)
{
    return (unsigned)code < TW_WARNING_COUNT ? names[code] : "unknown";
}

const char *tw_warning_finding(tw_warning_code code)
{
    return (unsigned)code < TW_WARNING_COUNT ? findings[code] : "";
}

void tw_warnings_add(tw_warnings *w, const tw_warning *warning)
{
    if (w->count < TW_MOST_WARNINGS) w->warning[w->count++] = *warning;
}

/* ---- messages ---- */

static bool is_name(const char *place, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(place, name, length) == 0;
}

/* Print at most 1000 bytes of a text, to leave room for the rest of the message. */
static int print_text(const char *text, char *to, size_t room)
{
    if (!text) return 0;
    int length = snprintf(to, room, "%.1000s", text);
    tw_make_plain(to);
    return length;
}

/* Print the number of a placeholder such as "0:.3f". */
static int print_number(const tw_warning *w, const char *place, size_t length, char *to, size_t room)
{
    char format[16];
    unsigned k = (unsigned)(place[0] - '0');
    if (k >= TW_WARNING_NUMBERS || length < 3 || place[1] != ':') return 0;
    snprintf(format, sizeof format, "%%%.*s", (int)(length - 2), place + 2);
    return snprintf(to, room, format, w->number[k]);
}

/* Print "2 means, 1 standard deviation and 3 log scores", without those that are 0. */
static int print_counts(const tw_warning *w, char *to, size_t room)
{
    static const char *const what[3] = {"mean", "standard deviation", "log score"};
    int left = 0, used = 0;
    for (int k = 0; k < 3; k++) left += w->number[k] > 0.0;
    for (int k = 0; k < 3 && (size_t)used < room; k++) {
        if (!(w->number[k] > 0.0)) continue;
        const char *join = used == 0 ? "" : left == 1 ? " and " : ", ";
        used += snprintf(to + used, room - (size_t)used, "%s%.0f %s%s", join, w->number[k], what[k],
                         w->number[k] == 1.0 ? "" : "s");
        left--;
    }
    return used;
}

/* Print the text that replaces {place}. Returns its length, as snprintf does. */
static int fill(const tw_warning *w, const char *place, size_t length, char *to, size_t room)
{
    if (is_name(place, length, "file")) return print_text(w->file, to, room);
    if (is_name(place, length, "name")) return print_text(w->name, to, room);
    if (is_name(place, length, "other")) return print_text(w->other, to, room);
    if (is_name(place, length, "latent")) return snprintf(to, room, "x.%zu", w->index + 1);
    if (is_name(place, length, "counts")) return print_counts(w, to, room);
    return print_number(w, place, length, to, room);
}

/* Append a text to `words`, with its placeholders replaced. Returns the new length. */
static size_t add(const tw_warning *w, const char *text, char words[TW_WARNING_BYTES], size_t used)
{
    const size_t most = TW_WARNING_BYTES - 1;
    while (*text && used < most) {
        const char *end = *text == '{' ? strchr(text, '}') : NULL;
        if (!end) {
            words[used++] = *text++;
            continue;
        }
        int more = fill(w, text + 1, (size_t)(end - text - 1), words + used, TW_WARNING_BYTES - used);
        if (more > 0) used = used + (size_t)more < most ? used + (size_t)more : most;
        text = end + 1;
    }
    words[used] = '\0';
    return used;
}

void tw_warning_print(const tw_warning *w, const char *advice, char words[TW_WARNING_BYTES])
{
    size_t used = add(w, tw_warning_finding(w->code), words, 0);
    if (advice) add(w, advice, words, used);
}
