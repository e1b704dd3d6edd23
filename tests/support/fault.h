/* fault.h: ask for a mistake of the library's (base/fault.h), and take the question back. Tests that do are listed in
 * tests/CMakeLists.txt: they are linked with files in which the mistakes exist. */
#ifndef TALWEG_TESTS_SUPPORT_FAULT_H
#define TALWEG_TESTS_SUPPORT_FAULT_H

#include "base/fault.h"

/* From now on; TW_FAULT_NONE ends it. Not while a run is on its way. */
void ask_for_fault(tw_fault fault);

/* The log odds of every swap of parallel tempering by this rule; NULL: by the library's. */
void ask_for_swap_rule(double (*rule)(double step, double lower, double upper));

#endif
