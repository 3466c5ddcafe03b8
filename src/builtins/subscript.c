/* Subscripts of arrays, tuples, ranges and texts: obj[index] and obj[index] = value.
 *
 * An index of an array is cut into one Part per axis it speaks of. Integers, slices, None and Ellipsis make an
 * element or a view; one boolean or integer array goes through the prelude. */
#include <string.h>

#include "builtins/elementwise.h"
#include "py/py.h"

typedef enum PartKindOf {
    PART_INT,
    PART_SLICE,
    PART_FULL,
    PART_NEW,
    PART_MASK,
    PART_FANCY
} PartKindOf;

typedef struct Part {
    PartKindOf kind;
    int item;   /* of the index tuple; -1: the index itself */
    Type *ty;   /* of the index item */
    Const *k;
    uint32_t axis; /* of the array (not PART_NEW) */
} Part;

typedef struct Parts {
    Part at[72];
    uint32_t n;
    uint32_t narrays; /* MASK and FANCY */
    bool ellipsis;    /* then the result is a view, of no axes if need be */
} Parts;

static bool is_ellipsis(const Type *ty) { return ty->kind == TY_CLASS && ty->obj == Py_Ellipsis; }

static bool is_index(const Type *ty) {
    const Type *t = infer_plain((Type *)ty);
    return ty_is_integral(t) || (t->kind == TY_ENUM && t->is_signed);
}

/* Cuts the index; false: something in it cannot be an index (*bad is its type). */
static bool cut(Type *array, Type *index, const Const *k, Parts *out, Type **bad, bool *too_many) {
    Type *one[1] = {index}, **items = one;
    uint32_t n = 1;
    bool tuple = index->kind == TY_TUPLE;
    if (tuple) items = index->items, n = index->nitems;
    *out = (Parts){0};
    *too_many = false;
    uint32_t used = 0;
    for (uint32_t i = 0; i < n; i++) {
        Type *t = items[i];
        if (t->kind == TY_ARRAY)
            used += t->elem->kind == TY_BOOL ? t->ndim : 1;
        else
            used += t->kind != TY_NONE && !is_ellipsis(t);
    }
    if (used > array->ndim || n > 64) {
        *too_many = true;
        return false;
    }
    uint32_t axis = 0, rest = array->ndim - used;
    for (uint32_t i = 0; i <= n; i++) {
        Type *t = i < n ? items[i] : NULL;
        if (!t || is_ellipsis(t)) {
            out->ellipsis |= t != NULL;
            for (; rest; rest--) out->at[out->n++] = (Part){PART_FULL, -1, NULL, NULL, axis++};
            continue;
        }
        Part p = {PART_INT, tuple ? (int)i : -1, t,
                  k ? (tuple ? k->seq.items[i] : (Const *)k) : NULL, axis};
        if (is_index(t)) {
            axis++;
        } else if (t->kind == TY_SLICE) {
            bool full = t->items[0]->kind == TY_NONE && t->items[1]->kind == TY_NONE &&
                        t->items[2]->kind == TY_NONE;
            p.kind = full ? PART_FULL : PART_SLICE;
            axis++;
        } else if (t->kind == TY_NONE) {
            p.kind = PART_NEW;
        } else if (t->kind == TY_ARRAY && t->elem->kind == TY_BOOL && t->ndim > 0) {
            p.kind = PART_MASK;
            axis += t->ndim;
            out->narrays++;
        } else if (t->kind == TY_ARRAY && t->elem->kind == TY_INT && t->ndim > 0) {
            p.kind = PART_FANCY;
            axis++;
            out->narrays++;
        } else {
            *bad = t;
            return false;
        }
        out->at[out->n++] = p;
    }
    return true;
}

/* Step 1: none, or the constant 1. */
static bool unit_step(const Part *p) {
    if (p->ty->items[2]->kind == TY_NONE) return true;
    return p->k && p->k->seq.items[2]->i == 1;
}

