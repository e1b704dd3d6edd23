/* evidence_plan.h: log Z of a model by several methods side by side: a plan, its run, and the result.
 *
 *   tw_evidence_plan *plan;
 *   tw_evidence_result result;
 *   tw_evidence_plan_new(model, NULL, NULL, &plan);    what is to be done, from options (NULL: the defaults)
 *   tw_evidence_run(plan, NULL, &result);              all of it
 *
 * A plan fits approximations, chooses where the path starts, its temperatures, and the transitions along it, and
 * holds the options of every method. It may be read, printed and changed before it is run. The program and the Python
 * package do nothing else: the same options give the same numbers everywhere.
 */
#ifndef TALWEG_EVIDENCE_PLAN_H
#define TALWEG_EVIDENCE_PLAN_H

#include <talweg/evidence.h>
#include <talweg/fits.h>
#include <talweg/store.h>
#include <talweg/warning.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options ---- */

/* The methods, one row each: enumerator and name. */
#define TW_EVIDENCE_LIST(X)               \
    X(TW_EVIDENCE_AIS, "ais")             \
    X(TW_EVIDENCE_REVERSE, "ais-reverse") \
    X(TW_EVIDENCE_TEMPERING, "pt")        \
    X(TW_EVIDENCE_RESAMPLE_MOVE, "rm")

/* A row of the list as an enumerator. */
#define TW_EVIDENCE_ENUM(method, name) method,
/* A way to estimate log Z. */
typedef enum tw_evidence_method { TW_EVIDENCE_LIST(TW_EVIDENCE_ENUM) TW_EVIDENCE_METHODS } tw_evidence_method;
#undef TW_EVIDENCE_ENUM

/* "ais, ais-reverse, pt, rm", and one of them. */
TW_API const char *tw_evidence_method_names(void);
TW_API const char *tw_evidence_method_name(tw_evidence_method method);

/* What is wanted. Texts must outlive the plan. */
typedef struct tw_evidence_options {
    /* Names with commas between them, in the order in which they run; "": none, fits only. */
    const char *methods;
    const char *from; /* q at b = 0: "ep", "laplace", "prior", or what results call `reference` */
    const tw_reference *reference; /* q itself; must outlive the plan. NULL: as `from` says */
    const char *kernel_method;     /* the transitions, by name (sample.h), or "auto": hmc */
    /* Theirs, by name, or "auto": the method's first, but the prior's for EP's from the prior. */
    const char *metric;
    /* "geometric", "linear", "sigmoid", "adaptive", "auto" (geometric from the prior, else linear), or what results
     * call `beta`. */
    const char *schedule;
    /* A schedule of one's own: temperatures + 1 numbers, which are copied. NULL: as `schedule` says. */
    const double *beta;
    size_t temperatures; /* steps of the schedule. 0: 400 from the prior, else 50; adaptive: 1000 at most */
    /* The first temperature above 0 of a geometric schedule. 0: 1e-7 from the prior, else 0.01. */
    double beta_min;
    size_t particles;        /* of AIS and resample-move */
    size_t moves;            /* transitions at each temperature */
    size_t burn_in;          /* reverse AIS: transitions at b = 1 */
    double eps;              /* step size. 0: tuned at each temperature in a pilot run, and then frozen */
    size_t steps;            /* leapfrog steps; 0: as many as make a trajectory of length pi/2 */
    double solver_tolerance; /* of implicit equations (tw_sampler_options) */
    size_t fixed_point;
    double until_se;      /* a goal for the standard error of each estimate; 0: none */
    size_t max_particles; /* that the goal may take; 0: 64 times `particles` */
    size_t copies;        /* parallel tempering: of the ladder */
    size_t rounds;        /* and rounds that count, after as many of warm-up */
    uint64_t seed;
    size_t threads;      /* which change no result; 0: as many as this process may use */
    const tw_fits *fits; /* made already for this model; must outlive the plan. NULL: the plan makes them */
} tw_evidence_options;
#define TW_EVIDENCE_DEFAULTS                             \
    ((tw_evidence_options){.methods = "ais,ais-reverse", \
                           .from = "ep",                 \
                           .kernel_method = "auto",      \
                           .metric = "auto",             \
                           .schedule = "auto",           \
                           .particles = 256,             \
                           .moves = 1,                   \
                           .burn_in = 30,                \
                           .solver_tolerance = 1e-9,     \
                           .copies = 32,                 \
                           .rounds = 100,                \
                           .seed = 1})

