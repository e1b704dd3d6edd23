/* parameter.h: the name and the transform of a parameter of a kernel or likelihood.
 *
 * All parameters of a model are one vector theta of unconstrained real numbers, which optimisers and samplers use.
 * A parameter in its natural units (a length scale, a variance) is a function of its entry of theta, its transform:
 *
 *   TW_TRANSFORM_NONE    value = theta
 *   TW_TRANSFORM_LOG     value = exp(theta), for positive parameters
 */
#ifndef TALWEG_PARAMETER_H
#define TALWEG_PARAMETER_H

#include <stdbool.h>

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The transform from theta to the natural value. */
typedef enum tw_transform { TW_TRANSFORM_NONE, TW_TRANSFORM_LOG } tw_transform;

/* The largest size of a name in bytes, with the final NUL. */
enum { TW_PARAMETER_NAME = 48 };

/* A parameter: a plain value that owns nothing. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order of initialisers */
typedef struct tw_parameter {
    char name[TW_PARAMETER_NAME]; /* of the natural value: "ell", "se2.ell.1", "noise" */
    tw_transform transform;
    double initial;     /* the natural value if none is given */
    const char *help;   /* a short description for lists; NULL: none */
    bool in_units_of_y; /* of a likelihood: multiplying y by a number does the same to the value */
} tw_parameter;

/* From theta to the natural value and back; theta is NaN or infinite if the value is invalid. */
TW_API double tw_parameter_value(const tw_parameter *parameter, double theta);
TW_API double tw_parameter_theta(const tw_parameter *parameter, double value);

#ifdef __cplusplus
}
#endif

#endif
