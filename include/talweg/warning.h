/* warning.h: what the library warns of: a code and its numbers, for programs to act on and to put into words.
 *
 * A warning is about a result that is there and should be doubted; what is not there at all is an error (base.h).
 * Results carry their warnings. Those that belong to no result, such as labels of one class only, go to the receiver
 * of the context. Every warning has a finding, a sentence without advice: what to do about it depends on what the
 * user turns, an option of the program, an argument in Python, a member of a struct.
 */
#ifndef TALWEG_WARNING_H
#define TALWEG_WARNING_H

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every warning: its code, its name in JSON, and the finding, in which {0:.3f} is the first number in that format of
 * printf, {file}, {name} and {other} are texts, and {latent} is the latent of that index. This list makes the enum, the
 * names and the findings; new ones may be put anywhere, since programs know them by name. */
#define TW_WARNING_LIST(X)                                                                                   \
    /* data */                                                                                               \
    X(TW_WARN_ONE_CLASS, "one_class", "all {0:.0f} labels are {1:g}: there is only one class")               \
    X(TW_WARN_HEADER, "header",                                                                              \
      "line {0:.0f} is taken as the header, because {name} is not a number, although {1:.0f} of its "        \
      "{2:.0f} fields are")                                                                                  \
    X(TW_WARN_NO_COLUMN, "no_column",                                                                        \
      "the training cases have different values of {name}, and the new cases have none: they get {0:g}")     \
    X(TW_WARN_DEFAULTS, "default_parameters",                                                                \
      "parameters of the kernel were not given and have default values that ignore the data: {name}")        \
    X(TW_WARN_LENGTH_SHORT, "length_short",                                                                  \
      "the length scales of {name} are far below all distances between inputs: the nearest are {0:.3g} "     \
      "length scales apart, so that the cases are nearly independent")                                       \
    X(TW_WARN_LENGTH_LONG, "length_long",                                                                    \
      "the length scales of {name} are far above all distances between inputs: the furthest are {0:.2g} "    \
      "length scales apart, so that the function is nearly constant")                                        \
    /* approximations */                                                                                     \
    X(TW_WARN_EP, "ep_not_converged",                                                                        \
      "EP did not converge (residual {1:.1e} after {0:.0f} sweeps): do not use its log Z")                   \
    X(TW_WARN_MODES, "several_modes",                                                                        \
      "the posterior has several modes: Laplace takes the highest that it found, another is {0:.3g} nats "   \
      "lower")                                                                                               \
    X(TW_WARN_STAND_IN, "stand_in",                                                                          \
      "EP did not converge in {0:.0f} sweeps: Laplace's Gaussian is used instead; draws stay exact, and "    \
      "may mix more slowly")                                                                                 \
    X(TW_WARN_LAPLACE, "laplace_not_converged",                                                              \
      "Newton's method for Laplace's approximation did not converge in {0:.0f} steps (the mode is {1:.1e} "  \
      "standard deviations away): do not use its log Z")                                                     \
    X(TW_WARN_EP_OVERFLOW, "ep_overflow",                                                                    \
      "EP broke down after {0:.0f} sweeps: q is not a distribution, or moments of a case are beyond double " \
      "precision")                                                                                           \
    X(TW_WARN_LAPLACE_OVERFLOW, "laplace_overflow",                                                          \
      "Laplace's approximation broke down after {0:.0f} steps: its numbers are beyond double precision")     \
    X(TW_WARN_ROUNDING, "rounding",                                                                          \
      "EP's log Z may be off by {0:.1g} nats through rounding: observations are much more precise than the " \
      "prior")                                                                                               \
    X(TW_WARN_CORRECTION, "correction",                                                                      \
      "the correction's terms do not fall with their order: do not trust the corrected log Z")               \
    X(TW_WARN_DENSE, "dense_beside_sparse",                                                                  \
      "a leaf that has covariances only stands beside one with a sparse precision, so that the model of "    \
      "{0:.0f} cases is dense")                                                                              \
    X(TW_WARN_SAVED, "saved_not_converged",                                                                  \
      "{file}: this approximation had not converged when it was saved")                                      \
    X(TW_WARN_GRID, "grid_not_converged",                                                                    \
      "EP did not converge at {0:.0f} of {1:.0f} points, which are flagged")                                 \
    X(TW_WARN_FIT, "fit_not_converged",                                                                      \
      "the search did not end at a maximum: it is {0:.2g} standard deviations away after {1:.0f} "           \
      "evaluations")                                                                                         \
    X(TW_WARN_FIT_FLAT, "fit_flat",                                                                          \
      "the data hardly determine some parameter, or a combination of them: log Z + log prior is flat there") \
    X(TW_WARN_FIT_BOUND, "fit_bound",                                                                        \
      "log Z + log prior still grows at the edge of the range that was searched: {name}")                    \
    X(TW_WARN_FIT_OPTIMA, "fit_optima",                                                                      \
      "there are {0:.0f} optima; the second is {1:.3g} nats below the best")                                 \
    X(TW_WARN_FIT_STOPPED, "fit_stopped", "interrupted after {0:.0f} evaluations: the best so far is kept")  \
    /* unknown parameters */                                                                                 \
    X(TW_WARN_THETA_COLLAPSED, "theta_collapsed",                                                            \
      "the weights of the parameters collapsed: {0:.1f} of {1:.0f} points count, so that neither the "       \
      "evidence nor the posterior can be told")                                                              \
    X(TW_WARN_THETA_TAIL, "theta_heavy_tail",                                                                \
      "the weights of the parameters have a heavy tail (Pareto k {0:.2f}, above {1:.2f}): errors are not "   \
      "to "                                                                                                  \
      "be trusted")                                                                                          \
    X(TW_WARN_THETA_START, "theta_start",                                                                    \
      "EP did not converge at {0:.0f} of {1:.0f} points, which started from Laplace's approximation or "     \
      "from "                                                                                                \
      "the prior of x instead: the results are exact all the same, with larger errors")                      \
    X(TW_WARN_THETA_FAILED, "theta_failed",                                                                  \
      "at {0:.0f} of {1:.0f} points the likelihood of the parameters could not be computed (K overflows or " \
      "cannot be factored): their weights count as 0")                                                       \
    X(TW_WARN_THETA_MEAN, "theta_mean",                                                                      \
      "the prior of {name} has a tail without a variance, and the data leave {0:.2g} % of the posterior in " \
      "it: its mean and standard deviation are not to be trusted, its quantiles are")                        \
    X(TW_WARN_THETA_STOPPED, "theta_stopped", "interrupted: there are {0:.0f} points of the parameters")     \
    X(TW_WARN_LOO, "loo_doubtful",                                                                           \
      "{name}: Pareto k is above {2:.1f} at {0:.0f} of {3:.0f} cases, and within its own error of that at "  \
      "{1:.0f} more: their leave-one-out predictions are not to be relied on, and other draws would count "  \
      "otherwise")                                                                                           \
    /* draws */                                                                                              \
    X(TW_WARN_INTERRUPTED, "interrupted", "interrupted: there are {0:.0f} draws of each chain")              \
    X(TW_WARN_TIME, "time", "the time limit is reached: there are {0:.0f} draws of each chain")              \
    X(TW_WARN_ONE_DRAW, "one_draw", "there is only 1 draw of each chain, too few to judge them")             \
    X(TW_WARN_FEW_DRAWS, "few_draws", "there are only {0:.0f} draws of each chain, too few to judge them")   \
    X(TW_WARN_STUCK, "stuck",                                                                                \
      "in {0:.0f} draws of each chain a latent did not move or was not finite, so its convergence is "       \
      "unknown")                                                                                             \
    X(TW_WARN_ONE_CHAIN, "one_chain",                                                                        \
      "there is one chain, and R-hat compares its halves: only chains from different starts show whether "   \
      "the start is forgotten")                                                                              \
    X(TW_WARN_RHAT, "rhat",                                                                                  \
      "R-hat is {0:.3f}, above 1.01 and more than chance gives: the chains have not forgotten their "        \
      "starts, so do not use the draws "                                                                     \
      "yet")                                                                                                 \
    X(TW_WARN_RHAT_SLIGHT, "rhat_slight",                                                                    \
      "R-hat is {0:.4f}, a little above 1.01: for some latent the chains differ by more than chance gives")  \
    X(TW_WARN_ESS_BULK, "ess_bulk",                                                                          \
      "the worst latent ({latent}) has a bulk ESS of {0:.0f}; estimates need at least {1:.0f}, of all "      \
      "chains "                                                                                              \
      "together")                                                                                            \
    X(TW_WARN_ESS_TAIL, "ess_tail",                                                                          \
      "the worst latent ({latent}) has a tail ESS of {0:.0f}; its 5% and 95% quantiles need at least "       \
      "{1:.0f}, "                                                                                            \
      "of all chains together")                                                                              \
    X(TW_WARN_ESS_FOLD, "ess_fold",                                                                          \
      "the worst latent ({latent}) has a fold ESS of {0:.0f}; its spread needs at least {1:.0f}, of all "    \
      "chains together")                                                                                     \
    X(TW_WARN_ESS_GOAL, "ess_goal",                                                                          \
      "the ESS is {0:.0f} after {2:.0f} draws of each chain, and {1:.0f} was asked for")                     \
    X(TW_WARN_EBFMI, "ebfmi",                                                                                \
      "E-BFMI is {0:.2f}, below 0.3: energies change too little between draws to explore the tails")         \
    X(TW_WARN_ENERGY, "energy_divergence",                                                                   \
      "the energy diverged in {0:.2g}% of trajectories ({1:.0f} of {2:.0f}), which were rejected")           \
    X(TW_WARN_IMPLICIT, "implicit_failure",                                                                  \
      "implicit solve failed in {0:.2g}% of trajectories ({1:.0f} of {2:.0f}), which were rejected")         \
    X(TW_WARN_IRREVERSIBLE, "irreversible",                                                                  \
      "the reverse trajectory did not return to its start in {0:.2g}% of trajectories ({1:.0f} of "          \
      "{2:.0f}), which were "                                                                                \
      "rejected")                                                                                            \
    X(TW_WARN_FACTORISATION, "factorisation",                                                                \
      "the metric could not be factored in {0:.2g}% of trajectories ({1:.0f} of {2:.0f}), which were "       \
      "rejected")                                                                                            \
    X(TW_WARN_NOT_POSTERIOR, "not_posterior",                                                                \
      "{file}: these draws are not of the posterior but of the path to it, at beta = {0:g}")                 \
    X(TW_WARN_INTERRUPTED_CASES, "interrupted_cases", "interrupted after {0:.0f} of {1:.0f} cases")          \
    /* evidence */                                                                                           \
    X(TW_WARN_FROM_LAPLACE, "from_laplace",                                                                  \
      "EP did not converge (residual {0:.1e}): the path starts from Laplace's approximation")                \
    X(TW_WARN_FROM_PRIOR, "from_prior",                                                                      \
      "EP did not converge (residual {0:.1e}), and Laplace's Gaussian stands at one mode of perhaps "        \
      "several: the path starts from the prior")                                                             \
    X(TW_WARN_FROM_PRIOR_MODES, "from_prior_modes",                                                          \
      "the posterior has several modes, and EP's Gaussian may stand at one of them: the path starts from "   \
      "the prior")                                                                                           \
    X(TW_WARN_ONE_MODE, "one_mode",                                                                          \
      "the path starts from Laplace's Gaussian, which stands at one mode, and the likelihood is not "        \
      "log-concave: all estimates may miss the same mode, so that their agreement proves nothing")           \
    X(TW_WARN_SWAP_RATE, "swap_rate",                                                                        \
      "parallel tempering: some neighbours exchange with probability {0:.2g} only; the barrier is {1:.1f}, " \
      "so use {2:.0f} temperatures or more, or start closer to the posterior")                               \
    X(TW_WARN_PT_FAILURES, "pt_failures",                                                                    \
      "parallel tempering: {0:.1f}% of the trajectories failed; check that all of them can be reversed, or " \
      "take smaller steps")                                                                                  \
    X(TW_WARN_NO_NUMBER, "no_number", "{name}: the draws give no number for log Z")                          \
    X(TW_WARN_COLLAPSED, "collapsed",                                                                        \
      "{name}: the weights collapsed, {0:.1f} of {1:.0f} count: do not trust log Z or its error")            \
    X(TW_WARN_GOAL, "goal_missed",                                                                           \
      "the standard error is {0:.3g} and {1:g} was asked for: that takes about {2:.0f} particles")           \
    X(TW_WARN_DISAGREE, "disagree",                                                                          \
      "{name} and {other} do not agree: they are {0:.3g} nats apart, {1:.1f} joint standard errors "         \
      "(limit {2:g})")                                                                                       \
    X(TW_WARN_HEAVY_TAIL, "heavy_tail",                                                                      \
      "{name}: the weights have a heavy tail: Pareto k is {0:.2f}, and above {1:.1f} a standard error made " \
      "of "                                                                                                  \
      "them is too small")                                                                                   \
    X(TW_WARN_MISSED, "missed_mass",                                                                         \
      "{name}: annealing from the posterior to q missed {0:.2g} % of q, as annealing from q shows; log Z "   \
      "may "                                                                                                 \
      "be too high by {1:.2g}, which its error includes")                                                    \
    X(TW_WARN_WITHHELD, "withheld", "{name}: log Z is withheld, because its error is above 10 nats")         \
    X(TW_WARN_TRIPS, "round_trips",                                                                          \
      "{name}: replicas do not travel: each copy made {0:.2g} round trips between q and the posterior, and " \
      "with fewer than one the run may still depend on its start; the error includes what shows of that, "   \
      "the "                                                                                                 \
      "differences between the halves of the run and between its two one-sided estimates")                   \
    X(TW_WARN_DRIFT, "drift",                                                                                \
      "{name}: log Z of the second half of the run differs by {0:+.2g} nats from that of the first, more "   \
      "than "                                                                                                \
      "chance explains: the run has not converged, and its error includes the difference")                   \
    X(TW_WARN_APART, "apart",                                                                                \
      "{name}: it differs by {0:+.2g} nats from stepping stones between the same draws, more than chance "   \
      "explains: the log ratios have a heavy tail, or temperatures are too far apart; its error includes "   \
      "the "                                                                                                 \
      "difference")                                                                                          \
    X(TW_WARN_FAILURES, "transition_failures", "{name}: {0:.1f} % of the transitions failed numerically")    \
    X(TW_WARN_INTERRUPTED_METHODS, "interrupted_methods", "interrupted: unfinished estimates are left out")  \
    /* files */                                                                                              \
    X(TW_WARN_LENGTHS, "lengths",                                                                            \
      "{file} has {0:.0f} draws of each chain and another file has {1:.0f}: the first {1:.0f} are used")     \
    X(TW_WARN_JOURNAL, "journal",                                                                            \
      "{file}: its journal is damaged after draw {0:.0f}: what came after it, {1:.3g} MB, is lost")          \
    X(TW_WARN_NO_PLOTS, "no_plots",                                                                          \
      "the page has no plots: the program gnuplot, which draws them, is not installed (Debian and Ubuntu: "  \
      "the "                                                                                                 \
      "package gnuplot-nox)")                                                                                \
    X(TW_WARN_FIGURE, "figure", "figure {0:.0f} is missing: {name}")                                         \
    X(TW_WARN_CHECKPOINT, "checkpoint", "no checkpoint was written; the computation continues: {name}")

