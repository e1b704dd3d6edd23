/* warning.h: the warnings of the library: a code with its numbers, which programs can act on or print.
 *
 * A warning is about a result that exists but should be doubted; a missing result is an error (base.h). A result
 * carries its warnings. A warning that belongs to no result, such as labels of only one class, goes to the receiver
 * of the context. Every warning has a finding, a sentence without advice: the advice depends on the interface (an
 * option of the program, an argument in Python, a member of a struct).
 */
#ifndef TALWEG_WARNING_H
#define TALWEG_WARNING_H

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every warning: its code, its name in JSON, and its finding. In a finding {0:.3f} is the first number in that
 * printf format, {file}, {name} and {other} are texts, {latent} is the name of the latent `index`, and {counts} are
 * the first three numbers as those of means, standard deviations and log scores, without those that are 0. The list
 * defines the enum, the names and the findings; a new row may go anywhere, since programs identify warnings by
 * name. */
#define TW_WARNING_LIST(X)                                                                                   \
    /* data */                                                                                               \
    X(TW_WARN_ONE_CLASS, "one_class", "every label is {1:g}: there is only one class")                       \
    X(TW_WARN_HEADER, "header",                                                                              \
      "line {0:.0f} is read as the header because {name} is not a number, although {1:.0f} of its {2:.0f} "  \
      "fields are numbers")                                                                                  \
    X(TW_WARN_NO_COLUMN, "no_column",                                                                        \
      "the new cases have no {name} and use {0:g}, although the training cases have different values")       \
    X(TW_WARN_DEFAULTS, "default_parameters",                                                                \
      "kernel parameters that were not given have default values that ignore the data: {name}")              \
    X(TW_WARN_LENGTH_SHORT, "length_short",                                                                  \
      "the length scales of {name} are far below all distances between inputs: the nearest are {0:.3g} "     \
      "length scales apart, so the cases are nearly independent")                                            \
    X(TW_WARN_LENGTH_LONG, "length_long",                                                                    \
      "the length scales of {name} are far above all distances between inputs: the furthest are {0:.2g} "    \
      "length scales apart, so the function is nearly constant")                                             \
    /* approximations */                                                                                     \
    X(TW_WARN_EP, "ep_not_converged",                                                                        \
      "EP did not converge (residual {1:.1e} after {0:.0f} sweeps): do not use its log Z")                   \
    X(TW_WARN_MODES, "several_modes",                                                                        \
      "the posterior has several modes: Laplace's approximation uses the highest one found; another is "     \
      "{0:.3g} nats lower")                                                                                  \
    X(TW_WARN_STAND_IN, "stand_in",                                                                          \
      "EP did not converge in {0:.0f} sweeps: Laplace's Gaussian is used instead; draws are still exact "    \
      "but may mix more slowly")                                                                             \
    X(TW_WARN_LAPLACE, "laplace_not_converged",                                                              \
      "Newton's method for Laplace's approximation did not converge in {0:.0f} steps (the mode is {1:.1e} "  \
      "standard deviations away): do not use its log Z")                                                     \
    X(TW_WARN_EP_OVERFLOW, "ep_overflow",                                                                    \
      "EP failed after {0:.0f} sweeps: q is not a proper distribution, or the moments of a case exceed "     \
      "double precision")                                                                                    \
    X(TW_WARN_LAPLACE_OVERFLOW, "laplace_overflow",                                                          \
      "Laplace's approximation failed after {0:.0f} steps: its values exceed double precision")              \
    X(TW_WARN_ROUNDING, "rounding",                                                                          \
      "{name}: log Z has a rounding error of up to {0:.1g} nats, because the variances or precisions "       \
      "of the model span more orders of magnitude than double precision has digits")                         \
    X(TW_WARN_CORRECTION, "correction",                                                                      \
      "the terms of the correction do not decrease with their order: do not trust the corrected log Z")      \
    X(TW_WARN_DENSE, "dense_beside_sparse",                                                                  \
      "the kernel combines leaves with and without a sparse precision, so the model of {0:.0f} cases is "    \
      "dense")                                                                                               \
    X(TW_WARN_SAVED, "saved_not_converged",                                                                  \
      "{file}: this approximation had not converged when it was saved")                                      \
    X(TW_WARN_GRID, "grid_not_converged",                                                                    \
      "EP did not converge at {0:.0f} of {1:.0f} points, which are flagged")                                 \
    X(TW_WARN_FIT, "fit_not_converged",                                                                      \
      "the search did not converge: the maximum is {0:.2g} standard deviations away after {1:.0f} "          \
      "evaluations")                                                                                         \
    X(TW_WARN_FIT_FLAT, "fit_flat",                                                                          \
      "the data hardly determine some parameter or combination of parameters: log Z + log prior is flat in " \
      "it")                                                                                                  \
    X(TW_WARN_FIT_BOUND, "fit_bound",                                                                        \
      "log Z + log prior still increases at the edge of the searched range: {name}")                         \
    X(TW_WARN_FIT_END, "fit_prior_end",                                                                      \
      "log Z + log prior still increases at an end of a uniform prior: {name}")                              \
    X(TW_WARN_FIT_OPTIMA, "fit_optima",                                                                      \
      "the search found {0:.0f} optima; the second is {1:.3g} nats below the best")                          \
    X(TW_WARN_FIT_STOPPED, "interrupted_fit",                                                                \
      "interrupted after {0:.0f} evaluations: the best so far is kept")                                      \
    /* unknown parameters */                                                                                 \
    X(TW_WARN_THETA_COLLAPSED, "theta_collapsed",                                                            \
      "the weights of the parameters collapsed: {0:.1f} of {1:.0f} points are effective, so the evidence "   \
      "and the posterior cannot be estimated")                                                               \
    X(TW_WARN_THETA_TAIL, "theta_heavy_tail",                                                                \
      "the weights of the parameters have a heavy tail (Pareto k {0:.2f}, above {1:.2f}): do not trust the " \
      "errors")                                                                                              \
    X(TW_WARN_THETA_START, "theta_start",                                                                    \
      "EP did not converge at {0:.0f} of {1:.0f} points, which started from Laplace's approximation or "     \
      "from the prior of x instead: the results are still exact, with larger errors")                        \
    X(TW_WARN_THETA_FAILED, "theta_failed",                                                                  \
      "the likelihood of the parameters could not be computed at {0:.0f} of {1:.0f} points (K overflows or " \
      "cannot be factored), which get weight 0")                                                             \
    X(TW_WARN_THETA_MEAN, "theta_mean",                                                                      \
      "the prior of {name} has infinite variance, and {0:.2g} % of the posterior is in its tail: use the "   \
      "quantiles, not the mean and standard deviation")                                                      \
    X(TW_WARN_THETA_STOPPED, "interrupted_points", "interrupted after {0:.0f} points of the parameters")     \
    X(TW_WARN_LOO, "loo_doubtful",                                                                           \
      "Pareto k is above {2:.1f} at {0:.0f} of {3:.0f} cases, and within its error of that limit "           \
      "at {1:.0f} more: their leave-one-out predictions may be nats off, and the sum is withheld")           \
    /* draws */                                                                                              \
    X(TW_WARN_INTERRUPTED, "interrupted", "interrupted after {0:.0f} draws of each chain")                   \
    X(TW_WARN_TIME, "time", "stopped at the time limit after {0:.0f} draws of each chain")                   \
    X(TW_WARN_ONE_DRAW, "one_draw", "each chain has only 1 draw, too few to assess convergence")             \
    X(TW_WARN_FEW_DRAWS, "few_draws", "each chain has only {0:.0f} draws, too few to assess convergence")    \
    X(TW_WARN_STUCK, "stuck",                                                                                \
      "a latent did not move or was not finite in {0:.0f} draws of each chain, so its convergence is "       \
      "unknown")                                                                                             \
    X(TW_WARN_ONE_CHAIN, "one_chain",                                                                        \
      "with one chain, R-hat compares its two halves: only chains from different starts show convergence")   \
    X(TW_WARN_RHAT, "rhat",                                                                                  \
      "R-hat is {0:.3f}, above 1.01 and more than chance explains: the chains have not converged, so do "    \
      "not use the draws yet")                                                                               \
    X(TW_WARN_RHAT_SLIGHT, "rhat_slight",                                                                    \
      "R-hat is {0:.4f}, slightly above 1.01: for some latent the chains differ by more than chance "        \
      "explains")                                                                                            \
    X(TW_WARN_ESS_BULK, "ess_bulk",                                                                          \
      "the worst latent ({latent}) has a bulk ESS of {0:.0f}; estimates need at least {1:.0f} over all "     \
      "chains")                                                                                              \
    X(TW_WARN_ESS_TAIL, "ess_tail",                                                                          \
      "the worst latent ({latent}) has a tail ESS of {0:.0f}; its 5% and 95% quantiles need at least "       \
      "{1:.0f} over all chains")                                                                             \
    X(TW_WARN_ESS_FOLD, "ess_fold",                                                                          \
      "the worst latent ({latent}) has a fold ESS of {0:.0f}; its spread needs at least {1:.0f} over all "   \
      "chains")                                                                                              \
    X(TW_WARN_ESS_GOAL, "ess_goal",                                                                          \
      "the ESS is {0:.0f} after {2:.0f} draws of each chain, below the goal of {1:.0f}")                     \
    X(TW_WARN_EBFMI, "ebfmi",                                                                                \
      "E-BFMI is {0:.2f}, below 0.3: energies change too little between draws to explore the tails")         \
    X(TW_WARN_SLICE_TAILS, "slice_tails",                                                                    \
      "tails of many latents are longer than those of EP's Gaussian: slice sampling with this Gaussian "     \
      "seldom reaches them, and R-hat and ESS do not show it")                                               \
    X(TW_WARN_ENERGY, "energy_divergence",                                                                   \
      "the energy diverged in {0:.2g}% of trajectories ({1:.0f} of {2:.0f}), which were rejected")           \
    X(TW_WARN_IMPLICIT, "implicit_failure",                                                                  \
      "the implicit solve failed in {0:.2g}% of trajectories ({1:.0f} of {2:.0f}), which were rejected")     \
    X(TW_WARN_IRREVERSIBLE, "irreversible",                                                                  \
      "the reverse trajectory did not return to its start in {0:.2g}% of trajectories ({1:.0f} of "          \
      "{2:.0f}), which were "                                                                                \
      "rejected")                                                                                            \
    X(TW_WARN_FACTORISATION, "factorisation",                                                                \
      "the metric could not be factored in {0:.2g}% of trajectories ({1:.0f} of {2:.0f}), which were "       \
      "rejected")                                                                                            \
    X(TW_WARN_NOT_POSTERIOR, "not_posterior",                                                                \
      "{file}: these are draws from the path to the posterior at beta = {0:g}, not from the posterior")      \
    X(TW_WARN_NO_MEANS, "withheld_means",                                                                    \
      "withheld, because {name}: {counts} of {3:.0f} cases (empty in a CSV file, null in JSON)")             \
    X(TW_WARN_INTERRUPTED_CASES, "interrupted_cases", "interrupted after {0:.0f} of {1:.0f} cases")          \
    /* evidence */                                                                                           \
    X(TW_WARN_FROM_LAPLACE, "from_laplace",                                                                  \
      "EP did not converge (residual {0:.1e}): the path starts from Laplace's approximation")                \
    X(TW_WARN_FROM_PRIOR, "from_prior",                                                                      \
      "EP did not converge (residual {0:.1e}), and Laplace's Gaussian may cover only one of several modes: " \
      "the path starts from the prior")                                                                      \
    X(TW_WARN_FROM_PRIOR_MODES, "from_prior_modes",                                                          \
      "the posterior has several modes, and EP's Gaussian may cover only one of them: the path starts from " \
      "the prior")                                                                                           \
    X(TW_WARN_ONE_MODE, "one_mode",                                                                          \
      "the path starts from Laplace's Gaussian, which covers one mode, and the likelihood is not "           \
      "log-concave: all estimates may miss the same mode, so their agreement proves nothing")                \
    X(TW_WARN_SLICE_EP, "slice_from_ep",                                                                     \
      "slice sampling with EP's Gaussian seldom reaches tails of the posterior that are wider than this "    \
      "Gaussian: "                                                                                           \
      "AIS and resample-move may then be too low by more than their errors")                                 \
    X(TW_WARN_SWAP_RATE, "swap_rate",                                                                        \
      "parallel tempering: some neighbouring temperatures swap with probability {0:.2g} only; the barrier "  \
      "is {1:.1f}, so use {2:.0f} temperatures or more, or start closer to the posterior")                   \
    X(TW_WARN_PT_FAILURES, "pt_failures",                                                                    \
      "parallel tempering: {0:.1f}% of the trajectories failed; check all trajectories for reversibility, "  \
      "or use smaller steps")                                                                                \
    X(TW_WARN_NO_NUMBER, "no_number", "{name}: the draws give no finite log Z")                              \
    X(TW_WARN_COLLAPSED, "collapsed",                                                                        \
      "{name}: the weights collapsed ({0:.1f} of {1:.0f} are effective): do not trust log Z or its error")   \
    X(TW_WARN_GOAL, "goal_missed",                                                                           \
      "the standard error is {0:.3g}, above the goal of {1:g}, which needs about {2:.0f} particles")         \
    X(TW_WARN_DISAGREE, "disagree",                                                                          \
      "{name} and {other} do not agree: they are {0:.3g} nats apart, {1:.1f} joint standard errors "         \
      "(limit {2:g})")                                                                                       \
    X(TW_WARN_HEAVY_TAIL, "heavy_tail",                                                                      \
      "{name}: the weights have a heavy tail: Pareto k is {0:.2f}, and above {1:.2f} the standard error is " \
      "too small")                                                                                           \
    X(TW_WARN_MISSED, "missed_mass",                                                                         \
      "{name}: annealing from the posterior to q missed {0:.2g} % of q, as annealing from q shows; log Z "   \
      "may "                                                                                                 \
      "be too high by {1:.2g}, which its error includes")                                                    \
    X(TW_WARN_WITHHELD, "withheld", "{name}: log Z is withheld because its standard error is above 10 nats") \
    X(TW_WARN_TRIPS, "round_trips",                                                                          \
      "{name}: replicas do not travel: each copy made {0:.2g} round trips between q and the posterior, and " \
      "with fewer than one the run may still depend on its start; the error includes the differences "       \
      "between the halves of the run and between its two one-sided estimates")                               \
    X(TW_WARN_DRIFT, "drift",                                                                                \
      "{name}: log Z of the second half of the run differs by {0:+.2g} nats from that of the first, more "   \
      "than "                                                                                                \
      "chance explains: the run has not converged, and its error includes the difference")                   \
    X(TW_WARN_APART, "apart",                                                                                \
      "{name}: it differs by {0:+.2g} nats from stepping stones of the same draws, more than chance "        \
      "explains: the log ratios have a heavy tail, or temperatures are too far apart; its error includes "   \
      "the difference")                                                                                      \
    X(TW_WARN_FAILURES, "transition_failures", "{name}: {0:.1f} % of the transitions failed numerically")    \
    X(TW_WARN_INTERRUPTED_METHODS, "interrupted_methods", "interrupted: unfinished estimates are omitted")   \
    /* files */                                                                                              \
    X(TW_WARN_LENGTHS, "lengths",                                                                            \
      "{file} has {0:.0f} draws of each chain and another file has {1:.0f}: the first {1:.0f} are used")     \
    X(TW_WARN_JOURNAL, "journal",                                                                            \
      "{file}: the journal is damaged after draw {0:.0f}: the {1:.3g} MB after it are lost")                 \
    X(TW_WARN_NO_PLOTS, "no_plots",                                                                          \
      "the page has no plots because gnuplot is not installed (Debian and Ubuntu: package gnuplot-nox)")     \
    X(TW_WARN_FIGURE, "figure", "figure {0:.0f} is missing: {name}")                                         \
    X(TW_WARN_CHECKPOINT, "checkpoint", "no checkpoint was written; the computation continues: {name}")

