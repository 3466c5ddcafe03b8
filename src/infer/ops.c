/* The type of each HIGH operation. Operators, calls, attributes and subscripts go to their tables. */
#include <string.h>

#include "infer/infer_int.h"

static Arg arg_of(const Inst *inst, Ref r) {
    const Ins *ins = ir_at(inst->high, r);
    return (Arg){.ref = r, .item = -1, .ty = ins->ty, .k = ins->k, .weak = ins->weak};
}

static Const *const_bool(Cx *cx, bool b) { return ir_const_int(cx, TY_OF(TY_BOOL), b); }

/* --- unary ----------------------------------------------------------------------------------------------------- */

static Type *infer_unary(Infer *in, Inst *inst, Ref r, const Ins *ins, Const **k) {
    Arg a = arg_of(inst, ins->args[0]);
    Type *ty = infer_plain(a.ty);
    static const char *const text[] = {"-", "+", "~", "not "};
    if (ins->sub == UN_NOT) {
        Const *t = a.k ? fold_unary(in->cx, UN_NOT, a.k, TY_OF(TY_BOOL)) : NULL;
        if (ty->kind == TY_NONE) t = const_bool(in->cx, true);
        *k = t;
        return TY_OF(TY_BOOL);
    }
    if (ty->kind == TY_ARRAY) return elementwise_unary_type(in, inst, r);
    Type *result = NULL;
    if (ty->kind == TY_BOOL)
        result = TY_I(64);
    else if (ty->kind == TY_INT)
        result = ty->bits == 64 ? ty : TY_I(64);
    else if ((ty->kind == TY_FLOAT || ty->kind == TY_COMPLEX) && ins->sub != UN_INVERT)
        result = ty;
    if (!result)
        return infer_fail_about(in, inst, ins->args, 1, ins->span, D_NO_UNARY, text[ins->sub],
                                infer_type_text(in->cx, a.ty));
    if (a.k) *k = fold_unary(in->cx, (UnOp)ins->sub, a.k, result);
    return result;
}

static Type *infer_truth(Infer *in, Inst *inst, const Ins *ins, Const **k) {
    Arg a = arg_of(inst, ins->args[0]);
    switch ((TyKind)a.ty->kind) {
    case TY_NONE: *k = const_bool(in->cx, false); break;
    case TY_FUNC:
    case TY_MODULE:
    case TY_CLASS:
    case TY_CLOSURE:
    case TY_DTYPE: *k = const_bool(in->cx, true); break;
    case TY_TUPLE: *k = const_bool(in->cx, a.ty->nitems > 0); break;
    case TY_BOOL: *k = a.k; break;
    case TY_INT:
    case TY_FLOAT:
    case TY_COMPLEX:
    case TY_STR:
    case TY_BYTES:
        if (a.k) {
            Const *no = fold_unary(in->cx, UN_NOT, a.k, TY_OF(TY_BOOL));
            if (no) *k = const_bool(in->cx, !no->i);
        }
        break;
    case TY_ARRAY:
        if (a.ty->ndim == 0) break;
        return infer_fail_about(in, inst, ins->args, 1, ins->span, D_NO_TRUTH,
                                infer_value_text(in->cx, a.ty));
    default: break;
    }
    return TY_OF(TY_BOOL);
}

static Type *infer_some(const Inst *inst, const Ins *ins, Const **k) {
    Ins *v = ir_at(inst->high, ins->args[0]);
    if (v->ty->kind != TY_OPTIONAL) *k = v->k;
    return infer_plain(v->ty);
}

/* --- tuples, slices, iteration -------------------------------------------------------------------------------------- */

/* Does what is called take lists? Yes as long as its type is not known. */
static bool takes_lists(Infer *in, const Type *f) {
    if (f->kind == TY_UNDEF) return true;
    const Row *row = f->kind == TY_CLOSURE          ? row_of_closure(f)
                     : f->kind == TY_FUNC && f->obj ? row_of_object(in, f->obj)
                                                    : NULL;
    return row && row->flags & ROW_LISTS;
}

