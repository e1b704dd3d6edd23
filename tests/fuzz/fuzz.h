/* fuzz.h: test readers with arbitrary bytes.
 *
 * Each tests/fuzz/fuzz_NAME.c tests one reader: LLVMFuzzerTestOneInput passes bytes to it, and fuzz_seed
 * provides valid ones. With clang's libFuzzer (make fuzz) coverage guides the search for bytes; without it
 * driver.c tries a fixed number of variations of the seeds, as an ordinary test. A reader passes if it
 * neither crashes nor triggers a sanitizer, gives a message when it fails, and frees all its memory.
 */
#ifndef TALWEG_TESTS_FUZZ_H
#define TALWEG_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "talweg/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Seed k, to be freed, and its length; NULL behind the last. */
char *fuzz_seed(size_t k, size_t *length);

/* How many variations of a seed make an ordinary test that takes a second. */
extern const size_t fuzz_variations;

/* One out of a list of strings that ends in NULL, as fuzz_seed gives it. */
char *fuzz_text(const char *const *texts, size_t k, size_t *length);

/* All bytes of a file, to be freed. */
char *fuzz_bytes(const char *name, size_t *length);

/* A context with little memory, in which a byte behind a block is beyond what AddressSanitizer allows. */
tw_context *fuzz_context(void);

/* The end of a reader: a message where it failed, no memory in use. Frees the context. */
void fuzz_end(tw_context *ctx, tw_status status);

/* The path of a file with this ending, the same at each call; fuzz_write fills it with bytes first. It is taken away
 * at the end. */
const char *fuzz_path(const char *ending);
const char *fuzz_write(const char *ending, const void *bytes, size_t size);
void fuzz_write_to(const char *name, const void *bytes, size_t size);

/* Stop, as a crash does. */
_Noreturn void fuzz_fail(const char *what);

#endif
