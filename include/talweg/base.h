/* base.h: status codes, and the context that every other call takes.
 *
 * A tw_context holds state that would otherwise be global: the allocator and its counters, the message of the last
 * error, and the receivers of messages. Make one per thread that calls talweg; objects made with a context keep a
 * pointer to it and must be freed before it.
 */
#ifndef TALWEG_BASE_H
#define TALWEG_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks the functions that a program may call; the shared library hides all others. */
#if defined(_WIN32) || defined(__CYGWIN__)
#define TW_API
#elif defined(__GNUC__)
#define TW_API __attribute__((visibility("default")))
#else
#define TW_API
#endif

/* Marks a function with a printf format: the number of the format argument and of the first argument that it
 * prints. */
#if defined(__GNUC__)
#define TW_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TW_PRINTF(text, first)
#endif

/* Every status: name, exit code of the program (0 done, 1 bad input or usage, 2 numerical failure, 3 a limit of
 * the machine), and its general meaning; tw_context_message() has the details. The list defines the enum and the
 * messages. */
#define TW_STATUS_LIST(X)                                                           \
    X(TW_OK, 0, "done")                                                             \
    X(TW_BAD_ARGUMENT, 1, "an argument is outside its range")                       \
    X(TW_FILE_EXISTS, 1, "a file already exists")                                   \
    X(TW_BAD_FILE, 1, "a file cannot be opened or read")                            \
    X(TW_BAD_DATA, 1, "the data are not what was expected")                         \
    X(TW_NOT_POSITIVE_DEFINITE, 1, "a covariance matrix is not positive definite")  \
    X(TW_NOT_CONVERGED, 2, "an iteration stopped before it converged")              \
    X(TW_NUMERICAL_FAILURE, 2, "a computation produced a value that is not finite") \
    X(TW_NO_MEMORY, 3, "there is not enough memory")                                \
    X(TW_WRITE_FAILED, 3, "a file could not be written")                            \
    X(TW_INTERRUPTED, 3, "the caller interrupted the computation")                  \
    X(TW_NEW_CATEGORY, 1, "a new case has a category that the training data do not have")

/* A row of the list as an enumerator. */
#define TW_STATUS_ENUM(name, code, text) name,
/* How a call ended. */
typedef enum tw_status { TW_STATUS_LIST(TW_STATUS_ENUM) TW_STATUS_COUNT } tw_status;
#undef TW_STATUS_ENUM

/* The general meaning of a status, and the exit code that a program should return for it. */
TW_API const char *tw_status_text(tw_status status);
TW_API int tw_status_exit_code(tw_status status);

/* The version of the library, as "major.minor.patch". */
TW_API const char *tw_version(void);

/* State that would otherwise be global; see above. */
typedef struct tw_context tw_context;

/* The source of memory. allocate returns NULL if it fails, otherwise memory aligned for any type. */
typedef struct tw_allocator {
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory);
    void *user;
} tw_allocator;

/* The level of a message. */
typedef enum tw_log_level { TW_LOG_INFO, TW_LOG_WARNING } tw_log_level;
/* Receives a message; text is valid during the call. */
typedef void tw_log_function(void *user, tw_log_level level, const char *text);

/* Make a context. allocator NULL means malloc and free, with a limit at the machine's physical memory. If the
 * BLAS is OpenBLAS, it is set to one thread: talweg parallelises over columns instead. */
TW_API tw_status tw_context_new(const tw_allocator *allocator, tw_context **out);
TW_API void tw_context_free(tw_context *ctx);

/* The message of the last failed call: what was found, where, and what to do. Valid until the next failing call
 * with this context. */
TW_API const char *tw_context_message(const tw_context *ctx);

/* Warnings and notes for the user go to log(user, level, text). NULL (the default): they are dropped. */
TW_API void tw_context_set_log(tw_context *ctx, tw_log_function *log, void *user);

/* Long computations without a progress callback (EP's sweeps, Laplace's steps, pilot runs, temperatures) call
 * interrupted(user) regularly, in the calling thread, and end with TW_INTERRUPTED when it returns true. NULL (the
 * default): no interrupts. */
typedef bool tw_interrupt_function(void *user);
TW_API void tw_context_set_interrupt(tw_context *ctx, tw_interrupt_function *interrupted, void *user);

