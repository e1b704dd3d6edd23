/* parameter.c: the transforms of parameters. */
#include "talweg/parameter.h"

#include <math.h>

double tw_parameter_value(const tw_parameter *parameter, double theta)
{
    return parameter->transform == TW_TRANSFORM_LOG ? exp(theta) : theta;
}

double tw_parameter_theta(const tw_parameter *parameter, double value)
{
    return parameter->transform == TW_TRANSFORM_LOG ? log(value) : value;
}
