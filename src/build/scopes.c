/* Resolution of names.
 *
 * 1. A walk in the order of evaluation notes for each function which names it binds, when, and
 *    which it uses.
 * 2. Each name that a function uses but does not bind is looked for in the functions around it;
 *    those between capture it too, to pass it on.
 * 3. A captured variable is passed by value if its only binding comes before the inner function
 *    is made and no loop can bring it again; else, if it is itself an inner function, what
 *    *that* captures is captured in its place (recursion, helpers defined further down); else it
 *    becomes a cell. The last two are repeated until nothing changes. */
#include "build/scopes.h"

typedef struct Walk {
    Cx *cx;
    Scope *scope;
    uint32_t time;
    uint32_t nloops; /* loops around this place */
} Walk;

/* --- 1: the walk ------------------------------------------------------------------------------ */

static Var *find_or_add(Cx *cx, Scope *s, const char *name) {
    Var *v = bd_find_var(s, name);
    if (v) return v;
    v = NEW(cx, Var);
    *v = (Var){.name = name, .id = s->vars.n, .scope = s};
    vec_push(cx, &s->vars, v);
    map_put(cx, &s->by_name, name, v);
    return v;
}

static void bind(Walk *w, const char *name, const Node *def) {
    Var *v = find_or_add(w->cx, w->scope, name);
    v->is_bound = true;
    v->def = v->nbinds++ ? NULL : def;
    v->bind_time = ++w->time;
    v->bind_loop = w->nloops ? w->scope->loop_ends.n : 0;
}

static void walk(Walk *w, const Node *n);

static void walk_list(Walk *w, Node *const *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) walk(w, list[i]);
}

static void bind_target(Walk *w, const Node *n) {
    if (n->kind == N_NAME)
        bind(w, n->name, NULL);
    else if (n->kind == N_STAR)
        bind_target(w, n->a);
    else if (n->kind == N_TUPLE)
        for (uint32_t i = 0; i < n->n; i++) bind_target(w, n->list[i]);
    else
        walk(w, n);
}

static void enter_loop(Walk *w) {
    if (w->nloops++ == 0) vec_push(w->cx, &w->scope->loop_ends, UINT32_MAX);
}

static void leave_loop(Walk *w) {
    if (--w->nloops == 0) vec_last(&w->scope->loop_ends) = ++w->time;
}

static Scope *new_scope(Cx *cx, const Node *node, Scope *outer, uint32_t time) {
    Scope *s = NEW(cx, Scope);
    *s = (Scope){.node = node, .func = node->func, .outer = outer, .time = time};
    if (outer) vec_push(cx, &outer->inner, s);
    node->func->scope = s;
    return s;
}

static void walk_body(Cx *cx, Scope *s) {
    Walk w = {.cx = cx, .scope = s};
    const Func *f = s->func;
    for (uint32_t i = 0; i < f->nparams; i++) {
        bind(&w, f->params[i].name, NULL);
        bd_find_var(s, f->params[i].name)->is_param = true;
    }
    if (f->kwargs) bind(&w, f->kwargs, NULL);
    walk_list(&w, f->body.at, f->body.n);
}

static void walk_function(Walk *w, const Node *n) {
    const Func *f = n->func;
    walk_list(w, f->decorators.at, f->decorators.n);
    for (uint32_t i = 0; i < f->nparams; i++) walk(w, f->params[i].fallback);
    walk_body(w->cx, new_scope(w->cx, n, w->scope, ++w->time));
    if (n->kind == N_FUNCTION) bind(w, f->name, f->decorators.n ? NULL : n);
}

static void walk_loop(Walk *w, const Node *n) {
    if (n->kind == N_FOR) walk(w, n->b);
    enter_loop(w);
    if (n->kind == N_FOR)
        bind_target(w, n->a);
    else
        walk(w, n->a);
    walk_list(w, n->list, n->n);
    leave_loop(w);
    walk_list(w, n->list2, n->n2);
}

static void declare(Walk *w, const Node *n) {
    for (uint32_t i = 0; i < n->n; i++) {
        Var *v = find_or_add(w->cx, w->scope, n->list[i]->name);
        v->is_global |= n->kind == N_GLOBAL;
        v->is_nonlocal |= n->kind == N_NONLOCAL;
    }
}

