/* Cuts a copy of a loop nest out into a function: the slow version, with every check in its place.
 *
 *     preheader: branch ok, header, slow                header ... nest ... exit edge k
 *     slow: call.fn f.slow; which exit was it?                        |
 *                    \                                                v
 *                     `----------------------------> join k (values needed behind) -> old target
 *
 * Every edge out of the nest gets a join block of its own, whose parameters are what the edge
 * passed on and the values of the nest that are used behind it. The slow function takes what the
 * nest reads from outside and returns the number of the exit with all parameters of all joins. Uses
 * behind the nest are then looked up backwards from where they stand (as in building SSA), with
 * parameters where joins meet; simplify removes the needless ones. */
#include "opt/outline.h"
#include "base/diag.h"
#include "opt/cut.h"

typedef struct Exit {
    In edge;
    BlockId join;
    uint32_t first; /* of its values among all exits' */
    uint32_t n;     /* parameters of the join */
} Exit;

typedef struct Outline {
    Cx *cx;
    Fn *fn;
    const Affine *af;
    const Loop *nest;
    Piece piece; /* the nest */
    VEC(Exit) exits;
    Refs outs;        /* values of the nest that are used behind it */
    const OutUses *uses;
    Map *read;        /* per value of outs: block -> value there */
} Outline;

/* --- exits ------------------------------------------------------------------------------------ */

/* Uses of values outside the loops they are computed in, found once for all loops. */
typedef struct OutUse {
    Ref value;
    BlockId block; /* where it is used */
    uint32_t next; /* in the loop's list, + 1 */
} OutUse;

struct OutUses {
    VEC(OutUse) at;
    Map first; /* Loop * -> first of its list, + 1 */
};

typedef struct Finder {
    Cx *cx;
    const Affine *af;
    OutUses *found;
    BlockId b;
} Finder;

static void note_out(void *arg, Ref *use) {
    Finder *f = arg;
    const Loop *l = f->af->loops->of[ir_at(f->af->fn, *use)->block];
    for (; l && !affine_is_in(f->af, l, f->b); l = l->parent) {
        uint32_t next = (uint32_t)map_get(&f->found->first, map_key(l), 0);
        vec_push(f->cx, &f->found->at, ((OutUse){*use, f->b, next}));
        map_set(f->cx, &f->found->first, map_key(l), f->found->at.n);
    }
}

OutUses *outline_find_uses(Cx *cx, const Affine *af) {
    Finder f = {.cx = cx, .af = af, .found = NEW(cx, OutUses)};
    for (uint32_t k = 0; k < af->cfg->nrpo; k++) {
        f.b = af->cfg->rpo[k];
        ir_visit_uses(af->fn, f.b, note_out, &f);
    }
    return f.found;
}

static uint32_t first_use(const OutUses *uses, const Loop *nest) {
    return (uint32_t)map_get(&uses->first, map_key(nest), 0);
}

/* --- what is allowed -------------------------------------------------------------------------- */

/* Does a use of what the nest computes come after the handler, other than through the nest again?
 * There would be no exit to look the value up at. */
static bool is_used_behind(const Affine *af, const OutUses *uses, const Loop *nest,
                           BlockId handler) {
    bool *seen = NEWN(af->cx, bool, af->cfg->n);
    BlockId *stack = NEWN(af->cx, BlockId, af->cfg->n);
    uint32_t top = 0;
    seen[nest->header] = seen[handler] = true;
    stack[top++] = handler;
    while (top) {
        BlockId next[3];
        uint32_t n = ir_successors(af->fn, stack[--top], next);
        for (uint32_t i = 0; i < n; i++) {
            if (next[i] >= af->cfg->n || seen[next[i]]) continue;
            seen[next[i]] = true;
            stack[top++] = next[i];
        }
    }
    for (uint32_t i = first_use(uses, nest); i; i = uses->at.at[i - 1].next)
        if (seen[uses->at.at[i - 1].block]) return true;
    return false;
}

/* Has it instructions of which there can not be two, or not in another function? */
static bool has_fixed_ins(const Fn *fn, const Loop *nest) {
    for (uint32_t k = 0; k < nest->nblocks; k++) {
        const Refs *ins = &fn->blocks.at[nest->blocks[k]].ins;
        for (uint32_t i = 0; i < ins->n; i++) {
            const Ins *in = ir_at(fn, ins->at[i]);
            if ((op_info[in->op].effects & CONV) || in->op == OP_YIELD || in->op == OP_STACK ||
                in->op == OP_SHARED)
                return true;
        }
    }
    return false;
}

