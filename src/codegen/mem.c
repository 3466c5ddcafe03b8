/* Memory: element addresses, loads and stores, slots, owners. */
#include "codegen/cg.h"
#include "core/memory.h"

/* --- slots: 8 bytes for each part, as in the argument block ----------------------------------- */

static LLVMTypeRef slot_type(Cg *cg, const Type *ty, uint32_t k) {
    return ty->parts[k] == P_I1 ? cg->i64 : cg_part_type(cg, ty, k);
}

static bool has_items(const Type *ty) {
    return ty->kind == TY_TUPLE || ty->kind == TY_OPTIONAL || ty->kind == TY_CLOSURE ||
           ty->kind == TY_ITER;
}

static void store_slot(Cg *cg, const Type *ty, uint32_t k, Val v, Val p, bool all) {
    if (ty->parts[k] == P_I1)
        v = LLVMBuildZExt(cg->b, v, cg->i64, "");
    else if (all && ty->parts[k] < P_I64)
        v = cg_int_to(cg, v,
                      ty->kind == TY_INT ? ty->is_signed : ty->kind == TY_ENUM && ty->of->is_signed,
                      cg->i64);
    LLVMSetAlignment(LLVMBuildStore(cg->b, v, p), 8);
}

/* `all`: integers fill their slot, extended by the sign of the item they belong to. */
void cg_store_slots(Cg *cg, const Type *ty, Val *parts, Val p, bool all) {
    if (!has_items(ty)) {
        for (uint32_t k = 0; k < ty->nparts; k++)
            store_slot(cg, ty, k, parts[k], cg_offset(cg, p, 8 * (int64_t)k), all);
        return;
    }
    for (uint32_t i = 0; i < ir_field_count(ty); i++) {
        uint32_t k = ir_field_part(ty, i);
        cg_store_slots(cg, ir_field_type(ty, i), parts + k, cg_offset(cg, p, 8 * (int64_t)k), all);
    }
}

void cg_load_slots(Cg *cg, const Type *ty, Val *parts, Val p) {
    for (uint32_t k = 0; k < ty->nparts; k++) {
        Val v = LLVMBuildLoad2(cg->b, slot_type(cg, ty, k), cg_offset(cg, p, 8 * (int64_t)k), "");
        LLVMSetAlignment(v, 8);
        parts[k] = ty->parts[k] == P_I1 ? LLVMBuildTrunc(cg->b, v, cg->part[P_I1], "") : v;
    }
}

/* --- element addresses ------------------------------------------------------------------------ */

enum { ARRAY_DATA, ARRAY_OWNER, ARRAY_SHAPE };

/* Operands are in range (a check came first), so nothing here wraps. */
static Val nowrap_mul(Cg *cg, Val a, Val b) {
    Val v = LLVMBuildNSWMul(cg->b, a, b, "");
    if (LLVMIsAInstruction(v)) LLVMSetNUW(v, true);
    return v;
}

static Val nowrap_add(Cg *cg, Val a, Val b) {
    Val v = LLVMBuildNSWAdd(cg->b, a, b, "");
    if (LLVMIsAInstruction(v)) LLVMSetNUW(v, true);
    return v;
}

/* Contiguous: the number of the element. Axes from the slowest to the fastest. */
static Val linear_index(Cg *cg, const Ins *i, const Type *ty, Val *array) {
    Val sum = NULL;
    for (unsigned k = 0; k < ty->ndim; k++) {
        unsigned axis = ty->layout == 'F' ? ty->ndim - 1u - k : k;
        Val at = cg_arg(cg, i, 1 + axis);
        sum = sum ? nowrap_add(cg, nowrap_mul(cg, sum, array[ARRAY_SHAPE + axis]), at) : at;
    }
    return sum;
}

static LLVMTypeRef element_type(Cg *cg, const Type *elem) {
    if (elem->kind == TY_BOOL) return cg->part[P_I8];
    LLVMTypeRef part = cg_part_type(cg, elem, 0);
    return elem->nparts == 1 ? part : LLVMArrayType2(part, elem->nparts);
}

/* Strides are bytes and may be negative. */
static Val strided_offset(Cg *cg, const Ins *i, const Type *ty, Val *array) {
    Val sum = NULL;
    for (unsigned k = 0; k < ty->ndim; k++) {
        Val step =
            LLVMBuildNSWMul(cg->b, cg_arg(cg, i, 1 + k), array[ARRAY_SHAPE + ty->ndim + k], "");
        sum = sum ? LLVMBuildNSWAdd(cg->b, sum, step, "") : step;
    }
    return sum;
}

void cg_op_elem(Cg *cg, Ref r, const Ins *i) {
    const Type *ty = cg_type(cg, i->args[0]);
    Val *array = cg_parts(cg, i->args[0]), p = array[ARRAY_DATA], at;
    if (ty->ndim == 0) {
        cg_set(cg, r, p);
        return;
    }
    bool strided = ty->layout == 'A';
    at = strided ? strided_offset(cg, i, ty, array) : linear_index(cg, i, ty, array);
    LLVMTypeRef unit = strided ? cg->part[P_I8] : element_type(cg, ty->elem);
    cg_set(cg, r, LLVMBuildInBoundsGEP2(cg->b, unit, p, &at, 1, ""));
}

void cg_op_offset(Cg *cg, Ref r, const Ins *i) {
    Val at = cg_arg(cg, i, 1);
    cg_set(cg, r, LLVMBuildInBoundsGEP2(cg->b, cg->part[P_I8], cg_arg(cg, i, 0), &at, 1, ""));
}

/* --- loads and stores ------------------------------------------------------------------------- */