/* The type of the view; NULL: it is an element. */
static Type *view_type(Type *array, const Parts *parts) {
    uint32_t ndim = 0;
    for (uint32_t i = 0; i < parts->n; i++) ndim += parts->at[i].kind != PART_INT;
    bool all_ints = ndim == 0 && parts->n == array->ndim;
    if (all_ints && !parts->ellipsis) return NULL;
    /* C order stays: integers, then at most one slice of step 1, then whole axes. F order: the mirror image. */
    char layout = 'A';
    int phase = 0;
    bool good = array->layout == 'C';
    for (uint32_t i = 0; i < parts->n && good; i++) {
        const Part *p = &parts->at[i];
        if (p->kind == PART_NEW) continue;
        if (p->kind == PART_INT)
            good = phase == 0;
        else if (p->kind == PART_SLICE) {
            good = phase == 0 && unit_step(p);
            phase = 1;
        } else
            phase = 1;
    }
    if (good) layout = 'C';
    if (array->layout == 'F') {
        phase = 0;
        good = true;
        for (uint32_t i = 0; i < parts->n && good; i++) {
            const Part *p = &parts->at[i];
            if (p->kind == PART_FULL)
                good = phase == 0;
            else if (p->kind == PART_SLICE) {
                good = phase == 0 && unit_step(p);
                phase = 1;
            } else if (p->kind == PART_INT)
                phase = 1;
            else
                good = false;
        }
        if (good) layout = ndim == 1 ? 'C' : 'F';
    }
    return ty_array(array->elem, ndim, layout, array->readonly, array->aligned);
}

/* --- typing ------------------------------------------------------------------------------------------------------- */

static Type *bad_index(Infer *in, Inst *inst, Ref r, Type *obj, Type *index, Type *bad,
                       bool too_many) {
    const Ins *ins = ir_at(inst->high, r);
    if (too_many)
        return infer_fail_about(in, inst, ins->args, 1, ins->span, D_TOO_MANY_INDICES,
                                (int)obj->ndim, obj->ndim == 1 ? "" : "s",
                                index->kind == TY_TUPLE ? (int)index->nitems : 1);
    if (bad->kind == TY_FLOAT)
        infer_hint(in, "subscripts are integers: use // for a quotient, or int(x)");
    return infer_fail_about(in, inst, ins->args, 2, infer_part(inst, r, ins->args[1]), D_BAD_INDEX,
                            infer_value_text(in->cx, obj), infer_value_text(in->cx, bad));
}

static const char *gather_name(const Parts *parts) {
    for (uint32_t i = 0; i < parts->n; i++)
        if (parts->at[i].kind == PART_MASK) return "index.take_mask";
    return "index.take";
}

/* With one index array: it stands alone, or first, and all else is whole. The prelude takes (array, index array). */
static bool simple_gather(const Parts *parts) {
    if (parts->narrays != 1) return false;
    for (uint32_t i = 0; i < parts->n; i++)
        if (i > 0 && parts->at[i].kind != PART_FULL) return false;
    return parts->at[0].kind == PART_MASK || parts->at[0].kind == PART_FANCY;
}

static Type *array_get_type(Infer *in, Inst *inst, Ref r, Arg obj, Arg index) {
    Parts parts;
    Type *bad = NULL;
    bool too_many;
    if (!cut(obj.ty, index.ty, index.k, &parts, &bad, &too_many))
        return bad_index(in, inst, r, obj.ty, index.ty, bad, too_many);
    if (parts.narrays) {
        if (!simple_gather(&parts))
            return infer_fail(in, ir_at(inst->high, r)->span, D_NOT_YET,
                              "an index array together with other subscripts");
        Inst *f =
            infer_prelude(in, inst, gather_name(&parts), (Type *[]){obj.ty, parts.at[0].ty}, 2, r);
        return f->ret->kind == TY_UNDEF ? NULL : f->ret;
    }
    Type *view = view_type(obj.ty, &parts);
    return view ? view : obj.ty->elem;
}

/* Named tuples whose class has its own __getitem__: the function; NULL: those of tuples. */
static PyObject *own_getitem(Cx *cx, const Type *ty) {
    PyObject *f = ty->names && ty->obj ? py_attr(cx, ty->obj, "__getitem__") : NULL;
    return f && PyObject_HasAttrString(f, "__code__") ? f : NULL;
}