/* Is the list display only an argument of functions that take lists, or an item of one that is? */
static bool is_list_taken(Infer *in, const Inst *inst, Ref r) {
    const InstState *s = inst->state;
    for (uint32_t i = s->use_start[r]; i < s->use_start[r + 1]; i++) {
        if (s->users[i] & USER_BLOCK) return false;
        const Ins *user = ir_at(inst->high, s->users[i]);
        if (user->op == OP_TUPLE && is_list_taken(in, inst, s->users[i])) continue;
        if (user->op != OP_CALL || !takes_lists(in, ir_at(inst->high, user->args[0])->ty))
            return false;
    }
    return true;
}

/* x[[0, 1]]: a tuple would say something else there. */
static bool is_subscript(const Inst *inst, Ref r) {
    const InstState *s = inst->state;
    for (uint32_t i = s->use_start[r]; i < s->use_start[r + 1]; i++) {
        const Ins *user = s->users[i] & USER_BLOCK ? NULL : ir_at(inst->high, s->users[i]);
        if (user && (user->op == OP_GETITEM || user->op == OP_SETITEM) && user->args[1] == r)
            return true;
    }
    return false;
}

static Type *infer_tuple(Infer *in, Inst *inst, Ref r, const Ins *ins, Const **k) {
    Cx *cx = in->cx;
    if (ins->imm && !is_list_taken(in, inst, r)) {
        infer_hint(in, is_subscript(inst, r) ? "subscripts from a list: write np.array([...])"
                                             : "use a tuple or a NumPy array");
        return infer_fail(in, ins->span, D_NOT_YET, "lists");
    }
    Type **items = NEWN(cx, Type *, ins->nargs + 1);
    Const *c = NEW(cx, Const);
    c->seq.items = NEWN(cx, Const *, ins->nargs + 1);
    c->seq.n = ins->nargs;
    bool all = true;
    for (uint32_t i = 0; i < ins->nargs; i++) {
        const Ins *v = ir_at(inst->high, ins->args[i]);
        items[i] = v->ty;
        c->seq.items[i] = v->k;
        all = all && v->k;
    }
    c->ty = ty_tuple(items, ins->nargs);
    if (all) *k = c;
    return c->ty;
}

static Type *infer_slice(Infer *in, Inst *inst, const Ins *ins, Const **k) {
    Type *part[3];
    Const *c = NEW(in->cx, Const);
    c->seq.items = NEWN(in->cx, Const *, 3);
    c->seq.n = 3;
    bool all = true;
    for (int i = 0; i < 3; i++) {
        const Ins *v = ir_at(inst->high, ins->args[i]);
        Type *ty = v->ty;
        if (ty->kind == TY_OPTIONAL && ty_is_integral(ty->of)) {
            part[i] = TY_I(64); /* None raises */
        } else if (ty->kind == TY_NONE || ty_is_integral(ty)) {
            part[i] = ty->kind == TY_NONE ? ty : TY_I(64);
        } else {
            return infer_fail_about(in, inst, &ins->args[i], 1, ins->span, D_TYPING,
                                    cx_printf(in->cx,
                                              "the limits of a slice are integers or None, not %s",
                                              infer_value_text(in->cx, ty)));
        }
        c->seq.items[i] = v->k;
        all = all && v->k;
    }
    c->ty = ty_slice(part[0], part[1], part[2]);
    if (all) *k = c;
    return c->ty;
}

/* CPython's words. */
static Type *bad_count(Infer *in, Inst *inst, const Ins *ins, uint32_t n, uint32_t want,
                       bool star) {
    return infer_fail_about(in, inst, ins->args, 1, ins->span, D_TYPING,
                            cx_printf(in->cx, "%s values to unpack (expected %s%u, got %u)",
                                      n < want ? "not enough" : "too many", star ? "at least " : "",
                                      want, n));
}

