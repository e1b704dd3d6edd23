/* evidence_plan.h: log Z of a model by several methods: a plan, its run, and the result.
 *
 *   tw_evidence_plan *plan;
 *   tw_evidence_result result;
 *   tw_evidence_plan_new(model, NULL, NULL, &plan);    fit and choose the path, from options (NULL: the defaults)
 *   tw_evidence_run(plan, NULL, &result);              run all methods and judge
 *
 * A plan fits approximations, chooses the start of the path, its temperatures and the transitions, and holds the
 * options of every method. It may be read, printed and changed before it is run. The program and the Python package
 * use these functions, so the same options give the same numbers everywhere.
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
/* A method that estimates log Z. */
typedef enum tw_evidence_method { TW_EVIDENCE_LIST(TW_EVIDENCE_ENUM) TW_EVIDENCE_METHODS } tw_evidence_method;
#undef TW_EVIDENCE_ENUM

/* "ais, ais-reverse, pt, rm", and one of them. */
TW_API const char *tw_evidence_method_names(void);
TW_API const char *tw_evidence_method_name(tw_evidence_method method);

/* The options of a plan. Texts must outlive the plan. */
typedef struct tw_evidence_options {
    /* Names separated by commas, in the order in which they run; "": only fits. */
    const char *methods;
    const char *from; /* q at b = 0: "ep", "laplace", "prior", or the name of `reference` in results */
    const tw_reference *reference; /* a given q; must outlive the plan. NULL: as in `from` */
    const char *kernel_method;     /* the transitions, by name (sample.h), or "auto": hmc */
    /* Their metric, by name, or "auto": the first of the method, but prior instead of ep for a path from the
     * prior. */
    const char *metric;
    /* "geometric", "linear", "sigmoid", "adaptive", "auto" (geometric from the prior, otherwise linear), or the
     * name of `beta` in results. */
    const char *schedule;
    /* A given schedule: temperatures + 1 numbers, which are copied. NULL: as in `schedule`. */
    const double *beta;
    size_t temperatures; /* steps of the schedule. 0: 400 from the prior, otherwise 50; adaptive: at most
                            1000 */
    /* The first temperature above 0 of a geometric schedule. 0: 1e-7 from the prior, otherwise 0.01. */
    double beta_min;
    size_t particles;        /* of AIS and resample-move */
    size_t moves;            /* transitions at each temperature */
    size_t burn_in;          /* reverse AIS: transitions at b = 1 */
    double eps;              /* step size. 0: tuned at each temperature in a pilot run, then frozen */
    size_t steps;            /* leapfrog steps; 0: a trajectory of length pi/2 */
    double solver_tolerance; /* of implicit equations (tw_sampler_options) */
    size_t fixed_point;
    double until_se;      /* a goal for the standard error of each estimate; 0: none */
    size_t max_particles; /* limit for the goal; 0: 64 times `particles` */
    size_t copies;        /* parallel tempering: of the ladder */
    size_t rounds;        /* parallel tempering: rounds, after as many of warm-up */
    uint64_t seed;
    size_t threads;      /* does not change results; 0: as many as this process may use */
    const tw_fits *fits; /* existing fits of this model; must outlive the plan. NULL: the plan computes
                            them */
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

/* Check the options, without computing anything: fails as tw_evidence_plan_new would. options NULL: the defaults. */
TW_API tw_status tw_evidence_options_check(tw_context *ctx, const tw_evidence_options *options);

/* ---- the plan ---- */

/* The plan. A caller that changes it must keep its parts consistent. */
typedef struct tw_evidence_plan {
    tw_context *ctx;
    const tw_model *model;
    size_t count;                                   /* methods */
    tw_evidence_method method[TW_EVIDENCE_METHODS]; /* in their order */
    tw_fits fits;
    const tw_reference *reference;                 /* q */
    const char *from, *kernel, *metric, *schedule; /* as chosen */
    size_t temperatures;
    double *beta;       /* temperatures + 1 */
    bool own_schedule;  /* the schedule is the caller's: all methods use it */
    tw_ais_options ais; /* ais-reverse differs in `reverse` */
    tw_pt_options pt;
    double *ladder; /* of parallel tempering, if it differs from `beta`; otherwise NULL */
    tw_rm_options rm;
    double until_se; /* 0: no goal */
    size_t max_particles;
    tw_warnings warnings; /* about deviations from the options */
    bool one_mode;        /* the path starts at one of possibly several modes: agreement proves nothing */
    tw_reference *prior;  /* if q is the prior; otherwise NULL */
} tw_evidence_plan;

/* The callbacks of a run, and the store for its state. */
typedef struct tw_evidence_watch {
    void *user;
    tw_progress_function *progress; /* true ends the run; may be NULL */
    const tw_store *store;          /* the state of the run, to resume from; NULL: none */
} tw_evidence_watch;

/* Make a plan: check the options, fit, choose. options NULL: the defaults; watch NULL: no callbacks.
 * TW_NOT_CONVERGED if a fit that is needed did not converge. */
TW_API tw_status tw_evidence_plan_new(const tw_model *model, const tw_evidence_options *options,
                                      const tw_evidence_watch *watch, tw_evidence_plan **out);
TW_API void tw_evidence_plan_free(tw_evidence_plan *plan);

/* The plan in a sentence: "path from ep, 50 temperatures (linear); hmc with metric ep, 1 transition at each". */
TW_API void tw_evidence_plan_print(const tw_evidence_plan *plan, char words[TW_WORDS_BYTES]);

/* ---- its run, and the result ---- */

enum { TW_MOST_ESTIMATES = 8 };

/* The result of a run. Its texts belong to the plan or the library. */
typedef struct tw_evidence_result {
    size_t count;
    tw_estimate estimate[TW_MOST_ESTIMATES]; /* the complete ones */
    double seconds[TW_MOST_ESTIMATES];       /* of wall time, including earlier parts of a resumed run */
    double cpu_seconds[TW_MOST_ESTIMATES];   /* of all threads together */
    bool tempered;                           /* is `tempering` set? */
    tw_pt_report tempering;
    double needed; /* estimated particles needed for the goal, the maximum over the estimates */
    bool stopped;  /* by progress: unfinished methods are omitted */
    tw_agreement agreement;
    tw_status verdict;    /* TW_OK; TW_NUMERICAL_FAILURE: weights collapsed, or log Z is not finite;
                             TW_NOT_CONVERGED: the goal was not reached */
    tw_warnings warnings; /* including those of the plan */
} tw_evidence_result;

/* Run the methods one after the other. With a goal, AIS adds particles until it is reached; the other methods run
 * once to estimate the effort, and then once more with other random numbers: only the second run counts, so that
 * the first does not bias it. A run resumes from a state in the store; TW_BAD_DATA if the state is damaged,
 * TW_BAD_ARGUMENT if it does not fit the options. watch NULL: no callbacks. */
TW_API tw_status tw_evidence_run(const tw_evidence_plan *plan, const tw_evidence_watch *watch,
                                 tw_evidence_result *out);

#ifdef __cplusplus
}
#endif

#endif