static Inst *getitem_instance(Infer *in, Inst *inst, Ref r, PyObject *f, Arg obj, Arg index,
                              Callee *out) {
    Arg callee = {.item = -1, .ty = in->core->type_of(f)};
    return infer_call_value(in, inst, callee, (Arg[]){obj, index}, 2, r, out);
}

static Type *tuple_get_type(Infer *in, Inst *inst, Ref r, Arg obj, Arg index, Const **k) {
    const Ins *ins = ir_at(inst->high, r);
    Cx *cx = in->cx;
    PyObject *own = own_getitem(cx, obj.ty);
    if (own) {
        Callee callee;
        Inst *f = getitem_instance(in, inst, r, own, obj, index, &callee);
        return f && f->ret->kind != TY_UNDEF ? f->ret : NULL;
    }
    int64_t n = obj.ty->nitems;
    if (index.ty->kind == TY_SLICE) {
        if (!index.k)
            return infer_fail_about(in, inst, ins->args + 1, 1, ins->span, D_NOT_CONSTANT,
                                    "a slice of a tuple");
        TupleSlice s = subscript_slice(index.k, n);
        Type **items = NEWN(cx, Type *, s.n + 1);
        for (int64_t i = 0; i < s.n; i++) items[i] = obj.ty->items[s.start + i * s.step];
        return ty_tuple(items, (uint32_t)s.n);
    }
    if (!is_index(index.ty))
        return infer_fail_about(in, inst, ins->args + 1, 1, ins->span, D_BAD_INDEX,
                                infer_value_text(cx, obj.ty), infer_value_text(cx, index.ty));
    if (index.k) {
        int64_t i = index.k->i < 0 ? index.k->i + n : index.k->i;
        if (i < 0 || i >= n)
            return infer_fail_about(
                in, inst, ins->args, 1, ins->span, D_TYPING,
                cx_printf(cx, "tuple index %lld is out of range for a tuple of length %lld",
                          (long long)index.k->i, (long long)n));
        if (obj.k) *k = obj.k->seq.items[i];
        return obj.ty->items[i];
    }
    Type *item = infer_item_type(obj.ty);
    if (item) return item;
    return infer_fail_about(in, inst, ins->args, 2, ins->span, D_TUPLE_INDEX);
}

Type *subscript_type(Infer *in, Inst *inst, Ref r, Arg obj, Arg index, Const **k) {
    const Ins *ins = ir_at(inst->high, r);
    switch ((TyKind)obj.ty->kind) {
    case TY_ARRAY: return array_get_type(in, inst, r, obj, index);
    case TY_TUPLE: return tuple_get_type(in, inst, r, obj, index, k);
    case TY_RANGE:
        if (is_index(index.ty)) return TY_I(64);
        break;
    case TY_STR:
        if (is_index(index.ty)) return obj.ty;
        break;
    case TY_BYTES:
        if (is_index(index.ty)) return TY_I(64);
        break;
    case TY_EXC:
        if (obj.ty->bits == EXC_ITS_ARGS) return rule_exc_item(in, inst, r, index);
        break;
    default: break;
    }
    return infer_fail_about(in, inst, ins->args, 1, ins->span, D_NOT_INDEXABLE,
                            infer_value_text(in->cx, obj.ty));
}

/* --- slices: Python's rules for start, stop, step on a length ------------------------------------------------------- */

TupleSlice subscript_slice(const Const *k, int64_t n) {
    Const **p = k->seq.items;
    int64_t step = p[2]->ty->kind == TY_NONE ? 1 : p[2]->i;
    if (step == 0) step = 1;
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n, lim[2];
    for (int i = 0; i < 2; i++) {
        if (p[i]->ty->kind == TY_NONE) {
            lim[i] = (i == 0) == (step < 0) ? high : low;
            continue;
        }
        lim[i] = p[i]->i < 0 ? p[i]->i + n : p[i]->i;
        lim[i] = lim[i] < low ? low : lim[i] > high ? high : lim[i];
    }
    int64_t count =
        step > 0 ? (lim[1] - lim[0] + step - 1) / step : (lim[0] - lim[1] - step - 1) / -step;
    return (TupleSlice){lim[0], step, count > 0 ? count : 0};
}

