/* Puts the bodies of called functions in place of the calls: small ones, those with one call site,
 * and those that ask for it; then drops functions that nobody calls.
 *
 * relies on: nothing    keeps: nothing    breaks: the graph of every function that calls
 *
 * Callees come before callers (strongly connected components in the order Tarjan finds them), so
 * that a body is copied in its final form and only once a level. Calls within a component, that is,
 * recursion, stay. A small function that has swallowed others is no longer small, which keeps
 * growth linear; LLVM's inliner is left for runtime helpers, because the passes that follow ours
 * (range, version, strip) must see through calls. Every copied instruction keeps its span and gets
 * an origin: tracebacks still show the inlined frame. */
#include "base/map.h"
#include "base/remark.h"
#include "ir/remark.h"
#include "ir/rt.h"
#include "opt/opt_int.h"

enum {
    SMALL = 40, /* weight of a body that is copied to every call */
    LARGE = 4000, /* one that is not even moved to its only call */
    BUDGET = 100000 /* instructions of the module after which only moving goes on */
};

typedef struct Node {
    Fn *fn;
    uint32_t index, low; /* Tarjan's; index 0: not visited */
    uint32_t component;
    uint32_t weight;
    uint32_t ncalls; /* call sites in the module */
    bool on_stack, is_recursive;
    uint32_t *callees; /* node numbers, one per call site */
    uint32_t ncallees;
} Node;

typedef struct Inline {
    Cx *cx;
    Module *m;
    Node *nodes;
    uint32_t n, next_index, ncomponents, total;
    Map number; /* Fn * -> node number + 1 */
    VEC(uint32_t) stack, order;
} Inline;

/* --- the call graph --------------------------------------------------------------------------- */

/* Instructions that become machine code, roughly. */
static uint32_t weigh(const Fn *fn) {
    uint32_t n = 0;
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        const Refs *ins = &fn->blocks.at[b].ins;
        n += !fn->blocks.at[b].dead;
        for (uint32_t i = 0; i < ins->n; i++) {
            unsigned op = ir_at(fn, ins->at[i])->op;
            n += op != OP_CONST && op != OP_ARG && op != OP_FIELD && op != OP_MAKE && op != OP_NOP;
        }
    }
    return n;
}

static void find_callees(Inline *in, Node *node) {
    VEC(uint32_t) found = {0};
    const Fn *fn = node->fn;
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        const Refs *ins = &fn->blocks.at[b].ins;
        for (uint32_t i = 0; i < ins->n; i++) {
            const Ins *call = ir_at(fn, ins->at[i]);
            if (call->op != OP_CALL_FN && call->op != OP_REGION) continue;
            uint32_t k = (uint32_t)map_get(&in->number, map_key(call->callee), 0);
            if (!k) continue;
            vec_push(in->cx, &found, k - 1);
        }
    }
    node->callees = found.at;
    node->ncallees = found.n;
}

static void pop_component(Inline *in, uint32_t v) {
    uint32_t w, size = 0;
    do {
        w = in->stack.at[--in->stack.n];
        in->nodes[w].on_stack = false;
        in->nodes[w].component = in->ncomponents;
        vec_push(in->cx, &in->order, w);
        size++;
    } while (w != v);
    for (uint32_t i = in->order.n - size; i < in->order.n; i++) {
        Node *node = &in->nodes[in->order.at[i]];
        node->is_recursive = size > 1;
        for (uint32_t k = 0; k < node->ncallees; k++)
            node->is_recursive |= node->callees[k] == in->order.at[i];
    }
    in->ncomponents++;
}

/* Tarjan, 1972, with a stack of our own: call chains may be long. */
static void find_components(Inline *in, uint32_t root) {
    struct Visit {
        uint32_t node, next;
    } *work = NEWN(in->cx, struct Visit, in->n);
    uint32_t depth = 0;
    work[depth++] = (struct Visit){root, 0};
    while (depth) {
        struct Visit *v = &work[depth - 1];
        Node *node = &in->nodes[v->node];
        if (v->next == 0) {
            node->index = node->low = ++in->next_index;
            node->on_stack = true;
            vec_push(in->cx, &in->stack, v->node);
        }
        if (v->next < node->ncallees) {
            uint32_t w = node->callees[v->next++];
            if (!in->nodes[w].index)
                work[depth++] = (struct Visit){w, 0};
            else if (in->nodes[w].on_stack && in->nodes[w].index < node->low)
                node->low = in->nodes[w].index;
            continue;
        }
        if (node->low == node->index) pop_component(in, v->node);
        if (--depth) {
            Node *caller = &in->nodes[work[depth - 1].node];
            if (node->low < caller->low) caller->low = node->low;
        }
    }
}

