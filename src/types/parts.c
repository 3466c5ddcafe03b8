/* Which machine scalars make up a value of a type. Pure: compiled into both shared objects. */
#include "types/types.h"
#include "types/types_int.h"

typedef struct Parts {
    uint8_t *out; /* NULL: count only */
    uint32_t n;
} Parts;

static void add(Parts *p, PartKind kind, uint32_t times) {
    for (; times; times--, p->n++)
        if (p->out) p->out[p->n] = (uint8_t)kind;
}

static void add_all(Parts *p, const Type *t) {
    for (uint32_t i = 0; i < t->nparts; i++) add(p, (PartKind)t->parts[i], 1);
}

static PartKind int_part(unsigned bits) {
    return bits == 8 ? P_I8 : bits == 16 ? P_I16 : bits == 32 ? P_I32 : P_I64;
}

static PartKind float_part(unsigned bits) {
    return bits == 16 ? P_F16 : bits == 32 ? P_F32 : P_F64;
}

/* An iterator is what it iterates over; enumerate adds the first number. */
static void add_iter(Parts *p, const Type *t) {
    if (t->of) add_all(p, t->of);
    for (uint32_t i = 0; i < t->nitems; i++) add_all(p, t->items[i]);
    if (t->how == ITER_ENUMERATE) add(p, P_I64, 1);
    if (t->how == ITER_SHARED) add(p, P_PTR, 1);
}

uint32_t ty_fill_parts(const Type *t, uint8_t *out) {
    Parts p = {out, 0};
    switch ((TyKind)t->kind) {
    case TY_UNDEF:
    case TY_NONE:
    case TY_DTYPE:
    case TY_MODULE:
    case TY_CLASS:
    case TY_KINDS: break;
    case TY_FUNC: add(&p, P_I64, t->nitems > 0); break;
    case TY_BOOL: add(&p, P_I1, 1); break;
    case TY_INT: add(&p, int_part(t->bits), 1); break;
    case TY_FLOAT: add(&p, float_part(t->bits), 1); break;
    case TY_COMPLEX: add(&p, float_part(t->bits / 2), 2); break;
    case TY_ENUM: add(&p, P_I64, 1); break;
    case TY_RANGE: add(&p, P_I64, 3); break;
    case TY_SLICE:
        for (int i = 0; i < 3; i++) add(&p, P_I64, t->items[i]->kind != TY_NONE);
        break;
    case TY_STR:
    case TY_BYTES:
        add(&p, P_PTR, 1);
        add(&p, P_I64, 2);
        add(&p, P_PTR, 1);
        break;
    case TY_OPTIONAL:
        add(&p, P_I1, 1);
        add_all(&p, t->of);
        break;
    case TY_TUPLE:
    case TY_CLOSURE:
        for (uint32_t i = 0; i < t->nitems; i++) add_all(&p, t->items[i]);
        break;
    case TY_ARRAY:
        add(&p, P_PTR, 2);
        add(&p, P_I64, t->layout == 'A' ? 2u * t->ndim : t->ndim);
        break;
    case TY_ITER: add_iter(&p, t); break;
    case TY_CELL:
    case TY_EXC:
    case TY_PTR: add(&p, P_PTR, 1); break;
    }
    return p.n;
}

uint32_t ty_item_part(const Type *t, uint32_t i) {
    uint32_t at = 0;
    for (uint32_t k = 0; k < i; k++)
        at += t->kind == TY_SLICE ? t->items[k]->kind != TY_NONE : t->items[k]->nparts;
    return at;
}
