/* The compiler's copy of the runtime's rows: what each function takes and does, without its
 * address. */
#include "ir/rt.h"

#include <string.h>

#include "ir/ir.h"

const RtFn rt_table[] = {
#define RT(name, proto, effects, inlined) {#name, proto, effects, NULL, inlined},
#include "runtime/runtime.def"
#undef RT
};
const uint32_t rt_count = sizeof rt_table / sizeof *rt_table;

const RtFn *rt_find(const char *name) {
    for (uint32_t i = 0; i < rt_count; i++)
        if (strcmp(rt_table[i].name, name) == 0) return &rt_table[i];
    return NULL;
}
