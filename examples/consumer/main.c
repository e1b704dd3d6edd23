/* main.c: the smallest program that uses an installed talweg. Three ways to build it:
 *
 *   cc main.c $(pkg-config --cflags --libs talweg) -o consumer
 *   cc main.c $(pkg-config --cflags --static --libs talweg) -o consumer    (if only libtalweg.a is installed)
 *   cmake -B build && cmake --build build                                  (see CMakeLists.txt in this folder)
 */
#include <stdio.h>

#include <talweg/talweg.h>

int main(void)
{
    tw_context *ctx = NULL;
    tw_status status = tw_context_new(NULL, &ctx);
    if (status != TW_OK) {
        fprintf(stderr, "consumer: %s\n", tw_status_text(status));
        return tw_status_exit_code(status);
    }
    printf("talweg %s\n", tw_version());
    tw_context_free(ctx);
    return 0;
}
