/* fault.h: faults that tests can switch on, to show that a test detects them. The library does not contain
 * them.
 *
 * In the library TW_FAULTY(FAULT, sound, broken) is `sound`, and `broken` is not compiled. Tests that need
 * faults link a second copy of the files that contain them, compiled with TALWEG_FAULTS
 * (tests/CMakeLists.txt). There it is `broken` while the test asks for that fault. tests/support/fault.c
 * holds the variables.
 */
#ifndef TALWEG_BASE_FAULT_H
#define TALWEG_BASE_FAULT_H

#ifdef TALWEG_FAULTS
typedef enum tw_fault {
    TW_FAULT_NONE,
    TW_FAULT_VELOCITY_SIGN,  /* RMHMC: wrong sign, + p' G^-1 dG G^-1 p / 2 in dH/dx */
    TW_FAULT_TRACE_SIGN,     /* RMHMC: wrong sign, - tr(G^-1 dG) / 2 in dH/dx */
    TW_FAULT_STALE_MOMENTUM, /* RMHMC draws the momentum from the metric at the base's mean */
    TW_FAULT_NO_LOG_DET,     /* RMHMC: H lacks log|G| / 2 */
    TW_FAULT_BLIND,          /* RMHMC's check of reversibility always passes */
    TW_FAULT_ONE_WAY,        /* mGrad's acceptance lacks the density of the reverse proposal */
    TW_FAULT_LATE_FORCES,    /* leapfrog uses the force at the previous position */
    TW_FAULT_JACOBIAN,       /* a prior density of a value is used as the density of its logarithm */
    TW_FAULT_LATE_WEIGHT,    /* AIS takes the weight of a step after the move to its temperature */
    TW_FAULT_NO_EP,          /* EP never converges for unknown parameters; results stay right */
    TW_FAULT_NO_FIT,         /* neither EP nor Laplace converges; results stay right */
    TW_FAULT_PROPOSAL,       /* the proposal of parameters is off by 2 sd; results stay right */
    TW_FAULT_SITES,          /* sites come from the furthest theta, not the nearest; results stay right */
    TW_FAULT_NO_PROPOSAL,    /* the weights lack the density of the proposal of parameters */
    TW_FAULT_SWAP_RULE,      /* parallel tempering takes the log odds of a swap from tw_fault_swap_rule */
    TW_FAULT_LINE_LEVEL      /* slice sampling along a line: the level lacks the Gaussian's density */
} tw_fault;

extern tw_fault tw_fault_asked;
extern double (*tw_fault_swap_rule)(double step, double lower, double upper);

#define TW_FAULTY(fault, sound, broken) (tw_fault_asked == (fault) ? (broken) : (sound))
#else
#define TW_FAULTY(fault, sound, broken) (sound)
#endif

#endif