/* --- one call --------------------------------------------------------------------------------- */

/* Numbers in *fn of the callee's origins: origin k of the callee becomes the result + k. */
static uint32_t add_origins(Cx *cx, Fn *fn, const Fn *callee, const Ins *call) {
    if (!fn->origins.n) vec_push(cx, &fn->origins, (Origin){0});
    uint32_t base = fn->origins.n;
    vec_push(cx, &fn->origins,
             ((Origin){callee->name, callee->qualname, call->span, call->origin}));
    for (uint32_t k = 1; k < callee->origins.n; k++) {
        Origin o = callee->origins.at[k];
        o.outer += base;
        vec_push(cx, &fn->origins, o);
    }
    return base;
}

/* A raise that left the callee, but not the caller, where a handler waits: as a call, which still knows that the
 * exception passes the caller's line. */
static void raise_to_handler(Cx *cx, Fn *fn, BlockId b) {
    const Term t = fn->blocks.at[b].term;
    Ref r = ir_add(cx, fn, b, OP_CALL_RT, ty_basic(TY_NONE, 0, false), t.span, 1, &t.arg);
    ir_at(fn, r)->rt = rt_find("ws_exc_raise");
    ir_at(fn, r)->origin = t.origin;
    fn->blocks.at[b].term =
        (Term){.kind = TERM_UNREACHABLE, .succ = {{.to = NO_BLOCK}, {.to = NO_BLOCK}}};
}

/* The callee's body between block b and its continuation: returns jump there, exceptions go where
 * b's go. */
static void join_body(Cx *cx, Fn *fn, uint32_t first_block, BlockId b, BlockId cont) {
    for (BlockId k = first_block; k < fn->blocks.n; k++) {
        Block *blk = &fn->blocks.at[k];
        Edge h = fn->blocks.at[b].handler;
        if (!opt_has_handler(blk) && h.to != NO_BLOCK) {
            blk->handler = ir_edge(cx, h.to, h.n, h.args);
            if (blk->term.kind == TERM_RAISE && blk->term.arg) raise_to_handler(cx, fn, k);
        }
        if (blk->term.kind == TERM_RETURN)
            ir_jump(cx, fn, k, cont, fn->blocks.at[cont].params.n, &blk->term.arg);
    }
}

static void report(Cx *cx, const Fn *fn, const Ins *call) {
    if (!remark_wanted(cx) || cx->files[call->callee->file].is_ours) return;
    Place p = ir_place(cx, fn, call->span, call->origin);
    if (p.span.line) remark_add(cx, REMARK_INLINED, p.span, call->callee->qualname)->via = p.via;
}

/* Inlines the call at position `at` of block b. */
static void inline_call(Cx *cx, Fn *fn, BlockId b, uint32_t at, Subst *sub) {
    Ref r = fn->blocks.at[b].ins.at[at];
    const Ins call = *ir_at(fn, r);
    const Fn *callee = call.callee;
    report(cx, fn, &call);
    BlockId cont = ir_split(cx, fn, b, at + 1);
    if (call.ty->kind != TY_NONE) subst_set(cx, sub, r, ir_add_param(cx, fn, cont, call.ty));
    Map refs = {0}, ids = {0};
    VEC(BlockId) blocks = {0};
    for (BlockId k = 0; k < callee->blocks.n; k++)
        if (!callee->blocks.at[k].dead) vec_push(cx, &blocks, k);
    const Refs *head = &callee->blocks.at[0].ins;
    for (uint32_t i = 0; i < head->n; i++) {
        const Ins *arg = ir_at(callee, head->at[i]);
        if (arg->op == OP_ARG) map_set(cx, &refs, head->at[i], call.args[arg->imm]);
    }
    uint32_t first_ins = fn->ins.n, first_block = fn->blocks.n,
             base = add_origins(cx, fn, callee, &call);
    ir_clone(cx, fn, callee, blocks.at, blocks.n, &refs, &ids);
    for (uint32_t k = 0; k < blocks.n; k++)
        fn->blocks.at[map_get(&ids, blocks.at[k], 0)].parallel =
            callee->blocks.at[blocks.at[k]].parallel;
    for (Ref k = first_ins; k < fn->ins.n; k++) fn->ins.at[k].origin += base;
    for (BlockId k = first_block; k < fn->blocks.n; k++) fn->blocks.at[k].term.origin += base;
    join_body(cx, fn, first_block, b, cont);
    ir_kill(fn, r);
    fn->blocks.at[b].ins.n = at; /* the call was the last one */
    ir_jump(cx, fn, b, (BlockId)map_get(&ids, 0, 0), 0, NULL);
}

