/* Cells that hold counted values: arrays, strings, tuples of such, exceptions. */
#include <string.h>

#include "core/exceptions.h"
#include "core/memory.h"
#include "core/values.h"
#include "runtime/runtime.h"

Status ws_cell_new(WsCtx *ctx, int32_t site, bool set, const uint64_t *value, WsOwner **out) {
    *out = mem_new_cell(rt_find_site(ctx, site)->arg_types[0]->of);
    if (*out)
        ws_cell_set(*out, set, value);
    else
        rt_raise(ctx, site, EXC_MemoryError, "Unable to allocate a captured variable");
    return *out ? 0 : 1;
}

void ws_cell_get(WsOwner *cell, uint64_t *out) {
    const uint64_t *data = owner_data(cell);
    if (cell->holds->nparts) memcpy(out, data + 1, cell->holds->nparts * sizeof *out);
    val_retain(cell->holds, out);
}

void ws_cell_set(WsOwner *cell, bool set, const uint64_t *value) {
    uint64_t *data = owner_data(cell);
    if (set) val_retain(cell->holds, value); /* first: it may be what the cell holds now */
    if (data[0]) val_release(cell->holds, data + 1);
    data[0] = set;
    if (set && cell->holds->nparts) memcpy(data + 1, value, cell->holds->nparts * sizeof *data);
}
