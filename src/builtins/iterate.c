/* Iterables and what consumes them: range, enumerate, zip, reversed, iter, sum, all, any, min, max. */
#include "builtins/tables.h"

/* --- range --------------------------------------------------------------------------------------------------------- */

static bool is_index_type(const Type *ty) {
    return ty_is_integral(ty) || (ty->kind == TY_ENUM && ty->is_signed);
}

static Type *type_range(Call *c) {
    for (uint32_t i = 0; i < 3; i++)
        if (given(c, i) && !is_index_type(plain(c, i))) {
            if (c->in->final && plain(c, i)->kind == TY_FLOAT)
                diag_hint(c->in->cx, "range() takes integers: convert with int()");
            return rule_no_overload(c);
        }
    return TY_OF(TY_RANGE);
}

static Ref lower_range(Lower *lo, Call *c) {
    Ref zero = lo_int(lo, 0), one = lo_int(lo, 1);
    Type *i64 = TY_I(64);
    if (!given(c, 1))
        return lo_make(lo, TY_OF(TY_RANGE), 3, (Ref[]){zero, lo_arg_as(lo, c->args[0], i64), one});
    Ref start = lo_arg_as(lo, c->args[0], i64), stop = lo_arg_as(lo, c->args[1], i64), step = one;
    if (given(c, 2)) {
        step = lo_arg_as(lo, c->args[2], i64);
        if (!(c->args[2].k && c->args[2].k->i != 0))
            lo_check(lo, lo_cmp(lo, OP_NE, step, zero), CHECK_RANGE_STEP);
    }
    return lo_make(lo, TY_OF(TY_RANGE), 3, (Ref[]){start, stop, step});
}

/* --- enumerate, zip, reversed, iter ------------------------------------------------------------------------------------- */

static Type *type_enumerate(Call *c) {
    if (!infer_is_iterable(c->args[0].ty)) return rule_no_overload(c);
    if (given(c, 1) && !is_index_type(plain(c, 1))) return rule_no_overload(c);
    return ty_iter(ITER_ENUMERATE, c->args[0].ty, NULL, 0);
}

static Ref lower_enumerate(Lower *lo, Call *c) {
    Ref start = given(c, 1) ? lo_arg_as(lo, c->args[1], TY_I(64)) : lo_int(lo, 0);
    return lo_make(lo, c->result, 2, (Ref[]){lo_arg(lo, c->args[0]), start});
}

static Type *type_zip(Call *c) {
    Type *all = c->args[0].ty;
    for (uint32_t i = 0; i < all->nitems; i++) {
        if (!infer_is_iterable(all->items[i])) return rule_no_overload(c);
        /* zip(it, it) takes turns: its length cannot be known beforehand */
        if (all->items[i]->kind == TY_ITER && all->items[i]->how == ITER_SHARED)
            return infer_fail(c->in, c->span, D_NOT_YET, "zip() of what iter() made");
    }
    if (all->nitems > 64)
        return infer_fail(c->in, c->span, D_CODE_SIZE, "zip() of more than 64 iterables");
    return ty_iter(ITER_ZIP, NULL, all->items, all->nitems);
}

static Ref lower_zip(Lower *lo, Call *c) {
    Ref all = lo_arg(lo, c->args[0]), items[64];
    uint32_t n = c->args[0].ty->nitems;
    for (uint32_t i = 0; i < n; i++) items[i] = lo_field(lo, all, i);
    return lo_make(lo, c->result, n, items);
}

static Type *type_reversed(Call *c) {
    Type *ty = c->args[0].ty;
    if (ty->kind == TY_ITER || !infer_is_iterable(ty)) return rule_no_overload(c);
    return ty_iter(ITER_REVERSED, ty, NULL, 0);
}

/* --- np.ndindex, np.ndenumerate ------------------------------------------------------------------------------------------ */

/* The sizes: one tuple, or integers one by one. */
static Type *ndindex_shape(const Call *c) {
    Type *all = c->args[0].ty;
    return all->nitems == 1 && all->items[0]->kind == TY_TUPLE ? all->items[0] : all;
}

static Type *type_ndindex(Call *c) {
    Type *shape = ndindex_shape(c);
    for (uint32_t i = 0; i < shape->nitems; i++)
        if (!ty_is_integral(shape->items[i])) return rule_no_overload(c);
    if (shape->nitems > 32) return rule_no_overload(c);
    return ty_iter(ITER_NDINDEX, ty_int_tuple(shape->nitems), NULL, 0);
}

