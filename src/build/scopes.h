/* Who a name is: which function's variable, how an inner function gets at it, or nobody's (a
 * global). */
#pragma once
#include "base/map.h"
#include "build/build.h"
#include "syntax/tree.h"

typedef enum VarKind {
    VAR_LOCAL, /* SSA */
    VAR_CELL, /* in a cell, because an inner function may see it change */
    VAR_INNER, /* an inner function that is used before its def ran, as by itself: made again
                   where it is read, from its own captured values */
    VAR_OUTER, /* of an enclosing function that is compiled too: see owner */
    VAR_GLOBAL, /* declared global */
    VAR_NONE /* of no function here: a global, a builtin, a closure variable of the outermost */
} VarKind;

typedef struct Scope Scope;
typedef struct Var Var;
struct Var {
    const char *name;
    uint32_t id; /* index in Scope.vars */
    Scope *scope;
    VarKind kind;
    Var *owner; /* VAR_OUTER: whose it really is */
    bool is_param, is_bound, is_global, is_nonlocal, is_deleted;
    bool takes_none; /* None is assigned to it somewhere */
    /* What decides between LOCAL, CELL and INNER. Times count the steps of the walk through the
     * owner's scope. */
    uint32_t nbinds, bind_time;
    uint32_t bind_loop; /* index of the outermost loop around the binding, plus 1; 0: none */
    bool is_written_inside; /* by `nonlocal` */
    const Node *def; /* the one def that binds it, if that is what binds it */
};

struct Scope {
    const Node *node; /* FUNCTION or LAMBDA */
    Func *func;
    Scope *outer;
    FnDef *def;
    uint32_t time; /* when `outer` makes the function */
    VEC(Var *) vars; /* parameters first, in order */
    Map by_name; /* interned name -> Var */
    VEC(Scope *) inner;
    VEC(Var *) captures; /* owners' variables that it needs; INNER ones take no argument */
    VEC(uint32_t) loop_ends; /* end time of each outermost loop */
    uint32_t first_capture; /* its argument number: behind parameters and default values */
};

/* Scopes of a function and of all inside it, each kept in its Func. Completes root (params,
 * captures) and makes the FnDefs of the inner functions. */
void bd_resolve_scopes(Cx *cx, FnDef *root);

/* The variable of that name as seen in s, or NULL: a global. */
static inline Var *bd_find_var(const Scope *s, const char *name) {
    return map_ptr(&s->by_name, name);
}

/* Argument number of an owner's variable in the function that captures it. */
uint32_t bd_capture_arg(const Scope *s, const Var *owner);