static Type *infer_unpack(Infer *in, Inst *inst, const Ins *ins) {
    Arg a = arg_of(inst, ins->args[0]);
    uint32_t before = (uint32_t)ins->imm, after = ins->imm2 < 0 ? 0 : (uint32_t)ins->imm2;
    bool star = ins->imm2 >= 0;
    uint32_t want = before + after;
    Type **items = NEWN(in->cx, Type *, want + 1);
    if (a.ty->kind == TY_TUPLE) {
        uint32_t n = a.ty->nitems;
        if (star ? n < want : n != want) return bad_count(in, inst, ins, n, want, star);
        if (!star) return ty_tuple(a.ty->items, n);
        for (uint32_t i = 0; i < before; i++) items[i] = a.ty->items[i];
        items[before] = ty_tuple(a.ty->items + before, n - want);
        for (uint32_t i = 0; i < after; i++) items[before + 1 + i] = a.ty->items[n - after + i];
        return ty_tuple(items, want + 1);
    }
    if (a.ty->kind == TY_ARRAY && a.ty->ndim > 0 && !star) {
        Type *item = infer_item_type(a.ty);
        for (uint32_t i = 0; i < want; i++) items[i] = item;
        return ty_tuple(items, want);
    }
    if (a.ty->kind == TY_RANGE && !star) {
        for (uint32_t i = 0; i < want; i++) items[i] = TY_I(64);
        return ty_tuple(items, want);
    }
    return infer_fail_about(in, inst, ins->args, 1, ins->span, D_UNPACK,
                            infer_value_text(in->cx, a.ty), (int)(want + star));
}

Type *infer_item_type(Type *ty) {
    switch ((TyKind)ty->kind) {
    case TY_ARRAY: {
        if (ty->ndim == 0) return NULL;
        if (ty->ndim == 1) return ty->elem;
        char layout = ty->layout == 'C' ? 'C' : 'A';
        return ty_array(ty->elem, ty->ndim - 1u, layout, ty->readonly, ty->aligned);
    }
    case TY_RANGE: return TY_I(64);
    case TY_STR: return ty;
    case TY_BYTES: return TY_I(64);
    case TY_TUPLE:
        for (uint32_t i = 1; i < ty->nitems; i++)
            if (ty->items[i] != ty->items[0]) return NULL;
        return ty->nitems ? ty->items[0] : NULL;
    case TY_ITER: {
        if (ty->how == ITER_NDINDEX) return ty->of;
        if (ty->how == ITER_NDENUMERATE)
            return ty_tuple((Type *[]){ty_int_tuple(ty->of->ndim), ty->of->elem}, 2);
        if (ty->how != ITER_ENUMERATE && ty->how != ITER_ZIP) return infer_item_type(ty->of);
        Type *items[64];
        uint32_t n = 0;
        if (ty->how == ITER_ENUMERATE) {
            items[n++] = TY_I(64);
            items[n] = infer_item_type(ty->of);
            return items[n] ? ty_tuple(items, n + 1) : NULL;
        }
        for (; n < ty->nitems && n < 64; n++) {
            items[n] = infer_item_type(ty->items[n]);
            if (!items[n]) return NULL;
        }
        return ty_tuple(items, n);
    }
    default: return NULL;
    }
}

/* Number of items when the type tells it, else -1. */
static int64_t known_length(const Type *ty) {
    if (ty->kind == TY_TUPLE) return ty->nitems;
    if (ty->kind != TY_ITER || ty->how == ITER_SHARED || ty->how == ITER_NDINDEX) return -1;
    if (ty->how != ITER_ZIP) return known_length(ty->of);
    int64_t least = -1;
    for (uint32_t i = 0; i < ty->nitems; i++) {
        int64_t n = known_length(ty->items[i]);
        if (n >= 0 && (least < 0 || n < least)) least = n;
    }
    return least;
}

/* The type of item i of an iterable whose items differ. */
static Type *item_type_at(Type *ty, uint32_t i) {
    if (ty->kind == TY_TUPLE) return i < ty->nitems ? ty->items[i] : NULL;
    if (ty->kind != TY_ITER) return infer_item_type(ty);
    if (ty->how == ITER_SHARED) return infer_item_type(ty);
    if (ty->how == ITER_PLAIN) return item_type_at(ty->of, i);
    if (ty->how == ITER_REVERSED)
        return item_type_at(ty->of, (uint32_t)known_length(ty->of) - 1 - i);
    Type *items[64];
    uint32_t n = 0;
    if (ty->how == ITER_ENUMERATE) {
        items[n++] = TY_I(64);
        items[n] = item_type_at(ty->of, i);
        return items[n] ? ty_tuple(items, 2) : NULL;
    }
    for (; n < ty->nitems && n < 64; n++) {
        items[n] = item_type_at(ty->items[n], i);
        if (!items[n]) return NULL;
    }
    return ty_tuple(items, n);
}