static Ref lower_ndindex(Lower *lo, Call *c) {
    Ref v = lo_arg(lo, c->args[0]), sizes[32], good = lo_bool(lo, true);
    if (ndindex_shape(c) != c->args[0].ty) v = lo_field(lo, v, 0);
    uint32_t n = lo_type(lo, v)->nitems;
    for (uint32_t i = 0; i < n; i++) {
        sizes[i] = lo_convert(lo, lo_field(lo, v, i), TY_I(64));
        good = lo_and(lo, good, lo_cmp(lo, OP_GE, sizes[i], lo_int(lo, 0)));
    }
    lo_check(lo, good, CHECK_NEG_SIZE);
    Ref shape = lo_make(lo, ty_int_tuple(n), n, sizes);
    return lo_make(lo, c->result, 1, &shape);
}

static Type *type_ndenumerate(Call *c) {
    Type *ty = c->args[0].ty;
    return ty->kind == TY_ARRAY ? ty_iter(ITER_NDENUMERATE, ty, NULL, 0) : rule_no_overload(c);
}

static Type *type_iter(Call *c) {
    Type *ty = c->args[0].ty;
    if (!infer_is_iterable(ty) || !infer_item_type(ty)) return rule_no_overload(c);
    return ty->kind == TY_ITER && ty->how == ITER_SHARED ? ty : ty_iter(ITER_SHARED, ty, NULL, 0);
}

/* iter(v): v and a position of its own that next() and loops move. */
static Ref lower_iter(Lower *lo, Call *c) {
    Ref v = lo_arg(lo, c->args[0]);
    if (lo_type(lo, v) == c->result) return v;
    return lo_make(lo, c->result, 2, (Ref[]){v, lo_cell_new(lo, TY_I(64), lo_int(lo, 0))});
}

static Ref lower_iterator(Lower *lo, Call *c) {
    Ref v = lo_arg(lo, c->args[0]);
    Type *ty = c->result;
    return lo_type(lo, v) == ty ? v : lo_make(lo, ty, 1, &v);
}

static Type *type_next(Call *c) {
    Type *ty = c->args[0].ty;
    if (ty->kind != TY_ITER || ty->how != ITER_SHARED) {
        if (c->in->final) diag_hint(c->in->cx, "next() takes what iter() made");
        return rule_no_overload(c);
    }
    Type *item = infer_item_type(ty);
    if (item && given(c, 1)) item = ty_join(item, c->args[1].ty);
    return item ? item : rule_no_overload(c);
}

static Ref lower_next(Lower *lo, Call *c) {
    Ref it = lo_arg(lo, c->args[0]), some = lo_cmp(lo, OP_GT, lower_length(lo, it), lo_int(lo, 0));
    if (!given(c, 1)) {
        lo_check(lo, some, CHECK_STOP);
        return lo_convert(lo, lower_item(lo, it, lo_int(lo, 0)), c->result);
    }
    BlockId yes = lo_block(lo, "some"), no = lo_block(lo, "none"), done = lo_block(lo, "next");
    Ref r = lo_param(lo, done, c->result);
    lo_branch(lo, some, yes, no);
    lo->b = yes;
    Ref item = lo_convert(lo, lower_item(lo, it, lo_int(lo, 0)), c->result);
    lo_jump(lo, done, 1, &item);
    lo->b = no;
    Ref otherwise = lo_arg_as(lo, c->args[1], c->result);
    lo_jump(lo, done, 1, &otherwise);
    lo->b = done;
    return r;
}

/* --- folds: all, any, sum, min, max --------------------------------------------------------------------------------------- */

/* Item type of what is folded; tuples of mixed types have none: they are folded item by item. */
static Type *fold_item(Call *c) { return infer_item_type(c->args[0].ty); }

static bool is_foldable(Call *c) {
    Type *ty = c->args[0].ty;
    return ty->kind == TY_TUPLE || (infer_is_iterable(ty) && fold_item(c));
}

static Type *type_all(Call *c) {
    if (!is_foldable(c)) return rule_no_overload(c);
    Type *item = fold_item(c);
    if (item && item->kind == TY_ARRAY) return rule_no_overload(c);
    return TY_OF(TY_BOOL);
}

