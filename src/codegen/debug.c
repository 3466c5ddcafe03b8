/* DWARF for gdb: a line for each instruction, and the variables of the Python source. Only with
 * options.debug, which also turns optimisation off. */
#include <string.h>

#include "codegen/cg.h"

/* A variable has one place on the stack for each type that it has in the function. */
typedef struct Slot {
    const Type *ty;
    Val at;
    struct Slot *next; /* of the same variable */
} Slot;

typedef struct CgDebug {
    LLVMDIBuilderRef di;
    LLVMMetadataRef *files; /* by index in cx->files */
    LLVMMetadataRef unit, scope; /* scope: of the function being translated */
    Map types; /* Type * -> metadata */
    Map elems; /* the same for elements of arrays, which lie closer together */
    /* of the function being translated */
    Map slots; /* variable's name -> Slot *, its first */
    LLVMMetadataRef *calls; /* per origin: scope of the inlined function, NULL: not yet made */
} CgDebug;

static LLVMMetadataRef file_of(Cg *cg, uint32_t index) {
    CgDebug *d = cg->debug;
    if (index >= cg->cx->nfiles) index = 0;
    if (d->files[index]) return d->files[index];
    const char *name = cg->cx->nfiles ? cg->cx->files[index].name : "<unknown>",
               *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    return d->files[index] = LLVMDIBuilderCreateFile(d->di, base, strlen(base), name,
                                                     slash ? (size_t)(slash - name) : 0);
}

static void add_module_flag(Cg *cg, const char *name, unsigned value) {
    LLVMMetadataRef v = LLVMValueAsMetadata(cg_i32(cg, value));
    LLVMAddModuleFlag(cg->mod, LLVMModuleFlagBehaviorWarning, name, strlen(name), v);
}

static void dispose_di(void *p) {
    if (!cg_llvm_broken()) LLVMDisposeDIBuilder(p);
}

void cg_debug_begin(Cg *cg) {
    if (!cg->options->debug) return;
    CgDebug *d = cg->debug = NEW(cg->cx, CgDebug);
    d->di = LLVMCreateDIBuilder(cg->mod);
    cx_defer(cg->cx, dispose_di, d->di);
    d->files = NEWN(cg->cx, LLVMMetadataRef, cg->cx->nfiles + 1);
    add_module_flag(cg, "Debug Info Version", LLVMDebugMetadataVersion());
    add_module_flag(cg, "Dwarf Version", 4);
    /* Of producers that begin like this gdb believes where a function's prologue ends. */
    static const char producer[] = "clang LLVM (whipsnake)";
    d->unit = LLVMDIBuilderCreateCompileUnit(d->di, LLVMDWARFSourceLanguagePython,
                                             file_of(cg, cg->m->fns.at[0]->file), producer,
                                             sizeof producer - 1, false, "", 0, 0, "", 0,
                                             LLVMDWARFEmissionFull, 0, false, false, "", 0, "", 0);
}

/* --- types ------------------------------------------------------------------------------------ */

enum {
    ATE_ADDRESS = 1,
    ATE_BOOLEAN = 2,
    ATE_FLOAT = 4,
    ATE_SIGNED = 5,
    ATE_CHAR = 6,
    ATE_UNSIGNED = 7
};
enum { SLOT_BITS = 64 };

static LLVMMetadataRef debug_type(Cg *cg, const Type *ty);

static LLVMMetadataRef basic_type(Cg *cg, const char *name, unsigned bits, unsigned encoding) {
    return LLVMDIBuilderCreateBasicType(cg->debug->di, name, strlen(name), bits, encoding,
                                        LLVMDIFlagZero);
}

static LLVMMetadataRef part_type(Cg *cg, PartKind kind, bool is_signed) {
    static const struct {
        const char *name;
        unsigned bits, encoding;
    } rows[] = {
        [P_I1] = {"bool", 8, ATE_BOOLEAN},      [P_I8] = {"int8", 8, ATE_SIGNED},
        [P_I16] = {"int16", 16, ATE_SIGNED},    [P_I32] = {"int32", 32, ATE_SIGNED},
        [P_I64] = {"int64", 64, ATE_SIGNED},    [P_F16] = {"float16", 16, ATE_FLOAT},
        [P_F32] = {"float32", 32, ATE_FLOAT},   [P_F64] = {"float64", 64, ATE_FLOAT},
        [P_PTR] = {"pointer", 64, ATE_ADDRESS},
    };
    bool is_unsigned = rows[kind].encoding == ATE_SIGNED && !is_signed;
    const char *name = is_unsigned ? cx_printf(cg->cx, "u%s", rows[kind].name) : rows[kind].name;
    return basic_type(cg, name, rows[kind].bits, is_unsigned ? ATE_UNSIGNED : rows[kind].encoding);
}

