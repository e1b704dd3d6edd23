/* statistics.c: the statistics of every draw of every chain: their names in the group sample_stats, and their
 * values from a journal. */
#include "output/run/file.h"

enum {
    FAILED =
        TW_FLAG_ENERGY_DIVERGENCE | TW_FLAG_IMPLICIT_FAILURE | TW_FLAG_IRREVERSIBLE | TW_FLAG_FACTORISATION
};

#define STATISTIC(name, expression)                                                  \
    static double name(const tw_journal_draw *draw, const tw_journal_record *record) \
    {                                                                                \
        (void)draw, (void)record;                                                    \
        return (double)(expression);                                                 \
    }

STATISTIC(lp, record->lp)
STATISTIC(acceptance_rate, record->acceptance_rate)
STATISTIC(step_size, draw->eps)
STATISTIC(n_steps, record->steps)
STATISTIC(diverging, (record->flags & FAILED) != 0)
STATISTIC(energy, record->energy)
STATISTIC(energy_error, record->energy_error)
STATISTIC(accepted, (record->flags & TW_FLAG_ACCEPTED) != 0)
STATISTIC(energy_divergence, (record->flags & TW_FLAG_ENERGY_DIVERGENCE) != 0)
STATISTIC(implicit_failure, (record->flags & TW_FLAG_IMPLICIT_FAILURE) != 0)
STATISTIC(irreversible, (record->flags & TW_FLAG_IRREVERSIBLE) != 0)
STATISTIC(factorisation, (record->flags & TW_FLAG_FACTORISATION) != 0)
STATISTIC(log_likelihood, record->log_likelihood)

const tw_statistic tw_statistics[TW_STATISTIC_COUNT] = {
    {"lp", NC_DOUBLE, lp, "log density of the target at the draw"},
    {"acceptance_rate", NC_DOUBLE, acceptance_rate, "probability that the trajectory was accepted"},
    {"step_size", NC_DOUBLE, step_size, "step size of the integrator"},
    {"n_steps", NC_INT64, n_steps, "leapfrog steps, or evaluations of the slice sampler"},
    {"diverging", NC_BYTE, diverging, "the trajectory failed in any way"},
    {"energy", NC_DOUBLE, energy, "Hamiltonian at the start of the trajectory"},
    {"energy_error", NC_DOUBLE, energy_error, "its change along the trajectory"},
    {"accepted", NC_BYTE, accepted, "the trajectory was accepted"},
    {"energy_divergence", NC_BYTE, energy_divergence, "the energy diverged"},
    {"implicit_failure", NC_BYTE, implicit_failure, "an implicit equation was not solved"},
    {"irreversible", NC_BYTE, irreversible, "the reverse trajectory did not return to its start"},
    {"factorisation", NC_BYTE, factorisation, "a metric could not be factored"},
    {"log_likelihood", NC_DOUBLE, log_likelihood, "log p(y | x), summed over the observations"},
};