static Ref fold_truth(Lower *lo, Call *c, bool all) {
    Ref v = lo_arg(lo, c->args[0]), acc = lo_bool(lo, all);
    Op op = all ? OP_AND : OP_OR;
    if (lo_type(lo, v)->kind == TY_TUPLE) {
        for (uint32_t i = 0; i < lo_type(lo, v)->nitems; i++)
            acc = lo_op2(lo, op, acc, lo_truth(lo, lo_field(lo, v, i)));
        return acc;
    }
    LoopBuild loop;
    lo_loop(lo, &loop, lower_length(lo, v), 1, &acc);
    Ref next = lo_op2(lo, op, loop.carried[0], lo_truth(lo, lower_item(lo, v, loop.i)));
    lo_loop_end(lo, &loop, &next);
    return loop.carried[0];
}

static Ref lower_all(Lower *lo, Call *c) { return fold_truth(lo, c, true); }
static Ref lower_any(Lower *lo, Call *c) { return fold_truth(lo, c, false); }

/* The type that the running sum settles in. */
static Type *sum_step(Type *acc, bool weak, Type *item) {
    Promotion p;
    Operand a = {.ty = acc, .weak = weak, .nonneg = weak}, b = {.ty = infer_plain(item)};
    return ty_is_number(b.ty) && ty_promote(BIN_ADD, a, b, &p) ? p.result : NULL;
}

static Type *type_sum(Call *c) {
    if (!is_foldable(c)) return rule_no_overload(c);
    Type *acc = given(c, 1) ? plain(c, 1) : TY_I(64), *it = c->args[0].ty;
    bool weak = !given(c, 1) || c->args[1].weak;
    if (!ty_is_number(acc)) return rule_no_overload(c);
    if (it->kind == TY_TUPLE) {
        for (uint32_t i = 0; i < it->nitems && acc; i++, weak = false)
            acc = sum_step(acc, weak, it->items[i]);
    } else {
        Type *first = sum_step(acc, weak, fold_item(c));
        Type *next = first ? sum_step(first, false, fold_item(c)) : NULL;
        acc = next ? ty_join(first, next) : NULL;
    }
    return acc ? acc : rule_no_overload(c);
}

/* sum(), and math.prod(): Row.data is the operator, 1 the start of a product. */
static Ref lower_sum(Lower *lo, Call *c) {
    Type *ty = c->result;
    BinOp op = (BinOp)c->row->data;
    Ref v = lo_arg(lo, c->args[0]),
        acc = given(c, 1) ? lo_arg_as(lo, c->args[1], ty) : lo_number(lo, ty, op == BIN_MUL);
    if (lo_type(lo, v)->kind == TY_TUPLE) {
        for (uint32_t i = 0; i < lo_type(lo, v)->nitems; i++)
            acc =
                lo_binary_number(lo, op, acc, lo_convert(lo, lo_field(lo, v, i), ty), ty, ty, NULL);
        return acc;
    }
    LoopBuild loop;
    lo_loop(lo, &loop, lower_length(lo, v), 1, &acc);
    Ref item = lo_convert(lo, lower_item(lo, v, loop.i), ty);
    Ref next = lo_binary_number(lo, op, loop.carried[0], item, ty, ty, NULL);
    lo_loop_end(lo, &loop, &next);
    return loop.carried[0];
}

/* --- min, max: of several values, or of one iterable; with key and default -------------------------------------------------- */

enum { M_ARGS, M_KEY, M_DEFAULT };

static bool is_max(const Call *c) { return c->row->data; }

/* The values compared: the packed arguments, or the items of the only one. */
static bool several(const Call *c) { return c->args[M_ARGS].ty->nitems != 1; }

static Type *pick_item(Call *c) {
    Type *all = c->args[M_ARGS].ty;
    if (!several(c)) {
        Type *it = all->items[0];
        if (it->kind != TY_TUPLE) return infer_is_iterable(it) ? infer_item_type(it) : NULL;
        all = it;
    }
    Type *ty = all->nitems ? infer_plain(all->items[0]) : NULL;
    for (uint32_t i = 1; i < all->nitems && ty; i++) ty = ty_join(ty, infer_plain(all->items[i]));
    return ty;
}