static bool wants_inline(const Inline *in, const Node *caller, const Node *node) {
    const Fn *fn = node->fn;
    if (node->component == caller->component || fn->is_kernel || fn->is_slow) return false;
    if (node->is_recursive) return false;
    if (fn->options.inline_always) return in->total < BUDGET || node->ncalls == 1;
    if (fn->options.debug) return false;
    if (node->ncalls == 1 && !fn->is_entry) return node->weight <= LARGE;
    return node->weight <= SMALL && in->total < BUDGET;
}

static bool inline_into(Inline *in, Node *caller) {
    Fn *fn = caller->fn;
    Subst sub = {0};
    bool any = false;
    for (BlockId b = 0, n = fn->blocks.n; b < n; b++) {
        for (uint32_t i = fn->blocks.at[b].ins.n;
             i-- > 0;) { /* from the end: each cut moves little */
            const Ins *call = ir_at(fn, fn->blocks.at[b].ins.at[i]);
            if (call->op != OP_CALL_FN) continue;
            uint32_t k = (uint32_t)map_get(&in->number, map_key(call->callee), 0);
            if (!k || !wants_inline(in, caller, &in->nodes[k - 1])) continue;
            const Node *node = &in->nodes[k - 1];
            in->total += node->weight;
            for (uint32_t c = 0; c < node->ncallees && node->ncalls > 1; c++)
                in->nodes[node->callees[c]].ncalls++;
            inline_call(in->cx, fn, b, i, &sub);
            any = true;
        }
    }
    if (!any) return false;
    subst_apply(fn, &sub);
    opt_simplify(in->cx, fn);
    caller->weight = weigh(fn);
    find_callees(in, caller);
    return true;
}

/* Keeps the functions that can be reached from those called from outside. */
static void drop_uncalled(Inline *in) {
    bool *seen = NEWN(in->cx, bool, in->n);
    uint32_t *work = NEWN(in->cx, uint32_t, in->n), top = 0, n = 0;
    for (uint32_t i = 0; i < in->n; i++)
        if (i == 0 || in->nodes[i].fn->is_entry || in->nodes[i].fn->is_kernel)
            seen[work[top++] = i] = true;
    while (top) {
        Node *node = &in->nodes[work[--top]];
        find_callees(in, node);
        for (uint32_t k = 0; k < node->ncallees; k++)
            if (!seen[node->callees[k]]) seen[work[top++] = node->callees[k]] = true;
    }
    for (uint32_t i = 0; i < in->n; i++)
        if (seen[i]) in->m->fns.at[n++] = in->nodes[i].fn;
    in->m->fns.n = n;
}

bool opt_inline(Cx *cx, Module *m) {
    Inline in = {.cx = cx, .m = m, .n = m->fns.n, .nodes = NEWN(cx, Node, m->fns.n)};
    bool any = false;
    if (in.n < 2) return false;
    for (uint32_t i = 0; i < in.n; i++) {
        in.nodes[i].fn = m->fns.at[i];
        in.total += in.nodes[i].weight = weigh(m->fns.at[i]);
        map_set(cx, &in.number, map_key(m->fns.at[i]), i + 1);
    }
    for (uint32_t i = 0; i < in.n; i++) {
        find_callees(&in, &in.nodes[i]);
        for (uint32_t k = 0; k < in.nodes[i].ncallees; k++)
            in.nodes[in.nodes[i].callees[k]].ncalls++;
    }
    for (uint32_t i = 0; i < in.n; i++)
        if (!in.nodes[i].index) find_components(&in, i);
    for (uint32_t i = 0; i < in.order.n; i++) {
        Node *node = &in.nodes[in.order.at[i]];
        if (node->ncallees) any |= inline_into(&in, node);
    }
    drop_uncalled(&in);
    return any;
}
