/* check.h: is an approximation of a posterior right? What a program claims of it, beside exact draws and the exact evidence.
 *
 *   tw_claim *claim;
 *   tw_check_result result;
 *   tw_claim_read(model, "inla.csv", &claim);          or tw_claim_from_fit(model, fits.ep, &claim)
 *   tw_check_run(model, claim, NULL, NULL, &result);   draws, log Z, differences, a verdict
 *
 * A claim is a mean, a standard deviation and quantiles for some or all latents, and log Z. Differences of latents are in
 * posterior standard deviations, of log Z in nats; each has the Monte Carlo standard error of the exact value.
 */
#ifndef TALWEG_CHECK_H
#define TALWEG_CHECK_H

#include <talweg/evidence_plan.h>
#include <talweg/sampling_plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is claimed ---- */

/* The numbers of a latent that are compared: enumerator, name in files, name in sentences. */
#define TW_CHECK_LIST(X)                       \
    X(TW_CHECK_MEAN, "mean", "mean")           \
    X(TW_CHECK_SD, "sd", "standard deviation") \
    X(TW_CHECK_Q05, "q05", "5 % quantile")     \
    X(TW_CHECK_Q50, "q50", "median")           \
    X(TW_CHECK_Q95, "q95", "95 % quantile")

/* A row of the list as an enumerator. */
#define TW_CHECK_ENUM(quantity, name, words) quantity,
/* A number of a latent. */
typedef enum tw_check_quantity { TW_CHECK_LIST(TW_CHECK_ENUM) TW_CHECK_QUANTITIES } tw_check_quantity;
#undef TW_CHECK_ENUM

/* "mean", "sd", "q05", "q50", "q95". */
TW_API const char *tw_check_quantity_name(tw_check_quantity quantity);

/* How many tolerances it may be off: 1, but 1 + 1.645 for the 5 % and 95 % quantiles, which a mean and a standard deviation
 * that are just right move so far. */
TW_API double tw_check_quantity_tolerances(tw_check_quantity quantity);

enum { TW_CLAIM_NAME_BYTES = 64 };

/* What a program claims of the posterior. NaN: it does not say. */
typedef struct tw_claim {
    tw_context *ctx;
    char name[TW_CLAIM_NAME_BYTES];     /* of who claims it: "EP", "inla.csv" */
    size_t n;                           /* latents of the model */
    double log_z;                       /* with the constants that the program leaves out */
    double *value[TW_CHECK_QUANTITIES]; /* n each */
} tw_claim;

/* One that says nothing yet, for the caller to fill. */
TW_API tw_status tw_claim_new(const tw_model *model, const char *name, tw_claim **out);
TW_API void tw_claim_free(tw_claim *claim);

/* A Gaussian approximation: log Z, means, standard deviations and normal quantiles. TW_NOT_CONVERGED where it did not
 * converge. */
TW_API tw_status tw_claim_from_fit(const tw_model *model, const tw_approximation *fit, tw_claim **out);

/* A file. CSV: a header with some of name, mean, sd, q05, q50, q95, and a row for each latent; JSON: an object with arrays of
 * those names, log_z, and log_z_omits, the constants that log_z leaves out, which are added to it. Names are x.1, x[1] or 1,
 * ..., n; a file without names has all latents in their order. TW_BAD_DATA: a name that is no latent's or is there twice,
 * another number of rows, a number that is not finite, a standard deviation that is not positive, or no claim at all. */
TW_API tw_status tw_claim_read(const tw_model *model, const char *path, tw_claim **out);

/* ---- the check ---- */