/* A row of the list as an enumerator. */
#define TW_WARNING_ENUM(code, name, finding) code,
/* The codes of the warnings. */
typedef enum tw_warning_code { TW_WARNING_LIST(TW_WARNING_ENUM) TW_WARNING_COUNT } tw_warning_code;
#undef TW_WARNING_ENUM

enum { TW_WARNING_NUMBERS = 4, TW_WARNING_BYTES = 2048, TW_MOST_WARNINGS = 24 };

/* A warning. The finding describes its numbers. */
typedef struct tw_warning {
    tw_warning_code code;
    double number[TW_WARNING_NUMBERS];
    size_t index;                    /* of the latent or estimate concerned, counted from 0 */
    const char *file, *name, *other; /* texts, or NULL; they live as long as the result or call that
                                        returned the warning */
} tw_warning;

/* The warnings of a result. */
typedef struct tw_warnings {
    size_t count;
    tw_warning warning[TW_MOST_WARNINGS];
} tw_warnings;

/* Add a warning; it is dropped if the list is full. */
TW_API void tw_warnings_add(tw_warnings *warnings, const tw_warning *warning);

/* Its name, such as "rhat". */
TW_API const char *tw_warning_name(tw_warning_code code);

/* The finding as in the list, with placeholders for numbers. */
TW_API const char *tw_warning_finding(tw_warning_code code);

/* Write the finding, followed by `advice` (which may also have placeholders; NULL: none), into `words`, truncated
 * if it does not fit. Latents are named x.1, x.2, ... */
TW_API void tw_warning_print(const tw_warning *warning, const char *advice, char words[TW_WARNING_BYTES]);

/* The receiver of the warnings that belong to no result; `warning` is valid during the call. Without a receiver
 * (the default) the findings go to the log, if there is one. */
typedef void tw_warning_function(void *user, const tw_warning *warning);
TW_API void tw_context_set_warn(tw_context *ctx, tw_warning_function *receive, void *user);

/* Pass a warning to the receiver of ctx. */
TW_API void tw_warn(tw_context *ctx, const tw_warning *warning);

#ifdef __cplusplus
}
#endif

#endif
