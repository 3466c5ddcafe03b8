/* Inside opt/simt_regions.c and simt_emit.c: the parts that a kernel is split into, and what goes from one
 * to another. */
#pragma once
#include "ir/live.h"
#include "opt/simt.h"

typedef struct Region {
    BlockId root;
    VEC(BlockId) apart; /* in reverse post-order */
    BlockId exit; /* where the threads meet; NO_BLOCK: they return, or `apart` is empty */
} Region;

typedef struct Emit {
    Simt *s;
    Cx *cx;
    Fn *fn, *to; /* old, new */
    Span span;
    VEC(Region) regions;
    uint32_t *region_of; /* old block -> region + 1; 0: not reached */
    uint32_t *level; /* old block -> guards passed */
    const Live *live;
    Ref *same; /* old value that does not vary -> new */
    Ref *lane; /* old value that varies -> new one in the region at hand */
    Refs lane_set; /* which of lane[] are set */
    Refs crossing; /* old values that live in memory between regions */
    Ref *leader; /* of each of them: the one whose memory it shares; else 0 */
    Ref *stack; /* leader -> new address of the block's memory */
    BlockId *start; /* old block, together -> new; apart -> new, in the region at hand */
    uint32_t axes[AXES]; /* innermost first */
    Ref dims[AXES]; /* what the launch says of the block's size; 0: not asked for yet */
    Ref blocks[AXES]; /* number of the block, per axis */
    Ref tid[AXES]; /* number of the thread, in the loops at hand */
    Ref thread; /* position of the thread in memory; 0: not computed yet */
    Ref limits[GUARDS + 1][AXES]; /* by level: threads that are left */
    Ref firsts[GUARDS + 1][AXES]; /* by level: threads before have nothing to do; 0: all have */
    Ref first[AXES]; /* the same for the loops at hand alone */
    BlockId b; /* where instructions are appended */
    BlockId lane_next; /* end of one thread's turn */
    BlockId block_next; /* end of one block */
    int64_t memory; /* bytes of all threads' places */
    bool passes; /* for note_pass */
    bool fails; /* a value that cannot live in memory is needed there */
} Emit;

/* Bytes of the stack for the threads of a block: beyond, they get stacks of their own. */
enum { MOST_MEMORY = 1 << 20 };

static inline bool simt_is_apart(const Emit *e, BlockId b) { return e->s->apart[b]; }
static inline bool simt_varies(const Emit *e, Ref v) { return e->s->varies[v]; }
static inline bool simt_is_tid(const Emit *e, Ref v) {
    return ir_at(e->fn, v)->op == OP_SREG && ir_at(e->fn, v)->sub == SREG_TID;
}
static inline Ref simt_leader_of(const Emit *e, Ref v) {
    while (e->leader[v] != v) v = e->leader[v];
    return v;
}
/* Bytes between the places of two threads. A local array is its own place. */
static inline uint32_t simt_place_size(const Emit *e, Ref v) {
    const Ins *i = ir_at(e->fn, v);
    if (i->op == OP_STACK) return ((uint32_t)i->imm + 15) & ~15u;
    return i->ty->size ? i->ty->size : 8 * i->ty->nparts;
}

/* Successors of old block b that threads really take. */
uint32_t simt_ways(const Emit *e, BlockId b, BlockId to[3]);
/* Cuts the old function into regions; false: it has no such shape. */
bool simt_find_regions(Emit *e);
Region *simt_region_at(Emit *e, BlockId b);
/* Is the old value computed by the threads of this region? Parameters of the root come from memory. */
bool simt_is_made_in(Emit *e, const Region *r, Ref v);

typedef void (*UseVisitor)(Emit *e, Region *r, Ref v);
typedef void (*PassVisitor)(Emit *e, Region *r, Ref arg, Ref param);
/* Visits what the threads of the region read, exit edges aside. */
void simt_visit_reads(Emit *e, Region *r, UseVisitor visit);
/* Visits the values that the region's threads leave for parameters of other regions' roots; of one block, or
 * of all. */
void simt_visit_passes_of(Emit *e, Region *r, BlockId b, PassVisitor visit);
void simt_visit_passes(Emit *e, Region *r, PassVisitor visit);
/* Decides which values live in memory between regions, and which of them share a place. */
bool simt_plan_memory(Emit *e); /* false: it cannot be */
/* Memory for `size` bytes of each thread. */
Ref simt_new_places(Emit *e, uint32_t size);

/* --- simt_emit.c, for simt_collective.c --------------------------------------------------------- */

typedef struct LaneLoop {
    BlockId header, exit;
    Ref counter;
} LaneLoop;

Ref simt_add(Emit *e, Op op, Type *ty, uint32_t n, const Ref *args); /* appends at e->b */
Ref simt_int(Emit *e, int64_t k);
Ref simt_value(Emit *e, Ref v); /* the new value for an old one that is there already */
Ref simt_thread_position(Emit *e); /* in the loops at hand, among the threads of the block */
void simt_bring_in(Emit *e, Region *r, Ref v);
uint32_t simt_open_lanes(Emit *e, uint32_t level, LaneLoop loops[AXES]);
void simt_close_lanes(Emit *e, LaneLoop loops[AXES], uint32_t n);
Ref simt_dim(Emit *e, uint32_t axis);
/* Threads that are left along an axis. */
Ref simt_limit(Emit *e, uint32_t level, uint32_t axis);

/* What a region does that is a barrier or an operation of a warp (simt_collective.c). */
void simt_emit_collective(Emit *e, Region *r);
