/* The tables behind ops.def, math.def and checks.def, and the fields of aggregate types. */
#include <string.h>

#include "base/assert.h"
#include "ir/ir.h"
#include "ir/math.h"
#include "ir/rt.h"

const OpInfo op_info[OPS] = {
#define OP(name, text, nargs, effects) {text, nargs, effects},
#include "ir/ops.def"
#undef OP
};

const CheckInfo check_info[CHECKS] = {
#define CHECK(name, cls, text) {#name, cls, text},
#include "ir/checks.def"
#undef CHECK
};

const MathInfo math_info[MATHS] = {
#define MATH(name, text, nargs, intrinsic, cfunc, sleef, flags) \
    {text, nargs, intrinsic, cfunc, sleef, flags},
#include "ir/math.def"
#undef MATH
};

unsigned ir_effects(const Fn *fn, Ref r) {
    const Ins *i = ir_at(fn, r);
    if (i->op == OP_CALL_RT) return i->rt->effects | LOW;
    return op_info[i->op].effects;
}

Type *ir_slots_type(const Fn *fn, const Ins *call) {
    const char *p = call->rt->proto;
    if (strchr(p, 'R')) return call->ty;
    unsigned a = 0;
    for (p += 2; *p != 'A'; p++) a += *p != 'c';
    return ir_at(fn, call->args[a])->ty;
}

/* --- fields of aggregates --------------------------------------------------------------------- */

static Type *int64_type(void) { return TY_I(64); }

/* What an iterator stands on: its iterable, or zip's. */
static uint32_t count_iter_heads(const Type *ty) { return ty->nitems + (ty->of != NULL); }

uint32_t ir_field_count(const Type *ty) {
    switch ((TyKind)ty->kind) {
    case TY_COMPLEX:
    case TY_OPTIONAL: return 2;
    case TY_TUPLE:
    case TY_CLOSURE: return ty->nitems;
    case TY_SLICE:
    case TY_ARRAY: return ty->nparts;
    case TY_FUNC: return ty->nitems > 0; /* one of several: which */
    case TY_RANGE: return 3;
    case TY_STR:
    case TY_BYTES: return 4;
    case TY_ITER:
        return count_iter_heads(ty) + (ty->how == ITER_ENUMERATE || ty->how == ITER_SHARED);
    case TY_UNDEF:
    case TY_NONE:
    case TY_BOOL:
    case TY_INT:
    case TY_FLOAT:
    case TY_DTYPE:
    case TY_ENUM:
    case TY_MODULE:
    case TY_CLASS:
    case TY_CELL:
    case TY_EXC:
    case TY_PTR:
    case TY_KINDS: break; /* scalars, or nothing at all */
    }
    return 0;
}

static Type *iter_field_type(const Type *ty, uint32_t i) {
    if (i >= count_iter_heads(ty))
        return ty->how == ITER_SHARED ? ty_cell(int64_type()) : int64_type();
    if (!ty->of) return ty->items[i];
    return i == 0 ? ty->of : ty->items[i - 1];
}

Type *ir_field_type(const Type *ty, uint32_t i) {
    WS_ASSERT(i < ir_field_count(ty));
    if (ty->kind == TY_COMPLEX) return TY_F(ty->bits / 2u);
    if (ty->kind == TY_OPTIONAL) return i == 0 ? TY_OF(TY_BOOL) : ty->of;
    if (ty->kind == TY_TUPLE || ty->kind == TY_CLOSURE) return ty->items[i];
    if (ty->kind == TY_ARRAY) return i < 2 ? TY_OF(TY_PTR) : int64_type();
    if (ty->kind == TY_STR || ty->kind == TY_BYTES)
        return i == 0 || i == 3 ? TY_OF(TY_PTR) : int64_type();
    if (ty->kind == TY_ITER) return iter_field_type(ty, i);
    return int64_type(); /* RANGE, SLICE */
}

uint32_t ir_field_part(const Type *ty, uint32_t i) {
    uint32_t part = 0;
    for (uint32_t k = 0; k < i; k++) part += ir_field_type(ty, k)->nparts;
    return part;
}