bool infer_is_iterable(const Type *ty) {
    switch ((TyKind)ty->kind) {
    case TY_ARRAY: return ty->ndim > 0;
    case TY_TUPLE:
    case TY_RANGE:
    case TY_STR:
    case TY_BYTES:
    case TY_ITER: return true;
    default: return false;
    }
}

static Type *infer_iter(Infer *in, Inst *inst, const Ins *ins) {
    Arg a = arg_of(inst, ins->args[0]);
    if (!infer_is_iterable(a.ty)) {
        if (ty_is_integral(a.ty)) infer_hint(in, "for the numbers from 0 on, write range(...)");
        return infer_fail_about(in, inst, ins->args, 1, ins->span, D_NOT_ITERABLE,
                                infer_value_text(in->cx, a.ty));
    }
    int64_t n = known_length(a.ty);
    if (n > 0 && !infer_item_type(a.ty) && ins->imm) {
        if (infer_unroll(in, inst, ins->imm, (uint32_t)n)) return NULL;
    }
    return a.ty->kind == TY_ITER ? a.ty : ty_iter(ITER_PLAIN, a.ty, NULL, 0);
}

static Type *infer_iter_item(Infer *in, Inst *inst, const Ins *ins) {
    Type *it = ir_at(inst->high, ins->args[0])->ty;
    const Const *pos = ir_at(inst->high, ins->args[1])->k;
    Type *ty = infer_item_type(it);
    if (ty) return ty;
    if (known_length(it) == 0) return NULL; /* never reached */
    if (pos && ir_at(inst->high, ins->args[1])->op == OP_CONST) {
        ty = item_type_at(it, (uint32_t)pos->i);
        if (ty) return ty;
    }
    return infer_fail_about(in, inst, ins->args, 1, ins->span, D_NOT_ITERABLE,
                            infer_value_text(in->cx, it));
}

/* --- the rest -------------------------------------------------------------------------------------------------------- */

static Type *infer_closure(Infer *in, Inst *inst, const Ins *ins) {
    Type **items = NEWN(in->cx, Type *, ins->nargs + 1);
    for (uint32_t i = 0; i < ins->nargs; i++) items[i] = ir_at(inst->high, ins->args[i])->ty;
    return ty_closure(ins->closure, ins->closure->name, items, ins->nargs);
}

static Type *infer_format(Infer *in, Inst *inst, const Ins *ins) {
    Type *ty = infer_plain(ir_at(inst->high, ins->args[0])->ty);
    switch ((TyKind)ty->kind) {
    case TY_NONE:
    case TY_BOOL:
    case TY_INT:
    case TY_FLOAT:
    case TY_COMPLEX:
    case TY_STR: return TY_OF(TY_STR);
    case TY_TUPLE:
        if (!ins->name) return TY_OF(TY_STR);
        break;
    case TY_EXC:
        if (ins->sub || ins->nargs == 1) return TY_OF(TY_STR);
        infer_hint(in, "an exception takes no format specification: write {e!s:...}");
        break;
    default: break;
    }
    return infer_fail_about(
        in, inst, ins->args, 1, ins->span, D_TYPING,
        cx_printf(in->cx, "cannot format %s as text", infer_value_text(in->cx, ty)));
}

static Type *infer_match_seq(Infer *in, Inst *inst, const Ins *ins, Const **k) {
    Type *ty = ir_at(inst->high, ins->args[0])->ty;
    bool star = ins->imm2 != 0;
    if (ty->kind == TY_TUPLE)
        *k = const_bool(in->cx, star ? ty->nitems + 1 >= (uint32_t)ins->imm
                                     : ty->nitems == (uint32_t)ins->imm);
    else if (ty->kind != TY_ARRAY && ty->kind != TY_RANGE)
        *k = const_bool(in->cx, false);
    return TY_OF(TY_BOOL);
}

