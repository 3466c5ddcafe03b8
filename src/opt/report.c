/* Which checks were proved, moved or left, what loops ask memory for, and how they go through it. */
#include "opt/report.h"

#include <string.h>

#include "base/diag.h"
#include "base/remark.h"
#include "ir/remark.h"
#include "opt/depend.h"

/* --- one check -------------------------------------------------------------------------------- */

static const char *check_name(Cx *cx, const Ins *i) {
    if (i->op == OP_CHECK_INDEX)
        return i->imm ? cx_printf(cx, "subscript %d", (int)i->imm + 1) : "subscript";
    const char *text = check_info[i->sub].text;
    return strchr(text, '%') ? check_info[i->sub].name : text;
}

static const char *check_error(const Ins *i) {
    return i->op == OP_CHECK_INDEX ? "IndexError" : check_info[i->sub].cls;
}

static const char *check_advice(const Ins *i) {
    const char *error = check_error(i);
    if (i->op == OP_CHECK_INDEX)
        return "let the subscript be the loop's counter plus or minus something fixed, or say boundscheck=False";
    if (strcmp(error, "ZeroDivisionError") == 0)
        return "error_model='numpy' divides without asking, and gives inf or nan";
    if (i->sub == CHECK_MATH_DOMAIN || i->sub == CHECK_MATH_RANGE)
        return "the functions of numpy give nan or inf in place of an error";
    return "";
}

void opt_report_check(Cx *cx, const Fn *fn, Ref check, int id) {
    const Ins *i = ir_at(fn, check);
    if (!remark_wanted(cx) || (i->op != OP_CHECK && i->op != OP_CHECK_INDEX)) return;
    if (opt_is_promise(i)) return;
    Place p = ir_place(cx, fn, i->span, i->origin);
    if (!p.span.line) return;
    remark_add(cx, (RemarkId)id, p.span, check_name(cx, i), check_error(i), check_advice(i))->via =
        p.via;
}

/* --- all checks ------------------------------------------------------------------------------- */

/* Calls visit(cx, fn, loops, r) for each instruction of the functions that run in the normal case. */
typedef void (*Visit)(Cx *cx, const Fn *fn, const Loops *loops, Ref r);

static void visit_all(Cx *cx, Module *m, Visit visit) {
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const Fn *fn = m->fns.at[i];
        if (fn->is_slow) continue;
        const Cfg *cfg = ir_cfg(cx, fn);
        const Loops *loops = ir_loops(cx, fn, cfg);
        for (uint32_t k = 0; k < cfg->nrpo; k++) {
            const Refs *ins = &fn->blocks.at[cfg->rpo[k]].ins;
            for (uint32_t n = 0; n < ins->n; n++) visit(cx, fn, loops, ins->at[n]);
        }
    }
}

static void note_there(Cx *cx, const Fn *fn, const Loops *loops, Ref r) {
    (void)loops;
    opt_report_check(cx, fn, r, REMARK_CHECK_PROVED); /* until something else is said */
}

/* What is said of a function of ours that is called and not inlined goes to the user's call of it. */
static bool note_call(Cx *cx, const Fn *fn, const Ins *i) {
    bool told =
        i->op != OP_CALL_FN || i->callee->called.call.line || !cx->files[i->callee->file].is_ours;
    Place p = told ? (Place){{0}, NULL} : ir_place(cx, fn, i->span, i->origin);
    if (!p.span.line) return false;
    i->callee->called = (Origin){.qualname = p.via ? p.via : i->callee->qualname, .call = p.span};
    return true;
}

static bool note_calls(Cx *cx, const Fn *fn) {
    bool any = false;
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        const Block *block = &fn->blocks.at[b];
        for (uint32_t i = 0; !block->dead && i < block->ins.n; i++)
            any |= note_call(cx, fn, ir_at(fn, block->ins.at[i]));
    }
    return any;
}

