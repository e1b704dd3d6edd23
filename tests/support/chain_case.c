/* chain_case.c: run and compare chains; see chain_case.h. */
#include "support/chain_case.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/support.h"

tw_draws *run_chains(const posed *p, double beta, const tw_sampler_options *sampler, size_t chains,
                     const tw_chains_options *options)
{
    tw_posterior posterior = {.model = p->model, .beta = beta, .approximation = p->ep};
    tw_sampling *sampling = NULL;
    tw_draws *draws = NULL;
    assert_int_equal(tw_sampling_new(&posterior, sampler, chains, &sampling), TW_OK);
    assert_int_equal(tw_sampler_start(sampling->sampler, p->ep->reference, 1.5, options->seed), TW_OK);
    assert_int_equal(tw_chains_run(sampling->sampler, options, &draws), TW_OK);
    tw_sampling_free(sampling);
    return draws;
}

chain_case chain_case_new(const oracle_case *oracle)
{
    return (chain_case){.posed = pose_oracle(oracle), .oracle = oracle};
}

void chain_case_free(chain_case *c)
{
    posed_free(&c->posed);
}

tw_draws *chain_case_run(const chain_case *c, tw_method method, tw_metric metric,
                         const tw_chains_options *options)
{
    tw_sampler_options sampler = TW_SAMPLER_DEFAULTS;
    sampler.method = method;
    sampler.metric = metric;
    sampler.smoothing = c->smoothing;
    sampler.threads = 2;
    return run_chains(&c->posed, 1.0, &sampler, 4, options);
}

static void compare_site(const chain_case *c, size_t kind, tw_diagnose *d, const tw_draws *draws)
{
    const oracle_case *o = c->oracle;
    char what[128];
    double *x = malloc(draws->draws * draws->chains * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < draws->draws; i++)
        for (size_t j = 0; j < draws->chains; j++)
            x[i + j * draws->draws] = draws->x[o->first[kind] + o->n * (j + draws->chains * i)];
    tw_diagnose_load(d, x, draws->draws);
    free(x);
    print_message("  kind %zu: R-hat %.3f, ESS %.0f, mean %.4f +- %.4f (%.4f), sd %.4f +- %.4f (%.4f)\n",
                  kind + 1, tw_diagnose_rhat(d), tw_diagnose_ess_bulk(d), tw_diagnose_mean(d),
                  tw_diagnose_mcse_mean(d), o->mean[kind], tw_diagnose_sd(d), tw_diagnose_mcse_sd(d),
                  o->sd[kind]);
    assert_true(tw_diagnose_rhat(d) < 1.05 && tw_diagnose_ess_bulk(d) >= 100.0);
    snprintf(what, sizeof what, "%s, mean of kind %zu", o->name, kind + 1);
    assert_close(tw_diagnose_mean(d), o->mean[kind], 4.0 * tw_diagnose_mcse_mean(d), what);
    snprintf(what, sizeof what, "%s, sd of kind %zu", o->name, kind + 1);
    assert_close(tw_diagnose_sd(d), o->sd[kind], 4.0 * tw_diagnose_mcse_sd(d), what);
}

void chain_case_compare(const chain_case *c, const tw_draws *draws)
{
    tw_diagnose *d = NULL;
    assert_int_equal(tw_diagnose_new(c->posed.ctx, draws->draws, draws->chains, &d), TW_OK);
    for (size_t kind = 0; kind < c->oracle->kinds; kind++) compare_site(c, kind, d, draws);
    tw_diagnose_free(d);
}
