/* fuzz_model.c: model files, as arguments of a command that is parsed but not executed. */
#include "base/context.h"
#include "cli/commands.h"
#include "cli/model_file.h"
#include "fuzz/fuzz.h"

static tw_status parse(tw_context *ctx, const tw_command *command, const tw_model_arguments *all)
{
    void *values = NULL;
    bool wants_help = false;
    TW_TRY(tw_allocate(ctx, 1, command->bytes, "values", &values));
    tw_status status = tw_options_parse(ctx, command, all->count, all->item, values, &wants_help);
    tw_release(ctx, values);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tw_command *const commands[] = {&tw_command_fit, &tw_command_sample, &tw_command_selftest};
    const char *arguments[] = {"--model", fuzz_write(".json", data, size), "--quiet"};
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
        tw_context *ctx = fuzz_context();
        tw_model_arguments all;
        tw_status status = tw_model_file_expand(ctx, commands[k], 3, arguments, &all);
        if (status == TW_OK) status = parse(ctx, commands[k], &all);
        tw_model_arguments_release(ctx, &all);
        fuzz_end(ctx, status);
    }
    return 0;
}

const size_t fuzz_variations = 1000;

char *fuzz_seed(size_t k, size_t *length)
{
    static const char *const seeds[] = {"{\"format\": \"talweg model\", \"version\": 1, \"data\": "
                                        "\"train.csv\", \"options\": {\"standardise\": true, "
                                        "\"likelihood\": \"gaussian\", \"kernel\": \"se(ell=2)\", \"noise\": "
                                        "0.5}, \"priors\": [\"ell ~ gamma(25, 4)\"], "
                                        "\"fixed\": [\"noise\"]}",
                                        "{\"format\": \"talweg model\", \"version\": 1, \"options\": "
                                        "{\"label-column\": \"-1\", \"jitter\": 1e-6}}",
                                        NULL};
    return fuzz_text(seeds, k, length);
}
