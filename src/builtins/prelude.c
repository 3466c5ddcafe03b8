/* Functions written in Python: whipsnake/prelude. */
#include "builtins/tables.h"

#define PRELUDE(name_, prelude_) {.name = name_, .flags = ROW_PRELUDE, .prelude = prelude_}
#define SIZED(name_, prelude_) \
    {.name = name_,            \
     .flags = ROW_PRELUDE,     \
     .prelude = prelude_,      \
     .takes = "a size: an integer or a tuple of integers"}
#define METHOD(name_, prelude_) \
    {.name = name_, .flags = ROW_PRELUDE | ROW_METHOD, .prelude = prelude_}

const Row rows_prelude[] = {
    SIZED("numpy.zeros", "creation.zeros"),
    SIZED("numpy.ones", "creation.ones"),
    PRELUDE("numpy.full", "creation.full"),
    PRELUDE("numpy.empty_like", "creation.empty_like"),
    PRELUDE("numpy.zeros_like", "creation.zeros_like"),
    PRELUDE("numpy.ones_like", "creation.ones_like"),
    PRELUDE("numpy.full_like", "creation.full_like"),
    PRELUDE("numpy.copy", "creation.copy_like"),
    PRELUDE("numpy.arange", "creation.arange"),
    PRELUDE("numpy.linspace", "creation.linspace"),
    PRELUDE("numpy.eye", "creation.eye"),
    PRELUDE("numpy.identity", "creation.identity"),
    PRELUDE("numpy.reshape", "manipulate.reshape_to"),
    PRELUDE("numpy.ravel", "manipulate.ravel"),
    PRELUDE("numpy.transpose", "manipulate.transpose_to"),
    PRELUDE("numpy.ascontiguousarray", "manipulate.ascontiguousarray"),
    PRELUDE("numpy.sum", "reduce.sum"),
    PRELUDE("numpy.prod", "reduce.prod"),
    PRELUDE("numpy.mean", "reduce.mean"),
    PRELUDE("numpy.min", "reduce.min"),
    PRELUDE("numpy.max", "reduce.max"),
    PRELUDE("numpy.amin", "reduce.min"),
    PRELUDE("numpy.amax", "reduce.max"),
    PRELUDE("numpy.argmin", "reduce.argmin"),
    PRELUDE("numpy.argmax", "reduce.argmax"),
    PRELUDE("numpy.all", "reduce.all"),
    PRELUDE("numpy.any", "reduce.any"),
    PRELUDE("numpy.dot", "linalg.dot"),
    {0},
};

const Row rows_prelude_methods[] = {
    METHOD("array.copy", "creation.copy"),
    METHOD("array.astype", "creation.astype"),
    {.name = "array.reshape",
     .flags = ROW_PRELUDE | ROW_METHOD,
     .prelude = "manipulate.reshape",
     .takes = "integers, or a tuple of integers"},
    METHOD("array.ravel", "manipulate.ravel"),
    METHOD("array.flatten", "manipulate.flatten"),
    METHOD("array.transpose", "manipulate.transpose"),
    METHOD("array.fill", "manipulate.fill"),
    METHOD("array.sum", "reduce.sum"),
    METHOD("array.prod", "reduce.prod"),
    METHOD("array.mean", "reduce.mean"),
    METHOD("array.min", "reduce.min"),
    METHOD("array.max", "reduce.max"),
    METHOD("array.argmin", "reduce.argmin"),
    METHOD("array.argmax", "reduce.argmax"),
    METHOD("array.all", "reduce.all"),
    METHOD("array.any", "reduce.any"),
    METHOD("array.dot", "linalg.dot"),
    {0},
};