/* A value on its way into a variable: as it is, or of the type that locals= gives the variable. */
static Type *infer_strong(Infer *in, Inst *inst, const Ins *ins, Const **k) {
    const Ins *v = ir_at(inst->high, ins->args[0]);
    *k = v->k;
    if (!ins->imm) return v->ty;
    PyObject *obj = build_get_item(in->module->locals, ins->name);
    Type *want = obj ? in->core->type_from_object(obj) : NULL;
    build_clear_error();
    if (!want)
        return infer_fail(
            in, ins->span, D_TYPING,
            cx_printf(in->cx, "what locals= gives for '%s' is not a type", ins->name));
    if (!ty_is_number(v->ty) || !ty_is_number(want))
        return v->ty == want ? want
                             : infer_fail_about(in, inst, ins->args, 1, ins->span, D_BAD_CONVERSION,
                                                infer_type_text(in->cx, v->ty),
                                                infer_type_text(in->cx, want));
    if (v->k) *k = fold_convert(in->cx, v->k, want);
    return want;
}

static bool operands_known(const Inst *inst, const Ins *ins) {
    for (uint32_t i = 0; i < ins->nargs; i++)
        if (ins->args[i] && ir_at(inst->high, ins->args[i])->ty->kind == TY_UNDEF) return false;
    return true;
}

/* Python says why the array cannot be used, and after a semicolon what to do. */
static Type *bad_captured(Infer *in, Span span) {
    const char *name = diag_source(in->cx, span), *why = infer_python_error(in->cx);
    const char *hint = strstr(why, "; ");
    if (hint) infer_hint(in, hint + 2);
    why = cx_printf(in->cx, "%.*s", hint ? (int)(hint - why) : (int)strlen(why), why);
    return infer_fail(in, span, D_BAD_GLOBAL, name ? name : "an array", why);
}

Type *infer_captured_type(Infer *in, int64_t number, Span span) {
    Module *m = in->module;
    while (m->captured_types.n <= (uint32_t)number) {
        PyObject *obj = m->captured.at[m->captured_types.n];
        PyObject *value = PyTuple_Check(obj) ? build_place_value(obj) : NULL;
        Type *t = in->core->type_of(value ? value : obj);
        Py_XDECREF(value);
        if (!t) return bad_captured(in, span);
        if (t->kind == TY_ARRAY && in->req->want == WANT_PTX)
            t = ty_array(t->elem, t->ndim, t->layout, true, t->aligned); /* it becomes a constant */
        vec_push(in->cx, &m->captured_types, t);
    }
    return m->captured_types.at[number];
}

