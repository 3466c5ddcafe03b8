/* The same functions in _compiler: each goes through the table that _core handed over. */
#include "types/types.h"

const TypesApi *ty_api;

#define TYFN(result, name, params, args) \
    result name params { return ty_api->name args; }
TYPES_API(TYFN)
#undef TYFN
