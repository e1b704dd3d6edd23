/* step_size.h: the tuner of step sizes, for chains and for every method of evidence. */
#ifndef TALWEG_SAMPLE_STEP_SIZE_H
#define TALWEG_SAMPLE_STEP_SIZE_H

#include <stddef.h>

/* Beyond it a leapfrog step is unstable on a unit Gaussian (at 2) or next to it, whatever the acceptance says. */
#define TW_STEP_LARGEST 1.5

/* Where a search without anything to go by begins. */
#define TW_STEP_FIRST 0.5

typedef struct tw_step_tuner {
    double target;      /* acceptance */
    double log_largest; /* of log eps */
    double centre;      /* what log eps is drawn to */
    double deficit;     /* running mean of target - acceptance */
    double log_eps;     /* to move with */
    double log_mean;    /* average of it: what is frozen at last */
    double count;       /* of acceptances since the centre was put where it is */
} tw_step_tuner;

/* From a step size to begin with; `largest` may be INFINITY. */
tw_step_tuner tw_step_tuner_at(double eps, double target, double largest);

/* Start again from the present step size: what is sampled has changed. */
void tw_step_tuner_begin(tw_step_tuner *t);

/* Learn from the mean acceptance of a transition of all columns. */
void tw_step_tuner_learn(tw_step_tuner *t, double acceptance);

/* Take the average: no more is learnt. */
void tw_step_tuner_freeze(tw_step_tuner *t);

double tw_step_tuner_eps(const tw_step_tuner *t);

#endif
