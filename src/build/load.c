/* From a Python function to its definition, and from a definition to HIGH IR. */
#include <string.h>

#include "build/build_int.h"
#include "py/py.h"
#include "syntax/source.h"

const FnDef *build_load(Cx *cx, PyObject *func) {
    Source source = syn_find_source(cx, func);
    const char *qualname = py_text_attr(cx, func, "__qualname__");
    if (!qualname) qualname = "?";
    FnDef *def = NEW(cx, FnDef);
    *def = (FnDef){.node = syn_read_source(cx, &source, qualname),
                   .qualname = qualname,
                   .file = source.file,
                   .unlike_code = source.unlike,
                   .globals = py_attr(cx, func, "__globals__"),
                   .func = func};
    const char *module = py_text_attr(cx, func, "__module__");
    cx->files[source.file].is_ours = module && strncmp(module, "whipsnake.prelude.", 18) == 0;
    def->name = def->node->func->name;
    bd_resolve_scopes(cx, def);
    PyObject *defaults = py_attr(cx, func, "__defaults__");
    def->ndefaults = defaults && PyTuple_Check(defaults) ? (uint32_t)PyTuple_Size(defaults) : 0;
    return def;
}

Span build_def_span(const FnDef *def) { return def->node->span; }

static void add_args(Builder *b) {
    const FnDef *def = b->def;
    Fn *fn = b->fn;
    fn->nargs = def->nparams + def->ncaptures;
    fn->args = NEWN(b->cx, FnArg, fn->nargs);
    for (uint32_t i = 0; i < fn->nargs; i++) {
        bool is_param = i < def->nparams;
        const char *name = is_param ? def->params[i] : def->captures[i - def->nparams];
        Span span = is_param ? def->node->func->params[i].span : def->node->span;
        fn->args[i] = (FnArg){.name = name, .ty = TY_OF(TY_UNDEF)};
        ir_at(fn, bd_add(b, OP_ARG, span, 0, NULL))->imm = i;
    }
}

/* Functions that cannot be compiled, whatever their types. */
static bool refuse_whole(Builder *b, const Func *f) {
    if (f->generator) {
        bd_refuse_here(b, f->generator->span, D_NOT_YET, f->generator->refused->what,
                       f->generator->refused->hint);
        return true;
    }
    if (!f->kwargs) return false;
    bd_refuse_here(b, b->fn->span, D_NOT_YET,
                   cx_printf(b->cx, "**%s in a function's parameters", f->kwargs),
                   "name the parameters");
    return true;
}

static void build_body(Builder *b) {
    const Func *f = b->def->node->func;
    BlockId entry = bd_new_block(b, "entry");
    bd_seal(b, entry);
    bd_start(b, entry);
    add_args(b);
    b->unset = bd_add(b, OP_UNSET, b->fn->span, 0, NULL);
    bd_open_variables(b);
    if (refuse_whole(b, f)) return;
    BlockId body = bd_new_block(b, "body"); /* a loop may begin at once: not at the entry */
    bd_jump(b, body);
    bd_enter(b, body);
    bd_stmts(b, f->body.at, f->body.n);
    if (b->at != NO_BLOCK) bd_return(b, bd_const_none(b, b->fn->span), b->fn->span);
}

Fn *build_fn(Cx *cx, const FnDef *def, Module *module, const Unroll *unrolls, uint32_t nunrolls) {
    Fn *fn = ir_new_fn(cx, def->name, STAGE_HIGH);
    fn->qualname = def->qualname;
    fn->file = def->file;
    fn->span = def->node->span;
    fn->module = module;
    Builder b = {.cx = cx,
                 .fn = fn,
                 .module = module,
                 .def = def,
                 .root = def,
                 .scope = def->node->func->scope,
                 .unrolls = unrolls,
                 .nunrolls = nunrolls,
                 .at = NO_BLOCK,
                 .handler = NO_BLOCK};
    while (b.root->outer) b.root = b.root->outer;
    build_body(&b);
    bd_finish(&b);
    return fn;
}
