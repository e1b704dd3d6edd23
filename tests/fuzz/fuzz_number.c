/* fuzz_number.c: decimal text to double, against strtod. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/number.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(1, size + 1);
    double value = 0.0;
    if (!text) fuzz_fail("no memory");
    if (size) memcpy(text, data, size);
    const char *end = tw_number_parse(text, &value);
    if (end) {
        text[end - text] = '\0'; /* strtod would read on where hexadecimal digits follow */
        char *stop = NULL;
        double expected = strtod(text, &stop);
        if (stop != end) fuzz_fail("strtod does not end there");
        if (value != expected || signbit(value) != signbit(expected)) fuzz_fail("strtod has another number");
    }
    free(text);
    return 0;
}

const size_t fuzz_variations = 5000;

char *fuzz_seed(size_t k, size_t *length)
{
    static const char *const seeds[] = {"1",
                                        "-12345678901234567890.5e-3",
                                        "9007199254740993",
                                        "0.1e23",
                                        "+.5e",
                                        "4.9406564584124654e-324",
                                        "1e400",
                                        "-0.0",
                                        "1e-99999",
                                        "00000000000000000000000001",
                                        "1.7976931348623158e308",
                                        "123456789012345678e4",
                                        NULL};
    return fuzz_text(seeds, k, length);
}
