/* Small makers of LOW instructions: what the lowering rules are written with. */
#include <string.h>

#include "lower/lower.h"

Type *lo_type(Lower *lo, Ref low) { return ir_at(lo->fn, low)->ty; }

Ref lo_op(Lower *lo, Op op, Type *ty, uint32_t n, const Ref *args) {
    Ref r = ir_add(lo->cx, lo->fn, lo->b, op, ty, lo->span, n, args);
    ir_at(lo->fn, r)->fast = lo->fn->options.fast;
    return r;
}

Ref lo_op1(Lower *lo, Op op, Type *ty, Ref a) { return lo_op(lo, op, ty, 1, &a); }

Ref lo_op2(Lower *lo, Op op, Ref a, Ref b) {
    return lo_op(lo, op, lo_type(lo, a), 2, (Ref[]){a, b});
}

Ref lo_cmp(Lower *lo, Op op, Ref a, Ref b) {
    return lo_op(lo, op, TY_OF(TY_BOOL), 2, (Ref[]){a, b});
}

Ref lo_select(Lower *lo, Ref cond, Ref a, Ref b) {
    return lo_op(lo, OP_SELECT, lo_type(lo, a), 3, (Ref[]){cond, a, b});
}

Ref lo_not(Lower *lo, Ref b) { return lo_op2(lo, OP_XOR, b, lo_bool(lo, true)); }
Ref lo_and(Lower *lo, Ref a, Ref b) { return lo_op2(lo, OP_AND, a, b); }
Ref lo_or(Lower *lo, Ref a, Ref b) { return lo_op2(lo, OP_OR, a, b); }

/* --- constants --------------------------------------------------------------------------------------------------- */

Ref lo_const(Lower *lo, Const *k) { return ir_const(lo->cx, lo->fn, lo->b, k, lo->span); }
Ref lo_int(Lower *lo, int64_t i) { return lo_const(lo, ir_const_int(lo->cx, TY_I(64), i)); }
Ref lo_bool(Lower *lo, bool b) { return lo_const(lo, ir_const_int(lo->cx, TY_OF(TY_BOOL), b)); }
Ref lo_float(Lower *lo, Type *ty, double f) { return lo_const(lo, ir_const_float(lo->cx, ty, f)); }

Ref lo_none(Lower *lo) {
    Const *k = NEW(lo->cx, Const);
    k->ty = TY_OF(TY_NONE);
    return lo_const(lo, k);
}

Ref lo_number(Lower *lo, Type *ty, double v) {
    if (ty->kind == TY_FLOAT) return lo_float(lo, ty, v);
    if (ty->kind == TY_COMPLEX) {
        Type *part = TY_F(ty->bits / 2u);
        return lo_complex(lo, ty, lo_float(lo, part, v), lo_float(lo, part, 0));
    }
    return lo_const(lo, ir_const_int(lo->cx, ty, (int64_t)v));
}

Ref lo_zero(Lower *lo, Type *ty) {
    switch ((TyKind)ty->kind) {
    case TY_BOOL:
    case TY_INT:
    case TY_ENUM: return lo_const(lo, ir_const_int(lo->cx, ty, 0));
    case TY_FLOAT: return lo_float(lo, ty, 0);
    case TY_PTR:
    case TY_EXC:
    case TY_CELL: {
        Const *k = NEW(lo->cx, Const); /* the null pointer */
        k->ty = ty;
        return lo_const(lo, k);
    }
    default: break;
    }
    uint32_t n = ir_field_count(ty);
    if (ty->nparts == 0) {
        Const *k = NEW(lo->cx, Const);
        k->ty = ty;
        return lo_const(lo, k);
    }
    Ref *fields = NEWN(lo->cx, Ref, n + 1);
    for (uint32_t i = 0; i < n; i++) fields[i] = lo_zero(lo, ir_field_type(ty, i));
    return lo_make(lo, ty, n, fields);
}

/* --- aggregates ---------------------------------------------------------------------------------------------------- */

Ref lo_make(Lower *lo, Type *ty, uint32_t n, const Ref *fields) {
    return lo_op(lo, OP_MAKE, ty, n, fields);
}

Ref lo_field(Lower *lo, Ref v, uint32_t i) {
    const Ins *ins = ir_at(lo->fn, v);
    if (ins->op == OP_MAKE) return ins->args[i];
    Ref r = lo_op1(lo, OP_FIELD, ir_field_type(ins->ty, i), v);
    ir_at(lo->fn, r)->imm = i;
    return r;
}

Ref lo_complex(Lower *lo, Type *ty, Ref re, Ref im) { return lo_make(lo, ty, 2, (Ref[]){re, im}); }

/* --- memory, calls ---------------------------------------------------------------------------------------------------- */

