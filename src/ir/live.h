/* Liveness: which values are still needed where.
 *
 * A value is live into a block if something reachable from the block's start uses it before (or
 * without) passing its definition again. Arguments of an edge are used at the end of the block the
 * edge leaves. Arguments of a handler edge, and all that is live into the handler, are live into
 * the block and throughout it, since any raising instruction may go there; the block's own
 * parameters may be such arguments.
 *
 * Sets are lists sorted by Ref. They hold only the values that `wanted` asks for, and the work is
 * proportional to what they hold, so asking for counted references alone is cheap however long the
 * function is. */
#pragma once
#include "ir/ir.h"

typedef struct Live {
    /* Per block. in: its own parameters not included. out: live into a block that its terminator
     * goes to; the edges' own arguments not counted. */
    Refs *in, *out;
    uint32_t n;
} Live;

/* Unreachable blocks get empty sets. wanted: NULL means every value. */
Live *ir_live(Cx *cx, const Fn *fn, const Cfg *cfg, bool (*wanted)(const Fn *fn, Ref r));
bool live_has(const Refs *set, Ref r);
