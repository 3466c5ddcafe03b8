/* What the passes share: edges into blocks, substitution of values, sweeping, constants. */
#pragma once
#include "opt/opt.h"

/* --- edges ------------------------------------------------------------------------------------ */

/* One edge into a block. */
typedef struct In {
    BlockId from;
    uint32_t which; /* 0, 1: Term.succ; IN_HANDLER: the handler edge */
} In;
enum { IN_HANDLER = 2 };

/* Edges into block b: at[start[b]] up to at[start[b + 1]]. Dead blocks have none and give none. */
typedef struct Incoming {
    uint32_t *start;
    In *at;
} Incoming;
Incoming opt_incoming(Cx *cx, const Fn *fn);

static inline uint32_t opt_nsucc(const Term *t) {
    return t->kind == TERM_JUMP ? 1 : t->kind == TERM_BRANCH ? 2 : 0;
}
static inline Edge *opt_edge(const Fn *fn, In in) {
    Block *b = &fn->blocks.at[in.from];
    return in.which == IN_HANDLER ? &b->handler : &b->term.succ[in.which];
}
/* What parameter i gets on this edge; 0: the exception. */
static inline Ref opt_edge_arg(const Fn *fn, In in, uint32_t i) {
    const Edge *e = opt_edge(fn, in);
    if (in.which != IN_HANDLER) return e->args[i];
    return i == 0 ? 0 : e->args[i - 1];
}
static inline bool opt_has_handler(const Block *b) { return b->handler.to != NO_BLOCK; }
bool opt_same_edge(const Edge *a, const Edge *b);

/* Block b raises an exception at its end and has a handler: the same as a jump with the
 * exception. */
void opt_raise_to_jump(Cx *cx, Fn *fn, BlockId b);

/* Can an instruction of block b, or its terminator, raise? */
bool opt_block_raises(const Fn *fn, BlockId b);
/* Takes the handlers of blocks away that can not raise. What is left are edges that may be taken: values pass
 * along them. */
bool opt_drop_handlers(Fn *fn);

/* How often block b reads r; ir_use_counts tells it for all values of a function. */
uint32_t opt_uses_in(Fn *fn, BlockId b, Ref r);
/* Gives every loop a preheader: a block that ends in a jump to the header and is the only way in.
 * True if the graph has changed, and loops with it. */
bool opt_make_preheaders(Cx *cx, Fn *fn, const Loops *loops);

/* The check of a subscript that the user has promised to be good: see opt/promise.c. */
static inline bool opt_is_promise(const Ins *i) { return i->op == OP_CHECK_INDEX && i->imm2; }
/* Is there a CHECK, CHECK_INDEX or WRAP in it? */
bool opt_has_checks(const Fn *fn);

/* --- values ----------------------------------------------------------------------------------- */

/* Replacements to be made: one sweep over the function instead of one per value. */
typedef struct Subst {
    Ref *to; /* 0: stays */
    uint32_t n;
    bool any;
} Subst;
void subst_set(Cx *cx, Subst *s, Ref from, Ref to);
Ref subst_get(Subst *s, Ref r);
void subst_apply(Fn *fn, Subst *s); /* to every use in living blocks */
void subst_block(Fn *fn, Subst *s, BlockId b); /* in one block */

/* Drops what nothing needs: instructions without effect, parameters (their edge arguments too). */
bool opt_drop_dead(Cx *cx, Fn *fn);
bool opt_drop_unreachable(Cx *cx, Fn *fn);

static inline unsigned opt_effects(const Fn *fn, Ref r) {
    const Ins *i = ir_at(fn, r);
    return i->op == OP_CALL_RT ? ir_effects(fn, r) : op_info[i->op].effects;
}
static inline bool opt_raises(const Fn *fn, Ref r) { return opt_effects(fn, r) & RAISES; }
static inline bool opt_is_pure(const Fn *fn, Ref r) {
    return op_info[ir_at(fn, r)->op].effects & PURE;
}

/* An integer constant? */
static inline bool opt_int_const(const Fn *fn, Ref r, int64_t *value) {
    const Ins *i = ir_at(fn, r);
    *value = 0;
    if (i->op != OP_CONST || (i->k->ty->kind != TY_INT && i->k->ty->kind != TY_BOOL)) return false;
    *value = i->k->i;
    return true;
}

/* In block b: limit - n, for a constant n that may be negative; the end of int64 where that would wrap around. */
Ref opt_sub_far(Cx *cx, Fn *fn, BlockId b, Ref limit, int64_t n);

/* About what an instruction costs, in additions; memory is near. */
uint32_t opt_weigh(const Fn *fn, Ref r);

/* x op y is y opt_mirror(op) x, and not (x opt_negate(op) y); for orders of integers. */
static inline Op opt_mirror(Op op) {
    return op == OP_LT ? OP_GT : op == OP_GT ? OP_LT : op == OP_LE ? OP_GE : OP_LE;
}
static inline Op opt_negate(Op op) {
    return op == OP_LT ? OP_GE : op == OP_GE ? OP_LT : op == OP_LE ? OP_GT : OP_LE;
}

/* --- constants (opt/eval.c) ------------------------------------------------------------------- */

/* The value of instruction i with these operands (i->nargs of them, all constant), as the op's row
 * says; false: not to be known at compile time (the op does more, or the answer is only known by
 * running it). */
bool opt_eval(const Ins *i, const Const *const *args, Const *out);
/* v brought into the range of the integer type (or bool) by wrapping. */
int64_t opt_wrap_int(const Type *ty, uint64_t v);

/* --- folding (opt/fold.c) --------------------------------------------------------------------- */

/* Looks at instruction r, whose operands are final, standing next in block b (new instructions are
 * appended to the block). Returns the value that takes its place, 0 if there is none; FOLD_DROP: it
 * does nothing, take it out. */
enum { FOLD_DROP = UINT32_MAX };
Ref opt_fold(Cx *cx, Fn *fn, BlockId b, Ref r);
