/* save.c: write draws in memory to a run file at once. No journal is needed, since a crash costs only the
 * time to write them again; the file is written under a temporary name and renamed when complete. The journal
 * of an earlier run of this name is locked meanwhile and then removed; otherwise the next reader would turn
 * it into the file. */
#include <math.h>
#include <sys/stat.h>

#include "output/journal/frame.h"
#include "output/run/file.h"
#include "output/run/seal.h"
#include "talweg/sampling_plan.h"
#include "talweg/team.h"

typedef struct memory {
    tw_journal layout; /* the layout of a journal with these draws */
    const tw_problem *problem;
    const tw_draws *draws;
    const tw_run_theta *theta;       /* NULL: all parameters are known */
    const tw_run_evidence *evidence; /* NULL: none */
} memory;

static tw_status read_rows(void *from, size_t first, size_t count, void *rows)
{
    const memory *m = from;
    const tw_draws *d = m->draws;
    TW_TRY(tw_poll(m->layout.ctx));
    for (size_t i = 0; i < count; i++) {
        size_t at = (first + i) * d->chains;
        const tw_draw draw = {
            first + i,       d->n,         d->chains, d->x + at * d->n, d->log_likelihood + at,
            d->records + at, d->tuning.eps};
        tw_journal_pack(&m->layout, &draw, 0.0, (char *)rows + i * m->layout.stride);
    }
    return TW_OK;
}

static tw_status read_latents(void *from, size_t first, size_t count, double *x)
{
    const memory *m = from;
    const tw_draws *d = m->draws;
    for (size_t i = 0; i < d->draws; i++)
        for (size_t c = 0; c < d->chains; c++)
            for (size_t k = 0; k < count; k++)
                x[i + d->draws * (c + d->chains * k)] = d->x[first + k + d->n * (c + d->chains * i)];
    return TW_OK;
}

/* Read back the facts in the file, with its date. */
static tw_status read_facts(tw_context *ctx, const char *image, tw_facts_store *store)
{
    tw_nc_reader r;
    TW_TRY(tw_nc_open(&r, ctx, image));
    tw_status status = tw_facts_get(&r, store);
    tw_nc_close(&r);
    return status;
}

static tw_status fill(memory *m, const tw_run_facts *facts, tw_writer *writer)
{
    struct stat about = {0};
    tw_facts_store store = {.facts = {.n = 0}};
    tw_journal *j = &m->layout;
    const tw_observations observed = tw_problem_observed(m->problem);
    const tw_draws_feed feed = {j, m, read_rows, read_latents};
    TW_TRY(
        tw_run_write_image(j->ctx, m->problem, facts, (unsigned)j->settings.compress, m->evidence, writer));
    if (stat(writer->temporary, &about) == 0) j->settings.bytes = (uint64_t)about.st_size;
    tw_status status = read_facts(j->ctx, writer->temporary, &store);
    if (status == TW_OK) status = tw_draws_put(&feed, writer, &store.facts, &observed);
    tw_facts_release(j->ctx, &store);
    if (status == TW_OK && m->theta)
        status = tw_theta_put(m->problem, m->theta, (unsigned)j->settings.compress, writer);
    return status == TW_OK ? tw_seal_put(writer) : status;
}

static tw_status save(memory *m, const char *path, bool overwrite, const tw_run_facts *facts)
{
    tw_writer *writer = NULL;
    TW_TRY(tw_run_begin(m->layout.ctx, path, overwrite, &writer));
    return tw_writer_close(writer, fill(m, facts, writer));
}

static tw_run_facts add_draws(tw_run_facts facts, const tw_draws *draws)
{
    facts.n = draws->n;
    facts.chains = draws->chains;
    facts.draws = draws->draws;
    facts.tuning = draws->tuning;
    facts.warmup_totals = draws->warmup;
    facts.sampling = draws->sampling;
    facts.interrupted = draws->interrupted;
    return facts;
}

tw_run_facts tw_run_facts_of(const tw_sampling_plan *plan, const tw_sampling_result *result)
{
    tw_run_facts facts = {.n = tw_model_describe(plan->posterior.model).n,
                          .chains = plan->chains,
                          .method = tw_method_name(plan->sampler.method),
                          .metric = tw_metric_name(plan->sampler.metric),
                          .from = plan->from,
                          .beta = plan->posterior.beta,
                          .warmup = plan->run.warmup,
                          .thin = plan->run.thin,
                          .seed = plan->run.seed};
    if (!result || !result->draws) return facts;
    facts.warmup_seconds = result->warmup_seconds;
    facts.sampling_seconds = result->sampling_seconds;
    return add_draws(facts, result->draws);
}

static tw_status save_claimed(memory *m, const char *path, const tw_run_options *o, const tw_run_facts *facts)
{
    tw_context *ctx = m->layout.ctx;
    tw_journal there;
    if (!tw_team_leads(ctx)) return TW_OK;
    TW_TRY(tw_journal_claim(&there, ctx, path, o->overwrite));
    tw_status status = save(m, path, o->overwrite, facts);
    if (status == TW_OK) tw_journal_remove(&there);
    tw_journal_close(&there);
    return status;
}

/* Save the problem, the draws and the optional parts. */
static tw_status save_memory(tw_context *ctx, const char *path, const tw_run_options *options,
                             const tw_run_facts *facts, memory *m)
{
    const tw_run_options defaults = {0}, *o = options ? options : &defaults;
    const tw_draws *draws = m->draws;
    const tw_run_facts all = add_draws(*facts, draws);
    TW_TRY(tw_run_check_parts(ctx, o, m->problem, &all));
    if (draws->draws > 0 && (!draws->x || !draws->records || !draws->log_likelihood))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the draws were not kept in memory: there is nothing to write");
    m->layout = (tw_journal){.ctx = ctx, .descriptor = -1, .draws = draws->draws};
    m->layout.settings = tw_run_settings(o, &all);
    m->layout.stride = tw_draw_stride(&m->layout.settings);
    return save_claimed(m, path, o, &all);
}

tw_status tw_run_save(tw_context *ctx, const char *path, const tw_run_options *options,
                      const tw_problem *problem, const tw_run_facts *facts, const tw_draws *draws)
{
    memory m = {.problem = problem, .draws = draws};
    return save_memory(ctx, path, options, facts, &m);
}

static tw_status check_hyper(tw_context *ctx, const tw_run_options *o, const tw_problem *problem,
                             const tw_run_theta *t)
{
    bool known = true;
    for (size_t k = 0; k < t->unknown; k++) known &= t->index[k] < tw_kernel_count(problem->kernel);
    if (o && o->summary_only)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "a run with unknown parameters cannot be saved as a summary only");
    if (o && o->pointwise && !known)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "log likelihoods of each observation need known parameters of the likelihood, and "
                       "some are unknown");
    return TW_OK;
}

tw_status tw_run_save_hyper(tw_context *ctx, const char *path, const tw_run_options *options,
                            const tw_problem *problem, const tw_run_facts *facts, const tw_run_theta *theta,
                            const tw_estimate *estimate, double seconds, const tw_draws *draws)
{
    tw_run_evidence evidence = {.laplace = NAN,
                                .ep = NAN,
                                .ep_corrected = NAN,
                                .from = "ep",
                                .kernel = "hmc/ep",
                                .count = estimate->particles > 0 ? 1 : 0,
                                .estimates = {*estimate},
                                .seconds = {seconds}};
    memory m = {.problem = problem, .draws = draws, .theta = theta, .evidence = &evidence};
    TW_TRY(check_hyper(ctx, options, problem, theta));
    return save_memory(ctx, path, options, facts, &m);
}