/* From the user's functions on, through ours that call others of ours. */
void opt_report_callers(Cx *cx, Module *m) {
    for (bool more = remark_wanted(cx); more;) {
        more = false;
        for (uint32_t k = 0; k < m->fns.n; k++) more |= note_calls(cx, m->fns.at[k]);
    }
}

void opt_report_checks(Cx *cx, Module *m) {
    if (remark_wanted(cx)) visit_all(cx, m, note_there);
}

static bool allocates(const Fn *fn) {
    for (Ref r = 1; r < fn->ins.n; r++)
        if (fn->ins.at[r].op == OP_ALLOC && fn->ins.at[r].block != NO_BLOCK) return true;
    return false;
}

/* In a loop: new memory, or one of our functions that asks for some. */
static void note_memory(Cx *cx, const Fn *fn, const Ins *i) {
    bool calls = i->op == OP_CALL_FN && cx->files[i->callee->file].is_ours && allocates(i->callee);
    Place p = ir_place(cx, fn, i->span, i->origin);
    if ((i->op != OP_ALLOC && !calls) || !p.span.line) return;
    remark_add(cx, REMARK_ALLOCATED, p.span)->via = calls && !p.via ? i->callee->qualname : p.via;
}

static void note_left(Cx *cx, const Fn *fn, const Loops *loops, Ref r) {
    const Ins *i = ir_at(fn, r);
    bool in_loop = loops->of[i->block];
    opt_report_check(cx, fn, r, in_loop ? REMARK_CHECK_IN_LOOP : REMARK_CHECK_ONCE);
    if (in_loop) note_memory(cx, fn, i);
}

static uint64_t key_of(const Remark *r) {
    uint64_t h = map_key(r->via) * 31 + r->span.file;
    const uint32_t parts[] = {r->span.line, r->span.col, r->span.end_line, r->span.end_col};
    for (unsigned k = 0; k < 4; k++) h = (h ^ parts[k]) * 0x9e3779b97f4a7c15u;
    for (const char *s = r->values[0]; s && *s; s++) h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

static bool is_check(const Remark *r) {
    return r->id >= REMARK_CHECK_PROVED && r->id <= REMARK_CHECK_ONCE;
}

/* A check has one fate. Strips leave the loop as it was for what they cannot do, and a check that was hoisted
 * is still one. */
static bool is_outdone(RemarkId id, uint64_t others) {
    uint64_t moved = 1u << REMARK_CHECK_BEFORE | 1u << REMARK_CHECK_STRIPS;
    switch ((int)id) {
    case REMARK_CHECK_PROVED: return others & ~(1u << REMARK_CHECK_PROVED);
    case REMARK_CHECK_ONCE: return others & (moved | 1u << REMARK_CHECK_IN_LOOP);
    case REMARK_CHECK_IN_LOOP: return others & (1u << REMARK_CHECK_STRIPS);
    default: return false;
    }
}

static void merge_checks(Cx *cx) {
    Map seen = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < cx->remarks->n; i++) {
        const Remark *r = &cx->remarks->at[i];
        if (is_check(r)) map_set(cx, &seen, key_of(r), map_get(&seen, key_of(r), 0) | 1u << r->id);
    }
    for (uint32_t i = 0; i < cx->remarks->n; i++) {
        Remark r = cx->remarks->at[i];
        if (!is_check(&r) || !is_outdone(r.id, map_get(&seen, key_of(&r), 0)))
            cx->remarks->at[n++] = r;
    }
    cx->remarks->n = n;
}

/* --- ways through memory ---------------------------------------------------------------------- */

/* How many elements an axis's subscript moves from one iteration to the next, if that is plain. */
static bool moves(Affine *af, Ref index, Ref counter) {
    Lin l = affine_lin(af, index, LIN_MODULO);
    for (uint32_t i = 0; l.ok && i < l.n; i++)
        if (l.t[i].a == counter || l.t[i].b == counter) return true;
    return false;
}