typedef struct Kinds {
    bool owning, pointer;
} Kinds;

static void add_kind(Kinds *k, const Fn *fn, Ref v) {
    const Type *t = ir_at(fn, v)->ty;
    k->owning |= t->owning;
    k->pointer |= t->kind == TY_PTR;
}

/* Would the slow function give pointers beside what it owns? In one result both would be counted. */
static bool mixes_pointers(const Affine *af, const OutUses *uses, const Loop *nest) {
    Kinds kinds = {false, false};
    for (uint32_t i = first_use(uses, nest); i; i = uses->at.at[i - 1].next)
        add_kind(&kinds, af->fn, uses->at.at[i - 1].value);
    for (uint32_t k = 0; k < nest->nblocks; k++) {
        const Term *t = &af->fn->blocks.at[nest->blocks[k]].term;
        for (uint32_t s = 0; s < opt_nsucc(t); s++)
            for (uint32_t i = 0; !affine_is_in(af, nest, t->succ[s].to) && i < t->succ[s].n; i++)
                add_kind(&kinds, af->fn, t->succ[s].args[i]);
    }
    return kinds.owning && kinds.pointer;
}

bool outline_is_possible(const Affine *af, const OutUses *uses, const Loop *nest) {
    const Edge *handler;
    if (has_fixed_ins(af->fn, nest) || mixes_pointers(af, uses, nest)) return false;
    Piece piece = cut_piece(af->cx, af->fn, nest->blocks, nest->nblocks);
    if (!cut_find_handler(&piece, &handler)) return false;
    return !handler || !is_used_behind(af, uses, nest, handler->to);
}

/* --- joins ------------------------------------------------------------------------------------ */

static void find_exits(Outline *o) {
    for (uint32_t k = 0; k < o->nest->nblocks; k++) {
        BlockId b = o->nest->blocks[k];
        const Term *t = &o->fn->blocks.at[b].term;
        for (uint32_t s = 0; s < opt_nsucc(t); s++)
            if (!cut_has(&o->piece, t->succ[s].to))
                vec_push(o->cx, &o->exits, ((Exit){.edge = {b, s}}));
    }
    Map seen = {0};
    for (uint32_t i = first_use(o->uses, o->nest); i; i = o->uses->at.at[i - 1].next)
        if (map_set(o->cx, &seen, o->uses->at.at[i - 1].value, 1))
            vec_push(o->cx, &o->outs, o->uses->at.at[i - 1].value);
}

/* Is value v computed whenever block b has run to its end? */
static bool is_there(const Outline *o, Ref v, BlockId b) {
    const Ins *i = ir_at(o->fn, v);
    if (i->op == OP_PARAM) return cfg_dominates(o->af->cfg, i->block, b);
    return i->block == b || cfg_end_dominates(o->af->cfg, i->block, b);
}

/* join k: parameters for the edge's own arguments, then for the values needed behind. */
static void make_join(Outline *o, uint32_t k) {
    Fn *fn = o->fn;
    Exit *x = &o->exits.at[k];
    Edge old = *opt_edge(fn, x->edge);
    BlockId join = ir_new_block(o->cx, fn, "join");
    Refs args = {0};
    for (uint32_t i = 0; i < old.n; i++) {
        ir_add_param(o->cx, fn, join, ir_at(fn, old.args[i])->ty);
        vec_push(o->cx, &args, old.args[i]);
    }
    ir_jump(o->cx, fn, join, old.to, old.n, fn->blocks.at[join].params.at);
    for (uint32_t i = 0; i < o->outs.n; i++) {
        Ref v = o->outs.at[i];
        if (!is_there(o, v, x->edge.from)) continue;
        map_set(o->cx, &o->read[i], join, ir_add_param(o->cx, fn, join, ir_at(fn, v)->ty));
        vec_push(o->cx, &args, v);
    }
    x->join = join;
    x->n = args.n;
    *opt_edge(fn, x->edge) = ir_edge(o->cx, join, args.n, args.at);
}

/* The edge into block b as it is now: exits of nests go through a join that was put in. */
static In current_edge(const Outline *o, In in, BlockId b) {
    BlockId to = opt_edge(o->fn, in)->to;
    return to == b ? in : (In){to, 0};
}

static void append_arg(Outline *o, In in, Ref a) {
    Edge *edge = opt_edge(o->fn, in);
    Ref *args = NEWN(o->cx, Ref, edge->n + 1);
    if (edge->n) memcpy(args, edge->args, edge->n * sizeof(Ref));
    args[edge->n++] = a;
    edge->args = args;
}

