/* check.h: check an approximation of a posterior, as claimed by a program, against exact draws and the exact
 * evidence.
 *
 *   tw_claim *claim;
 *   tw_check_result result;
 *   tw_claim_read(model, "inla.csv", &claim);                or tw_claim_from_fit(model, fits.ep, &claim)
 *   tw_check_run(model, claim, NULL, NULL, NULL, &result);   draws, log Z, differences, a verdict
 *
 * A claim is a mean, a standard deviation and quantiles for some or all latents, and log Z. Differences of latents
 * are in posterior standard deviations, of log Z in nats; each has the Monte Carlo standard error of the exact value.
 */
#ifndef TALWEG_CHECK_H
#define TALWEG_CHECK_H

#include <talweg/evidence_plan.h>
#include <talweg/sampling_plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- claims ---- */

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

/* Its allowed difference in tolerances: 1, but 1 + 1.645 for the 5 % and 95 % quantiles, which move that far if
 * the mean and the standard deviation are both off by one tolerance. */
TW_API double tw_check_quantity_tolerances(tw_check_quantity quantity);

enum { TW_CLAIM_NAME_BYTES = 64 };

/* The claim of a program about the posterior. NaN: not claimed. */
typedef struct tw_claim {
    tw_context *ctx;
    char name[TW_CLAIM_NAME_BYTES];     /* of the claim: "EP", "inla.csv" */
    size_t n;                           /* latents of the model */
    double log_z;                       /* including the constants that the program omits */
    double *value[TW_CHECK_QUANTITIES]; /* n each */
} tw_claim;

/* An empty claim, for the caller to fill. */
TW_API tw_status tw_claim_new(const tw_model *model, const char *name, tw_claim **out);
TW_API void tw_claim_free(tw_claim *claim);

/* A Gaussian approximation: log Z, means, standard deviations and normal quantiles. TW_NOT_CONVERGED if it did
 * not converge. */
TW_API tw_status tw_claim_from_fit(const tw_model *model, const tw_approximation *fit, tw_claim **out);

/* Read a claim from a file. CSV: a header with some of name, mean, sd, q05, q50, q95, and a row for each latent;
 * JSON: an object with arrays of those names, log_z, and log_z_omits, the constants that log_z omits, which are
 * added to it. Names are x.1, x[1] or 1, ..., n; a file without names has all latents in order. TW_BAD_DATA: an
 * unknown or repeated name, a wrong number of rows, a number that is not finite, a standard deviation that is not
 * positive, or no claim. */
TW_API tw_status tw_claim_read(const tw_model *model, const char *path, tw_claim **out);

/* ---- the check ---- */

/* How to check. Texts must outlive the call. */
typedef struct tw_check_options {
    double tolerance;             /* of the numbers of a latent, in posterior standard deviations */
    double log_z_tolerance;       /* of log Z, in nats */
    const char *methods;          /* of the evidence (evidence_plan.h), with a fifth of log_z_tolerance as
                                     the goal for the standard error */
    size_t chains, warmup, draws; /* of each chain */
    uint64_t seed;
    size_t threads;      /* does not change results; 0: as many as this process may use */
    const tw_fits *fits; /* existing fits of this model, with Laplace's; NULL: they are computed */
} tw_check_options;
#define TW_CHECK_DEFAULTS                             \
    ((tw_check_options){.tolerance = 0.1,             \
                        .log_z_tolerance = 0.1,       \
                        .methods = "ais,ais-reverse", \
                        .chains = 4,                  \
                        .warmup = 500,                \
                        .draws = 4000,                \
                        .seed = 1})

/* A judgement. A difference d with standard error s is right if |d| + 2 s is at most its tolerance, and wrong if
 * |d| - z s is above it, with Phi(-z) = 0.001 / (2 m), so that m right numbers give a false alarm at most once in
 * 1000 checks. A claim is right if all its numbers are right, wrong if at least one is wrong, and otherwise
 * undecided. */
typedef enum tw_check_judgement {
    TW_CHECK_NOT_CLAIMED,
    TW_CHECK_RIGHT,
    TW_CHECK_WRONG,
    TW_CHECK_UNDECIDED
} tw_check_judgement;

/* "right", "wrong", "undecided"; "not claimed". */
TW_API const char *tw_check_judgement_name(tw_check_judgement judgement);

/* A claimed number and its exact value. */
typedef struct tw_check_value {
    double claimed, exact;
    double difference; /* claimed - exact: of log Z in nats, of latents in posterior standard deviations */
    double error;      /* its standard error */
} tw_check_value;

/* A latent. */
typedef struct tw_check_row {
    size_t latent; /* counted from 0 */
    tw_check_value value[TW_CHECK_QUANTITIES];
    tw_check_quantity worst; /* the number with the largest difference, in tolerances */
} tw_check_row;

/* The result of a check. Release it before the model. */
typedef struct tw_check_result {
    tw_context *ctx;
    tw_check_judgement verdict; /* of the whole claim */
    tw_check_judgement log_z_verdict, latent_verdict;
    char words[TW_WORDS_BYTES]; /* the verdict in words */
    tw_check_value log_z;       /* nats */
    size_t count;               /* latents with a claim */
    tw_check_row *rows;         /* `count` rows, the largest difference first */
    size_t wrong;               /* number of latents with a wrong number */
    double rms_mean, rms_sd;    /* root mean squares of those differences; NaN: not claimed */
    double largest_error;       /* largest Monte Carlo standard error over all numbers of latents, per unit
                                   of allowed tolerances */
    size_t draws_needed;        /* of each chain, if undecided; 0: decided, or more draws will not help */
    double log_z_effort;  /* the factor of particles that would decide log Z, if its difference stays the
                             same; 0: decided */
    tw_warnings warnings; /* of the draws and of the evidence */
    tw_fits fits;
    tw_evidence_plan *plan; /* NULL: log Z is not claimed */
    tw_evidence_result evidence;
    tw_sampling_plan *sampling; /* NULL: nothing is claimed of latents */
    tw_sampling_result drawn;
} tw_check_result;

/* Draw, estimate, compare and judge. options NULL: the defaults; progress may be NULL; if it returns true, the
 * check ends with TW_INTERRUPTED. Release *out also after a failure. */
TW_API tw_status tw_check_run(const tw_model *model, const tw_claim *claim, const tw_check_options *options,
                              tw_progress_function *progress, void *user, tw_check_result *out);
TW_API void tw_check_release(tw_check_result *result);

/* Only judge the values in rows and log_z. If `chains_are_good` or `evidence_is_good` is false, the latents or
 * log Z are undecided. */
TW_API void tw_check_judge(const char *name, const tw_check_options *options, bool chains_are_good,
                           bool evidence_is_good, tw_check_result *result);

#ifdef __cplusplus
}
#endif

#endif