static void walk_delete(Walk *w, const Node *n) {
    for (uint32_t i = 0; i < n->n; i++) {
        const Node *target = n->list[i];
        bind_target(w, target);
        if (target->kind == N_NAME) bd_find_var(w->scope, target->name)->is_deleted = true;
    }
}

/* Binding twice makes it a cell if it is captured: it is unset again at the end of the handler. */
static void walk_handler(Walk *w, const Node *n) {
    walk(w, n->a);
    if (n->name) bind(w, n->name, NULL);
    walk_list(w, n->list, n->n);
    if (!n->name) return;
    bind(w, n->name, NULL);
    bd_find_var(w->scope, n->name)->is_deleted = true;
}

static void walk_children(Walk *w, const Node *n) {
    walk(w, n->a);
    walk(w, n->b);
    walk(w, n->c);
    walk_list(w, n->list, n->n);
    walk_list(w, n->list2, n->n2);
}

static void walk(Walk *w, const Node *n) {
    if (!n) return;
    switch ((NodeKind)n->kind) {
    case N_NAME: find_or_add(w->cx, w->scope, n->name); return;
    case N_ASSIGN:
        walk(w, n->a);
        for (uint32_t i = 0; i < n->n; i++) {
            bind_target(w, n->list[i]);
            if (n->list[i]->kind != N_NAME) continue;
            bd_find_var(w->scope, n->list[i]->name)->takes_none |=
                n->a->kind == N_LITERAL && n->a->lit->kind == LIT_NONE;
        }
        return;
    case N_AUGMENT:
        walk(w, n->a);
        walk(w, n->b);
        if (n->a->kind == N_NAME) bind_target(w, n->a);
        return;
    case N_DECLARE:
        if (n->a->kind == N_NAME) find_or_add(w->cx, w->scope, n->a->name)->is_bound = true;
        return;
    case N_WALRUS:
        walk(w, n->b);
        bind_target(w, n->a);
        return;
    case N_FOR:
    case N_WHILE: walk_loop(w, n); return;
    case N_DELETE: walk_delete(w, n); return;
    case N_TRY:
        walk_list(w, n->list, n->n);
        walk_list(w, n->list2, n->n2);
        walk(w, n->a);
        walk(w, n->b);
        return;
    case N_HANDLER: walk_handler(w, n); return;
    case N_PSTAR:
    case N_PAS:
        walk(w, n->a);
        if (n->name) bind(w, n->name, NULL);
        return;
    case N_FUNCTION:
    case N_LAMBDA: walk_function(w, n); return;
    case N_GLOBAL:
    case N_NONLOCAL: declare(w, n); return;
    case N_REFUSED:
        for (uint32_t i = 0; i < n->n; i++) bind_target(w, n->list[i]);
        return;
    case N_LITERAL:
    case N_BINARY:
    case N_UNARY:
    case N_AND:
    case N_OR:
    case N_COMPARE:
    case N_IFEXP:
    case N_CALL:
    case N_KEYWORD:
    case N_ATTRIBUTE:
    case N_SUBSCRIPT:
    case N_SLICE:
    case N_TUPLE:
    case N_STAR:
    case N_FSTRING:
    case N_FORMAT:
    case N_EXPR:
    case N_IF:
    case N_BREAK:
    case N_CONTINUE:
    case N_PASS:
    case N_RETURN:
    case N_ASSERT:
    case N_RAISE:
    case N_MATCH:
    case N_CASE:
    case N_BLOCK:
    case N_PVALUE:
    case N_PSINGLE:
    case N_PSEQ:
    case N_POR:
    case N_PCLASS: walk_children(w, n); return;
    case NODES: return;
    }
}

/* --- 2: who owns what ------------------------------------------------------------------------- */

static Var *find_owner(Scope *s, const char *name) {
    for (; s; s = s->outer) {
        Var *v = bd_find_var(s, name);
        if (v && v->is_global) return NULL;
        if (v && v->is_bound && !v->is_nonlocal) return v;
    }
    return NULL;
}

/* Notes that s, and what lies between it and the owner, need the variable; true if s did not
 * know. */
static bool add_capture(Cx *cx, Scope *s, Var *owner) {
    for (uint32_t i = 0; i < s->captures.n; i++)
        if (s->captures.at[i] == owner) return false;
    vec_push(cx, &s->captures, owner);
    if (s->outer != owner->scope) add_capture(cx, s->outer, owner);
    return true;
}