/* About the array of an access in the user's own code. */
static void tell(Affine *af, RemarkId id, const Ins *access, uint32_t axis) {
    Place p = ir_place(af->cx, af->fn, access->span, access->origin);
    const char *text = diag_source(af->cx, p.span);
    if (p.span.line && !p.via && text)
        remark_add(af->cx, id, p.span, cx_printf(af->cx, "`%s`", text),
                   cx_printf(af->cx, "%u", axis));
}

/* Does the innermost loop move along the axis whose elements are neighbours? */
static void look_at_way(Affine *af, const Ins *access, Ref counter) {
    const Ins *e = ir_at(af->fn, access->args[0]);
    if (e->op != OP_ELEM || e->nargs < 2) return;
    const Type *ty = ir_at(af->fn, e->args[0])->ty;
    uint32_t near = ty->layout == 'F' ? 1u : e->nargs - 1u;
    if (moves(af, e->args[near], counter)) {
        if (ty->layout == 'A') tell(af, REMARK_GAPS, access, 0);
        return;
    }
    for (uint32_t k = 1; k < e->nargs; k++) {
        if (!moves(af, e->args[k], counter)) continue;
        tell(af, REMARK_FAR_APART, access, k - 1);
        return;
    }
}

static void look_at_innermost(Affine *af, Loop *loop) {
    Place place = ir_place_of_loop(af->cx, af->fn, loop);
    if (remark_has(af->cx, REMARK_LOCKSTEP_INSIDE, place.span, place.via)) return;
    affine_set_nest(af, loop);
    const Refs *params = &af->fn->blocks.at[loop->header].params;
    Ref counter = 0;
    for (uint32_t k = 0; k < params->n && !counter; k++) {
        const Counter *c = affine_counter(af, params->at[k]);
        if (c && c->loop == loop) counter = params->at[k];
    }
    for (uint32_t b = 0; counter && b < loop->nblocks; b++) {
        const Refs *ins = &af->fn->blocks.at[loop->blocks[b]].ins;
        for (uint32_t n = 0; n < ins->n; n++) {
            const Ins *i = ir_at(af->fn, ins->at[n]);
            if (i->op == OP_LOAD || i->op == OP_STORE) look_at_way(af, i, counter);
        }
    }
}

static void look_at_ways(Affine *af, Loop *loop) {
    for (; loop; loop = loop->next)
        if (loop->child)
            look_at_ways(af, loop->child);
        else
            look_at_innermost(af, loop);
}

void opt_report_rest(Cx *cx, Module *m) {
    if (!remark_wanted(cx)) return;
    visit_all(cx, m, note_left);
    merge_checks(cx);
    for (uint32_t i = 0; i < m->fns.n; i++) {
        if (m->fns.at[i]->is_slow) continue;
        Affine *af = affine_new(cx, m->fns.at[i], LIN_EXACT);
        look_at_ways(af, af->loops->roots);
    }
}

/* --- loops that could run in parallel ------------------------------------------------------------ */

static void tell_loop(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    for (; loop; loop = loop->next) {
        Depend d = depend_look(cx, fn, af, loop);
        Place p = ir_place_of_loop(cx, fn, loop);
        if (p.span.line && !p.via) {
            if (d.answer == DEPEND_FREE)
                remark_add(cx, REMARK_PARALLEL, p.span, d.apart, d.sums);
            else
                remark_add(cx,
                           d.answer == DEPEND_BOUND ? REMARK_NOT_PARALLEL : REMARK_PARALLEL_UNKNOWN,
                           p.span, d.why);
        }
        if (d.answer != DEPEND_FREE) tell_loop(cx, fn, af, loop->child);
    }
}

void opt_report_parallel(Cx *cx, Module *m) {
    for (uint32_t i = 0; remark_wanted(cx) && i < m->fns.n; i++) {
        Fn *fn = m->fns.at[i];
        if (fn->is_slow || fn->is_kernel || fn->is_region) continue;
        Affine *af = affine_new(cx, fn, LIN_EXACT);
        tell_loop(cx, fn, af, af->loops->roots);
    }
}
