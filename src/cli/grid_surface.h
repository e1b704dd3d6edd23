/* grid_surface.h: the options and the state of the computation of a grid, and its checkpoints. */
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
    bool new_categories;
} tw_grid_options;

typedef struct tw_surface {
    tw_context *ctx;
    const tw_grid_options *options;
    tw_problem *problem;
    tw_kernel *kernel; /* the kernel of the current point */
    double *theta;     /* its parameters */
    tw_new_inputs at;  /* test cases; at.m = 0: none */
    double *latent;    /* at.m x 4: mean, variance, expected, log score */
    tw_grid grid;
    tw_table *schedule;  /* read from a file; NULL: none */
    tw_ep_sequence *row; /* EP's sites at the previous points of the row */
    size_t points;       /* of the grid */
    size_t done;         /* points read from a checkpoint */
    size_t members;      /* of the team; 1 without a team */
    size_t first;        /* the first of the rows that the members compute now */
    double start;        /* of the computation, wall seconds */
    tw_meter meter;
    tw_saver saver;
} tw_surface;

/* The number of points among the first `done` where EP did not converge. */
size_t tw_surface_unconverged(const tw_surface *s, size_t done);

/* Save the first `done` points in a checkpoint, and the state that the next point starts from, so that a
 * resumed grid is the same to the bit. */
void tw_surface_save(tw_surface *s, size_t done);

/* Restore the points and the state from a checkpoint, if one was given. */
tw_status tw_surface_resume(tw_surface *s);

#endif