/* The block before the outermost loop that b is in and the nest is not: nothing changes a value of
 * the nest in there, and no loop that may be cut out later gets parameters that nobody knows of. */
static BlockId before_loops(const Outline *o, BlockId b) {
    BlockId out = b;
    const Loop *l = b < o->af->cfg->n ? o->af->loops->of[b] : NULL;
    for (; l && !affine_is_in(o->af, l, o->nest->header); l = l->parent)
        if (l->preheader != NO_BLOCK) out = l->preheader;
    return out;
}

/* The value number i of outs at the end of block b, which lies behind the nest. */
static Ref read_value(Outline *o, uint32_t i, BlockId b) {
    b = before_loops(o, b);
    Ref v = (Ref)map_get(&o->read[i], b, 0);
    if (v) return v;
    uint32_t first = o->af->in.start[b], end = o->af->in.start[b + 1];
    if (first == end) INTERNAL(o->cx, o->fn->span, "a value is used where it can not be");
    if (end - first == 1) {
        v = read_value(o, i, current_edge(o, o->af->in.at[first], b).from);
        map_set(o->cx, &o->read[i], b, v);
        return v;
    }
    v = ir_add_param(o->cx, o->fn, b, ir_at(o->fn, o->outs.at[i])->ty);
    map_set(o->cx, &o->read[i], b, v);
    for (uint32_t e = first; e < end; e++) {
        In in = current_edge(o, o->af->in.at[e], b);
        Ref a = read_value(o, i, in.from);
        append_arg(o, in, a);
    }
    return v;
}

typedef struct Repair {
    Outline *o;
    const Map *number; /* value -> number in outs + 1 */
    BlockId b;
    /* First every value is looked up, which adds arguments to edges; then uses are changed. */
    bool write;
} Repair;

static void repair_use(void *arg, Ref *use) {
    Repair *r = arg;
    uint64_t i = map_get(r->number, *use, 0);
    if (!i) return;
    Ref v = read_value(r->o, (uint32_t)i - 1, r->b);
    if (r->write) *use = v;
}

static void repair_uses(Outline *o) {
    Map number = {0};
    for (uint32_t i = 0; i < o->outs.n; i++) map_set(o->cx, &number, o->outs.at[i], i + 1);
    for (int write = 0; write < 2; write++)
        for (uint32_t i = first_use(o->uses, o->nest); i; i = o->uses->at.at[i - 1].next) {
            Repair r = {o, &number, o->uses->at.at[i - 1].block, write};
            ir_visit_uses(o->fn, r.b, repair_use, &r);
        }
}

/* --- the slow function ------------------------------------------------------------------------ */

/* What the slow function returns: nothing, one value, or the exit's number and the values of all
 * exits. */
static Type *result_type(Outline *o) {
    VEC(Type *) items = {0};
    vec_push(o->cx, &items, TY_I(64));
    for (uint32_t k = 0; k < o->exits.n; k++) {
        Exit *x = &o->exits.at[k];
        x->first = items.n;
        const Refs *p = &o->fn->blocks.at[x->join].params;
        for (uint32_t i = 0; i < p->n; i++) vec_push(o->cx, &items, ir_at(o->fn, p->at[i])->ty);
    }
    if (o->exits.n == 1 && items.n == 1) return TY_OF(TY_NONE);
    if (o->exits.n == 1 && items.n == 2) return items.at[1];
    return ty_tuple(items.at, items.n);
}

/* In the slow function: exit k, with the parameters of its join, returns. */
static BlockId make_return(Outline *o, Fn *slow, uint32_t k) {
    BlockId b = ir_new_block(o->cx, slow, "exit");
    const Exit *x = &o->exits.at[k];
    Refs values = {0};
    for (uint32_t i = 0; i < x->n; i++)
        vec_push(
            o->cx, &values,
            ir_add_param(o->cx, slow, b, ir_at(o->fn, o->fn->blocks.at[x->join].params.at[i])->ty));
    if (slow->ret->kind == TY_NONE || (o->exits.n == 1 && x->n == 1)) {
        ir_return(slow, b, x->n ? values.at[0] : 0, (Span){0});
        return b;
    }
    Refs items = {0};
    vec_push(o->cx, &items, ir_const(o->cx, slow, b, ir_const_int(o->cx, TY_I(64), k), (Span){0}));
    for (uint32_t i = 1; i < slow->ret->nitems; i++) {
        bool mine = i >= x->first && i < x->first + x->n;
        vec_push(o->cx, &items,
                 mine ? values.at[i - x->first]
                      : ir_add(o->cx, slow, b, OP_UNSET, slow->ret->items[i], (Span){0}, 0, NULL));
    }
    ir_return(slow, b, ir_add(o->cx, slow, b, OP_MAKE, slow->ret, (Span){0}, items.n, items.at),
              (Span){0});
    return b;
}