Type *infer_op(Infer *in, Inst *inst, Ref r, Const **k) {
    const Ins *ins = ir_at(inst->high, r);
    if (ins->op != OP_CELL_NEW && ins->op != OP_CELL_SET && !operands_known(inst, ins)) return NULL;
    switch ((Op)ins->op) {
    case OP_ARG: *k = inst->arg_ks[ins->imm]; return inst->args[ins->imm];
    case OP_CONST: *k = ins->k; return ins->k->ty;
    case OP_UNSET: return NULL;
    case OP_GLOBAL: return infer_captured_type(in, ins->imm, ins->span);
    case OP_REFUSE:
        if (in->final && ins->refusal->hint) diag_hint(in->cx, "%s", ins->refusal->hint);
        return infer_fail(in, ins->span, (DiagId)ins->refusal->diag, ins->refusal->text);
    case OP_STRONG: return infer_strong(in, inst, ins, k);
    case OP_UNARY: return infer_unary(in, inst, r, ins, k);
    case OP_BINARY:
    case OP_INPLACE: {
        Arg a = arg_of(inst, ins->args[0]), b = arg_of(inst, ins->args[1]);
        return oprule_binary((BinOp)ins->sub, a.ty, b.ty)->type(in, inst, r, a, b, k);
    }
    case OP_COMPARE: {
        Arg a = arg_of(inst, ins->args[0]), b = arg_of(inst, ins->args[1]);
        return oprule_compare((CmpOp)ins->sub, a.ty, b.ty)->type(in, inst, r, a, b, k);
    }
    case OP_TRUTH: return infer_truth(in, inst, ins, k);
    case OP_GETATTR: return infer_getattr(in, inst, r, k);
    case OP_GETITEM:
        return subscript_type(in, inst, r, arg_of(inst, ins->args[0]), arg_of(inst, ins->args[1]),
                              k);
    case OP_SETITEM:
        return subscript_store_ok(in, inst, r, arg_of(inst, ins->args[0]),
                                  arg_of(inst, ins->args[1]), arg_of(inst, ins->args[2]))
                   ? TY_OF(TY_NONE)
                   : NULL;
    case OP_SETATTR:
        return infer_fail_about(in, inst, ins->args, 1, ins->span, D_NOT_YET,
                                cx_printf(in->cx, "setting the attribute '%s'", ins->name));
    case OP_DELITEM:
        infer_hint(in, "arrays keep their size: copy what is to stay");
        return infer_fail_about(in, inst, ins->args, 1, ins->span, D_UNSUPPORTED,
                                "deleting an item");
    case OP_SLICE: return infer_slice(in, inst, ins, k);
    case OP_TUPLE: return infer_tuple(in, inst, r, ins, k);
    case OP_UNPACK: return infer_unpack(in, inst, ins);
    case OP_CALL: return infer_call(in, inst, r, k);
    case OP_ITER: return infer_iter(in, inst, ins);
    case OP_ITER_LEN: {
        int64_t n = known_length(ir_at(inst->high, ins->args[0])->ty);
        if (n >= 0) *k = ir_const_int(in->cx, TY_I(64), n);
        return TY_I(64);
    }
    case OP_ITER_MORE: {
        const Const *n = ir_at(inst->high, ins->args[1])->k,
                    *pos = ir_at(inst->high, ins->args[2])->k;
        if (n && pos && n->i <= pos->i) *k = const_bool(in->cx, false);
        return TY_OF(TY_BOOL);
    }
    case OP_ITER_ITEM: return infer_iter_item(in, inst, ins);
    case OP_CLOSURE: return infer_closure(in, inst, ins);
    case OP_FORMAT: return infer_format(in, inst, ins);
    case OP_CONCAT: return TY_OF(TY_STR);
    case OP_BIND:
    case OP_CHECK_SET: return TY_OF(TY_NONE);
    case OP_SOME: return infer_some(inst, ins, k);
    case OP_EXC_MATCH: return infer_exc_match(in, inst, ins);
    case OP_EXC_AS: return TY_OF(TY_EXC);
    case OP_EXC_CONTEXT:
    case OP_EXC_LEAVE: return TY_OF(TY_NONE);
    case OP_EXC_HANDLED: in->asks_handled = true; return TY_OF(TY_EXC);
    case OP_EXC_ENTER: return TY_OF(TY_EXC);
    case OP_MATCH_SEQ: return infer_match_seq(in, inst, ins, k);
    case OP_CELL_NEW: return infer_cell_new(in, inst, r, ins);
    case OP_CELL_GET: return ir_at(inst->high, ins->args[0])->ty->of;
    case OP_CELL_SET: return infer_cell_set(in, inst, ins);
    case OP_YIELD: return infer_fail(in, ins->span, D_NOT_YET, "generators (yield)");
    default:
        return infer_fail(in, ins->span, D_INTERNAL,
                          cx_printf(in->cx, "no type rule for %s", op_info[ins->op].text));
    }
}

bool infer_never_returns(Infer *in, Inst *inst, Ref r) {
    const Ins *ins = ir_at(inst->high, r);
    if (ins->op == OP_CHECK_SET) {
        const Ins *flag = ir_at(inst->high, ins->args[0]);
        return flag->k && !flag->k->i;
    }
    if (ins->op != OP_CALL || ins->ty->kind != TY_UNDEF) return false;
    Callee c;
    return infer_callee(in, inst, r, &c) && c.kind == CALLEE_INST && c.inst &&
           c.inst->ret->kind == TY_UNDEF;
}
