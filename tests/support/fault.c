/* fault.c: the requested fault, a variable of the test program; see fault.h. The library has no such
 * variable. */
#include "support/fault.h"

#include <stddef.h>

tw_fault tw_fault_asked = TW_FAULT_NONE;
double (*tw_fault_swap_rule)(double step, double lower, double upper) = NULL;

void ask_for_fault(tw_fault fault)
{
    tw_fault_asked = fault;
}

void ask_for_swap_rule(double (*rule)(double step, double lower, double upper))
{
    tw_fault_swap_rule = rule;
    tw_fault_asked = rule ? TW_FAULT_SWAP_RULE : TW_FAULT_NONE;
}