/* Bytes in use, their maximum so far, and their limit (0: no limit). */
TW_API size_t tw_context_bytes_in_use(const tw_context *ctx);
TW_API size_t tw_context_bytes_peak(const tw_context *ctx);
TW_API void tw_context_set_byte_limit(tw_context *ctx, size_t limit);

/* The largest number of threads of any computation. */
enum { TW_MOST_THREADS = 64 };

/* The number of threads that an option means: `asked`, or for 0 as many as this process may use. */
TW_API size_t tw_threads(size_t asked);

/* Seconds of wall time since a fixed moment, and seconds of processor time used by all threads of this process. */
TW_API double tw_wall_seconds(void);
TW_API double tw_cpu_seconds(void);

/* ---- errors, messages and memory, for programs and callbacks ---- */

/* Return the status of a failed call. For functions that own nothing yet. */
#define TW_TRY(call)                                      \
    do {                                                  \
        tw_status tw_try_status = (call);                 \
        if (tw_try_status != TW_OK) return tw_try_status; \
    } while (0)

/* Store the message of an error in ctx and return status: `return tw_fail(ctx, TW_BAD_DATA, "...")`. */
TW_API tw_status tw_fail(tw_context *ctx, tw_status status, const char *format, ...) TW_PRINTF(3, 4);

/* Prepend text to the stored message: tw_fail_within(ctx, s, "%s: ", file). Returns status. */
TW_API tw_status tw_fail_within(tw_context *ctx, tw_status status, const char *format, ...) TW_PRINTF(3, 4);

/* Replace in a text from outside, such as the name of a file or a column, what a terminal would obey rather than print:
 * each byte of a control character becomes "?". Returns the text. The messages and warnings of a context are plain, except for the
 * line ends of their own words. */
TW_API char *tw_make_plain(char *text);

/* Tell static analysers that these return the given status. */
#ifdef __clang_analyzer__
#define tw_fail(ctx, status, ...) ((tw_fail)(ctx, status, __VA_ARGS__), (status))
#define tw_fail_within(ctx, status, ...) ((tw_fail_within)(ctx, status, __VA_ARGS__), (status))
#endif

/* User text in a form that is safe in a message. */
enum { TW_QUOTED_BYTES = 64 };
/* In quotes, truncated to about 40 bytes; bytes that are not printable ASCII are written in hexadecimal. */
typedef struct tw_quoted {
    char text[TW_QUOTED_BYTES];
} tw_quoted;
/* The text in [begin, end). */
TW_API tw_quoted tw_quote(const char *begin, const char *end);

/* The name of the list "a, b, c" nearest to word by edit distance, copied into nearest, for messages with "did
 * you mean"; "" if every name needs more than a third of the letters changed (of the longer of word and name). */
enum { TW_NAME_BYTES = 64 };
TW_API void tw_nearest_name(const char *word, const char *names, char nearest[TW_NAME_BYTES]);

/* Send a note for the user to the log of the context. Warnings have a code: use tw_warn (warning.h). */
TW_API void tw_log(tw_context *ctx, tw_log_level level, const char *format, ...) TW_PRINTF(3, 4);

/* count * size bytes, zeroed and aligned to 64 bytes, counted by ctx. The caller frees them with tw_release
 * before the context. On failure *out is NULL, the status is TW_NO_MEMORY, and the message names the size and
 * `what` ("the kernel matrix"). count = 0 gives a block that must not be read. */
TW_API tw_status tw_allocate(tw_context *ctx, size_t count, size_t size, const char *what, void **out);

/* A rows x columns block of doubles, likewise. */
TW_API tw_status tw_allocate_doubles(tw_context *ctx, size_t rows, size_t columns, const char *what,
                                     double **out);

/* Free a block of this context; NULL is fine. */
TW_API void tw_release(tw_context *ctx, void *memory);

/* ---- checksums ---- */

/* The initial value of a checksum. */
#define TW_CHECKSUM_START UINT64_C(0xcbf29ce484222325)

/* The checksum of talweg's own files, FNV-1a (Fowler, Noll and Vo) by words of 8 bytes, of `words` more words: `sum`
 * is TW_CHECKSUM_START or the result of the previous call. A change within one word is always detected; it is not a
 * cryptographic checksum. */
TW_API uint64_t tw_checksum(uint64_t sum, size_t words, const void *data);

/* The same for the bytes of a text, one word each, including its terminating 0. */
TW_API uint64_t tw_checksum_text(uint64_t sum, const char *text);

#ifdef __cplusplus
}
#endif

#endif
