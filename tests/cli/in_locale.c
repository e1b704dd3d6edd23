/* in_locale ARGUMENTS...: talweg in a process that has taken over the user's locale, as programs and interpreters
 * that use the library do; the program talweg itself keeps "C". Exits with 77 if numbers have no comma there. */
#include <locale.h>
#include <stdio.h>

#include "cli/commands.h"
#include "talweg/base.h"

int main(int argc, char **argv)
{
    tw_context *ctx = NULL;
    if (!setlocale(LC_ALL, "") || localeconv()->decimal_point[0] != ',') return 77;
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    const int code =
        tw_status_exit_code(tw_program_run(ctx, (size_t)(argc - 1), (const char *const *)argv + 1));
    if (code != 0) fprintf(stderr, "%s\n", tw_context_message(ctx));
    tw_context_free(ctx);
    return code;
}