typedef struct SliceRefs {
    Ref start, step, n;
} SliceRefs;

/* One limit against the length n: negative counts from the end, then clamped to [low, high]. */
static Ref limit(Lower *lo, Ref v, Ref n, Ref low, Ref high) {
    v = lo_op2(lo, OP_WRAP, v, n);
    return lo_math2(lo, MATH_MIN, lo_math2(lo, MATH_MAX, v, low), high);
}

void subscript_slice_limits(Lower *lo, Ref slice, Type *ty, Ref n, Ref out[3]) {
    Ref field[3] = {0}, zero = lo_int(lo, 0), one = lo_int(lo, 1), minus = lo_int(lo, -1);
    uint32_t f = 0;
    for (int i = 0; i < 3; i++)
        if (ty->items[i]->kind != TY_NONE) field[i] = lo_field(lo, slice, f++);
    Ref step = field[2] ? field[2] : one;
    lo_check(lo, lo_cmp(lo, OP_NE, step, zero), CHECK_SLICE_STEP);
    Ref down = lo_cmp(lo, OP_LT, step, zero);
    Ref low = lo_select(lo, down, minus, zero),
        high = lo_select(lo, down, lo_op2(lo, OP_SUB, n, one), n);
    out[0] = field[0] ? limit(lo, field[0], n, low, high) : lo_select(lo, down, high, low);
    out[1] = field[1] ? limit(lo, field[1], n, low, high) : lo_select(lo, down, low, high);
    out[2] = step;
}

static SliceRefs lower_slice_on(Lower *lo, Ref slice, Type *ty, const Const *k, Ref n) {
    Ref field[3] = {0}, zero = lo_int(lo, 0), one = lo_int(lo, 1);
    uint32_t f = 0;
    for (int i = 0; i < 3; i++)
        if (ty->items[i]->kind != TY_NONE) field[i] = lo_field(lo, slice, f++);
    bool known = !field[2] || (k && k->seq.items[2]->i != 0);
    int64_t value = !field[2] ? 1 : known ? k->seq.items[2]->i : 0;
    if (known && value > 0) {
        Ref start = field[0] ? limit(lo, field[0], n, zero, n) : zero;
        Ref stop = field[1] ? limit(lo, field[1], n, zero, n) : n;
        Ref wide = lo_math2(lo, MATH_MAX, lo_op2(lo, OP_SUB, stop, start), zero);
        if (value == 1) return (SliceRefs){start, one, wide};
        Ref step = lo_int(lo, value);
        Ref count = lo_op2(lo, OP_FLOORDIV, lo_op2(lo, OP_ADD, wide, lo_int(lo, value - 1)), step);
        return (SliceRefs){start, step, count};
    }
    Ref limits[3];
    subscript_slice_limits(lo, slice, ty, n, limits);
    Ref start = limits[0], stop = limits[1], step = limits[2], down = lo_cmp(lo, OP_LT, step, zero);
    Ref wide =
        lo_select(lo, down, lo_op2(lo, OP_SUB, start, stop), lo_op2(lo, OP_SUB, stop, start));
    wide = lo_math2(lo, MATH_MAX, wide, zero);
    Ref size = lo_math1(lo, MATH_ABS, step);
    /* |step| of the most negative number is negative: as unsigned it is right */
    Type *u = TY_U(64);
    Ref up =
        lo_op2(lo, OP_SUB, lo_op2(lo, OP_ADD, lo_convert(lo, wide, u), lo_convert(lo, size, u)),
               lo_number(lo, u, 1));
    Ref count = lo_convert(lo, lo_op2(lo, OP_FLOORDIV, up, lo_convert(lo, size, u)), TY_I(64));
    return (SliceRefs){start, step, count};
}