static LLVMMetadataRef pointer_to(Cg *cg, LLVMMetadataRef to) {
    return LLVMDIBuilderCreatePointerType(cg->debug->di, to, 64, 0, 0, "", 0);
}

typedef struct Members {
    LLVMMetadataRef *at;
    unsigned n;
} Members;

static void add_member(Cg *cg, Members *m, const char *name, LLVMMetadataRef ty, uint64_t bits,
                       uint64_t bit_offset) {
    CgDebug *d = cg->debug;
    m->at[m->n++] =
        LLVMDIBuilderCreateMemberType(d->di, d->unit, name, strlen(name), file_of(cg, cg->fn->file),
                                      0, bits, 0, bit_offset, LLVMDIFlagZero, ty);
}

static LLVMMetadataRef struct_type(Cg *cg, const Type *ty, uint64_t bits, const Members *m) {
    CgDebug *d = cg->debug;
    return LLVMDIBuilderCreateStructType(d->di, d->unit, ty->name, strlen(ty->name),
                                         file_of(cg, cg->fn->file), 0, bits, 0, LLVMDIFlagZero,
                                         NULL, m->at, m->n, 0, NULL, "", 0);
}

/* As an element of an array. */
static LLVMMetadataRef elem_type(Cg *cg, const Type *ty) {
    if (ty->kind != TY_COMPLEX) return debug_type(cg, ty);
    LLVMMetadataRef known = map_ptr(&cg->debug->elems, ty);
    if (known) return known;
    LLVMMetadataRef part = part_type(cg, (PartKind)ty->parts[0], true), at[2];
    Members m = {at, 0};
    add_member(cg, &m, "real", part, ty->bits / 2, 0);
    add_member(cg, &m, "imag", part, ty->bits / 2, ty->bits / 2);
    known = struct_type(cg, ty, ty->bits, &m);
    map_put(cg->cx, &cg->debug->elems, ty, known);
    return known;
}

static LLVMMetadataRef int_row(Cg *cg, unsigned n) {
    LLVMMetadataRef range = LLVMDIBuilderGetOrCreateSubrange(cg->debug->di, 0, n);
    return LLVMDIBuilderCreateArrayType(cg->debug->di, (uint64_t)SLOT_BITS * n, 0,
                                        part_type(cg, P_I64, true), &range, 1);
}

/* data as a pointer to the elements, so that gdb's `print a.data[3]` and `print *a.data@5` work. */
static LLVMMetadataRef array_type(Cg *cg, const Type *ty) {
    LLVMMetadataRef at[3];
    Members m = {at, 0};
    uint64_t row = (uint64_t)SLOT_BITS * ty->ndim;
    add_member(cg, &m, "data", pointer_to(cg, elem_type(cg, ty->elem)), SLOT_BITS, 0);
    if (ty->ndim) add_member(cg, &m, "shape", int_row(cg, ty->ndim), row, 2 * SLOT_BITS);
    if (ty->ndim && ty->layout == 'A')
        add_member(cg, &m, "strides", int_row(cg, ty->ndim), row, 2 * SLOT_BITS + row);
    return struct_type(cg, ty, (uint64_t)SLOT_BITS * ty->nparts, &m);
}

static LLVMMetadataRef text_type(Cg *cg, const Type *ty) {
    LLVMMetadataRef at[2];
    Members m = {at, 0};
    add_member(cg, &m, "data", pointer_to(cg, basic_type(cg, "char", 8, ATE_CHAR)), SLOT_BITS, 0);
    add_member(cg, &m, "length", part_type(cg, P_I64, true), SLOT_BITS, SLOT_BITS);
    return struct_type(cg, ty, (uint64_t)SLOT_BITS * ty->nparts, &m);
}

