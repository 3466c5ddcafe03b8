/* The same functions in _compiler: each goes through the table that _core handed over, and leaves the
 * compile when there is no memory. */
#include "base/cx.h"
#include "types/types.h"

const TypesApi *ty_api;

static Type *checked(Type *t) {
    if (!t && ty_api->ran_out()) cx_abort_for_memory();
    return t;
}

#define TYFN(result, name, params, args) \
    result name params { return checked(ty_api->name args); }
TYPES_API(TYFN)
#undef TYFN