/* Could this be a plan? Fails as tw_evidence_plan_new would before it computes anything. options NULL: the defaults. */
TW_API tw_status tw_evidence_options_check(tw_context *ctx, const tw_evidence_options *options);

/* ---- the plan ---- */

/* What will be done. Whoever changes it keeps its parts consistent. */
typedef struct tw_evidence_plan {
    tw_context *ctx;
    const tw_model *model;
    size_t count;                                   /* methods */
    tw_evidence_method method[TW_EVIDENCE_METHODS]; /* in their order */
    tw_fits fits;
    const tw_reference *reference;                 /* q */
    const char *from, *kernel, *metric, *schedule; /* as they were chosen */
    size_t temperatures;
    double *beta;       /* temperatures + 1 */
    bool own_schedule;  /* the caller's, not the default: then all methods use it */
    tw_ais_options ais; /* ais-reverse differs in `reverse` */
    tw_pt_options pt;
    double *ladder; /* of parallel tempering, where that is its own; NULL: else */
    tw_rm_options rm;
    double until_se; /* 0: no goal */
    size_t max_particles;
    tw_warnings warnings; /* what is done otherwise than was asked */
    bool one_mode;        /* the path starts at one mode of perhaps several: agreement says nothing */
    tw_reference *prior;  /* where q is the prior; else NULL */
} tw_evidence_plan;

/* Who watches, and where the state goes. */
typedef struct tw_evidence_watch {
    void *user;
    tw_progress_function *progress; /* true ends it; may be NULL */
    const tw_store *store;          /* where a run keeps its state, and what it goes on from; NULL: none */
} tw_evidence_watch;

/* Make a plan: check the options, fit, choose. options NULL: the defaults; watch NULL: nobody. TW_NOT_CONVERGED where
 * the fit that is needed did not converge. */
TW_API tw_status tw_evidence_plan_new(const tw_model *model, const tw_evidence_options *options,
                                      const tw_evidence_watch *watch, tw_evidence_plan **out);
TW_API void tw_evidence_plan_free(tw_evidence_plan *plan);

/* The plan in a sentence: "path from ep, 50 temperatures (linear); hmc with metric ep, 1 transition at each". */
TW_API void tw_evidence_plan_print(const tw_evidence_plan *plan, char words[TW_WORDS_BYTES]);

/* ---- its run, and the result ---- */

enum { TW_MOST_ESTIMATES = 8 };

/* What came out. Its texts belong to the plan or the library. */
typedef struct tw_evidence_result {
    size_t count;
    tw_estimate estimate[TW_MOST_ESTIMATES]; /* those that are complete */
    double seconds[TW_MOST_ESTIMATES]; /* of wall time, the earlier parts of a run that went on counted in */
    double cpu_seconds[TW_MOST_ESTIMATES]; /* of all threads together */
    bool tempered;                         /* is this there? */
    tw_pt_report tempering;
    double needed; /* particles that the goal takes, as far as can be told, the most over the estimates */
    bool stopped;  /* by progress: methods that were not finished are left out */
    tw_agreement agreement;
    tw_status verdict;    /* TW_OK; TW_NUMERICAL_FAILURE: weights collapsed, or there is no number;
                                TW_NOT_CONVERGED: the goal was missed */
    tw_warnings warnings; /* the plan's among them */
} tw_evidence_result;

/* Run the methods one after the other. Towards a goal AIS adds particles to those it has; the others are run once to
 * see how much the goal takes, and then once more with other random numbers: only the second run counts, so that
 * looking at the first does not bias it. A state in the store is gone on from; TW_BAD_DATA where it is none of this
 * run. watch NULL: nobody. */
TW_API tw_status tw_evidence_run(const tw_evidence_plan *plan, const tw_evidence_watch *watch,
                                 tw_evidence_result *out);

#ifdef __cplusplus
}
#endif

#endif