static void find_owners(Cx *cx, Scope *s) {
    for (uint32_t i = 0; i < s->vars.n; i++) {
        Var *v = s->vars.at[i];
        v->kind = v->is_global ? VAR_GLOBAL : v->is_bound && !v->is_nonlocal ? VAR_LOCAL : VAR_NONE;
        if (v->kind != VAR_NONE) continue;
        v->owner = find_owner(s->outer, v->name);
        if (!v->owner) continue;
        v->kind = VAR_OUTER;
        v->owner->is_written_inside |= v->is_bound;
        add_capture(cx, s, v->owner);
    }
    for (uint32_t i = 0; i < s->inner.n; i++) find_owners(cx, s->inner.at[i]);
}

/* --- 3: how it gets there --------------------------------------------------------------------- */

/* Is the variable's value final when the inner function is made? */
static bool is_final_at(const Var *v, uint32_t time) {
    if (v->nbinds != 1 || v->is_written_inside || v->bind_time > time) return false;
    return !v->bind_loop || v->scope->loop_ends.at[v->bind_loop - 1] < time;
}

static bool settle(Cx *cx, Scope *s) {
    bool changed = false;
    for (uint32_t i = 0; i < s->captures.n; i++) {
        Var *v = s->captures.at[i];
        if (v->scope == s->outer && v->kind == VAR_LOCAL && !is_final_at(v, s->time)) {
            bool is_inner = v->def && v->nbinds == 1 && !v->is_written_inside;
            v->kind = is_inner ? VAR_INNER : VAR_CELL;
            changed = true;
        }
        if (v->kind != VAR_INNER) continue;
        const Scope *made = v->def->func->scope;
        for (uint32_t k = 0; k < made->captures.n; k++)
            changed |= add_capture(cx, s, made->captures.at[k]);
    }
    for (uint32_t i = 0; i < s->inner.n; i++) changed |= settle(cx, s->inner.at[i]);
    return changed;
}

/* --- the FnDefs ------------------------------------------------------------------------------- */

static void fill_params(Cx *cx, Scope *s) {
    FnDef *def = s->def;
    const Func *f = s->func;
    def->nparams = f->nparams;
    def->npositional = f->npositional;
    def->has_varargs = f->has_varargs;
    def->params = NEWN(cx, const char *, f->nparams);
    for (uint32_t i = 0; i < f->nparams; i++) {
        def->params[i] = f->params[i].name;
        def->ndefaults += i < f->npositional && f->params[i].fallback;
    }
}

static void fill_captures(Cx *cx, Scope *s) {
    FnDef *def = s->def;
    const Func *f = s->func;
    def->captures = NEWN(cx, const char *, f->nparams + s->captures.n);
    s->first_capture = f->nparams;
    for (uint32_t i = 0; i < f->nparams; i++)
        if (f->params[i].fallback)
            def->captures[def->ncaptures++] = cx_printf(cx, "=%s", f->params[i].name);
    s->first_capture += def->ncaptures;
    for (uint32_t i = 0; i < s->captures.n; i++)
        if (s->captures.at[i]->kind != VAR_INNER)
            def->captures[def->ncaptures++] = s->captures.at[i]->name;
}

static void fill_inner(Cx *cx, Scope *s) {
    for (uint32_t i = 0; i < s->inner.n; i++) {
        Scope *t = s->inner.at[i];
        FnDef *def = t->def = NEW(cx, FnDef);
        *def = (FnDef){.node = t->node,
                       .name = t->func->name,
                       .file = s->def->file,
                       .globals = s->def->globals,
                       .outer = s->def};
        def->qualname = cx_printf(cx, "%s.<locals>.%s", s->def->qualname, t->func->name);
        fill_params(cx, t);
        fill_captures(cx, t);
        fill_inner(cx, t);
    }
}

uint32_t bd_capture_arg(const Scope *s, const Var *owner) {
    uint32_t arg = s->first_capture;
    for (uint32_t i = 0; s->captures.at[i] != owner; i++)
        arg += s->captures.at[i]->kind != VAR_INNER;
    return arg;
}

void bd_resolve_scopes(Cx *cx, FnDef *root) {
    Scope *s = new_scope(cx, root->node, NULL, 0);
    s->def = root;
    walk_body(cx, s);
    find_owners(cx, s);
    while (settle(cx, s)) continue;
    fill_params(cx, s);
    s->first_capture = root->nparams;
    fill_inner(cx, s);
}
