/* Smallest and largest values. */
#include "opt/affine_int.h"

#include "core/memory.h"
#include "ir/math.h"

static Range fit(Wide lo, Wide hi) {
    return lo < INT64_MIN || hi > INT64_MAX ? range_full : (Range){(int64_t)lo, (int64_t)hi};
}

Range range_mul(Range a, Range b) {
    Wide p[4] = {(Wide)a.lo * b.lo, (Wide)a.lo * b.hi, (Wide)a.hi * b.lo, (Wide)a.hi * b.hi},
         lo = p[0], hi = p[0];
    for (int i = 1; i < 4; i++) {
        if (p[i] < lo) lo = p[i];
        if (p[i] > hi) hi = p[i];
    }
    return fit(lo, hi);
}

static Range range_of_type(const Type *t) {
    if (t->kind == TY_BOOL) return (Range){0, 1};
    if (t->kind != TY_INT || t->bits == 64) return range_full;
    if (!t->is_signed) return (Range){0, (int64_t)(UINT64_MAX >> (64 - t->bits))};
    return (Range){-((int64_t)1 << (t->bits - 1)), ((int64_t)1 << (t->bits - 1)) - 1};
}

static Range math_range(Affine *af, const Ins *i) {
    if (i->sub != MATH_MIN && i->sub != MATH_MAX && i->sub != MATH_ABS) return range_full;
    Range a = affine_range(af, i->args[0]);
    if (i->sub == MATH_ABS) {
        if (a.lo == INT64_MIN) return range_full;
        int64_t most = a.hi > -a.lo ? a.hi : -a.lo;
        return (Range){a.lo > 0 ? a.lo : 0, most};
    }
    Range b = affine_range(af, i->args[1]);
    bool min = i->sub == MATH_MIN;
    return (Range){(a.lo < b.lo) == min ? a.lo : b.lo, (a.hi < b.hi) == min ? a.hi : b.hi};
}

static Range param_range(Affine *af, Ref r) {
    const Ins *i = ir_at(af->fn, r);
    const Counter *c = affine_counter(af, r);
    bool goes_up = c && c->step > 0 && c->stops && !c->stop_assumed;
    Range out = {INT64_MAX, INT64_MIN};
    if (i->block >= af->cfg->n) return range_full; /* the graph has grown since */
    for (uint32_t e = af->in.start[i->block]; e < af->in.start[i->block + 1]; e++) {
        In in = af->in.at[e];
        if (opt_edge(af->fn, in)->to != i->block)
            return range_full; /* an edge has been led elsewhere */
        Ref a = opt_edge_arg(af->fn, in, (uint32_t)i->imm);
        if (a == r || (goes_up && in.from == c->loop->latch)) continue;
        out = range_unite(out, a ? affine_range(af, a) : range_full);
    }
    if (out.lo > out.hi) return range_full;
    if (goes_up && c->end > out.hi) out.hi = c->end;
    return out;
}

/* CUDA's limits: 1024 threads a block, grids below 2**31. */
static Range sreg_range(const Ins *i) {
    static const Range rows[] = {
        [SREG_TID] = {0, 1023},        [SREG_CTAID] = {0, INT32_MAX - 1},
        [SREG_NTID] = {1, 1024},       [SREG_NCTAID] = {1, INT32_MAX},
        [SREG_FIRST] = {0, INT32_MAX}, [SREG_END] = {0, INT32_MAX},
        [SREG_DYN] = {0, INT32_MAX},
    };
    return rows[i->sub];
}

static Range compute_range(Affine *af, Ref r) {
    const Ins *i = ir_at(af->fn, r);
    Range a, b;
    switch ((int)i->op) {
    case OP_CONST: return i->ty->kind == TY_INT ? (Range){i->k->i, i->k->i} : range_full;
    case OP_PARAM: return param_range(af, r);
    case OP_SREG: return sreg_range(i);
    case OP_FIELD: {
        const Type *t = ir_at(af->fn, i->args[0])->ty;
        if (t->kind != TY_ARRAY || i->imm < 2 || i->imm >= 2 + t->ndim) return range_full;
        /* Of several axes one may be empty and the others anything: their bytes count in int64, and
         * that one may be added to any size is worth more than arrays of 2**62 bytes. */
        if (t->ndim == 1 && t->layout != 'A') return (Range){0, MEM_MOST_BYTES / t->elem->size};
        return (Range){0, INT64_MAX / (t->elem->size > 1 ? t->elem->size : 2)};
    }
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_FLOORDIV:
    case OP_FLOORMOD:
    case OP_SELECT:
    case OP_AND: break;
    case OP_CAST:
        a = range_of_type(ir_at(af->fn, i->args[0])->ty);
        return ir_at(af->fn, i->args[0])->ty->kind == TY_FLOAT ? range_full : a;
    case OP_MATH: return math_range(af, i);
    default: return range_full;
    }
    a = affine_range(af, i->args[i->op == OP_SELECT]);
    b = affine_range(af, i->args[1 + (i->op == OP_SELECT)]);
    switch ((int)i->op) {
    case OP_ADD: return fit((Wide)a.lo + b.lo, (Wide)a.hi + b.hi);
    case OP_SUB: return fit((Wide)a.lo - b.hi, (Wide)a.hi - b.lo);
    case OP_MUL: return range_mul(a, b);
    case OP_SELECT: return range_unite(a, b);
    case OP_AND: return b.lo >= 0 ? (Range){0, b.hi} : a.lo >= 0 ? (Range){0, a.hi} : range_full;
    case OP_FLOORDIV:
        return a.lo >= 0 && b.lo >= 1 ? (Range){a.lo / b.hi, a.hi / b.lo} : range_full;
    default: /* FLOORMOD */
        if (b.lo < (affine_checks_divisors(af) ? 0 : 1)) return range_full;
        return (Range){0, b.hi > 0 ? b.hi - 1 : 0};
    }
}

Range affine_range(Affine *af, Ref r) {
    const Type *t = ir_at(af->fn, r)->ty;
    if (t->kind != TY_INT || t->bits != 64 || !t->is_signed) return range_of_type(t);
    uint64_t known = map_get(&af->ranges, r, 1);
    if (known == 0 || af->depth > 32) return range_full; /* round a loop, or deep */
    if (known != 1) return *(Range *)(uintptr_t)known;
    map_set(af->cx, &af->ranges, r, 0);
    af->depth++;
    Range *found = NEW(af->cx, Range);
    *found = compute_range(af, r);
    af->depth--;
    map_set(af->cx, &af->ranges, r, map_key(found));
    return *found;
}
