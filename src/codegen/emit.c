/* What surrounds LLVM: contexts and target machines kept between compiles, its errors, its output.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/remark.h"
#include "codegen/cg.h"
#include "core/os.h"

uint64_t cg_now_ns(void) { return os_now_ns(); }

/* --- errors ----------------------------------------------------------------------------------- */

static _Atomic bool broken;
static _Thread_local LlvmErrors *current; /* of the compile that this thread runs */

bool cg_llvm_broken(void) { return broken; }

_Noreturn void cg_fail_llvm(Cg *cg, const char *text) { diag_fail(cg->cx, cg->span, D_LLVM, text); }

_Noreturn void cg_refuse(Cg *cg, const char *what) {
    diag_function(cg->cx, cg->origin ? cg->fn->origins.at[cg->origin].qualname : cg->fn->qualname);
    diag_fail(cg->cx, cg->span, D_NOT_YET, what);
}

/* A copy in the arena, or NULL when out of memory. */
static const char *keep_text(Cx *cx, const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = arena_alloc(cx->arena, n);
    return copy ? memcpy(copy, text, n) : NULL;
}

const char *cg_own_text(Cg *cg, char *text) {
    const char *copy = keep_text(cg->cx, text ? text : "");
    LLVMDisposeMessage(text);
    if (!copy) cx_abort(cg->cx);
    return copy;
}

/* Called below LLVM's frames, so it must return: no memory means the text is lost, not the
 * error. */
static void note_diagnostic(LLVMDiagnosticInfoRef info, void *arg) {
    LlvmErrors *e = arg;
    bool is_error = LLVMGetDiagInfoSeverity(info) == LLVMDSError;
    if (is_error ? e->first != NULL : !e->report) return;
    char *text = LLVMGetDiagInfoDescription(info);
    const char *copy = keep_text(e->cx, text);
    if (is_error)
        e->first = copy ? copy : "error";
    else if (copy)
        cg_report_note(e->report, copy);
    LLVMDisposeMessage(text);
}

/* LLVM would end the process. We leave its frames behind instead; its locks may stay taken, so this
 * process compiles no more. */
static void on_fatal(const char *reason) {
    broken = true;
    if (!current) return;
    diag_fail(current->cx, (Span){0}, D_LLVM, reason);
}

/* --- contexts --------------------------------------------------------------------------------- */

/* A context collects types and constants, so it is replaced now and then. */
enum { USES_PER_CONTEXT = 200 };

static OsMutex lock = OS_MUTEX_INIT;
static Llvm *free_list; /* under lock, as what follows */
static int compiling;
static bool has_remarks; /* LLVM was told to make them */

static void close_llvm(Llvm *l) {
    if (l->machine) LLVMDisposeTargetMachine(l->machine);
    if (l->plain_machine) LLVMDisposeTargetMachine(l->plain_machine);
    LLVMContextDispose(l->ctx);
    mem_free(l);
}

static void count_compiles(int by) {
    os_lock(&lock);
    compiling += by;
    os_unlock(&lock);
}

static void give_back(void *p) {
    Llvm *l = p;
    current = NULL;
    count_compiles(-1);
    if (broken) return;
    LLVMContextSetDiagnosticHandler(l->ctx, NULL, NULL);
    if (l->uses >= USES_PER_CONTEXT) {
        close_llvm(l);
        return;
    }
    os_lock(&lock);
    l->next = free_list;
    free_list = l;
    os_unlock(&lock);
}

static Llvm *take_free(void) {
    os_lock(&lock);
    Llvm *l = free_list;
    if (l) free_list = l->next;
    os_unlock(&lock);
    return l;
}

/* The switch is the process's, and not made to be turned while others compile. A forked child may have inherited
 * a count of compiles that went on in its parent: it does not wait for ever. */
static void switch_remarks_on(void) {
    enum { PATIENCE = 3000 };
    bool done = false;
    for (int waited = 0; !done; waited++) {
        os_lock(&lock);
        if (!has_remarks && (!compiling || waited == PATIENCE)) {
            cg_report_switch_on();
            has_remarks = true;
        }
        done = has_remarks;
        os_unlock(&lock);
        if (!done) os_pause();
    }
}

static Llvm *open_llvm(Cx *cx) {
    Llvm *l = mem_alloc(sizeof *l);
    if (!l) cx_abort(cx);
    *l = (Llvm){.ctx = LLVMContextCreate()};
    return l;
}

/* A thread that compiles may hold the lock while another one forks. */
static void before_fork(void) { os_lock(&lock); }
static void after_fork(void) { os_unlock(&lock); }

static void install_handler(void) {
    os_at_fork(before_fork, after_fork);
    LLVMInstallFatalErrorHandler(on_fatal);
}

