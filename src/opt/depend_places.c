/* Elements of arrays that iterations only add to (h[0] += x): sums and the like in memory.
 *
 * An iteration loads the element, combines it with something and stores it, and nothing comes in between that touches
 * the array. Minima are not among them: nothing is neutral for all of them. */
#include "opt/depend_int.h"

static bool has_neutral(Family f) { return f != NOT_ONE && f != EXTREME && f != FOLLOWS; }

static const Access *find_access(const Ask *a, Ref ins) {
    for (uint32_t k = 0; k < a->accesses.n; k++)
        if (a->accesses.at[k].ins == ins) return &a->accesses.at[k];
    return NULL;
}

/* In one block, the load first, and nothing of the array's root in between? */
static bool are_together(const Ask *a, Ref load, Ref store) {
    const Refs *ins = &a->fn->blocks.at[depend_at(a, store)->block].ins;
    Ref root = find_access(a, store)->root;
    uint32_t n = 0;
    while (n < ins->n && ins->at[n] != load) n++;
    for (n++; n < ins->n && ins->at[n] != store; n++) {
        const Access *between = find_access(a, ins->at[n]);
        if (between && (between->root == root || !between->root)) return false;
    }
    return n < ins->n;
}

/* The load whose value a store puts back, combined; 0: there is none. */
static Ref find_load(Ask *a, const Access *store) {
    Ref v = depend_at(a, store->ins)->args[1];
    const Ins *step = depend_at(a, v);
    bool ordered = step->op == OP_SUB || step->op == OP_FDIV;
    if (!has_neutral(depend_family_of(step)) || step->nargs != 2 || a->uses[v] != 1 ||
        !depend_is_inside(a, v))
        return 0;
    for (int side = 0; side < 2 - ordered; side++) {
        Ref load = step->args[side];
        const Access *from = find_access(a, load);
        if (!from || depend_at(a, load)->op != OP_LOAD || a->uses[load] != 1 || !from->elem)
            continue;
        if (from->root == store->root && depend_is_same_place(a, from->elem, store->elem) &&
            are_together(a, load, store->ins))
            return load;
    }
    return 0;
}

/* The number + 1 of the place with this address and family, made if need be. */
static uint32_t place_of(Ask *a, Ref elem, Ref step) {
    Family family = depend_family_of(depend_at(a, step));
    for (uint32_t k = 0; k < a->out.places.n; k++) {
        const PlaceSum *p = &a->out.places.at[k];
        if (p->family == family && depend_is_same_place(a, p->elems.at[0], elem)) return k + 1;
    }
    PlaceSum p = {.family = family, .step = step};
    vec_push(a->cx, &a->out.places, p);
    return a->out.places.n;
}

static void mark(Ask *a, Ref ins, uint32_t place) {
    for (uint32_t k = 0; k < a->accesses.n; k++) {
        Access *x = &a->accesses.at[k];
        if (x->ins != ins) continue;
        x->place = place;
        vec_push(a->cx, &a->out.places.at[place - 1].elems, x->elem);
    }
}

void depend_find_places(Ask *a) {
    for (uint32_t k = 0; k < a->accesses.n; k++) {
        const Access w = a->accesses.at[k];
        Ref step = depend_at(a, w.ins)->args[w.is_store && !w.is_atomic ? 1 : 0];
        if (!w.is_store || w.is_atomic || !w.elem || !w.root ||
            !depend_is_same_place(a, w.elem, w.elem))
            continue;
        Ref load = find_load(a, &w);
        if (!load) continue;
        uint32_t before = a->out.places.n, place = place_of(a, w.elem, step);
        if (place > before)
            depend_note_sum(a, depend_source(a, w.ins), a->out.places.at[before].family,
                            depend_at(a, step)->ty);
        mark(a, load, place);
        mark(a, w.ins, place);
    }
}
