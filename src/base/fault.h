/* fault.h: mistakes on demand, for the tests that must find them. The library has none.
 *
 * TW_FAULTY(FAULT, sound, broken) stands for `sound`, and `broken` is not even compiled. The tests that need mistakes
 * link a second copy of the files that name any, compiled with TALWEG_FAULTS (tests/CMakeLists.txt): there it stands
 * for `broken` while the test asks for that fault. What is asked for is kept in tests/support/fault.c.
 */
#ifndef TALWEG_BASE_FAULT_H
#define TALWEG_BASE_FAULT_H

#ifdef TALWEG_FAULTS
typedef enum tw_fault {
    TW_FAULT_NONE,
    TW_FAULT_VELOCITY_SIGN,  /* of the kinetic energy's force: + p' G^-1 dG G^-1 p / 2 in dH/dx */
    TW_FAULT_TRACE_SIGN,     /* - tr(G^-1 dG) / 2 in dH/dx */
    TW_FAULT_STALE_MOMENTUM, /* the momentum is drawn from the metric at the base's mean */
    TW_FAULT_NO_LOG_DET,     /* log|G| left out of H */
    TW_FAULT_BLIND,          /* every step of RMHMC is said to lead back */
    TW_FAULT_ONE_WAY,        /* mGrad leaves the proposal's density on the way back out of its rule */
    TW_FAULT_LATE_FORCES,    /* a leapfrog step kicks with the force of the position before */
    TW_FAULT_JACOBIAN,       /* a prior of a value taken for one of its logarithm */
    TW_FAULT_LATE_WEIGHT,    /* AIS takes the weight of a step after the move to its temperature */
    TW_FAULT_NO_EP,          /* EP converges at no point of unknown parameters: no mistake, and harmless */
    TW_FAULT_NO_FIT,         /* nor does Laplace's approximation */
    TW_FAULT_PROPOSAL,       /* the proposal of parameters is two standard deviations off: harmless too */
    TW_FAULT_SITES,          /* sites of the furthest theta, not of the nearest: harmless */
    TW_FAULT_NO_PROPOSAL,    /* its density is left out of the weights */
    TW_FAULT_SWAP_RULE       /* parallel tempering asks tw_fault_swap_rule for the log odds of a swap */
} tw_fault;

extern tw_fault tw_fault_asked;
extern double (*tw_fault_swap_rule)(double step, double lower, double upper);

#define TW_FAULTY(fault, sound, broken) (tw_fault_asked == (fault) ? (broken) : (sound))
#else
#define TW_FAULTY(fault, sound, broken) (sound)
#endif

#endif
