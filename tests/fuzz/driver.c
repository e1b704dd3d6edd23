/* driver.c: a substitute for libFuzzer: tries every seed, and variations that are the same in each run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "support/scratch_file.h"

enum { ROOM = 64 };

/* What readers stumble over. */
static const char *const tokens[] = {
    "nan",        "-inf", "1e999", "-1",   "\"", ",", ",,",   ":",  "\n", "\r\n",
    "#",          "0x10", "\xff",  "null", "[",  "}", "1e-9", "--", "=",  "99999999999999999999",
    "4294967296", " "};

typedef struct text {
    char *bytes;
    size_t length, room;
} text;

static void insert(text *t, size_t at, const char *bytes, size_t length)
{
    if (t->length + length > t->room) return;
    memmove(t->bytes + at + length, t->bytes + at, t->length - at);
    memcpy(t->bytes + at, bytes, length);
    t->length += length;
}

static void cut(text *t, size_t at, size_t length)
{
    if (length > t->length - at) length = t->length - at;
    memmove(t->bytes + at, t->bytes + at + length, t->length - at - length);
    t->length -= length;
}

static void vary(text *t, uint64_t *bits)
{
    size_t at = t->length ? scratch_bits(bits) % t->length : 0;
    const char *token = tokens[scratch_bits(bits) % (sizeof tokens / sizeof *tokens)];
    switch (scratch_bits(bits) % 6) {
    case 0: insert(t, at, token, strlen(token)); break;
    case 1: cut(t, at, 1 + scratch_bits(bits) % 8); break;
    case 2: t->length = at; break;
    case 3: /* words of 8 bytes: lengths and counts */
        at -= at % 8;
        for (size_t i = at; i < at + 8 && i < t->length; i++) t->bytes[i] = i < at + 4 ? -1 : 0;
        break;
    default:
        if (at < t->length) t->bytes[at] = (char)scratch_bits(bits);
    }
}

static void run_seed(const char *seed, size_t length, uint64_t *bits)
{
    text t = {malloc(length + ROOM), length, length + ROOM};
    if (!t.bytes) fuzz_fail("no memory");
    for (size_t trial = 0; trial <= fuzz_variations; trial++) {
        memcpy(t.bytes, seed, t.length = length);
        for (size_t k = 0; k < trial % 5 && trial > 0; k++) vary(&t, bits);
        uint8_t *exact = malloc(t.length ? t.length : 1); /* so that reading behind its end is seen */
        if (!exact) fuzz_fail("no memory");
        memcpy(exact, t.bytes, t.length);
        LLVMFuzzerTestOneInput(exact, t.length);
        free(exact);
    }
    free(t.bytes);
}

int main(void)
{
    uint64_t bits = 1;
    size_t length = 0, k = 0;
    char *seed = NULL;
    for (; (seed = fuzz_seed(k, &length)); k++) {
        run_seed(seed, length, &bits);
        free(seed);
    }
    printf("%zu seeds, %zu variations of each\n", k, fuzz_variations);
    return k > 0 ? 0 : 1;
}
