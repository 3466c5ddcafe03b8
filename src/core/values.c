#include "core/values.h"

#include "core/ctx.h"
#include "core/memory.h"

typedef void (*OwnerVisitor)(WsOwner *owner);

static void visit(const Type *t, const uint64_t *slots, OwnerVisitor each, void (*exc)(ExcObj *)) {
    if (!t->owning) return;
    switch ((TyKind)t->kind) {
    case TY_STR:
    case TY_BYTES: each((WsOwner *)(uintptr_t)slots[3]); break;
    case TY_ARRAY: each((WsOwner *)(uintptr_t)slots[1]); break;
    case TY_CELL: each((WsOwner *)(uintptr_t)slots[0]); break;
    case TY_EXC: exc((ExcObj *)(uintptr_t)slots[0]); break;
    case TY_OPTIONAL:
        if (slots[0] & 1) visit(t->of, slots + 1, each, exc);
        break;
    case TY_TUPLE:
    case TY_CLOSURE:
    case TY_ITER:
        if (t->of) {
            visit(t->of, slots, each, exc);
            slots += t->of->nparts;
        }
        for (uint32_t i = 0; i < t->nitems; slots += t->items[i++]->nparts)
            visit(t->items[i], slots, each, exc);
        break;
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
    case TY_KINDS: break;
    }
}

void val_retain(const Type *t, const uint64_t *slots) {
    visit(t, slots, mem_retain_owner, exc_retain);
}
void val_release(const Type *t, const uint64_t *slots) {
    visit(t, slots, mem_release_owner, exc_release);
}
