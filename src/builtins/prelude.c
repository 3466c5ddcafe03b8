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

#define REDUCE(name_, prelude_, fn)      \
    {.name = name_,                      \
     .flags = ROW_PRELUDE | ROW_REDUCES, \
     .prelude = prelude_,                \
     .lower = fused_reduce,              \
     .data = REDUCE_##fn}
#define REDUCE_METHOD(name_, prelude_, fn)            \
    {.name = name_,                                   \
     .flags = ROW_PRELUDE | ROW_REDUCES | ROW_METHOD, \
     .prelude = prelude_,                             \
     .lower = fused_reduce,                           \
     .data = REDUCE_##fn}

#define TAKES_LISTS(name_, prelude_) \
    {.name = name_, .flags = ROW_PRELUDE | ROW_LISTS, .prelude = prelude_}

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
    REDUCE("numpy.sum", "reduce.sum", SUM),
    REDUCE("numpy.prod", "reduce.prod", PROD),
    REDUCE("numpy.mean", "reduce.mean", MEAN),
    REDUCE("numpy.min", "reduce.min", MIN),
    REDUCE("numpy.max", "reduce.max", MAX),
    REDUCE("numpy.amin", "reduce.min", MIN),
    REDUCE("numpy.amax", "reduce.max", MAX),
    REDUCE("numpy.argmin", "reduce.argmin", ARGMIN),
    REDUCE("numpy.argmax", "reduce.argmax", ARGMAX),
    REDUCE("numpy.count_nonzero", "reduce.count_nonzero", COUNT),
    REDUCE("numpy.all", "reduce.all", ALL),
    REDUCE("numpy.any", "reduce.any", ANY),
    PRELUDE("numpy.var", "reduce.var"),
    PRELUDE("numpy.std", "reduce.std"),
    PRELUDE("numpy.ptp", "reduce.ptp"),
    PRELUDE("numpy.cumsum", "reduce.cumsum"),
    PRELUDE("numpy.cumprod", "reduce.cumprod"),
    PRELUDE("numpy.nansum", "reduce.nansum"),
    PRELUDE("numpy.nanprod", "reduce.nanprod"),
    PRELUDE("numpy.nanmean", "reduce.nanmean"),
    PRELUDE("numpy.nanmin", "reduce.nanmin"),
    PRELUDE("numpy.nanmax", "reduce.nanmax"),
    PRELUDE("numpy.diff", "arrange.diff"),
    PRELUDE("numpy.outer", "arrange.outer"),
    PRELUDE("numpy.roll", "arrange.roll"),
    PRELUDE("numpy.flatnonzero", "arrange.flatnonzero"),
    PRELUDE("numpy.sort", "arrange.sort"),
    PRELUDE("numpy.argsort", "arrange.argsort"),
    PRELUDE("numpy.unique", "arrange.unique"),
    PRELUDE("numpy.searchsorted", "arrange.searchsorted"),
    TAKES_LISTS("numpy.concatenate", "arrange.concatenate"),
    TAKES_LISTS("numpy.asarray", "creation.asarray"),
    PRELUDE("numpy.dot", "linalg.dot"),
    {0},
};

const Row rows_operator[] = {
    PRELUDE("operator.add", "operators.add"),
    PRELUDE("operator.sub", "operators.sub"),
    PRELUDE("operator.mul", "operators.mul"),
    PRELUDE("operator.truediv", "operators.truediv"),
    PRELUDE("operator.floordiv", "operators.floordiv"),
    PRELUDE("operator.mod", "operators.mod"),
    PRELUDE("operator.pow", "operators.pow"),
    PRELUDE("operator.lshift", "operators.lshift"),
    PRELUDE("operator.rshift", "operators.rshift"),
    PRELUDE("operator.and_", "operators.and_"),
    PRELUDE("operator.or_", "operators.or_"),
    PRELUDE("operator.xor", "operators.xor"),
    PRELUDE("operator.matmul", "operators.matmul"),
    PRELUDE("operator.lt", "operators.lt"),
    PRELUDE("operator.le", "operators.le"),
    PRELUDE("operator.eq", "operators.eq"),
    PRELUDE("operator.ne", "operators.ne"),
    PRELUDE("operator.ge", "operators.ge"),
    PRELUDE("operator.gt", "operators.gt"),
    PRELUDE("operator.is_", "operators.is_"),
    PRELUDE("operator.is_not", "operators.is_not"),
    PRELUDE("operator.neg", "operators.neg"),
    PRELUDE("operator.pos", "operators.pos"),
    PRELUDE("operator.invert", "operators.invert"),
    PRELUDE("operator.inv", "operators.inv"),
    PRELUDE("operator.not_", "operators.not_"),
    PRELUDE("operator.truth", "operators.truth"),
    PRELUDE("operator.concat", "operators.concat"),
    PRELUDE("operator.contains", "operators.contains"),
    PRELUDE("operator.getitem", "operators.getitem"),
    PRELUDE("operator.setitem", "operators.setitem"),
    PRELUDE("operator.iadd", "operators.iadd"),
    PRELUDE("operator.isub", "operators.isub"),
    PRELUDE("operator.imul", "operators.imul"),
    PRELUDE("operator.itruediv", "operators.itruediv"),
    PRELUDE("operator.ifloordiv", "operators.ifloordiv"),
    PRELUDE("operator.imod", "operators.imod"),
    PRELUDE("operator.ipow", "operators.ipow"),
    PRELUDE("operator.ilshift", "operators.ilshift"),
    PRELUDE("operator.irshift", "operators.irshift"),
    PRELUDE("operator.iand", "operators.iand"),
    PRELUDE("operator.ior", "operators.ior"),
    PRELUDE("operator.ixor", "operators.ixor"),
    PRELUDE("operator.imatmul", "operators.imatmul"),
    PRELUDE("operator.abs", "operators.absolute"),
    {0},
};

const Row rows_prelude_methods[] = {
    METHOD("array.copy", "creation.copy"),
    {.name = "array.reshape",
     .flags = ROW_PRELUDE | ROW_METHOD,
     .prelude = "manipulate.reshape",
     .takes = "integers, or a tuple of integers"},
    METHOD("array.ravel", "manipulate.ravel"),
    METHOD("array.flatten", "manipulate.flatten"),
    METHOD("array.transpose", "manipulate.transpose"),
    METHOD("array.fill", "manipulate.fill"),
    REDUCE_METHOD("array.sum", "reduce.sum", SUM),
    REDUCE_METHOD("array.prod", "reduce.prod", PROD),
    REDUCE_METHOD("array.mean", "reduce.mean", MEAN),
    REDUCE_METHOD("array.min", "reduce.min", MIN),
    REDUCE_METHOD("array.max", "reduce.max", MAX),
    REDUCE_METHOD("array.argmin", "reduce.argmin", ARGMIN),
    REDUCE_METHOD("array.argmax", "reduce.argmax", ARGMAX),
    REDUCE_METHOD("array.all", "reduce.all", ALL),
    REDUCE_METHOD("array.any", "reduce.any", ANY),
    METHOD("array.var", "reduce.var"),
    METHOD("array.std", "reduce.std"),
    METHOD("array.cumsum", "reduce.cumsum"),
    METHOD("array.cumprod", "reduce.cumprod"),
    METHOD("array.dot", "linalg.dot"),
    {0},
};