/* --- lowering ------------------------------------------------------------------------------------------------------- */

static Ref part_value(Lower *lo, const Part *p, Arg index) {
    if (p->k) return lo_const(lo, p->k);
    Ref v = lo_arg(lo, index);
    return p->item < 0 ? v : lo_field(lo, v, (uint32_t)p->item);
}

static Ref lower_view(Lower *lo, Ref a, Type *view, const Parts *parts, Arg index) {
    Ref shape[64], strides[64], offset = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < parts->n; i++) {
        const Part *p = &parts->at[i];
        if (p->kind == PART_NEW) {
            shape[n] = lo_int(lo, 1);
            strides[n++] = lo_int(lo, 0);
            continue;
        }
        Ref dim = lo_array_dim(lo, a, p->axis), stride = lo_array_stride(lo, a, p->axis), start = 0;
        if (p->kind == PART_INT) {
            start = lo_index_in(lo, part_value(lo, p, index), dim, p->axis);
        } else if (p->kind == PART_SLICE) {
            SliceRefs s = lower_slice_on(lo, part_value(lo, p, index), p->ty, p->k, dim);
            start = s.start;
            shape[n] = s.n;
            strides[n++] = lo_op2(lo, OP_MUL, stride, s.step);
        } else {
            shape[n] = dim;
            strides[n++] = stride;
        }
        if (!start) continue;
        Ref bytes = lo_op2(lo, OP_MUL, start, stride);
        offset = offset ? lo_op2(lo, OP_ADD, offset, bytes) : bytes;
    }
    Ref data = lo_array_data(lo, a);
    if (offset) data = lo_op(lo, OP_OFFSET, TY_OF(TY_PTR), 2, (Ref[]){data, offset});
    return lo_array_make(lo, view, data, lo_array_owner(lo, a), shape, strides);
}

/* Checked int64 indices for all axes. */
static void lower_indices(Lower *lo, Ref a, const Parts *parts, Arg index, Ref *out) {
    for (uint32_t i = 0; i < parts->n; i++) {
        const Part *p = &parts->at[i];
        out[i] = lo_index_in(lo, part_value(lo, p, index), lo_array_dim(lo, a, p->axis), p->axis);
    }
}

static Ref array_get(Lower *lo, Arg obj, Arg index) {
    Parts parts;
    Type *bad;
    bool too_many;
    cut(obj.ty, index.ty, index.k, &parts, &bad, &too_many);
    Ref a = lo_arg(lo, obj);
    if (parts.narrays)
        return lo_prelude(lo, gather_name(&parts), 2,
                          (Ref[]){a, part_value(lo, &parts.at[0], index)});
    Type *view = view_type(obj.ty, &parts);
    if (view) return lower_view(lo, a, view, &parts, index);
    Ref at[32];
    lower_indices(lo, a, &parts, index, at);
    return lo_array_get(lo, a, at);
}

static Ref tuple_get(Lower *lo, Ref r, Arg obj, Arg index) {
    PyObject *own = own_getitem(lo->cx, obj.ty);
    if (own) {
        Callee callee;
        getitem_instance(lo->in, lo->inst, r, own, obj, index, &callee);
        return lower_call_inst(lo, &callee);
    }
    Ref t = lo_arg(lo, obj);
    int64_t n = obj.ty->nitems;
    if (index.ty->kind == TY_SLICE) {
        TupleSlice s = subscript_slice(index.k, n);
        Ref *items = NEWN(lo->cx, Ref, s.n + 1);
        for (int64_t i = 0; i < s.n; i++)
            items[i] = lo_field(lo, t, (uint32_t)(s.start + i * s.step));
        return lo_make(lo, ir_at(lo->high, r)->ty, (uint32_t)s.n, items);
    }
    if (index.k) return lo_field(lo, t, (uint32_t)(index.k->i < 0 ? index.k->i + n : index.k->i));
    Ref i = lo_op2(lo, OP_WRAP, lo_arg_as(lo, index, TY_I(64)), lo_int(lo, n));
    Ref good = lo_and(lo, lo_cmp(lo, OP_GE, i, lo_int(lo, 0)), lo_cmp(lo, OP_LT, i, lo_int(lo, n)));
    lo_check(lo, good, CHECK_TUPLE_INDEX);
    return lo_tuple_item(lo, t, i);
}