Llvm *cg_take_llvm(Cx *cx, const Target *target, LlvmErrors *errors) {
    static OsOnce once = OS_ONCE_INIT;
    (void)target;
    os_once(&once, install_handler);
    if (broken)
        diag_fail(cx, (Span){0}, D_LLVM, "an earlier error in this process; start it again");
    if (remark_wanted(cx)) switch_remarks_on();
    Llvm *l = take_free();
    if (!l) l = open_llvm(cx);
    count_compiles(1);
    l->uses++;
    current = errors;
    LLVMContextSetDiagnosticHandler(l->ctx, note_diagnostic, errors);
    cx_defer(cx, give_back, l);
    return l;
}

static LLVMTargetMachineRef make_machine(Cg *cg, LLVMCodeGenOptLevel level) {
    const Target *t = cg->target;
    LLVMTargetRef kind;
    char *text = NULL;
    if (LLVMGetTargetFromTriple(t->triple, &kind, &text)) cg_fail_llvm(cg, cg_own_text(cg, text));
    LLVMTargetMachineRef m = LLVMCreateTargetMachine(kind, t->triple, t->cpu, t->features, level,
                                                     LLVMRelocPIC, LLVMCodeModelSmall);
    if (!m) cg_fail_llvm(cg, cx_printf(cg->cx, "no machine for %s", t->triple));
    return m;
}

static void dispose_machine(void *p) {
    if (!broken) LLVMDisposeTargetMachine(p);
}

/* A GPU's is not kept: it is made in a tenth of a millisecond. */
static LLVMTargetMachineRef gpu_machine(Cg *cg) {
    if (!cg->gpu_machine) {
        cg->gpu_machine = make_machine(cg, LLVMCodeGenLevelDefault);
        cx_defer(cg->cx, dispose_machine, cg->gpu_machine);
    }
    return cg->gpu_machine;
}

LLVMTargetMachineRef cg_machine(Cg *cg) {
    if (cg->target->is_gpu) return gpu_machine(cg);
    bool plain = cg->options->debug;
    LLVMTargetMachineRef *m = plain ? &cg->llvm->plain_machine : &cg->llvm->machine;
    if (!*m) *m = make_machine(cg, plain ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault);
    return *m;
}

/* --- output ----------------------------------------------------------------------------------- */

static void dispose_buffer(void *p) {
    if (!broken) LLVMDisposeMemoryBuffer(p);
}

/* Emission returns success although an error was reported: the handler knows. */
void cg_emit(Cg *cg, LLVMCodeGenFileType kind, const char **at, size_t *n) {
    LLVMMemoryBufferRef buffer = NULL;
    char *text = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(cg_machine(cg), cg->mod, kind, &text, &buffer))
        cg_fail_llvm(cg, cg_own_text(cg, text));
    cx_defer(cg->cx, dispose_buffer, buffer);
    if (cg->errors->first) cg_fail_llvm(cg, cg->errors->first);
    *at = LLVMGetBufferStart(buffer); /* NUL-terminated by LLVM */
    *n = LLVMGetBufferSize(buffer);
}

/* --- control-flow graphs ---------------------------------------------------------------------- */

/* A record label: one line per instruction, left-aligned. */
static void add_dot_label(Cg *cg, Buf *out, LLVMBasicBlockRef b) {
    char *text = LLVMPrintValueToString(LLVMBasicBlockAsValue(b));
    for (const char *p = text + (*text == '\n'); *p; p++) {
        if (*p == '\n')
            buf_add(cg->cx, out, "\\l", 2);
        else if (strchr("\"\\{}<>|", *p))
            buf_printf(cg->cx, out, "\\%c", *p);
        else
            buf_add(cg->cx, out, p, 1);
    }
    LLVMDisposeMessage(text);
}

static void add_dot_function(Cg *cg, Buf *out, Val f) {
    size_t n;
    buf_printf(cg->cx, out, "digraph \"%s\" {\n  node [shape=record, fontname=monospace];\n",
               LLVMGetValueName2(f, &n));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        buf_printf(cg->cx, out, "  b%p [label=\"{", (void *)b);
        add_dot_label(cg, out, b);
        buf_printf(cg->cx, out, "}\"];\n");
        Val t = LLVMGetBasicBlockTerminator(b);
        for (unsigned k = 0; t && k < LLVMGetNumSuccessors(t); k++)
            buf_printf(cg->cx, out, "  b%p -> b%p;\n", (void *)b, (void *)LLVMGetSuccessor(t, k));
    }
    buf_printf(cg->cx, out, "}\n");
}

const char *cg_dot(Cg *cg) {
    Buf out = {0};
    for (Val f = LLVMGetFirstFunction(cg->mod); f; f = LLVMGetNextFunction(f))
        if (LLVMCountBasicBlocks(f)) add_dot_function(cg, &out, f);
    return out.at ? out.at : "";
}