/* How to check. Texts must outlive the call. */
typedef struct tw_check_options {
    double tolerance;       /* posterior standard deviations that a latent's numbers may be off */
    double log_z_tolerance; /* nats that log Z may be off */
    const char *
        methods; /* of the evidence (evidence_plan.h), which goes for a standard error of a fifth of its tolerance */
    size_t chains, warmup, draws; /* of each chain */
    uint64_t seed;
    size_t threads;      /* which change no result; 0: as many as this process may use */
    const tw_fits *fits; /* made already for this model, with Laplace's; NULL: they are made here */
} tw_check_options;
#define TW_CHECK_DEFAULTS                             \
    ((tw_check_options){.tolerance = 0.1,             \
                        .log_z_tolerance = 0.1,       \
                        .methods = "ais,ais-reverse", \
                        .chains = 4,                  \
                        .warmup = 500,                \
                        .draws = 4000,                \
                        .seed = 1})

/* What follows. A difference d with standard error s is right where |d| + 2 s is at most its tolerance, and wrong where
 * |d| - z s is above it. z is so large that m numbers that are right make one of them look wrong once in 1000 times at most:
 * Phi(-z) = 0.001 / (2 m). All right is right, one wrong is wrong, anything else cannot be told. */
typedef enum tw_check_judgement {
    TW_CHECK_NOT_CLAIMED,
    TW_CHECK_RIGHT,
    TW_CHECK_WRONG,
    TW_CHECK_UNDECIDED
} tw_check_judgement;

/* "right", "wrong", "undecided"; "not claimed". */
TW_API const char *tw_check_judgement_name(tw_check_judgement judgement);

/* A number that is claimed, and what it is. */
typedef struct tw_check_value {
    double claimed, exact;
    double difference; /* claimed - exact: of log Z in nats, of latents in posterior standard deviations */
    double error;      /* the standard error of that */
} tw_check_value;

/* A latent. */
typedef struct tw_check_row {
    size_t latent; /* counted from 0 */
    tw_check_value value[TW_CHECK_QUANTITIES];
    tw_check_quantity worst; /* the number that is furthest off, in tolerances */
} tw_check_row;

/* Everything that was found. Release it before the model. */
typedef struct tw_check_result {
    tw_context *ctx;
    tw_check_judgement verdict; /* of all of it, and of its parts */
    tw_check_judgement log_z_verdict, latent_verdict;
    char words[TW_WORDS_BYTES]; /* the verdict as a sentence or two */
    tw_check_value log_z;       /* nats */
    size_t count;               /* latents with a claim */
    tw_check_row *rows;         /* so many, the furthest off first */
    size_t wrong;               /* how many latents have a number that is wrong */
    double rms_mean, rms_sd;    /* root mean squares of those differences; NaN: not claimed */
    double largest_error; /* Monte Carlo standard error over all numbers of latents, for one tolerance */
    size_t draws_needed;  /* of each chain, where they cannot tell; 0: more will not help, or they can */
    double
        log_z_effort; /* so many times the particles would judge log Z, if its difference stays; 0: it is judged */
    tw_warnings warnings; /* of the draws and of the evidence */
    tw_fits fits;
    tw_evidence_plan *plan; /* NULL: log Z is not claimed */
    tw_evidence_result evidence;
    tw_sampling_plan *sampling; /* NULL: nothing is claimed of latents */
    tw_sampling_result drawn;
} tw_check_result;

/* Draw, estimate, compare and judge. options NULL: the defaults; progress, which may be NULL, ends it by returning true:
 * TW_INTERRUPTED. Release *out also after a failure. */
TW_API tw_status tw_check_run(const tw_model *model, const tw_claim *claim, const tw_check_options *options,
                              tw_progress_function *progress, void *user, tw_check_result *out);
TW_API void tw_check_release(tw_check_result *result);

/* The last two steps alone, of values that are there already: judge what is in rows and log_z. `chains_are_good` and
 * `evidence_is_good`: else nothing can be told of latents, or of log Z. */
TW_API void tw_check_judge(const char *name, const tw_check_options *options, bool chains_are_good,
                           bool evidence_is_good, tw_check_result *result);

#ifdef __cplusplus
}
#endif

#endif