static Fn *make_slow(Outline *o, const Edge *enter, Refs *given) {
    Cut c = cut_begin(o->cx, &o->piece, "slow", result_type(o));
    c.to->is_slow = true;
    cut_add_inputs(&c, enter);
    for (uint32_t k = 0; k < o->exits.n; k++)
        map_set(o->cx, &c.ids, o->exits.at[k].join, make_return(o, c.to, k));
    BlockId header = cut_finish(&c);
    Refs args = {0};
    for (uint32_t i = 0; i < enter->n; i++) vec_push(o->cx, &args, cut_input(&c, enter->args[i]));
    ir_jump(o->cx, c.to, 0, header, args.n, args.at);
    *given = c.given;
    return c.to;
}

/* --- the call --------------------------------------------------------------------------------- */

static Edge exit_edge(Outline *o, BlockId b, const Exit *x, Ref result) {
    Refs args = {0};
    Type *ret = ir_at(o->fn, result)->ty;
    for (uint32_t i = 0; i < x->n; i++) {
        Ref v = result;
        if (!(o->exits.n == 1 && x->n == 1)) {
            v = ir_add(o->cx, o->fn, b, OP_FIELD, ret->items[x->first + i], (Span){0}, 1, &result);
            ir_at(o->fn, v)->imm = x->first + i;
        }
        vec_push(o->cx, &args, v);
    }
    return ir_edge(o->cx, x->join, args.n, args.at);
}

/* Calls the slow function and goes on where it left off. */
static BlockId make_call(Outline *o, Fn *slow, const Refs *given) {
    Fn *fn = o->fn;
    BlockId b = ir_new_block(o->cx, fn, "slow");
    BlockId first = b;
    Span span = fn->blocks.at[o->nest->header].term.span;
    Ref result = ir_add(o->cx, fn, b, OP_CALL_FN, slow->ret, span, given->n, given->at);
    ir_at(fn, result)->callee = slow;
    const Edge *h;
    cut_find_handler(&o->piece, &h);
    if (h) fn->blocks.at[b].handler = ir_edge(o->cx, h->to, h->n, h->args);
    Ref which = 0;
    if (o->exits.n > 1) which = ir_add(o->cx, fn, b, OP_FIELD, TY_I(64), (Span){0}, 1, &result);
    for (uint32_t k = 0; k + 1 < o->exits.n; k++) {
        Ref number = ir_const(o->cx, fn, b, ir_const_int(o->cx, TY_I(64), k), (Span){0});
        Ref is = ir_add(o->cx, fn, b, OP_EQ, TY_OF(TY_BOOL), (Span){0}, 2, (Ref[]){which, number});
        BlockId next = ir_new_block(o->cx, fn, "slow");
        Edge yes = exit_edge(o, b, &o->exits.at[k], result);
        ir_branch(o->cx, fn, b, is, yes, ir_edge(o->cx, next, 0, NULL), (Span){0});
        b = next;
    }
    if (!o->exits.n) {
        fn->blocks.at[b].term.kind = TERM_UNREACHABLE;
        return first;
    }
    Edge last = exit_edge(o, b, &o->exits.at[o->exits.n - 1], result);
    ir_jump(o->cx, fn, b, last.to, last.n, last.args);
    return first;
}

void outline_slow(Cx *cx, const Affine *af, const OutUses *uses, const Loop *nest, Ref ok) {
    Fn *fn = af->fn;
    BlockId preheader = nest->preheader;
    Outline o = {.cx = cx, .fn = fn, .af = af, .nest = nest, .uses = uses};
    o.piece = cut_piece(cx, fn, nest->blocks, nest->nblocks);
    find_exits(&o);
    o.read = NEWN(cx, Map, o.outs.n + 1);
    for (uint32_t k = 0; k < o.exits.n; k++) make_join(&o, k);
    Refs given;
    Edge enter = fn->blocks.at[preheader].term.succ[0];
    Fn *slow = make_slow(&o, &enter, &given);
    BlockId call = make_call(&o, slow, &given);
    ir_branch(cx, fn, preheader, ok, enter, ir_edge(cx, call, 0, NULL), (Span){0});
    fn->blocks.at[preheader].term.cold = true;
    repair_uses(&o);
}
