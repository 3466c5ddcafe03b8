/* Cells: variables that inner functions share, and the positions of iterators.
 *
 * A cell is an owner block: a word that says whether the variable is set, then the parts of its value, 8 bytes
 * each. Numbers are stored and loaded here; what is counted goes through the runtime (runtime/cell.c), which keeps the
 * counts: the cell has one of its own, and so has a value that was read. */
#include "lower/lower_int.h"

enum { CELL_VALUE = 8 };

static Ref at(Lower *lo, Ref base, int64_t bytes) {
    return lo_op(lo, OP_OFFSET, TY_OF(TY_PTR), 2, (Ref[]){base, lo_int(lo, bytes)});
}

static bool is_scalar(const Type *ty) { return ty_is_number(ty) || ty->kind == TY_ENUM; }

/* Stores the parts of v from `base` on. */
static void store_parts(Lower *lo, Ref base, Ref v) {
    Type *ty = lo_type(lo, v);
    if (!ty->nparts) return;
    if (is_scalar(ty) && ty->kind != TY_COMPLEX) {
        lo_store(lo, base, v, false);
        return;
    }
    for (uint32_t i = 0; i < ir_field_count(ty); i++)
        store_parts(lo, at(lo, base, 8 * (int64_t)ir_field_part(ty, i)), lo_field(lo, v, i));
}

static Ref load_parts(Lower *lo, Ref base, Type *ty) {
    if (!ty->nparts) return lo_zero(lo, ty);
    if (is_scalar(ty) && ty->kind != TY_COMPLEX) return lo_load(lo, ty, base, false);
    uint32_t n = ir_field_count(ty);
    Ref *fields = NEWN(lo->cx, Ref, n + 1);
    for (uint32_t i = 0; i < n; i++)
        fields[i] =
            load_parts(lo, at(lo, base, 8 * (int64_t)ir_field_part(ty, i)), ir_field_type(ty, i));
    return lo_make(lo, ty, n, fields);
}

static Ref data_of(Lower *lo, Ref cell) { return lo_op1(lo, OP_DATA, TY_OF(TY_PTR), cell); }

/* Whether it is set, and the value, as the runtime takes them. */
static void pass_value(Lower *lo, Type *of, Ref value, Ref args[2]) {
    args[0] = lo_bool(lo, value != 0);
    args[1] = value ? lo_convert(lo, value, of) : lo_zero(lo, of);
}

Ref lo_cell_new(Lower *lo, Type *of, Ref value) {
    if (of->owning) {
        Ref args[2];
        pass_value(lo, of, value, args);
        return lo_rt(lo, "ws_cell_new", ty_cell(of), 2, args);
    }
    Ref bytes = lo_int(lo, CELL_VALUE + 8 * (int64_t)of->nparts);
    Ref cell = lo_op1(lo, OP_ALLOC, ty_cell(of), bytes), data = data_of(lo, cell);
    lo_store(lo, data, lo_int(lo, value != 0), false);
    if (value) store_parts(lo, at(lo, data, CELL_VALUE), lo_convert(lo, value, of));
    return cell;
}

Ref lo_cell_is_set(Lower *lo, Ref cell) {
    return lo_cmp(lo, OP_NE, lo_load(lo, TY_I(64), data_of(lo, cell), false), lo_int(lo, 0));
}

Ref lo_cell_get(Lower *lo, Ref cell) {
    Type *of = lo_type(lo, cell)->of;
    if (of->owning) return lo_rt(lo, "ws_cell_get", of, 1, &cell);
    return load_parts(lo, at(lo, data_of(lo, cell), CELL_VALUE), of);
}

void lo_cell_set(Lower *lo, Ref cell, Ref value) {
    Type *of = lo_type(lo, cell)->of;
    if (of->owning) {
        Ref args[3] = {cell};
        pass_value(lo, of, value, args + 1);
        lo_rt(lo, "ws_cell_set", TY_OF(TY_NONE), 3, args);
        return;
    }
    Ref data = data_of(lo, cell);
    lo_store(lo, data, lo_int(lo, value != 0), false);
    if (value) store_parts(lo, at(lo, data, CELL_VALUE), lo_convert(lo, value, of));
}
