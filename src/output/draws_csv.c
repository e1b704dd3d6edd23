/* draws_csv.c: see draws_csv.h. */
#include "output/draws_csv.h"

#include "data/number.h"
#include "output/csv.h"

void tw_draws_csv_header(size_t n, FILE *to)
{
    fputs("chain,draw,lp,acceptance_rate,step_size,n_steps,diverging,energy", to);
    for (size_t i = 1; i <= n; i++) fprintf(to, ",x.%zu", i);
    fputc('\n', to);
}

static void print_statistics(const tw_draw *draw, size_t chain, FILE *to)
{
    const tw_record *r = &draw->records[chain];
    bool failed = r->energy_divergence || r->implicit_failure || r->irreversible || r->factorisation;
    const double values[] = {
        (double)(chain + 1), (double)(draw->index + 1), r->log_density,     r->acceptance_rate,
        draw->eps,           (double)r->steps,          failed ? 1.0 : 0.0, r->energy};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        if (k) fputc(',', to);
        tw_csv_number(values[k], to);
    }
}

tw_status tw_draws_csv_add(tw_context *ctx, const tw_draw *draw, FILE *to)
{
    tw_number_locale locale;
    TW_TRY(tw_number_locale_begin(ctx, &locale));
    for (size_t c = 0; c < draw->chains; c++) {
        print_statistics(draw, c, to);
        for (size_t i = 0; i < draw->n; i++) {
            fputc(',', to);
            tw_csv_number(draw->x[i + c * draw->n], to);
        }
        fputc('\n', to);
    }
    tw_number_locale_end(&locale);
    return TW_OK;
}