Ref lo_load(Lower *lo, Type *ty, Ref address, bool misaligned) {
    Ref r = lo_op1(lo, OP_LOAD, ty, address);
    ir_at(lo->fn, r)->imm = misaligned;
    return r;
}

void lo_store(Lower *lo, Ref address, Ref v, bool misaligned) {
    Ref r = lo_op(lo, OP_STORE, TY_OF(TY_NONE), 2, (Ref[]){address, v});
    ir_at(lo->fn, r)->imm = misaligned;
}

Ref lo_math(Lower *lo, MathFn fn, Type *ty, uint32_t n, const Ref *args) {
    Ref r = lo_op(lo, OP_MATH, ty, n, args);
    ir_at(lo->fn, r)->sub = (uint16_t)fn;
    return r;
}

Ref lo_math1(Lower *lo, MathFn fn, Ref a) {
    bool is_bool = math_info[fn].flags & M_BOOL;
    return lo_math(lo, fn, is_bool ? TY_OF(TY_BOOL) : lo_type(lo, a), 1, &a);
}

Ref lo_math2(Lower *lo, MathFn fn, Ref a, Ref b) {
    return lo_math(lo, fn, lo_type(lo, a), 2, (Ref[]){a, b});
}

Ref lo_rt(Lower *lo, const char *name, Type *ty, uint32_t n, const Ref *args) {
    const RtFn *rt = rt_find(name);
    if (!rt) INTERNAL(lo->cx, lo->span, cx_printf(lo->cx, "no runtime function %s", name));
    Ref r = lo_op(lo, OP_CALL_RT, ty, n, args);
    ir_at(lo->fn, r)->rt = rt;
    return r;
}

Ref lo_call(Lower *lo, Fn *callee, uint32_t n, const Ref *args) {
    Ref r = lo_op(lo, OP_CALL_FN, callee->ret, n, args);
    ir_at(lo->fn, r)->callee = callee;
    return r;
}

void lo_check2(Lower *lo, Ref ok, CheckKind kind, Ref a, Ref b) {
    uint32_t n = 1 + (a != 0) + (b != 0);
    Ref r = lo_op(lo, OP_CHECK, TY_OF(TY_NONE), n, (Ref[]){ok, a, b});
    ir_at(lo->fn, r)->sub = (uint16_t)kind;
}

void lo_check(Lower *lo, Ref ok, CheckKind kind) { lo_check2(lo, ok, kind, 0, 0); }

/* --- control flow ----------------------------------------------------------------------------------------------------- */

BlockId lo_block(Lower *lo, const char *label) {
    BlockId b = ir_new_block(lo->cx, lo->fn, label);
    lo->fn->blocks.at[b].handler = lo->handler;
    return b;
}

void lo_jump(Lower *lo, BlockId to, uint32_t n, const Ref *args) {
    ir_jump(lo->cx, lo->fn, lo->b, to, n, args);
}

void lo_branch(Lower *lo, Ref cond, BlockId yes, BlockId no) {
    ir_branch(lo->cx, lo->fn, lo->b, cond, ir_edge(lo->cx, yes, 0, NULL),
              ir_edge(lo->cx, no, 0, NULL), lo->span);
}

Ref lo_param(Lower *lo, BlockId b, Type *ty) { return ir_add_param(lo->cx, lo->fn, b, ty); }

void lo_loop(Lower *lo, LoopBuild *loop, Ref n, uint32_t ncarried, const Ref *first) {
    Ref start[5] = {lo_int(lo, 0)};
    if (ncarried) memcpy(start + 1, first, ncarried * sizeof(Ref));
    loop->header = lo_block(lo, "loop");
    BlockId body = lo_block(lo, "loop.body");
    loop->exit = lo_block(lo, "loop.exit");
    if (lo->fn->options.parallel) lo->fn->blocks.at[loop->header].parallel = PARALLEL_MAY;
    loop->ncarried = ncarried;
    lo_jump(lo, loop->header, ncarried + 1, start);
    lo->b = loop->header;
    loop->i = lo_param(lo, loop->header, TY_I(64));
    for (uint32_t i = 0; i < ncarried; i++)
        loop->carried[i] = lo_param(lo, loop->header, lo_type(lo, first[i]));
    lo_branch(lo, lo_cmp(lo, OP_LT, loop->i, n), body, loop->exit);
    lo->b = body;
}

void lo_loop_end(Lower *lo, LoopBuild *loop, const Ref *next) {
    Ref args[5] = {lo_op2(lo, OP_ADD, loop->i, lo_int(lo, 1))};
    if (loop->ncarried) memcpy(args + 1, next, loop->ncarried * sizeof(Ref));
    lo_jump(lo, loop->header, loop->ncarried + 1, args);
    lo->b = loop->exit;
}
