/* fuzz_options.c: command lines, one argument per line, which are parsed but not executed. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "cli/commands.h"
#include "fuzz/fuzz.h"

enum { MOST = 64 };

static tw_status parse(tw_context *ctx, const tw_command *command, size_t count, const char *const *arguments)
{
    void *values = NULL;
    char *line = NULL;
    bool wants_help = false;
    TW_TRY(tw_allocate(ctx, 1, command->bytes, "values", &values));
    tw_status status = tw_options_parse(ctx, command, count, arguments, values, &wants_help);
    if (status == TW_OK) status = tw_command_line(ctx, command->name, count, arguments, &line);
    tw_release(ctx, line);
    tw_release(ctx, values);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *arguments[MOST];
    size_t count = 0;
    char *text = calloc(1, size + 1), *rest = NULL;
    if (!text) fuzz_fail("no memory");
    if (size) memcpy(text, data, size);
    for (char *word = strtok_r(text, "\n", &rest); word && count < MOST; word = strtok_r(NULL, "\n", &rest))
        arguments[count++] = word;
    for (size_t k = 0; tw_command_at(k); k++) {
        tw_context *ctx = fuzz_context();
        fuzz_end(ctx, parse(ctx, tw_command_at(k), count, arguments));
    }
    free(text);
    return 0;
}

const size_t fuzz_variations = 500;

char *fuzz_seed(size_t k, size_t *length)
{
    static const char *const seeds[] = {
        "data.csv\n--log-ell\n1,2.5,-3e-1\n--log-sigma=2\n--likelihood\nlogit\n--json",
        "--chains\n4\n--draws\n1000\n--eps=0.1\n--init\nprior\n-o\nrun.nc\n--\n-data.csv",
        "--method\nais,pt\n--schedule\ngeometric\n--temperatures\n18446744073709551616\nx",
        "a.nc\nb.nc\n--threads\n-1\n--title\n\x1b[31m it's\n--quiet",
        "--log-ell\n0:1:3\n--log-sigma\n:::\ndata.csv",
        NULL};
    return fuzz_text(seeds, k, length);
}
