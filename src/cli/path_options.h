/* path_options.h: the options that say where the path to the posterior starts, its temperatures, and the
 * transitions along it; and all of that made from them. Shared by evidence and grid. */
#ifndef TALWEG_CLI_PATH_OPTIONS_H
#define TALWEG_CLI_PATH_OPTIONS_H

#include "cli/options.h"
#include "talweg/evidence.h"
#include "talweg/output.h"

typedef struct tw_path_options {
    const char *from, *kernel_method, *metric, *schedule;
    double beta_min, eps, solver_tol;
    uint64_t temperatures, particles, moves, steps, burn_in, fixed_point, seed, threads;
} tw_path_options;

enum { TW_PATH_OPTION_COUNT = 15 };
extern const tw_option tw_path_option_rows[TW_PATH_OPTION_COUNT];
#define TW_PATH_OPTION_GROUP(type, member)                                                        \
    {                                                                                             \
        "Path and transitions", tw_path_option_rows, TW_PATH_OPTION_COUNT, offsetof(type, member) \
    }

/* What can be refused before anything is computed. */
tw_status tw_path_options_check(tw_context *ctx, const tw_path_options *options);

/* The fits, and the path that the options ask for. */
typedef struct tw_path {
    tw_context *ctx;
    const tw_model *model;
    tw_ep_sequence *along; /* where the model is one of many on a path: start EP from it, and fit Laplace's
                          approximation only if it is needed; NULL: alone */
    tw_approximation *laplace, *ep;
    double laplace_seconds, ep_seconds;
    tw_correction correction;         /* log_z is NaN where EP did not converge */
    const tw_approximation *gaussian; /* the approximation to start from and to precondition with: EP's where
                                         it converged, else Laplace's where that did; else NULL */
    tw_reference *own;                /* a q that is no approximation's */
    const tw_reference *reference;
    const char *from, *kernel, *metric, *schedule; /* as they were chosen, for people */
    tw_schedule_kind kind;                         /* of a schedule that has a formula */
    double beta_min;
    double *beta;
    size_t temperatures;
    bool own_schedule;  /* the user's, not the default */
    tw_ais_options ais; /* everything but `reverse` */
} tw_path;

/* The same for resample-move. */
tw_rm_options tw_path_rm_options(const tw_path *path);

/* Free it with tw_path_close, also after a failure. */
tw_status tw_path_open(const tw_model *model, const tw_path_options *options, bool quiet, tw_path *path);
void tw_path_close(tw_path *path);

#endif