static bool is_ordered(const Type *ty) {
    if (ty->kind == TY_TUPLE) {
        for (uint32_t i = 0; i < ty->nitems; i++)
            if (!is_ordered(ty->items[i])) return false;
        return ty->nitems > 0;
    }
    return ty_is_integral(ty) || ty->kind == TY_FLOAT || (ty->kind == TY_ENUM && ty->is_signed);
}

static bool has_key(const Call *c) { return given(c, M_KEY) && c->args[M_KEY].ty->kind != TY_NONE; }

/* The type of the key of one item; NULL: not typable. `v`: the item, when lowering. */
static Type *key_type(Call *c, Type *item, Ref v, Callee *out) {
    Arg *arg = NEW(c->in->cx, Arg);
    *arg = (Arg){.item = -1, .ty = item, .low = v};
    Inst *f = infer_call_value(c->in, c->inst, c->args[M_KEY], arg, 1, c->ins, out);
    if (out->kind == CALLEE_ROW) return row_type(&out->call);
    return f && f->ret->kind != TY_UNDEF ? f->ret : NULL;
}

/* Only the default is left. */
static bool is_empty_pick(const Call *c) {
    const Type *all = c->args[M_ARGS].ty;
    return all->nitems == 1 && all->items[0]->kind == TY_TUPLE && !all->items[0]->nitems &&
           given(c, M_DEFAULT);
}

static Type *type_pick(Call *c) {
    if (is_empty_pick(c)) return plain(c, M_DEFAULT);
    Type *item = c->args[M_ARGS].ty->nitems ? pick_item(c) : NULL;
    if (!item) return rule_no_overload(c);
    if (has_key(c)) {
        Callee key;
        Type *ty = key_type(c, item, 0, &key);
        if (!ty) return NULL;
        if (!is_ordered(ty)) return rule_no_overload(c);
    } else if (!is_ordered(item)) {
        return rule_no_overload(c);
    }
    return given(c, M_DEFAULT) && !several(c) ? ty_join(item, c->args[M_DEFAULT].ty) : item;
}

static Ref key_of(Lower *lo, Call *c, Ref v) {
    if (!has_key(c)) return v;
    Callee key;
    Type *ty = key_type(c, lo_type(lo, v), v, &key);
    if (key.kind == CALLEE_INST) return lower_call_inst(lo, &key);
    key.call.result = ty;
    return row_lower(lo, &key.call);
}

/* Does `v` beat `best`? The first of equals stays, as in Python. */
static Ref beats(Lower *lo, bool max, Ref v, Ref best) {
    Type *ty = lo_type(lo, v);
    if (ty->kind != TY_TUPLE) return lo_compare_number(lo, max ? CMP_GT : CMP_LT, v, best);
    Ref r = lo_bool(lo, false);
    for (uint32_t i = ty->nitems; i-- > 0;) {
        Ref a = lo_field(lo, v, i), b = lo_field(lo, best, i);
        r = lo_select(lo, lo_equal(lo, a, b), r, beats(lo, max, a, b));
    }
    return r;
}

static Ref pick_of(Lower *lo, Call *c, Ref all, Type *item) {
    uint32_t n = lo_type(lo, all)->nitems;
    Ref best = lo_convert(lo, lo_field(lo, all, 0), item), key = key_of(lo, c, best);
    for (uint32_t i = 1; i < n; i++) {
        Ref v = lo_convert(lo, lo_field(lo, all, i), item), k = key_of(lo, c, v);
        Ref better = beats(lo, is_max(c), k, key);
        best = lo_select(lo, better, v, best);
        key = has_key(c) ? lo_select(lo, better, k, key) : best;
    }
    return best;
}

