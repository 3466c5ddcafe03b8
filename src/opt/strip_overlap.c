/* Where arrays lie: asked before a loop that is done in strips. See strip.c. */
#include "opt/strip.h"

static Ref add(const StripPlan *p, BlockId to, Op op, Type *ty, uint32_t n, const Ref *args) {
    return ir_add(p->cx, p->fn, to, op, ty, (Span){0}, n, args);
}
static Ref add_int(const StripPlan *p, BlockId to, Type *ty, int64_t k) {
    return ir_const(p->cx, p->fn, to, ir_const_int(p->cx, ty, k), (Span){0});
}
static Ref add_bool_op(const StripPlan *p, BlockId to, Op op, Ref x, Ref y) {
    return add(p, to, op, TY_OF(TY_BOOL), 2, (Ref[]){x, y});
}

static Ref add_field(const StripPlan *p, BlockId to, Ref array, uint32_t k) {
    Ref r = add(p, to, OP_FIELD, ir_field_type(ir_at(p->fn, array)->ty, k), 1, &array);
    ir_at(p->fn, r)->imm = k;
    return r;
}

/* The array's first and last byte + 1, as integers. An empty array may get anything: nothing in it
 * is read or written. */
static void add_extent(const StripPlan *p, BlockId to, Ref array, Ref *first, Ref *last) {
    Type *i64 = TY_I(64), *t = ir_at(p->fn, array)->ty;
    Ref data = add_field(p, to, array, 0), size = add_int(p, to, i64, t->elem->size);
    *first = add(p, to, OP_BITCAST, i64, 1, &data);
    if (t->layout != 'A') {
        for (uint32_t k = 0; k < t->ndim; k++)
            size = add(p, to, OP_MUL, i64, 2, (Ref[]){size, add_field(p, to, array, 2 + k)});
        *last = add(p, to, OP_ADD, i64, 2, (Ref[]){*first, size});
        return;
    }
    Ref zero = add_int(p, to, i64, 0), minus = add_int(p, to, i64, -1);
    *last = add(p, to, OP_ADD, i64, 2, (Ref[]){*first, size});
    for (uint32_t k = 0; k < t->ndim; k++) { /* strides may be negative */
        Ref steps = add(p, to, OP_ADD, i64, 2, (Ref[]){add_field(p, to, array, 2 + k), minus});
        Ref way =
            add(p, to, OP_MUL, i64, 2, (Ref[]){steps, add_field(p, to, array, 2 + t->ndim + k)});
        Ref down = add_bool_op(p, to, OP_LT, way, zero);
        Ref below = add(p, to, OP_SELECT, i64, 3, (Ref[]){down, way, zero});
        Ref above = add(p, to, OP_SELECT, i64, 3, (Ref[]){down, zero, way});
        *first = add(p, to, OP_ADD, i64, 2, (Ref[]){*first, below});
        *last = add(p, to, OP_ADD, i64, 2, (Ref[]){*last, above});
    }
}

/* One and the same memory: an element has one address, whichever of the two it is asked of. */
static Ref add_is_same(const StripPlan *p, BlockId to, const Overlap *o) {
    Type *i64 = TY_I(64);
    const Type *t = ir_at(p->fn, o->read)->ty;
    Ref x = add_field(p, to, o->read, 0), y = add_field(p, to, o->written, 0);
    x = add(p, to, OP_BITCAST, i64, 1, &x), y = add(p, to, OP_BITCAST, i64, 1, &y);
    Ref same = add_bool_op(p, to, OP_EQ, x, y);
    for (uint32_t k = 0; k < t->ndim; k++) {
        if (k == (t->layout == 'C' ? 0u : t->ndim - 1u)) continue; /* the slowest axis */
        x = add_field(p, to, o->read, 2 + k), y = add_field(p, to, o->written, 2 + k);
        same = add_bool_op(p, to, OP_AND, same, add_bool_op(p, to, OP_EQ, x, y));
    }
    return same;
}

Ref strip_ask_overlaps(const StripPlan *p, BlockId to) {
    Ref ok = 0;
    for (uint32_t k = 0; k < p->overlaps.n; k++) {
        const Overlap *o = &p->overlaps.at[k];
        Ref r0, r1, w0, w1;
        add_extent(p, to, o->read, &r0, &r1);
        add_extent(p, to, o->written, &w0, &w1);
        Ref apart = add_bool_op(p, to, OP_LE, r1, w0), behind = add_bool_op(p, to, OP_LE, w1, r0);
        apart = add_bool_op(p, to, OP_OR, apart, behind);
        if (o->may_be_same) apart = add_bool_op(p, to, OP_OR, apart, add_is_same(p, to, o));
        ok = ok ? add_bool_op(p, to, OP_AND, ok, apart) : apart;
    }
    return ok;
}
