/* The table of types: one hash table for the process, one lock around it. */
#include "types/types.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "types/types_int.h"

/* Process lifetime, like the types themselves: nothing is ever removed. */
static struct {
    pthread_mutex_t lock;
    Type **slot; /* open addressing; cap is a power of two */
    uint32_t n, cap;
    Type *plain[TY_KINDS]; /* kinds without a width */
    Type *exc[EXC_FACETS];
    Type *wide[4][2][5];   /* INT, FLOAT, COMPLEX (kind - TY_INT), signed, log2(bits / 8) */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

void ty_before_fork(void) { pthread_mutex_lock(&table.lock); }
void ty_after_fork(void) { pthread_mutex_unlock(&table.lock); }

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static uint64_t mix_pointer(uint64_t h, const void *p) { return mix(h, (uint64_t)(uintptr_t)p); }

static uint64_t hash_type(const Type *t) {
    uint64_t h = mix(t->kind, ((uint64_t)t->bits << 8) | t->is_signed);
    h = mix_pointer(h, t->of);
    h = mix_pointer(h, t->obj);
    h = mix_pointer(h, t->code);
    if (t->kind == TY_ARRAY)
        h = mix(h, ((uint64_t)t->ndim << 16) | ((uint64_t)(unsigned char)t->layout << 8) |
                       ((uint64_t)t->readonly << 1) | t->aligned);
    if (t->kind == TY_ITER) h = mix(h, t->how);
    for (uint32_t i = 0; i < t->nitems; i++) h = mix_pointer(h, t->items[i]);
    return mix(h, t->nitems);
}

static bool is_same(const Type *a, const Type *b) {
    if (a->kind != b->kind || a->bits != b->bits || a->is_signed != b->is_signed ||
        a->of != b->of || a->obj != b->obj || a->code != b->code || a->nitems != b->nitems)
        return false;
    if (a->kind == TY_ARRAY && (a->ndim != b->ndim || a->layout != b->layout ||
                                a->readonly != b->readonly || a->aligned != b->aligned))
        return false;
    if (a->kind == TY_ITER && a->how != b->how) return false;
    return a->nitems == 0 || memcmp(a->items, b->items, a->nitems * sizeof *a->items) == 0;
}

/* The slot that holds the type or where it belongs. Lock held, table not full. */
static Type **find_slot(const Type *probe) {
    uint32_t i = (uint32_t)hash_type(probe) & (table.cap - 1);
    while (table.slot[i] && !is_same(table.slot[i], probe)) i = (i + 1) & (table.cap - 1);
    return &table.slot[i];
}

static int grow(void) {
    uint32_t cap = table.cap ? table.cap * 2 : 256, old_cap = table.cap;
    Type **old = table.slot, **slot = mem_alloc(cap * sizeof *slot);
    if (!slot) return -1;
    memset(slot, 0, cap * sizeof *slot);
    table.slot = slot;
    table.cap = cap;
    for (uint32_t i = 0; i < old_cap; i++)
        if (old[i]) *find_slot(old[i]) = old[i];
    mem_free(old);
    return 0;
}

static bool is_owning(const Type *t) {
    switch ((TyKind)t->kind) {
    case TY_STR:
    case TY_BYTES:
    case TY_ARRAY:
    case TY_CELL:
    case TY_EXC: return true;
    case TY_OPTIONAL: return t->of->owning;
    case TY_TUPLE:
    case TY_CLOSURE:
    case TY_ITER:
        for (uint32_t i = 0; i < t->nitems; i++)
            if (t->items[i]->owning) return true;
        if (t->kind == TY_ITER && t->how == ITER_SHARED) return true;
        return t->of && t->of->owning;
    case TY_UNDEF:
    case TY_NONE:
    case TY_BOOL:
    case TY_INT:
    case TY_FLOAT:
    case TY_COMPLEX:
    case TY_SLICE:
    case TY_RANGE:
    case TY_DTYPE:
    case TY_ENUM:
    case TY_FUNC:
    case TY_MODULE:
    case TY_CLASS:
    case TY_PTR:
    case TY_KINDS: return false;
    }
    return false;
}

static void fill_size(Type *t) {
    bool is_wide = t->kind == TY_INT || t->kind == TY_FLOAT || t->kind == TY_COMPLEX;
    if (!is_wide && t->kind != TY_BOOL) return;
    t->size = t->kind == TY_BOOL ? 1 : t->bits / 8;
    t->align = t->kind == TY_COMPLEX ? t->size / 2 : t->size;
}

static void free_type(Type *t) {
    if (!t) return;
    mem_free(t->items);
    if (t->kind == TY_TUPLE) mem_free(t->names);
    mem_free((void *)(uintptr_t)t->parts);
    mem_free((void *)(uintptr_t)t->name);
    mem_free(t);
}

static void *copy_of(const void *p, size_t n) {
    void *q = mem_alloc(n);
    if (q) memcpy(q, p, n);
    return q;
}

/* A complete type from its identity, not yet in the table; NULL when out of memory. */
static Type *new_type(const Type *probe, const char *label) {
    Type *t = copy_of(probe, sizeof *t);
    if (!t) return NULL;
    bool has_names = t->kind == TY_TUPLE && t->names;
    t->parts = NULL;
    t->name = NULL;
    t->items = t->nitems ? copy_of(probe->items, t->nitems * sizeof *t->items) : NULL;
    if (t->kind == TY_TUPLE)
        t->names = has_names ? copy_of(probe->names, t->nitems * sizeof *t->names) : NULL;
    if ((t->nitems && !t->items) || (has_names && t->nitems && !t->names)) goto fail;
    t->owning = is_owning(t);
    fill_size(t);
    t->nparts = ty_fill_parts(t, NULL);
    uint8_t *parts = mem_alloc(t->nparts);
    t->parts = parts;
    t->name = ty_new_name(t, label);
    if (!parts || !t->name) goto fail;
    ty_fill_parts(t, parts);
    return t;
fail:
    free_type(t);
    return NULL;
}

static _Thread_local bool ran_out;

bool ty_ran_out(void) { return ran_out; }

Type *ty_fail(bool for_memory) {
    ran_out = for_memory;
    return NULL;
}

Type *ty_lookup(const Type *probe) {
    pthread_mutex_lock(&table.lock);
    Type *t = table.cap ? *find_slot(probe) : NULL;
    pthread_mutex_unlock(&table.lock);
    return t;
}

Type *ty_intern(const Type *probe, const char *label) {
    pthread_mutex_lock(&table.lock);
    Type *t = NULL;
    if (table.n * 2 < table.cap || grow() == 0) {
        Type **slot = find_slot(probe);
        if (!*slot) {
            *slot = new_type(probe, label);
            if (*slot) (*slot)->id = table.n++;
        }
        t = *slot;
    }
    pthread_mutex_unlock(&table.lock);
    return t ? t : ty_fail(true);
}

static Type **basic_slot(TyKind kind, unsigned bits, bool is_signed) {
    if (kind == TY_EXC) return bits < EXC_FACETS ? &table.exc[bits] : NULL;
    if (kind < TY_INT || kind > TY_COMPLEX) return &table.plain[kind];
    if (bits < 8 || bits > 128 || (bits & (bits - 1))) return NULL;
    return &table.wide[kind - TY_INT][is_signed][__builtin_ctz(bits / 8)];
}

Type *ty_basic(TyKind kind, unsigned bits, bool is_signed) {
    if (kind != TY_INT) is_signed = false;
    Type **slot = basic_slot(kind, bits, is_signed);
    return slot ? *slot : ty_fail(false);
}

int ty_init(void) {
    static const struct {
        TyKind kind;
        unsigned bits;
    } rows[] = {{TY_UNDEF, 0},
                {TY_NONE, 0},
                {TY_BOOL, 0},
                {TY_INT, 8},
                {TY_INT, 16},
                {TY_INT, 32},
                {TY_INT, 64},
                {TY_FLOAT, 16},
                {TY_FLOAT, 32},
                {TY_FLOAT, 64},
                {TY_COMPLEX, 64},
                {TY_COMPLEX, 128},
                {TY_STR, 0},
                {TY_BYTES, 0},
                {TY_RANGE, 0},
                {TY_EXC, EXC_ITSELF},
                {TY_EXC, EXC_ITS_CLASS},
                {TY_EXC, EXC_ITS_ARGS},
                {TY_PTR, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int is_signed = 0; is_signed <= (rows[i].kind == TY_INT); is_signed++) {
            Type probe = {.kind = (uint8_t)rows[i].kind,
                          .bits = (uint8_t)rows[i].bits,
                          .is_signed = is_signed};
            Type *t = ty_intern(&probe, NULL);
            if (!t) return -1;
            *basic_slot(rows[i].kind, rows[i].bits, is_signed) = t;
        }
    return 0;
}

Type *ty_tuple(Type *const *items, uint32_t n) {
    Type probe = {.kind = TY_TUPLE, .items = (Type **)(uintptr_t)items, .nitems = n};
    return ty_intern(&probe, NULL);
}

Type *ty_optional(Type *of) {
    if (of->kind == TY_NONE || of->kind == TY_OPTIONAL) return of;
    Type probe = {.kind = TY_OPTIONAL, .of = of};
    return ty_intern(&probe, NULL);
}

Type *ty_array(Type *elem, unsigned ndim, char layout, bool readonly, bool aligned) {
    if (elem->size == 0 || ndim > 64) return ty_fail(false);
    if (ndim == 0 || (ndim == 1 && layout == 'F')) layout = 'C';
    Type probe = {.kind = TY_ARRAY,
                  .elem = elem,
                  .ndim = (uint8_t)ndim,
                  .layout = layout,
                  .readonly = readonly,
                  .aligned = aligned};
    return ty_intern(&probe, NULL);
}

Type *ty_dtype(Type *of) {
    Type probe = {.kind = TY_DTYPE, .of = of};
    return ty_intern(&probe, NULL);
}

Type *ty_slice(Type *start, Type *stop, Type *step) {
    Type *items[3] = {start, stop, step};
    Type probe = {.kind = TY_SLICE, .items = items, .nitems = 3};
    return ty_intern(&probe, NULL);
}

Type *ty_closure(const void *code, const char *name, Type *const *items, uint32_t n) {
    Type probe = {
        .kind = TY_CLOSURE, .code = code, .items = (Type **)(uintptr_t)items, .nitems = n};
    return ty_intern(&probe, name);
}

Type *ty_iter(IterHow how, Type *of, Type *const *items, uint32_t n) {
    Type probe = {.kind = TY_ITER,
                  .how = (uint8_t)how,
                  .of = of,
                  .items = (Type **)(uintptr_t)items,
                  .nitems = n};
    return ty_intern(&probe, NULL);
}

Type *ty_choice(Type *const *items, uint32_t n) {
    Type probe = {.kind = TY_FUNC, .items = (Type **)(uintptr_t)items, .nitems = n};
    return ty_intern(&probe, NULL);
}

Type *ty_cell(Type *of) {
    Type probe = {.kind = TY_CELL, .of = of};
    return ty_intern(&probe, NULL);
}

static const TypesApi api = {.ran_out = ty_ran_out,
#define TYFN(result, name, params, args) name,
                             TYPES_API(TYFN)
#undef TYFN
};
const TypesApi *ty_api = &api;
