/* LOW IR to machine code, through LLVM's C API.
 *
 *   Module --module.c, function.c, ops.c ...--> LLVM module --pipeline.c--> optimised --emit.c-->
 * ELF object
 *
 * Needs no Python and no GIL; safe from several threads at once, one Cx each. Errors leave by
 * cx_abort with D_LLVM or D_INTERNAL. */
#pragma once
#include "core/unit.h"
#include "ir/ir.h"

/* A captured array whose elements become a part of the code: in C order, or as its type says in Fortran's. */
typedef struct CapturedArray {
    const char *bytes;
    size_t size;
    int64_t shape[32];
} CapturedArray;

typedef struct CodegenOptions {
    Want want; /* WANT_CODE, WANT_LLVM, WANT_ASM, WANT_CFG or WANT_PTX */
    bool unoptimised; /* WANT_LLVM, WANT_CFG: as built, before LLVM's passes */
    bool debug; /* DWARF lines and variables, and no optimisation */
    const char *ptx_target; /* WANT_PTX: "sm_75" */
    const CapturedArray *captured; /* WANT_PTX: by their number in the module */
    /* Address of a symbol that code may import, or NULL: decides whether vector math is there.
     * NULL: all are. */
    void *(*find_symbol)(const char *name);
} CodegenOptions;

/* All of it lives as long as the compile. */
typedef struct CodegenResult {
    const char *object; /* WANT_CODE: an ELF relocatable object */
    size_t object_size;
    const char *text; /* the other wants */
    const char *entry; /* symbol of the entry thunk, a UnitEntry */
    const Site *sites; /* by site number; names, file names and types as in the Module */
    uint32_t nsites;
    uint32_t nslots; /* of the argument block */
} CodegenResult;

/* Adds to cx->stage_ns: STAGE_CODEGEN (building LLVM IR), STAGE_LLVM (passes and emission). */
void codegen_compile(Cx *cx, const Module *m, const CodegenOptions *options, CodegenResult *out);

/* What the code is made for: "x86_64-linux-gnu znver3", for --sysinfo and cache keys. Static text.
 */
const char *codegen_target_text(void);