static Ref pick_in(Lower *lo, Call *c, Ref it, Type *item, Type *result) {
    Ref n = lower_length(lo, it), some = lo_cmp(lo, OP_GT, n, lo_int(lo, 0));
    BlockId done = 0;
    Ref value = 0;
    if (given(c, M_DEFAULT)) {
        Ref otherwise = lo_arg_as(lo, c->args[M_DEFAULT], result);
        BlockId go = lo_block(lo, "some"), none = lo_block(lo, "none");
        done = lo_block(lo, "picked");
        value = lo_param(lo, done, result);
        lo_branch(lo, some, go, none);
        lo->b = none;
        lo_jump(lo, done, 1, &otherwise);
        lo->b = go;
    } else {
        lo_check(lo, some, is_max(c) ? CHECK_MAX_EMPTY : CHECK_MIN_EMPTY);
    }
    Ref first = lo_convert(lo, lower_item(lo, it, lo_int(lo, 0)), item);
    Ref state[] = {first, has_key(c) ? key_of(lo, c, first) : first};
    uint32_t nstate = has_key(c) ? 2 : 1;
    LoopBuild loop;
    lo_loop(lo, &loop, lo_op2(lo, OP_SUB, n, lo_int(lo, 1)), nstate, state);
    Ref v = lo_convert(lo, lower_item(lo, it, lo_op2(lo, OP_ADD, loop.i, lo_int(lo, 1))), item),
        k = key_of(lo, c, v);
    Ref better = beats(lo, is_max(c), k, loop.carried[nstate - 1]);
    Ref next[] = {lo_select(lo, better, v, loop.carried[0]),
                  has_key(c) ? lo_select(lo, better, k, loop.carried[1]) : 0};
    lo_loop_end(lo, &loop, next);
    Ref best = lo_convert(lo, loop.carried[0], result);
    if (!value) return best;
    lo_jump(lo, done, 1, &best);
    lo->b = done;
    return value;
}

static Ref lower_pick(Lower *lo, Call *c) {
    if (is_empty_pick(c)) return lo_arg_as(lo, c->args[M_DEFAULT], c->result);
    Ref all = lo_arg(lo, c->args[M_ARGS]);
    Type *item = pick_item(c), *result = c->result;
    if (!several(c)) {
        Ref it = lo_field(lo, all, 0);
        if (lo_type(lo, it)->kind != TY_TUPLE) return pick_in(lo, c, it, item, result);
        all = it;
    }
    return lo_convert(lo, pick_of(lo, c, all, item), result);
}

const Row rows_iterate[] = {
    {.name = "builtins.range",
     .takes = "integers: use // for a quotient, or int(x)",
     .params = "start, stop=, step=",
     .type = type_range,
     .lower = lower_range},
    {.name = "builtins.enumerate",
     .takes = "arrays, tuples, ranges, strings and what enumerate() and zip() give",
     .params = "iterable, start=",
     .type = type_enumerate,
     .lower = lower_enumerate},
    {.name = "builtins.zip",
     .takes = "arrays, tuples, ranges, strings and what enumerate() and zip() give",
     .params = "*iterables",
     .type = type_zip,
     .lower = lower_zip},
    {.name = "builtins.reversed",
     .takes = "arrays, tuples, ranges, strings and what enumerate() and zip() give",
     .params = "sequence",
     .type = type_reversed,
     .lower = lower_iterator},
    {.name = "numpy.ndindex",
     .takes = "sizes: integers, or a tuple of integers",
     .params = "*shape",
     .type = type_ndindex,
     .lower = lower_ndindex,
     .doc = "all subscripts of an array of this shape, in C order"},
    {.name = "numpy.ndenumerate",
     .takes = "an array",
     .params = "arr",
     .type = type_ndenumerate,
     .lower = lower_iterator,
     .doc = "subscripts and elements, in C order"},
    {.name = "builtins.iter", .params = "iterable", .type = type_iter, .lower = lower_iter},
    {.name = "builtins.next",
     .params = "iterator, default=",
     .type = type_next,
     .lower = lower_next},
    {.name = "builtins.all", .params = "iterable", .type = type_all, .lower = lower_all},
    {.name = "builtins.any", .params = "iterable", .type = type_all, .lower = lower_any},
    {.name = "builtins.sum",
     .takes = "arrays, tuples and ranges of numbers",
     .params = "iterable, start=",
     .type = type_sum,
     .lower = lower_sum,
     .data = BIN_ADD},
    {.name = "math.prod",
     .params = "iterable, start=",
     .type = type_sum,
     .lower = lower_sum,
     .data = BIN_MUL},
    {.name = "builtins.min",
     .takes = "several numbers, or one array, tuple or range",
     .params = "*args, key=, default=",
     .type = type_pick,
     .lower = lower_pick,
     .data = 0},
    {.name = "builtins.max",
     .takes = "several numbers, or one array, tuple or range",
     .params = "*args, key=, default=",
     .type = type_pick,
     .lower = lower_pick,
     .data = 1},
    {.name = "whipsnake.prange",
     .params = "start, stop=, step=",
     .type = type_range,
     .lower = lower_range,
     .doc = "with parallel=True: iterations run on several threads"},
    {0},
};