static const char *field_name(Cg *cg, const Type *ty, uint32_t i) {
    static const char *const complex_words[] = {"real", "imag"},
                             *const optional[] = {"has", "value"},
                             *const range[] = {"start", "stop", "step"};
    switch ((int)ty->kind) {
    case TY_COMPLEX: return complex_words[i];
    case TY_OPTIONAL: return optional[i];
    case TY_RANGE: return range[i];
    case TY_TUPLE:
        if (ty->names) return ty->names[i];
        break;
    default: break;
    }
    return cx_printf(cg->cx, "item%u", i);
}

/* Each part has 8 bytes, as cg_store_slots leaves it. */
static LLVMMetadataRef aggregate_type(Cg *cg, const Type *ty) {
    uint32_t n = ir_field_count(ty);
    Members m = {NEWN(cg->cx, LLVMMetadataRef, n + 1), 0};
    for (uint32_t i = 0; i < n; i++) {
        const Type *field = ir_field_type(ty, i);
        if (!field->nparts) continue;
        add_member(cg, &m, field_name(cg, ty, i), debug_type(cg, field),
                   (uint64_t)SLOT_BITS * field->nparts, (uint64_t)SLOT_BITS * ir_field_part(ty, i));
    }
    return struct_type(cg, ty, (uint64_t)SLOT_BITS * ty->nparts, &m);
}

static LLVMMetadataRef make_type(Cg *cg, const Type *ty) {
    switch ((int)ty->kind) {
    case TY_ARRAY: return array_type(cg, ty);
    case TY_STR:
    case TY_BYTES: return text_type(cg, ty);
    case TY_TUPLE:
    case TY_OPTIONAL:
    case TY_RANGE:
    case TY_SLICE:
    case TY_COMPLEX:
    case TY_CLOSURE:
    case TY_ITER: return aggregate_type(cg, ty);
    default: return part_type(cg, (PartKind)ty->parts[0], ty->kind != TY_INT || ty->is_signed);
    }
}

static LLVMMetadataRef debug_type(Cg *cg, const Type *ty) {
    LLVMMetadataRef t = map_ptr(&cg->debug->types, ty);
    if (t) return t;
    t = make_type(cg, ty);
    map_put(cg->cx, &cg->debug->types, ty, t);
    return t;
}

/* --- variables -------------------------------------------------------------------------------- */

/* Variables live in stack slots for the whole function, where gdb finds them on every line; zero before
 * their first assignment. */
static Slot *find_slot(Cg *cg, const char *name, const Type *ty) {
    Slot *s = map_ptr(&cg->debug->slots, name);
    while (s && s->ty != ty) s = s->next;
    return s;
}

static Slot *new_slot(Cg *cg, const char *name, const Type *ty) {
    Slot *s = NEW(cg->cx, Slot), *first = map_ptr(&cg->debug->slots, name);
    *s = (Slot){ty, LLVMBuildAlloca(cg->b, LLVMArrayType2(cg->i64, ty->nparts), name), NULL};
    LLVMSetAlignment(s->at, 8);
    if (first) {
        while (first->next) first = first->next;
        first->next = s;
    } else {
        map_put(cg->cx, &cg->debug->slots, name, s);
    }
    return s;
}

/* gdb finds one variable by a name: from its second type on, it is `x_float64`. */
static const char *name_of_slot(Cg *cg, const char *name, const Slot *s) {
    if (map_ptr(&cg->debug->slots, name) == s) return name;
    char *text = cx_printf(cg->cx, "%s_%s", name, s->ty->name);
    for (char *p = text + strlen(name); *p; p++)
        if (strchr(" ,()[]{}:.*", *p)) *p = '_';
    return text;
}

static void declare(Cg *cg, const Slot *s, LLVMMetadataRef var) {
    CgDebug *d = cg->debug;
    LLVMMetadataRef at =
        LLVMDIBuilderCreateDebugLocation(cg->ctx, cg->fn->span.line, 0, d->scope, NULL);
    LLVMDIBuilderInsertDeclareRecordAtEnd(d->di, s->at, var,
                                          LLVMDIBuilderCreateExpression(d->di, NULL, 0), at,
                                          LLVMGetInsertBlock(cg->b));
}

