/* Liveness by walking backwards from each use to the definition, one value after the other. */
#include "ir/live.h"

typedef struct Use {
    Ref r;
    BlockId b;
} Use;

typedef struct UseList {
    Cx *cx;
    VEC(Use) all;
    BlockId b;
} UseList;

static void note_use(void *arg, Ref *use) {
    UseList *list = arg;
    vec_push(list->cx, &list->all, ((Use){*use, list->b}));
}

/* All uses of wanted values in reachable blocks, grouped by value. first[r] .. first[r + 1] index
 * the result. */
static Use *sort_uses(Cx *cx, const Fn *fn, const UseList *list, bool (*wanted)(const Fn *, Ref),
                      uint32_t *first) {
    for (uint32_t i = 0; i < list->all.n; i++) {
        Ref r = list->all.at[i].r;
        if (!wanted || wanted(fn, r)) first[r + 1]++;
    }
    for (Ref r = 0; r < fn->ins.n; r++) first[r + 1] += first[r];
    Use *sorted = NEWN(cx, Use, first[fn->ins.n]);
    uint32_t *at = NEWN(cx, uint32_t, fn->ins.n);
    for (uint32_t i = 0; i < list->all.n; i++) {
        Use u = list->all.at[i];
        if (first[u.r] < first[u.r + 1]) sorted[first[u.r] + at[u.r]++] = u;
    }
    return sorted;
}

typedef struct Walk {
    Cx *cx;
    const Fn *fn;
    const Cfg *cfg;
    Live *live;
    Ref *in_mark, *out_mark; /* per block: the value last put into the set */
    VEC(BlockId) work;
} Walk;

static void add_live_in(Walk *w, BlockId b, Ref r) {
    if (w->in_mark[b] == r) return;
    w->in_mark[b] = r;
    vec_push(w->cx, &w->live->in[b], r);
    vec_push(w->cx, &w->work, b);
}

static void spread(Walk *w, Ref r) {
    BlockId def = ir_at(w->fn, r)->block;
    while (w->work.n) {
        BlockId b = w->work.at[--w->work.n];
        for (uint32_t k = 0; k < w->cfg->npreds[b]; k++) {
            BlockId p = w->cfg->preds[b][k];
            if (w->fn->blocks.at[p].handler.to != b && w->out_mark[p] != r) {
                w->out_mark[p] = r;
                vec_push(w->cx, &w->live->out[p], r);
            }
            if (p != def) add_live_in(w, p, r);
        }
    }
}

Live *ir_live(Cx *cx, const Fn *fn, const Cfg *cfg, bool (*wanted)(const Fn *fn, Ref r)) {
    Live *live = NEW(cx, Live);
    live->n = fn->blocks.n;
    live->in = NEWN(cx, Refs, live->n);
    live->out = NEWN(cx, Refs, live->n);
    UseList list = {.cx = cx};
    for (uint32_t i = 0; i < cfg->nrpo; i++) {
        list.b = cfg->rpo[i];
        ir_visit_uses((Fn *)(uintptr_t)fn, list.b, note_use, &list);
    }
    uint32_t *first = NEWN(cx, uint32_t, fn->ins.n + 1);
    Use *uses = sort_uses(cx, fn, &list, wanted, first);
    Walk w = {cx, fn, cfg, live, NEWN(cx, Ref, live->n), NEWN(cx, Ref, live->n), {0}};
    for (Ref r = 1; r < fn->ins.n; r++) {
        for (uint32_t i = first[r]; i < first[r + 1]; i++) {
            /* What a block uses of its own it has computed before, or it is a parameter. */
            if (ir_at(fn, r)->block != uses[i].b) add_live_in(&w, uses[i].b, r);
        }
        spread(&w, r);
    }
    return live;
}

bool live_has(const Refs *set, Ref r) {
    uint32_t lo = 0, hi = set->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (set->at[mid] < r)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < set->n && set->at[lo] == r;
}
