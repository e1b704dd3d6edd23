/* softabs_flow.h: an independent computation of Hamilton's equations with the SoftAbs metric in two
 * dimensions: the metric by Sylvester's formula with closed-form eigenvalues, derivatives of H by finite
 * differences, and the flow by the classical Runge-Kutta method. */
#ifndef TALWEG_TESTS_SOFTABS_FLOW_H
#define TALWEG_TESTS_SOFTABS_FLOW_H

#include "talweg/general.h"

/* H at z = (x_0, x_1, p_0, p_1). */
double softabs_energy(const tw_general_target *target, double alpha, const double *z);

/* dH/dz, by fourth-order differences: relative error about 1e-10. */
void softabs_slopes(const tw_general_target *target, double alpha, const double *z, double *slopes);

/* z after the given time, by `steps` Runge-Kutta steps. */
void softabs_flow(const tw_general_target *target, double alpha, double time, size_t steps, double *z);

#endif