static void declare_argument(Cg *cg, uint32_t a, uint32_t first_param) {
    CgDebug *d = cg->debug;
    const FnArg *arg = &cg->fn->args[a];
    if (!arg->ty->nparts || !arg->name) return;
    Slot *s = new_slot(cg, cx_name(cg->cx, arg->name), arg->ty);
    Val *parts = NEWN(cg->cx, Val, arg->ty->nparts);
    for (uint32_t k = 0; k < arg->ty->nparts; k++)
        parts[k] = LLVMGetParam(cg->out->fn, first_param + k);
    cg_store_slots(cg, arg->ty, parts, s->at, false);
    declare(cg, s,
            LLVMDIBuilderCreateParameterVariable(
                d->di, d->scope, arg->name, strlen(arg->name), a + 1, file_of(cg, cg->fn->file),
                cg->fn->span.line, debug_type(cg, arg->ty), true, LLVMDIFlagZero));
}

static void declare_local(Cg *cg, const Ins *bind) {
    CgDebug *d = cg->debug;
    const char *name = cx_name(cg->cx, bind->name);
    const Type *ty = cg_type(cg, bind->args[0]);
    if (bind->origin || !ty->nparts || find_slot(cg, name, ty)) return;
    Slot *s = new_slot(cg, name, ty);
    const char *shown = name_of_slot(cg, name, s);
    LLVMBuildMemSet(cg->b, s->at, LLVMConstInt(cg->part[P_I8], 0, false),
                    cg_i64(cg, 8 * (int64_t)ty->nparts), 8);
    declare(cg, s,
            LLVMDIBuilderCreateAutoVariable(d->di, d->scope, shown, strlen(shown),
                                            file_of(cg, cg->fn->file), bind->span.line,
                                            debug_type(cg, ty), true, LLVMDIFlagZero, 0));
}

/* An inlined function's variables are not shown: they would mix with the caller's. */
void cg_op_bind(Cg *cg, Ref r, const Ins *i) {
    (void)r;
    const Slot *s = NULL;
    if (cg->debug && !i->origin)
        s = find_slot(cg, cx_name(cg->cx, i->name), cg_type(cg, i->args[0]));
    if (s) cg_store_slots(cg, s->ty, cg_parts(cg, i->args[0]), s->at, false);
}

/* --- functions -------------------------------------------------------------------------------- */

/* Without the symbol, which gdb would show in place of the name. */
static LLVMMetadataRef make_scope(Cg *cg, uint32_t file, const char *qualname, uint32_t line) {
    CgDebug *d = cg->debug;
    LLVMMetadataRef f = file_of(cg, file);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(d->di, f, NULL, 0, LLVMDIFlagZero);
    return LLVMDIBuilderCreateFunction(d->di, f, qualname, strlen(qualname), "", 0, f, line, type,
                                       true, true, line, LLVMDIFlagZero, false);
}

void cg_debug_function(Cg *cg) {
    CgDebug *d = cg->debug;
    if (!d) return;
    const Fn *fn = cg->fn;
    d->scope = make_scope(cg, fn->file, fn->qualname, fn->span.line);
    d->slots = (Map){0};
    d->calls = NEWN(cg->cx, LLVMMetadataRef, fn->origins.n + 1);
    LLVMSetSubprogram(cg->out->fn, d->scope);
    uint32_t param = 1;
    for (uint32_t a = 0; a < fn->nargs; param += fn->args[a++].ty->nparts)
        declare_argument(cg, a, param);
    for (Ref r = 1; r < fn->ins.n; r++)
        if (fn->ins.at[r].op == OP_BIND && fn->ins.at[r].block != NO_BLOCK)
            declare_local(cg, &fn->ins.at[r]);
}

/* The place of an instruction that came in by inlining lies in the inlined function, called where its
 * origin says. */
static LLVMMetadataRef location(Cg *cg, Span span, uint32_t origin) {
    CgDebug *d = cg->debug;
    if (!origin || !d->calls)
        return LLVMDIBuilderCreateDebugLocation(cg->ctx, span.line, span.col + 1, d->scope, NULL);
    const Origin *o = &cg->fn->origins.at[origin];
    if (!d->calls[origin]) d->calls[origin] = make_scope(cg, span.file, o->qualname, span.line);
    return LLVMDIBuilderCreateDebugLocation(cg->ctx, span.line, span.col + 1, d->calls[origin],
                                            location(cg, o->call, o->outer));
}

void cg_debug_span(Cg *cg, Span span) {
    if (!cg->debug || !span.line) return;
    LLVMSetCurrentDebugLocation2(cg->b, location(cg, span, cg->origin));
}

void cg_debug_end(Cg *cg) {
    if (!cg->debug) return;
    LLVMDIBuilderFinalize(cg->debug->di);
}