static const unsigned part_size[] = {
    [P_I1] = 1,  [P_I8] = 1,  [P_I16] = 2, [P_I32] = 4, [P_I64] = 8,
    [P_F16] = 2, [P_F32] = 4, [P_F64] = 8, [P_PTR] = 8};

/* What arrays can hold lies as in NumPy, anything else as slots. */
static bool is_element(const Type *ty) { return ty->size != 0; }

void cg_op_load(Cg *cg, Ref r, const Ins *i) {
    Val p = cg_arg(cg, i, 0), *out = cg_new_parts(cg, r);
    if (!is_element(i->ty)) {
        cg_load_slots(cg, i->ty, out, p);
        return;
    }
    for (uint32_t k = 0; k < i->ty->nparts; k++) {
        unsigned size = part_size[i->ty->parts[k]];
        bool is_bool = i->ty->parts[k] == P_I1;
        LLVMTypeRef ty = is_bool ? cg->part[P_I8] : cg_part_type(cg, i->ty, k);
        Val v = LLVMBuildLoad2(cg->b, ty, cg_offset(cg, p, (int64_t)k * size), "");
        LLVMSetAlignment(v, i->imm & 1 ? 1 : size);
        cg_mark_access(cg, v);
        out[k] = is_bool ? LLVMBuildICmp(cg->b, LLVMIntNE, v, LLVMConstNull(ty), "") : v;
    }
}

void cg_op_store(Cg *cg, Ref r, const Ins *i) {
    (void)r;
    const Type *ty = cg_type(cg, i->args[1]);
    Val p = cg_arg(cg, i, 0), *parts = cg_parts(cg, i->args[1]);
    if (!is_element(ty)) {
        cg_store_slots(cg, ty, parts, p, false);
        return;
    }
    for (uint32_t k = 0; k < ty->nparts; k++) {
        unsigned size = part_size[ty->parts[k]];
        Val v =
            ty->parts[k] == P_I1 ? LLVMBuildZExt(cg->b, parts[k], cg->part[P_I8], "") : parts[k];
        Val store = LLVMBuildStore(cg->b, v, cg_offset(cg, p, (int64_t)k * size));
        LLVMSetAlignment(store, i->imm & 1 ? 1 : size);
        cg_mark_access(cg, store);
    }
}

void cg_op_stack(Cg *cg, Ref r, const Ins *i) {
    cg_set(cg, r, cg_alloca(cg, LLVMArrayType2(cg->part[P_I8], (uint64_t)i->imm), 64));
}

/* --- owners ----------------------------------------------------------------------------------- */

void cg_op_data(Cg *cg, Ref r, const Ins *i) {
    cg_set(cg, r, cg_offset(cg, cg_arg(cg, i, 0), OWNER_DATA));
}

static void need_memory(Cg *cg, void *arg) { (void)cg, (void)arg; /* ws_alloc has raised */ }

void cg_op_alloc(Cg *cg, Ref r, const Ins *i) {
    Val size = cg_arg(cg, i, 0), p = cg_call_helper(cg, HELPER_ALLOC, 1, &size);
    LLVMAddCallSiteAttribute(p, LLVMAttributeReturnIndex, cg_attr(cg, "noalias", 0));
    cg_require(cg, LLVMBuildIsNotNull(cg->b, p, ""), need_memory, NULL);
    cg_set(cg, r, p);
}

/* The parts of an optional's value, its pointers null if it has none. */
static Val *value_or_nulls(Cg *cg, const Type *ty, Val *parts) {
    Val *out = NEWN(cg->cx, Val, ty->nparts);
    for (uint32_t k = 1; k < ty->nparts; k++)
        out[k - 1] = ty->parts[k] == P_PTR
                         ? LLVMBuildSelect(cg->b, parts[0], parts[k], LLVMConstNull(cg->ptr), "")
                         : parts[k];
    return out;
}

/* Visits the counted pointers in a value. */
static void each_owner(Cg *cg, const Type *ty, Val *parts, void (*visit)(Cg *, const Type *, Val)) {
    if (!ty->owning && ty->kind != TY_PTR) return; /* a pointer by itself is an OP_ALLOC */
    switch ((TyKind)ty->kind) {
    case TY_ARRAY: visit(cg, ty, parts[ARRAY_OWNER]); return;
    case TY_STR:
    case TY_BYTES: visit(cg, ty, parts[3]); return;
    case TY_CELL:
    case TY_EXC:
    case TY_PTR: visit(cg, ty, parts[0]); return;
    default: break; /* aggregates */
    }
    for (uint32_t k = 0; k < ir_field_count(ty); k++) {
        Val *at = parts + ir_field_part(ty, k);
        if (ty->kind == TY_OPTIONAL && k) at = value_or_nulls(cg, ty, parts);
        each_owner(cg, ir_field_type(ty, k), at, visit);
    }
}

static void retain_one(Cg *cg, const Type *ty, Val p) {
    if (!LLVMIsAConstantPointerNull(p))
        cg_call_helper(cg, ty->kind == TY_EXC ? HELPER_EXC_RETAIN : HELPER_RETAIN, 1, &p);
}

static void release_one(Cg *cg, const Type *ty, Val p) {
    if (!LLVMIsAConstantPointerNull(p))
        cg_call_helper(cg, ty->kind == TY_EXC ? HELPER_EXC_RELEASE : HELPER_RELEASE, 1, &p);
}

void cg_op_retain(Cg *cg, Ref r, const Ins *i) {
    (void)r;
    each_owner(cg, cg_type(cg, i->args[0]), cg_parts(cg, i->args[0]), retain_one);
}

void cg_op_release(Cg *cg, Ref r, const Ins *i) {
    (void)r;
    each_owner(cg, cg_type(cg, i->args[0]), cg_parts(cg, i->args[0]), release_one);
}
