/* hyper_print.c: prints unknown parameters as tables, and encodes them as JSON. */
#include <math.h>
#include <string.h>

#include "cli/hyper_options.h"

bool tw_hyper_is_chain(const tw_hyper_result *r)
{
    return strcmp(r->estimate.method, "chain") == 0;
}

static void describe_prior(const tw_hyper_job *j, size_t k, char *words, size_t bytes)
{
    size_t index = j->result->row[k].index;
    tw_prior_show(&j->priors->prior[index], tw_problem_parameter(j->problem, index), words, bytes);
}

void tw_hyper_print_model(const tw_hyper_job *j, const char *data)
{
    const tw_hyper_result *r = j->result;
    printf("%s: ", data);
    tw_model_print(j->problem, stdout);
    printf("(at the mode of the parameters); %zu of %zu parameters unknown: ", r->unknown,
           tw_problem_count(j->problem));
    for (size_t k = 0; k < r->unknown; k++) {
        char words[200];
        describe_prior(j, k, words, sizeof words);
        printf("%s%s", k ? ", " : "", words);
    }
    if (tw_hyper_is_chain(r))
        printf("\n%zu draws in %zu chains", r->points, r->scrambles);
    else
        printf("\n%zu points in %zu scrambles, %zu particles at each", r->points, r->scrambles, r->particles);
    printf("; set-up: %zu fits of EP, %.2f s\n\n", r->fits, r->mode_seconds + r->proposal_seconds);
}

void tw_hyper_print_rows(const tw_hyper_job *j)
{
    const tw_hyper_result *r = j->result;
    bool chain = tw_hyper_is_chain(r);
    printf("  %-18s%11s%10s%10s%11s%11s%11s%s\n", "parameter", "mean", "MCSE", "sd", "5%", "50%", "95%",
           chain ? "   ESS bulk    R-hat" : "");
    for (size_t k = 0; k < r->unknown; k++) {
        const tw_hyper_row *row = &r->row[k];
        printf("  %-18s%11.4g%10.2g%10.4g%11.4g%11.4g%11.4g", row->name, row->mean, row->mcse, row->sd,
               row->q05, row->q50, row->q95);
        if (chain) printf("%11.0f%9.4f", row->ess_bulk, row->rhat);
        printf("\n");
    }
}

/* Weighted points are not chains:
 * they have no R-hat, and the effective sample size is that of the weights. */
json_t *tw_hyper_encode_rows(const tw_hyper_job *j, bool *ok)
{
    const tw_hyper_result *r = j->result;
    json_t *array = json_array();
    for (size_t k = 0; k < r->unknown; k++) {
        const tw_hyper_row *row = &r->row[k];
        char prior[200];
        json_t *object = json_object();
        describe_prior(j, k, prior, sizeof prior);
        tw_json_set(object, "name", json_string(row->name), ok);
        tw_json_set(object, "mean", tw_json_number(row->mean), ok);
        tw_json_set(object, "sd", tw_json_number(row->sd), ok);
        tw_json_set(object, "q05", tw_json_number(row->q05), ok);
        tw_json_set(object, "q50", tw_json_number(row->q50), ok);
        tw_json_set(object, "q95", tw_json_number(row->q95), ok);
        tw_json_set(object, "mcse", tw_json_number(row->mcse), ok);
        tw_json_set(object, "ess_bulk", tw_json_number(row->ess_bulk), ok);
        tw_json_set(object, "ess_tail", tw_json_number(row->ess_tail), ok);
        tw_json_set(object, "rhat", tw_json_number(row->rhat), ok);
        tw_json_set(object, "prior", json_string(prior), ok);
        tw_json_append(array, object, ok);
    }
    return array;
}

size_t tw_hyper_estimates(const tw_hyper_result *r, tw_estimate estimates[2], double seconds[2])
{
    estimates[0] = r->estimate;
    seconds[0] = r->seconds;
    estimates[1] = r->joint;
    seconds[1] = r->joint_seconds;
    return r->joint.particles > 0 ? 2 : 1;
}

/* The reason to doubt an estimate from so many weights, NULL if there is none: as the warnings of the run say. */
static const char *doubt_of(const tw_estimate *e, size_t weights)
{
    if (!isfinite(e->log_z) || !(e->weight_ess >= 2.0)) return "the weights collapsed";
    return e->pareto_k > tw_pareto_limit(weights) ? "the weights have a heavy tail" : NULL;
}

json_t *tw_hyper_encode_estimate(const tw_estimate *e, size_t weights, double seconds, bool *ok)
{
    const char *doubt = doubt_of(e, weights);
    json_t *object = json_object();
    tw_json_set(object, "method", json_string(e->method), ok);
    tw_json_set(object, "whole_model", json_true(), ok);
    tw_json_set(object, "from", json_string("ep"), ok);
    tw_json_set(object, "kernel", json_string(strcmp(e->method, "is2") == 0 ? "hmc" : "ess"), ok);
    tw_json_set(object, "metric", json_string("ep"), ok);
    tw_json_set(object, "log_z", tw_json_number(e->log_z), ok);
    tw_json_set(object, "se", tw_json_number(e->se), ok);
    tw_json_set(object, "weight_ess", tw_json_number(e->weight_ess), ok);
    tw_json_set(object, "pareto_k", tw_json_number(e->pareto_k), ok);
    tw_json_set(object, "doubt", doubt ? json_string(doubt) : json_null(), ok);
    tw_json_set(object, "acceptance", tw_json_number(e->acceptance), ok);
    tw_json_set(object, "failures", tw_json_number(e->failures), ok);
    tw_json_set(object, "particles", tw_json_count(e->particles), ok);
    tw_json_set(object, "temperatures", tw_json_count(e->temperatures), ok);
    tw_json_set(object, "unbiased", json_boolean(e->unbiased), ok);
    tw_json_set(object, "seconds", tw_json_number(seconds), ok);
    return object;
}

json_t *tw_hyper_encode_points(const tw_hyper_result *r, bool *ok)
{
    static const char *const names[TW_HYPER_STARTS] = {"ep", "laplace", "prior", "failed"};
    json_t *object = json_object(), *started = json_object();
    for (size_t k = 0; k < TW_HYPER_STARTS; k++)
        tw_json_set(started, names[k], tw_json_count(r->started[k]), ok);
    tw_json_set(object, "points", tw_json_count(r->points), ok);
    tw_json_set(object, "scrambles", tw_json_count(r->scrambles), ok);
    tw_json_set(object, "particles", tw_json_count(r->particles), ok);
    tw_json_set(object, "started_from", started, ok);
    tw_json_set(object, "setup_fits", tw_json_count(r->fits), ok);
    tw_json_set(object, "setup_seconds", tw_json_number(r->mode_seconds + r->proposal_seconds), ok);
    tw_json_set(object, "cpu_seconds", tw_json_number(r->cpu_points), ok);
    tw_json_set(object, "setup_cpu_seconds", tw_json_number(r->cpu_setup), ok);
    return object;
}
