/* option_values.c: read the value of an option from its text, check it by the option's row of the table,
 * and store it. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/names.h"
#include "cli/options.h"
#include "talweg/base.h"

static tw_quoted quote(const char *text)
{
    return tw_quote(text, text + strlen(text));
}

/* strtod accepts more than decimal numbers (blanks, "inf", "0x10"), but these contain other characters.
 * The program keeps the locale "C", so the decimal mark is a point. */
const char *tw_options_number(const char *text, const char *ends, double *value)
{
    char *end = NULL;
    *value = strtod(text, &end);
    bool decimal = end > text && (size_t)(end - text) <= strspn(text, "+-.0123456789eE");
    return decimal && strchr(ends, *end) && isfinite(*value) ? end : NULL;
}

static tw_status fail_value(tw_context *ctx, const tw_option *option, const char *what, const char *text)
{
    return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s needs %s, not %s", option->name, what, quote(text).text);
}

/* The text may be the name of a column. */
static tw_status fail_per_case(tw_context *ctx, const tw_option *option, const char *text)
{
    return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s needs a number, not %s; name a column with --%s-column",
                   option->name, quote(text).text, option->name);
}

static tw_status check_range(tw_context *ctx, const tw_option *option, double value)
{
    if (option->positive && !(value > 0.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s must be above 0, not %g", option->name, value);
    bool bounded = option->least != 0.0 || option->most != 0.0;
    if (!bounded || (value >= option->least && value <= option->most)) return TW_OK;
    if (isinf(option->most))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s must be at least %g, not %g", option->name, option->least,
                       value);
    return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s must be from %g to %.7g, not %g", option->name, option->least,
                   option->most, value);
}

static tw_status store_number(tw_context *ctx, const tw_option *option, const char *text, void *field)
{
    double value = 0.0;
    if (!tw_options_number(text, "", &value))
        return option->per_case ? fail_per_case(ctx, option, text)
                                : fail_value(ctx, option, "a number", text);
    TW_TRY(check_range(ctx, option, value));
    memcpy(field, &value, sizeof value);
    return TW_OK;
}

/* Read a number of digits only, so that seeds may have all 64 bits. Returns false if the text contains
 * another character or the number is too large. */
static bool read_digits(const char *text, uint64_t *value)
{
    const char *c = text;
    for (*value = 0; *c >= '0' && *c <= '9'; c++) {
        uint64_t digit = (uint64_t)(*c - '0');
        if (*value > (UINT64_MAX - digit) / 10) return false;
        *value = 10 * *value + digit;
    }
    return c > text && !*c;
}

/* Check a whole number that is not written in digits only, such as 1e3. */
static tw_status check_whole(tw_context *ctx, const tw_option *option, const char *text, double number)
{
    const double most = 9007199254740992.0; /* 2^53: doubles represent whole numbers up to this exactly */
    TW_TRY(check_range(ctx, option, number));
    if (number < 0.0)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s must be at least 0, not %g", option->name, number);
    if (number <= most) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   "--%s must be at most %" PRIu64 ", written in digits above 2^53, not %s", option->name,
                   UINT64_MAX, quote(text).text);
}

static tw_status store_integer(tw_context *ctx, const tw_option *option, const char *text, void *field)
{
    uint64_t value = TW_OPTION_WORD;
    double number = 0.0;
    char wanted[64] = "a whole number";
    if (option->also && strcmp(text, option->also) == 0) {
        memcpy(field, &value, sizeof value);
        return TW_OK;
    }
    if (!read_digits(text, &value)) {
        bool whole = tw_options_number(text, "", &number) && number == floor(number);
        if (option->also) snprintf(wanted, sizeof wanted, "a whole number or %s", option->also);
        if (!whole) return fail_value(ctx, option, wanted, text);
        TW_TRY(check_whole(ctx, option, text, number));
        value = (uint64_t)number;
    }
    TW_TRY(check_range(ctx, option, (double)value));
    memcpy(field, &value, sizeof value);
    return TW_OK;
}

static tw_status check_numbers(tw_context *ctx, const tw_option *option, const char *text)
{
    double value;
    for (const char *c = text;; c++) {
        c = tw_options_number(c, ",", &value);
        if (!c) return fail_value(ctx, option, "a number, or several separated by commas", text);
        if (!*c) return TW_OK;
    }
}

void tw_option_choices(const tw_option *option, char names[TW_CHOICES_BYTES])
{
    snprintf(names, TW_CHOICES_BYTES, "%s%s%s", option->also ? option->also : "",
             option->also && option->choices ? ", " : "", option->choices ? option->choices() : "");
}

static tw_status check_choice(tw_context *ctx, const tw_option *option, const char *text)
{
    char nearest[TW_NAME_BYTES];
    char names[TW_CHOICES_BYTES];
    tw_option_choices(option, names);
    if (tw_name_is_among(text, names)) return TW_OK;
    tw_nearest_name(text, names, nearest);
    return tw_fail(ctx, TW_BAD_ARGUMENT, "unknown %s %s%s%s%s; choose from: %s", option->name,
                   quote(text).text, *nearest ? " (did you mean " : "", nearest, *nearest ? "?)" : "", names);
}

static tw_status store_operands(tw_context *ctx, const tw_option *option, const char *text, void *field)
{
    tw_operands *operands = field;
    if (operands->count == TW_MOST_OPERANDS)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%s is one too many: the limit is %d %s", quote(text).text,
                       TW_MOST_OPERANDS, option->name);
    operands->item[operands->count++] = text;
    return TW_OK;
}

tw_status tw_option_store(tw_context *ctx, const tw_option *option, const char *text, void *field)
{
    switch (option->kind) {
    case TW_OPTION_NUMBER: return store_number(ctx, option, text, field);
    case TW_OPTION_INTEGER: return store_integer(ctx, option, text, field);
    case TW_OPTION_NUMBERS: TW_TRY(check_numbers(ctx, option, text)); break;
    case TW_OPTION_CHOICE: TW_TRY(check_choice(ctx, option, text)); break;
    case TW_OPTION_FLAG: memcpy(field, &(bool){true}, sizeof(bool)); return TW_OK;
    case TW_OPTION_TEXTS:
    case TW_OPTION_OPERANDS: return store_operands(ctx, option, text, field);
    case TW_OPTION_TEXT:
    case TW_OPTION_OPERAND: break;
    }
    memcpy(field, &text, sizeof text);
    return TW_OK;
}

/* ---- lists of numbers ---- */

size_t tw_options_numbers(const char *text)
{
    size_t count = 1;
    for (const char *c = text; *c; c++) count += *c == ',';
    return count;
}

void tw_options_read_numbers(const char *text, double *values)
{
    for (; text; values++) {
        if (!tw_options_number(text, ",", values)) *values = NAN;
        text = strchr(text, ',');
        if (text) text++;
    }
}
