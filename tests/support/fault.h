/* fault.h: activate a fault of the library (base/fault.h), and deactivate it. The tests that do so are listed
 * in tests/CMakeLists.txt; they are linked with files that contain the faults. */
#ifndef TALWEG_TESTS_SUPPORT_FAULT_H
#define TALWEG_TESTS_SUPPORT_FAULT_H

#include "base/fault.h"

/* Activate a fault; TW_FAULT_NONE deactivates it. Do not call this during a run. */
void ask_for_fault(tw_fault fault);

/* Use this rule for the log odds of every swap of parallel tempering; NULL: the library's rule. */
void ask_for_swap_rule(double (*rule)(double step, double lower, double upper));

#endif