Ref subscript_lower(Lower *lo, Ref r, Arg obj, Arg index) {
    switch ((TyKind)obj.ty->kind) {
    case TY_ARRAY: return array_get(lo, obj, index);
    case TY_TUPLE: return tuple_get(lo, r, obj, index);
    case TY_EXC: return lower_exc_item(lo, r, lo_arg(lo, obj), index);
    case TY_RANGE:
    case TY_BYTES:
    case TY_STR: {
        Ref v = lo_arg(lo, obj), n = lower_length(lo, v);
        Ref i = lo_op2(lo, OP_WRAP, lo_arg_as(lo, index, TY_I(64)), n);
        Ref good = lo_and(lo, lo_cmp(lo, OP_GE, i, lo_int(lo, 0)), lo_cmp(lo, OP_LT, i, n));
        CheckKind kind = obj.ty->kind == TY_STR     ? CHECK_STR_INDEX
                         : obj.ty->kind == TY_BYTES ? CHECK_BYTES_INDEX
                                                    : CHECK_RANGE_INDEX;
        lo_check(lo, good, kind);
        if (obj.ty->kind != TY_STR) return lower_item(lo, v, i);
        return lo_rt(lo, "ws_str_get", TY_OF(TY_STR), 2, (Ref[]){v, i});
    }
    default: INTERNAL(lo->cx, lo->span, "no subscript");
    }
}

/* --- storing ---------------------------------------------------------------------------------------------------------- */

static bool can_store(const Type *value, const Type *elem) {
    value = infer_plain((Type *)value);
    if (value->kind == TY_ENUM && value->is_signed) return true;
    if (!ty_is_number(value) || !ty_is_number(elem)) return value == elem;
    return value->kind != TY_COMPLEX || elem->kind == TY_COMPLEX;
}

/* Numbers side by side, which are stored to a view as an array of them would be. */
static bool is_row(const Type *ty) {
    if (ty->kind != TY_TUPLE || !ty->nitems) return false;
    for (uint32_t i = 0; i < ty->nitems; i++)
        if (!ty_is_number(ty->items[i]) && !is_row(ty->items[i])) return false;
    return true;
}

/* The type of the tuple as an array; NULL: not known yet, or none. */
static Type *row_as_array(Infer *in, Inst *inst, Ref r, Type *tuple) {
    Inst *f = infer_prelude(in, inst, "creation.asarray", &tuple, 1, r);
    return f && f->ret->kind == TY_ARRAY ? f->ret : NULL;
}

/* view[...] = (a, b, c) without an array between; false: the view has more axes, or the tuple. */
static bool store_items(Lower *lo, Ref view, Ref tuple) {
    Type *ty = lo_type(lo, tuple);
    if (lo_type(lo, view)->ndim != 1) return false;
    for (uint32_t i = 0; i < ty->nitems; i++)
        if (!ty_is_number(ty->items[i])) return false;
    Ref n = lo_array_dim(lo, view, 0), count = lo_int(lo, ty->nitems);
    BlockId bad = lo_block(lo, "shapes"), good = lo_block(lo, "fit");
    lo_branch(lo, lo_cmp(lo, OP_EQ, n, count), good, bad);
    lo->fn->blocks.at[lo->b].term.cold = true;
    lo->b = bad;
    raise_shapes(lo, SHAPES_INPUT, 2, (uint32_t[]){1, 1}, (Ref *[]){&count, &n});
    lo->b = good;
    for (uint32_t i = 0; i < ty->nitems; i++) {
        Ref at = lo_int(lo, i), v = lo_field(lo, tuple, i);
        lo_array_set(lo, view, &at, element_as(lo, v, lo_type(lo, view)->elem));
    }
    return true;
}

