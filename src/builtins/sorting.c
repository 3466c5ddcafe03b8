/* Sorting of one line, for the prelude: the work is done by the runtime (runtime/sort.c). */
#include "builtins/tables.h"

static KeyForm form_of(const Type *ty) {
    if (ty->kind == TY_FLOAT) return FORM_FLOAT;
    return ty->kind == TY_INT && ty->is_signed ? FORM_SIGNED : FORM_UNSIGNED;
}

static bool is_line(const Call *c, uint32_t i) {
    const Type *ty = c->args[i].ty;
    return ty->kind == TY_ARRAY && ty->ndim == 1 && ty->layout == 'C';
}

/* A contiguous array of real numbers, and another one: what is sorted and scratch memory. */
static bool takes_lines(const Call *c) {
    if (!is_line(c, 0) || !is_line(c, 1)) return false;
    const Type *elem = c->args[0].ty->elem;
    return elem->kind == TY_BOOL || elem->kind == TY_INT || elem->kind == TY_FLOAT;
}

static Ref data_of(Lower *lo, Call *c, uint32_t i) {
    return lo_array_data(lo, lo_arg(lo, c->args[i]));
}

static Ref length_of(Lower *lo, Call *c) { return lo_array_dim(lo, lo_arg(lo, c->args[0]), 0); }

/* Behind the other arguments of each function of the runtime. */
static void add_form(Lower *lo, Call *c, Ref *out) {
    const Type *elem = c->args[0].ty->elem;
    out[0] = lo_int(lo, (int64_t)elem->size);
    out[1] = lo_int(lo, form_of(elem));
}

/* sort_line(a, scratch) */
static Type *type_sort(Call *c) { return takes_lines(c) ? TY_OF(TY_NONE) : rule_no_overload(c); }

static Ref lower_sort(Lower *lo, Call *c) {
    Ref args[5] = {data_of(lo, c, 0), data_of(lo, c, 1), length_of(lo, c)};
    add_form(lo, c, args + 3);
    return lo_rt(lo, "ws_sort", TY_OF(TY_NONE), 5, args);
}

/* argsort_line(a, order, scratch) */
static Type *type_argsort(Call *c) {
    bool good = takes_lines(c) && is_line(c, 2) && c->args[1].ty->elem == TY_I(64);
    return good ? TY_OF(TY_NONE) : rule_no_overload(c);
}

static Ref lower_argsort(Lower *lo, Call *c) {
    Ref args[6] = {data_of(lo, c, 0), data_of(lo, c, 1), data_of(lo, c, 2), length_of(lo, c)};
    add_form(lo, c, args + 4);
    return lo_rt(lo, "ws_argsort", TY_OF(TY_NONE), 6, args);
}

/* partition_line(a, scratch, k) */
static Type *type_partition(Call *c) {
    bool good = takes_lines(c) && ty_is_integral(plain(c, 2));
    return good ? TY_OF(TY_NONE) : rule_no_overload(c);
}

static Ref lower_partition(Lower *lo, Call *c) {
    Ref k = lo_arg_as(lo, c->args[2], TY_I(64));
    Ref args[6] = {data_of(lo, c, 0), data_of(lo, c, 1), length_of(lo, c), k};
    add_form(lo, c, args + 4);
    return lo_rt(lo, "ws_partition", TY_OF(TY_NONE), 6, args);
}

#define INTRINSIC(name_, params_, kind)             \
    {.name = "whipsnake.prelude.intrinsics." name_, \
     .params = params_,                             \
     .type = type_##kind,                           \
     .lower = lower_##kind}

const Row rows_sorting[] = {
    INTRINSIC("sort_line", "a, scratch", sort),
    INTRINSIC("argsort_line", "a, order, scratch", argsort),
    INTRINSIC("partition_line", "a, scratch, k", partition),
    {0},
};
