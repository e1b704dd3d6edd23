/* fields.c: split a line into fields; see fields.h. */
#include "data/fields.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "data/number.h"

static bool separates(char separator, char c)
{
    return c == separator || (separator == ' ' && c == '\t');
}

static const char *skip_blanks(char separator, const char *p, const char *end)
{
    while (p < end && tw_is_blank(separator, *p)) p++;
    return p;
}

const char *tw_trim_end(char separator, const char *begin, const char *end)
{
    while (end > begin && tw_is_blank(separator, end[-1])) end--;
    return end;
}

/* A semicolon takes precedence over a comma, which may be a decimal comma (the number parser then reports
 * it). A comma takes precedence over tabs and spaces, which may only align the columns. If a line has both
 * tabs and spaces, any run of them separates. */
char tw_find_separator(const char *begin, const char *end)
{
    enum { SEMICOLON, COMMA, TAB, SPACE, KINDS };
    static const char separators[] = ";,\t ";
    bool seen[KINDS + 1] = {false}; /* the last for NUL: strchr finds it as well */
    bool quoted = false;
    begin = skip_blanks('\0', begin, end);
    end = tw_trim_end('\0', begin, end);
    for (const char *p = begin; p < end; p++) {
        if (*p == '"') quoted = !quoted;
        const char *found = quoted ? NULL : strchr(separators, *p);
        if (found) seen[found - separators] = true;
    }
    if (seen[SEMICOLON]) return ';';
    if (seen[COMMA]) return ',';
    if (seen[SPACE]) return ' ';
    return seen[TAB] ? '\t' : '\0';
}

static const char *to_separator(char separator, const char *p, const char *end)
{
    while (p < end && !separates(separator, *p)) p++;
    return p;
}

/* Read from after the opening quote to the separator after the closing quote. */
static const char *take_quoted(char separator, const char *p, const char *end, tw_field *field)
{
    field->begin = p;
    while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"'))) p += *p == '"' ? 2 : 1;
    field->end = p;
    field->well_formed = p < end;
    if (p == end) return end;
    p++;
    if (separator != ' ') p = skip_blanks(separator, p, end);
    const char *stop = to_separator(separator, p, end);
    if (stop > p) field->well_formed = false;
    return stop;
}

const char *tw_next_field(char separator, const char *p, const char *end, tw_field *field)
{
    p = skip_blanks(separator, p, end);
    *field = (tw_field){.begin = p, .well_formed = true};
    if (p < end && *p == '"') {
        field->quoted = true;
        p = take_quoted(separator, p + 1, end, field);
    } else {
        p = to_separator(separator, p, end);
        field->end = tw_trim_end(separator, field->begin, p);
    }
    return p < end ? p + 1 : NULL;
}

size_t tw_count_fields(char separator, const char *p, const char *end)
{
    tw_field field;
    size_t count = 0;
    for (; p; count++) p = tw_next_field(separator, p, end, &field);
    return count;
}

static bool is_missing(const char *begin, const char *end)
{
    static const char *const words[] = {"", "nan", "na", "n/a", "null", "inf", "infinity", "?"};
    if (begin < end && (*begin == '-' || *begin == '+')) begin++;
    size_t length = (size_t)(end - begin);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncasecmp(begin, words[i], length) == 0) return true;
    return false;
}

tw_field_kind tw_field_value(const tw_field *field, double *value)
{
    const char *begin = skip_blanks('\0', field->begin, field->end);
    const char *end = tw_trim_end('\0', begin, field->end);
    if (!field->well_formed) return TW_FIELD_TEXT;
    if (is_missing(begin, end)) return TW_FIELD_MISSING;
    if (tw_number_parse(begin, value) != end) return TW_FIELD_TEXT;
    return isfinite(*value) ? TW_FIELD_NUMBER : TW_FIELD_MISSING;
}

char *tw_field_copy(const tw_field *field, char *name)
{
    for (const char *p = field->begin; p < field->end; p++) {
        *name++ = *p;
        if (field->quoted && *p == '"') p++;
    }
    *name = '\0';
    return name;
}
