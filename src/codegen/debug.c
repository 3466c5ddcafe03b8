/* DWARF for gdb: a line for each instruction, and the arguments as variables. Only with
 * options.debug, which also turns optimisation off. */
#include <string.h>

#include "codegen/cg.h"

typedef struct CgDebug {
    LLVMDIBuilderRef di;
    LLVMMetadataRef *files; /* by index in cx->files */
    LLVMMetadataRef unit, scope; /* scope: of the function being translated */
    Map types; /* Type * -> metadata */
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
    static const char producer[] = "whipsnake";
    d->unit = LLVMDIBuilderCreateCompileUnit(d->di, LLVMDWARFSourceLanguagePython,
                                             file_of(cg, cg->m->fns.at[0]->file), producer,
                                             sizeof producer - 1, false, "", 0, 0, "", 0,
                                             LLVMDWARFEmissionFull, 0, false, false, "", 0, "", 0);
}

/* --- types ------------------------------------------------------------------------------------ */

enum { ATE_BOOLEAN = 2, ATE_FLOAT = 4, ATE_SIGNED = 5, ATE_UNSIGNED = 7, ATE_ADDRESS = 1 };

static LLVMMetadataRef part_debug_type(Cg *cg, PartKind kind, bool is_signed) {
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
    return LLVMDIBuilderCreateBasicType(cg->debug->di, name, strlen(name), rows[kind].bits,
                                        is_unsigned ? ATE_UNSIGNED : rows[kind].encoding,
                                        LLVMDIFlagZero);
}

/* Arrays say what they are; anything else has numbered parts. */
static const char *part_name(Cg *cg, const Type *ty, uint32_t k) {
    if (ty->kind == TY_COMPLEX) return k ? "imag" : "real";
    if (ty->kind != TY_ARRAY) return cx_printf(cg->cx, "part%u", k);
    if (k < 2) return k ? "owner" : "data";
    k -= 2;
    return k < ty->ndim ? cx_printf(cg->cx, "shape%u", k)
                        : cx_printf(cg->cx, "stride%u", k - ty->ndim);
}

/* A struct with 8 bytes for each part. */
static LLVMMetadataRef aggregate_type(Cg *cg, const Type *ty) {
    CgDebug *d = cg->debug;
    LLVMMetadataRef *members = NEWN(cg->cx, LLVMMetadataRef, ty->nparts),
                    file = file_of(cg, cg->fn->file);
    for (uint32_t k = 0; k < ty->nparts; k++) {
        const char *name = part_name(cg, ty, k);
        members[k] = LLVMDIBuilderCreateMemberType(
            d->di, d->unit, name, strlen(name), file, 0, 64, 64, 64u * k, LLVMDIFlagZero,
            part_debug_type(cg, (PartKind)ty->parts[k], true));
    }
    return LLVMDIBuilderCreateStructType(d->di, d->unit, ty->name, strlen(ty->name), file, 0,
                                         64u * ty->nparts, 64, LLVMDIFlagZero, NULL, members,
                                         ty->nparts, 0, NULL, "", 0);
}

static LLVMMetadataRef debug_type(Cg *cg, const Type *ty) {
    LLVMMetadataRef t = map_ptr(&cg->debug->types, ty);
    if (t) return t;
    bool sign = ty->kind == TY_INT && ty->is_signed;
    t = ty->nparts == 1 ? part_debug_type(cg, (PartKind)ty->parts[0], sign)
                        : aggregate_type(cg, ty);
    map_put(cg->cx, &cg->debug->types, ty, t);
    return t;
}

/* --- functions -------------------------------------------------------------------------------- */

/* Arguments live in stack slots for the whole function, where gdb finds them on every line. */
static void declare_argument(Cg *cg, uint32_t a, uint32_t first_param) {
    CgDebug *d = cg->debug;
    const FnArg *arg = &cg->fn->args[a];
    if (!arg->ty->nparts || !arg->name) return;
    Val slot = LLVMBuildAlloca(cg->b, LLVMArrayType2(cg->i64, arg->ty->nparts), arg->name);
    Val *parts = NEWN(cg->cx, Val, arg->ty->nparts);
    for (uint32_t k = 0; k < arg->ty->nparts; k++)
        parts[k] = LLVMGetParam(cg->out->fn, first_param + k);
    cg_store_slots(cg, arg->ty, parts, slot, false);
    LLVMMetadataRef var = LLVMDIBuilderCreateParameterVariable(
        d->di, d->scope, arg->name, strlen(arg->name), a + 1, file_of(cg, cg->fn->file),
        cg->fn->span.line, debug_type(cg, arg->ty), true, LLVMDIFlagZero);
    LLVMMetadataRef at =
        LLVMDIBuilderCreateDebugLocation(cg->ctx, cg->fn->span.line, 0, d->scope, NULL);
    LLVMDIBuilderInsertDeclareRecordAtEnd(d->di, slot, var,
                                          LLVMDIBuilderCreateExpression(d->di, NULL, 0), at,
                                          LLVMGetInsertBlock(cg->b));
}

void cg_debug_function(Cg *cg) {
    CgDebug *d = cg->debug;
    if (!d) return;
    const Fn *fn = cg->fn;
    LLVMMetadataRef file = file_of(cg, fn->file);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(d->di, file, NULL, 0, LLVMDIFlagZero);
    const char *symbol = cg_symbol(cg, fn);
    d->scope = LLVMDIBuilderCreateFunction(d->di, file, fn->qualname, strlen(fn->qualname), symbol,
                                           strlen(symbol), file, fn->span.line, type, true, true,
                                           fn->span.line, LLVMDIFlagZero, false);
    LLVMSetSubprogram(cg->out->fn, d->scope);
    cg_debug_span(cg, fn->span);
    uint32_t param = 1;
    for (uint32_t a = 0; a < fn->nargs; param += fn->args[a++].ty->nparts)
        declare_argument(cg, a, param);
}

void cg_debug_span(Cg *cg, Span span) {
    if (!cg->debug || !span.line) return;
    LLVMMetadataRef at =
        LLVMDIBuilderCreateDebugLocation(cg->ctx, span.line, span.col + 1, cg->debug->scope, NULL);
    LLVMSetCurrentDebugLocation2(cg->b, at);
}

void cg_debug_end(Cg *cg) {
    if (!cg->debug) return;
    LLVMSetCurrentDebugLocation2(cg->b, NULL);
    LLVMDIBuilderFinalize(cg->debug->di);
}
