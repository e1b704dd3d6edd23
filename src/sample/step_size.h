/* step_size.h: tune a step size to a target acceptance; used by warm-up and by all methods of evidence. */
#ifndef TALWEG_SAMPLE_STEP_SIZE_H
#define TALWEG_SAMPLE_STEP_SIZE_H

#include <stddef.h>

/* The largest step size: on a unit Gaussian a leapfrog step is unstable from eps = 2 on, and nearly so just
 * below. */
#define TW_STEP_LARGEST 1.5

/* The first step size where nothing better is known. */
#define TW_STEP_FIRST 0.5

/* The state of dual averaging; step_size.c has the equations. */
typedef struct tw_step_tuner {
    double target;      /* the target acceptance d */
    double log_largest; /* upper bound of log eps */
    double centre;      /* log eps without any deficit */
    double deficit;     /* h_t: weighted mean of target - acceptance */
    double log_eps;     /* log eps_t, the current step size */
    double log_mean;    /* log eps-bar_t, the averaged step size */
    double count;       /* t: transitions since tw_step_tuner_begin */
} tw_step_tuner;

/* Start from the step size eps; `largest` may be INFINITY. */
tw_step_tuner tw_step_tuner_at(double eps, double target, double largest);

/* Start again from the current step size, because the target has changed. */
void tw_step_tuner_begin(tw_step_tuner *t);

/* Update with the mean acceptance of one transition of all columns. */
void tw_step_tuner_learn(tw_step_tuner *t, double acceptance);

/* Set the step size to the average, at the end of tuning. */
void tw_step_tuner_freeze(tw_step_tuner *t);

double tw_step_tuner_eps(const tw_step_tuner *t);

#endif
