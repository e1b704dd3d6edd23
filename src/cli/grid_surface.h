/* grid_surface.h: a grid on its way: options, what a point is computed with, and checkpoints. */
#ifndef TALWEG_CLI_GRID_SURFACE_H
#define TALWEG_CLI_GRID_SURFACE_H

#include "cli/anneal_options.h"
#include "cli/grid.h"
#include "cli/model_options.h"
#include "cli/new_inputs.h"
#include "cli/progress.h"
#include "cli/saver.h"

typedef struct tw_grid_options {
    tw_model_options model;
    tw_anneal_options anneal;
    tw_saver_flags saver;
    tw_output_options output;
    tw_grid_axes axes;
    const char *method, *test, *output_file, *plot;
} tw_grid_options;

typedef struct tw_surface {
    tw_context *ctx;
    const tw_grid_options *options;
    tw_problem *problem;
    tw_kernel *kernel; /* that of the point at hand */
    double *theta;     /* its parameters */
    tw_new_inputs at;  /* test cases, at.m = 0 without */
    double *latent;    /* at.m x 4: mean, variance, expected, log score */
    tw_grid grid;
    tw_table *schedule;  /* in a file; NULL: none */
    tw_ep_sequence *row; /* the points of a row so far */
    size_t points;
    size_t done;    /* points of a checkpoint */
    size_t members; /* of the team; alone: 1 */
    size_t first;   /* row of those that are computed now, `members` at a time */
    double start;
    tw_meter meter;
    tw_saver saver;
} tw_surface;

/* How many of the first `done` points EP did not converge at. */
size_t tw_surface_unconverged(const tw_surface *s, size_t done);

/* Keep the first `done` points for later, and what the next one starts from: so it is the same to the bit. */
void tw_surface_save(tw_surface *s, size_t done);

/* The points that were computed earlier: how many, and what the next one starts from. */
tw_status tw_surface_resume(tw_surface *s);

#endif
