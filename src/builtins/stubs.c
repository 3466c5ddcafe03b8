#include "builtins/tables.h"
const Row rows_cmath[] = {{0}}, rows_random[] = {{0}}, rows_numpy_math[] = {{0}};