static const char *scatter_name(const Parts *parts, const Type *value) {
    bool mask = parts->at[0].kind == PART_MASK;
    if (value->kind == TY_ARRAY) return mask ? "index.put_mask_array" : "index.put_array";
    return mask ? "index.put_mask" : "index.put";
}

bool subscript_store_ok(Infer *in, Inst *inst, Ref r, Arg obj, Arg index, Arg value) {
    const Ins *ins = ir_at(inst->high, r);
    Cx *cx = in->cx;
    if (obj.ty->kind != TY_ARRAY) {
        if (obj.ty->kind == TY_TUPLE)
            infer_hint(in, "tuples do not change: make a new one, or use a NumPy array");
        if (obj.ty->kind == TY_STR) infer_hint(in, "strings do not change: make a new one");
        return infer_fail_about(in, inst, ins->args, 1, ins->span, D_NOT_ASSIGNABLE,
                                infer_value_text(cx, obj.ty));
    }
    if (obj.ty->readonly) return infer_fail_about(in, inst, ins->args, 1, ins->span, D_READONLY);
    if (is_row(value.ty)) {
        value.ty = row_as_array(in, inst, r, value.ty);
        if (!value.ty) return false;
    }
    Parts parts;
    Type *bad = NULL;
    bool too_many;
    if (!cut(obj.ty, index.ty, index.k, &parts, &bad, &too_many))
        return bad_index(in, inst, r, obj.ty, index.ty, bad, too_many);
    bool from_array = value.ty->kind == TY_ARRAY;
    const Type *given = from_array ? value.ty->elem : value.ty;
    if (!can_store(given, obj.ty->elem))
        return infer_fail_about(in, inst, (Ref[]){ins->args[2], ins->args[0]}, 2, ins->span,
                                D_BAD_STORE, infer_value_text(cx, value.ty),
                                infer_value_text(cx, obj.ty));
    Type *v = from_array ? value.ty : obj.ty->elem;
    if (parts.narrays) {
        if (!simple_gather(&parts)) {
            infer_fail(in, ins->span, D_NOT_YET, "an index array together with other subscripts");
            return false;
        }
        infer_prelude(in, inst, scatter_name(&parts, v), (Type *[]){obj.ty, parts.at[0].ty, v}, 3,
                      r);
        return true;
    }
    if (!view_type(obj.ty, &parts) && from_array && value.ty->ndim > 0) {
        return infer_fail_about(in, inst, (Ref[]){ins->args[2], ins->args[0]}, 2, ins->span,
                                D_BAD_STORE, infer_value_text(cx, value.ty),
                                "one element of an array");
    }
    return true;
}

void subscript_store(Lower *lo, Ref r, Arg obj, Arg index, Arg value) {
    Parts parts;
    Type *bad;
    bool too_many;
    (void)r;
    cut(obj.ty, index.ty, index.k, &parts, &bad, &too_many);
    Ref a = lo_arg(lo, obj);
    Type *view = parts.narrays ? NULL : view_type(obj.ty, &parts);
    if (is_row(value.ty)) {
        Ref tuple = lo_arg(lo, value);
        if (view && value.ty->nitems > 1 &&
            store_items(lo, lower_view(lo, a, view, &parts, index), tuple))
            return;
        Ref row = lo_prelude(lo, "creation.asarray", 1, &tuple);
        value = (Arg){.item = -1, .low = row, .ty = lo_type(lo, row)};
    }
    bool from_array = value.ty->kind == TY_ARRAY;
    if (view) {
        elementwise_store(lo, lower_view(lo, a, view, &parts, index), value);
        return;
    }
    Ref v = lo_arg(lo, value);
    if (!from_array) v = lo_convert(lo, v, obj.ty->elem);
    if (parts.narrays) {
        Ref args[] = {a, part_value(lo, &parts.at[0], index), v};
        lo_prelude(lo, scatter_name(&parts, from_array ? value.ty : obj.ty->elem), 3, args);
        return;
    }
    if (from_array) v = lo_array_get(lo, v, NULL);
    Ref at[32];
    lower_indices(lo, a, &parts, index, at);
    lo_array_set(lo, a, at, v);
}