/* A row of the list as an enumerator. */
#define TW_WARNING_ENUM(code, name, finding) code,
/* What is warned of. */
typedef enum tw_warning_code { TW_WARNING_LIST(TW_WARNING_ENUM) TW_WARNING_COUNT } tw_warning_code;
#undef TW_WARNING_ENUM

enum { TW_WARNING_NUMBERS = 4, TW_WARNING_BYTES = 2048, TW_MOST_WARNINGS = 24 };

/* A warning. The finding says what its numbers are. */
typedef struct tw_warning {
    tw_warning_code code;
    double number[TW_WARNING_NUMBERS];
    size_t index;                    /* of the latent or estimate that it is about, counted from 0 */
    const char *file, *name, *other; /* texts, NULL where there is none; they live as long as what the warning
                                        came with */
} tw_warning;

/* The warnings of a result. */
typedef struct tw_warnings {
    size_t count;
    tw_warning warning[TW_MOST_WARNINGS];
} tw_warnings;

/* Add one; what does not fit any more is left out. */
TW_API void tw_warnings_add(tw_warnings *warnings, const tw_warning *warning);

/* "rhat": its name. */
TW_API const char *tw_warning_name(tw_warning_code code);

/* The finding as the list has it, with its places for numbers. */
TW_API const char *tw_warning_finding(tw_warning_code code);

/* The finding in words, with `advice` behind it, which has places for numbers too (NULL: none), into `words`, cut
 * off where there is no room. Latents are called x.1, x.2, ... */
TW_API void tw_warning_print(const tw_warning *warning, const char *advice, char words[TW_WARNING_BYTES]);

/* Who receives the warnings that belong to no result; `warning` is valid during the call. Without a receiver, the
 * default, their findings go to the log, where there is one. */
typedef void tw_warning_function(void *user, const tw_warning *warning);
TW_API void tw_context_set_warn(tw_context *ctx, tw_warning_function *receive, void *user);

/* Hand a warning to whoever receives those of ctx. */
TW_API void tw_warn(tw_context *ctx, const tw_warning *warning);

#ifdef __cplusplus
}
#endif

#endif
