/* parameter.h: what a parameter of a kernel or of a likelihood is called, and how it is moved.
 *
 * All parameters of a model are one vector theta, in which every number may take any real value: that is what
 * an optimiser or a sampler moves. A parameter in its natural units (a length scale, a variance) is a function
 * of its entry of theta, its transform:
 *
 *   TW_TRANSFORM_NONE    value = theta
 *   TW_TRANSFORM_LOG     value = exp(theta), for what must be above 0
 */
#ifndef TALWEG_PARAMETER_H
#define TALWEG_PARAMETER_H

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How theta becomes a natural value. */
typedef enum tw_transform { TW_TRANSFORM_NONE, TW_TRANSFORM_LOG } tw_transform;

/* The most bytes of a name, with its end. */
enum { TW_PARAMETER_NAME = 48 };

/* A parameter: a plain value that owns nothing. */
typedef struct tw_parameter {
    char name[TW_PARAMETER_NAME]; /* of the natural value: "ell", "se2.ell.1", "noise" */
    tw_transform transform;
    double initial;   /* the natural value where nobody gives one */
    const char *help; /* what it is, in a few words, for lists; NULL: not said */
} tw_parameter;

/* From theta to the natural value and back; theta is NaN or infinite where there is no such value. */
TW_API double tw_parameter_value(const tw_parameter *parameter, double theta);
TW_API double tw_parameter_theta(const tw_parameter *parameter, double value);

#ifdef __cplusplus
}
#endif

#endif
