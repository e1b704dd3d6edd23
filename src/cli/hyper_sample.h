/* hyper_sample.h: talweg sample with unknown parameters: draws of (theta, x). */
#ifndef TALWEG_CLI_HYPER_SAMPLE_H
#define TALWEG_CLI_HYPER_SAMPLE_H

#include "cli/hyper_options.h"
#include "cli/sample_files.h"
#include "cli/sampler_options.h"

/* The options of the command. */
typedef struct tw_hyper_sample_flags {
    const tw_model_options *model;
    const tw_hyper_flags *hyper;
    const tw_sampler_flags *sampler;
    const tw_sample_file_flags *files;
    const tw_saver_flags *saver;
    const tw_output_options *output;
    const char *command; /* the command line */
    const void *values;  /* all options, in the struct of the command */
} tw_hyper_sample_flags;

/* Run the command. */
tw_status tw_hyper_sample(tw_context *ctx, const tw_hyper_sample_flags *flags);

#endif
