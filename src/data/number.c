/* number.c: convert decimal text to the nearest double.
 *
 * The text is w * 10^e with an integer w. Three methods follow, from fast to slow, all correctly rounded:
 *
 * 1. If w <= 2^53 and |e| <= 22, w and 10^|e| are exact doubles, so one product or quotient rounds once.
 * 2. If w < 10^19 and |e| <= 22 (any number of 17 digits with a moderate exponent), w = hi + lo, and the product
 *    or quotient is an unevaluated sum head + tail of two doubles with a relative error below 2^-102. If
 *    head + (tail - slack) and head + (tail + slack) round to the same double, the exact value does too.
 *    Otherwise the value is very close to the midpoint of two doubles, and method 3 decides.
 * 3. strtod, which is exact and slow, converts all other numbers.
 */
#include "data/number.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { EXACT_POWER = 22, MOST_DIGITS = 19 };

/* The powers of ten that are exact doubles, since 5^22 < 2^53. */
static const double power_of_ten[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

tw_status tw_number_locale_begin(tw_context *ctx, tw_number_locale *locale)
{
    locale->c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (locale->c == (locale_t)0) return tw_fail(ctx, TW_NO_MEMORY, "not enough memory for a locale");
    locale->before = uselocale(locale->c);
    return TW_OK;
}

void tw_number_locale_end(tw_number_locale *locale)
{
    uselocale(locale->before);
    freelocale(locale->c);
}

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Append decimal digits to *w, modulo 2^64. */
static const char *parse_digits(const char *p, uint64_t *w)
{
    uint64_t sum = *w;
    for (; is_digit(*p); p++) sum = 10 * sum + (uint64_t)(*p - '0');
    *w = sum;
    return p;
}

/* Parse e[+-]digits at p and add it to *exponent; returns p if there is no exponent. Digits that would take
 * the exponent beyond 10^16 are ignored: no file holds a fraction long enough to compensate such an
 * exponent. */
static const char *parse_exponent(const char *p, int64_t *exponent)
{
    if (*p != 'e' && *p != 'E') return p;
    const char *digits = p + 1 + (p[1] == '+' || p[1] == '-');
    if (!is_digit(*digits)) return p;
    int64_t sum = 0;
    const char *q = digits;
    for (; is_digit(*q); q++)
        if (sum < INT64_C(10000000000000000)) sum = 10 * sum + (*q - '0');
    *exponent += p[1] == '-' ? -sum : sum;
    return q;
}

/* The number of significant digits from p to end: leading zeros and the decimal point do not count. */
static size_t significant_digits(const char *p, const char *end)
{
    size_t count = 0;
    for (; p < end; p++)
        if (is_digit(*p) && (count || *p != '0')) count++;
    return count;
}

/* The error of a rounded product: a * b = product + error exactly (Dekker 1971; Veltkamp's splitting at 27
 * bits). */
static double product_error(double a, double b, double product)
{
    const double split = 0x1p27 + 1;
    double ta = split * a, tb = split * b;
    double a_hi = ta - (ta - a), b_hi = tb - (tb - b);
    double a_lo = a - a_hi, b_lo = b - b_hi;
    return ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo;
}

/* Method 2. Returns whether the rounding is certain; the result is then in *value. */
static bool round_two_doubles(uint64_t w, int64_t exponent, double *value)
{
    double hi = (double)w;
    double lo = (double)(int64_t)(w - (uint64_t)hi);
    double power = power_of_ten[exponent < 0 ? -exponent : exponent];
    double head, tail;
    if (exponent >= 0) {
        head = hi * power;
        tail = product_error(hi, power, head) + lo * power;
    } else {
        head = hi / power;
        double product = head * power;
        double remainder = (hi - product) - product_error(head, power, product);
        tail = (remainder + lo) / power;
    }
    double slack = 0x1p-100 * head;
    *value = head + (tail - slack);
    return *value == head + (tail + slack);
}

/* |w * 10^exponent|; strtod reads the same number at `text`. */
static double magnitude(uint64_t w, int64_t exponent, const char *text)
{
    double size = 0;
    if (w == 0) return 0;
    if (exponent < -EXACT_POWER || exponent > EXACT_POWER) return fabs(strtod(text, NULL));
    if (w <= UINT64_C(1) << 53)
        return exponent < 0 ? (double)w / power_of_ten[-exponent] : (double)w * power_of_ten[exponent];
    return round_two_doubles(w, exponent, &size) ? size : fabs(strtod(text, NULL));
}

const char *tw_number_parse(const char *text, double *value)
{
    bool negative = *text == '-';
    const char *first = text + (*text == '-' || *text == '+');
    uint64_t w = 0;
    const char *p = parse_digits(first, &w);
    size_t digits = (size_t)(p - first), fraction = 0;
    if (*p == '.') {
        const char *point = p;
        p = parse_digits(point + 1, &w);
        fraction = (size_t)(p - point) - 1;
        digits += fraction;
    }
    if (digits == 0) return NULL;
    bool fits = digits <= MOST_DIGITS || significant_digits(first, p) <= MOST_DIGITS;
    int64_t exponent = -(int64_t)fraction;
    p = parse_exponent(p, &exponent);
    double size = fits ? magnitude(w, exponent, text) : fabs(strtod(text, NULL));
    *value = negative ? -size : size;
    return p;
}
