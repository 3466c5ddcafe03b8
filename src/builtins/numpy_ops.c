/* NumPy's functions that are Python's operators, and their kin: on scalars, never raising. See numpy_math.c. */
#include "builtins/mathrules.h"
