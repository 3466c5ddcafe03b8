/* Between opt/strip.c, which decides about a loop, and its parts: what it reads and writes (strip_memory.c), what goes
 * through buffers (strip_buffers.c). */
#pragma once
#include "opt/strip.h"

typedef struct Decide {
    StripPlan *p;
    Refs work; /* values the first pass needs that have not been looked at */
    Refs reads; /* LOADs of the first pass */
    Refs stores; /* STOREs of the loop */
    bool *busy; /* per position: the first pass has something to compute there */
    Map costs; /* value -> cost + 1 */
    Map visited;
    bool subscribes; /* a check is one of a subscript */
    uint32_t stack; /* bytes of buffers */
} Decide;

static inline const Ins *strip_ins(const StripPlan *p, Ref r) { return ir_at(p->fn, r); }
static inline bool strip_is_inside(const StripPlan *p, Ref r) {
    return strip_at(p, ir_at(p->fn, r)->block) != 0;
}
/* What the loop's next iteration gets for parameter k of its header. */
static inline Ref strip_latch_arg(const StripPlan *p, uint32_t k) {
    return p->fn->blocks.at[p->loop->latch].term.succ[0].args[k];
}

/* index = *c * counter + rest, rest not changing in the loop. */
bool strip_split_index(const StripPlan *p, Ref index, int64_t *c, Lin *rest);
/* An element of an array that does not change, with subscripts that follow the counter: its
 * ELEM. */
const Ins *strip_find_element(const StripPlan *p, Ref address);
/* May the first pass read what it needs, before what strips store? The tests that it takes go to the plan. */
bool strip_look_at_memory(Decide *d);
/* Reads through subscripts that are themselves read: vector code for them needs to know that no
 * store goes there, which the back end can not find out; and scalar code does not need strips. */
bool strip_has_blind_read(const Decide *d);

/* What the second pass is for: stores, sums, branches. From there down to what it can take from a
 * buffer. */
void strip_choose_buffers(Decide *d);
/* Is all that is stored better computed in the first pass, and only brought to its place by the
 * second? So if each iteration stores it anyway: memory is then read once, and the passes overlap
 * well. Under conditions buffers cost more: only if much is computed twice otherwise. */
bool strip_wants_commit(const Decide *d);
/* One way through the loop, one store on it, to another element each time, and nothing summed up: then
 * a strip is as short as a few vectors, which stay in registers from one pass to the next. (So the second
 * pass reads buffers alone, and its iterations may be done at once.) */
bool strip_can_be_short(const Decide *d);
