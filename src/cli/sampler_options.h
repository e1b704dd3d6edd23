/* sampler_options.h: the options of the samplers, and their translation to the library's options. */
#ifndef TALWEG_CLI_SAMPLER_OPTIONS_H
#define TALWEG_CLI_SAMPLER_OPTIONS_H

#include "cli/options.h"
#include "talweg/sampling_plan.h"

typedef struct tw_sampler_flags {
    const char *method, *metric, *init, *from;
    double eps, solver_tol, target_accept, reverse_check, beta, until_ess, max_seconds;
    uint64_t steps, fixed_point, chains, warmup, draws, max_draws, thin, seed, threads;
    bool max_draws_given;
} tw_sampler_flags;

enum { TW_SAMPLER_OPTION_COUNT = 20 };
extern const tw_option tw_sampler_option_rows[TW_SAMPLER_OPTION_COUNT];
#define TW_SAMPLER_OPTION_GROUP(type, member)                                              \
    {                                                                                      \
        "Sampler", tw_sampler_option_rows, TW_SAMPLER_OPTION_COUNT, offsetof(type, member) \
    }

/* Fail if options contradict each other. */
tw_status tw_sampler_flags_check(tw_context *ctx, const tw_sampler_flags *flags);

/* The library's options, without the contents of files (--from, --init). */
tw_sampling_options tw_sampler_flags_options(const tw_sampler_flags *flags);

#endif
