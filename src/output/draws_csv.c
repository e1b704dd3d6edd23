/* draws_csv.c: see draws_csv.h. */
#include "output/draws_csv.h"

#include "data/number.h"
#include "output/csv.h"

bool tw_record_failed(const tw_record *r)
{
    return r->energy_divergence || r->implicit_failure || r->irreversible || r->factorisation;
}

void tw_draws_csv_names(size_t n, FILE *to)
{
    for (size_t i = 1; i <= n; i++) fprintf(to, ",x.%zu", i);
    fputc('\n', to);
}

void tw_draws_csv_latents(const tw_draw *draw, size_t chain, FILE *to)
{
    fputc(',', to);
    tw_csv_numbers(draw->n, draw->x + chain * draw->n, to);
    fputc('\n', to);
}

void tw_draws_csv_header(size_t n, FILE *to)
{
    fputs("chain,draw,lp,acceptance_rate,step_size,n_steps,diverging,energy", to);
    tw_draws_csv_names(n, to);
}

tw_status tw_draws_csv_add(tw_context *ctx, const tw_draw *draw, FILE *to)
{
    tw_number_locale locale;
    TW_TRY(tw_number_locale_begin(ctx, &locale));
    for (size_t c = 0; c < draw->chains; c++) {
        const tw_record *r = &draw->records[c];
        const double values[] = {
            (double)(c + 1),  (double)(draw->index + 1),       r->log_density, r->acceptance_rate, draw->eps,
            (double)r->steps, tw_record_failed(r) ? 1.0 : 0.0, r->energy};
        tw_csv_numbers(sizeof values / sizeof *values, values, to);
        tw_draws_csv_latents(draw, c, to);
    }
    tw_number_locale_end(&locale);
    return TW_OK;
}
