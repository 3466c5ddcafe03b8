/* The compiler's face to the run time: one compile from request to unit.
 *
 *   GIL held:   load, build, infer, lower          (front)
 *   no GIL:     passes, code generation, LLVM, loading    (back; on a thread with a big stack)
 *   GIL held:   the Unit, or the exception
 *
 * WHIPSNAKE_DUMP=ir,low,opt,llvm,asm prints what a stage made to stderr (opt/pipeline.c adds one
 * word per pass). */
#include <Python.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "codegen/codegen.h"
#include "core/os.h"
#include "driver/report.h"
#include "driver/unit.h"
#include "infer/infer.h"
#include "infer/row.h"
#include "ir/interp.h"
#include "ir/tool.h"
#include "lower/lower.h"
#include "opt/opt.h"
#include "py/py.h"

enum { BACK_STACK = 16 << 20 };

static const CoreApi *core;

typedef struct Job {
    const CompileRequest *req;
    Module *m;
    Infer *in;
    const char *text; /* of the wants that are texts */
    CapturedArray *captured; /* WANT_PTX */
    CodegenResult code;
    LoadResult loaded;
    Interp *interp; /* WANT_INTERP */
    Cx *cx;
    int rc;
} Job;

/* --- dumping ---------------------------------------------------------------------------------- */

static bool wants_dump(const char *stage) {
    size_t n = strlen(stage);
    const char *p = getenv("WHIPSNAKE_DUMP");
    for (; p && *p; p += strcspn(p, ","), p += *p == ',')
        if (strncmp(p, stage, n) == 0 && (p[n] == ',' || !p[n])) return true;
    return false;
}

static void dump_text(const char *stage, const char *text) {
    fprintf(stderr, "; --- %s ---\n%s\n", stage, text);
}

static const char *module_text(Cx *cx, const Module *m) {
    Buf out = {0};
    ir_print_module(cx, &out, m);
    return out.at ? out.at : "";
}

static const char *typed_text(Cx *cx, const Infer *in) {
    Buf out = {0};
    for (uint32_t k = 0; k < in->insts.n; k++)
        if (in->insts.at[k]->high) {
            if (out.n) buf_add(cx, &out, "\n", 1);
            ir_print_fn(cx, &out, in->insts.at[k]->high);
        }
    return out.at ? out.at : "";
}

static void dump_module(Cx *cx, const char *stage, const Module *m) {
    if (wants_dump(stage)) dump_text(stage, module_text(cx, m));
}

static void dump_code(Cx *cx, const char *stage, const Job *job, Want want) {
    if (!wants_dump(stage)) return;
    CodegenOptions options = {
        .want = want, .debug = job->req->options.debug, .find_symbol = core->find_symbol};
    CodegenResult text;
    codegen_compile(cx, job->m, &options, &text);
    dump_text(stage, text.text);
}

/* --- the stages ------------------------------------------------------------------------------- */

/* Time since *t goes to the stage. */
static void book(Cx *cx, StageId stage, uint64_t *t) {
    uint64_t now = os_now_ns();
    cx->stage_ns[stage] += now - *t;
    *t = now;
}

/* A GPU has no captured arrays: their elements become constants. */
static void copy_captured(Cx *cx, Job *job) {
    const Module *m = job->m;
    uint32_t n = m->captured_types.n;
    job->captured = NEWN(cx, CapturedArray, n + 1);
    for (uint32_t k = 0; k < n; k++) {
        CapturedArray *to = &job->captured[k];
        Py_buffer view;
        if (m->captured_types.at[k]->kind != TY_ARRAY) continue;
        if (PyObject_GetBuffer(m->captured.at[k], &view, PyBUF_FULL_RO)) cx_abort(cx);
        char *bytes = arena_alloc(cx->arena, (size_t)view.len + 1);
        bool fortran = m->captured_types.at[k]->layout == 'F';
        int rc = bytes ? PyBuffer_ToContiguous(bytes, &view, view.len, fortran ? 'F' : 'C') : -1;
        for (int axis = 0; axis < view.ndim && axis < 32; axis++)
            to->shape[axis] = view.shape[axis];
        to->bytes = bytes;
        to->size = (size_t)view.len;
        PyBuffer_Release(&view);
        if (rc) cx_abort(cx);
    }
}

static void run_front(Cx *cx, void *arg) {
    Job *job = arg;
    uint64_t t = os_now_ns();
    Infer *in = job->in = NEW(cx, Infer);
    if (job->req->want == WANT_EXPLAIN) cx->remarks = NEW(cx, Remarks);
    job->m = NEW(cx, Module);
    Inst *entry = infer_run(in, cx, core, job->m, job->req);
    book(cx, STAGE_INFER, &t);
    if (wants_dump("ir")) dump_text("ir", typed_text(cx, in));
    if (job->req->want == WANT_TYPES) job->text = report_text(cx, in);
    if (job->req->want == WANT_RESULT) job->text = entry->ret->name;
    if (job->text) return;
    if (remark_wanted(cx)) report_conversions(cx, in);
    lower_module(in, entry);
    if (job->req->want == WANT_PTX) copy_captured(cx, job);
    book(cx, STAGE_LOWERING, &t);
    dump_module(cx, "low", job->m);
}

static void load_code(Cx *cx, Job *job) {
    uint64_t t = os_now_ns();
    LoadRequest req = {.object = job->code.object,
                       .size = job->code.object_size,
                       .entry = job->code.entry,
                       .name = job->m->fns.at[0]->qualname,
                       .find_symbol = core->find_symbol,
                       .debug = job->req->options.debug};
    if (core->load(&req, &job->loaded) != 0) {
        if (!job->loaded.error[0]) cx_abort(cx); /* out of memory */
        diag_fail(cx, (Span){0}, D_LLVM, job->loaded.error);
    }
    book(cx, STAGE_LOAD, &t);
}

static void make_code(Cx *cx, Job *job) {
    const CompileRequest *req = job->req;
    CodegenOptions options = {.want = req->want,
                              .debug = req->options.debug,
                              .ptx_target = req->ptx_target,
                              .captured = job->captured,
                              .find_symbol = core->find_symbol};
    dump_code(cx, "llvm", job, WANT_LLVM);
    dump_code(cx, "asm", job, WANT_ASM);
    codegen_compile(cx, job->m, &options, &job->code);
    job->text = job->code.text;
    if (req->want == WANT_CODE) load_code(cx, job);
    if (req->want == WANT_EXPLAIN) job->text = report_text(cx, job->in);
}

static void run_back(Cx *cx, void *arg) {
    Job *job = arg;
    uint64_t t = os_now_ns();
    opt_run(cx, job->m);
    book(cx, STAGE_PASSES, &t);
    dump_module(cx, "opt", job->m);
    if (job->req->want == WANT_IR)
        job->text = module_text(cx, job->m);
    else if (job->req->want == WANT_INTERP)
        job->interp = ir_interp_new(cx, job->m, core->find_symbol);
    else
        make_code(cx, job);
}

/* On the thread with the big stack. */
static void run_back_there(void *arg) {
    Job *job = arg;
    job->rc = cx_run(job->cx, run_back, job);
}

/* Sets cx->raised, which came in between, in place of all else: -1. */
static int take_raised(Cx *cx) {
    PyObject *value = cx->raised;
    cx->raised = NULL;
    cx->diag = NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(value), value);
    Py_DECREF(value);
    return -1;
}

static int run_stages(Job *job) {
    int rc = cx_run(job->cx, run_front, job);
    if (job->cx->raised) rc = take_raised(job->cx);
    if (rc != 0) return -1;
    if (job->text) return 0;
    PyThreadState *state = PyEval_SaveThread();
    os_run_on_stack(run_back_there, job, BACK_STACK);
    PyEval_RestoreThread(state);
    return job->rc;
}

/* --- errors as Python exceptions -------------------------------------------------------------- */

/* New reference to the class of that name: of whipsnake.errors, or a builtin one. NULL with an
 * exception set. */
static PyObject *error_class(const char *name) {
    PyObject *cls = py_import_attr("whipsnake.errors", name);
    if (cls || PyErr_ExceptionMatches(PyExc_MemoryError)) return cls;
    PyErr_Clear();
    return py_import_attr("builtins", name);
}

typedef struct Format {
    const Diag *diag;
    const char *text;
} Format;

static void format_diag(Cx *cx, void *arg) {
    Format *f = arg;
    f->text = diag_format(cx, f->diag);
}

/* The exception that Python has set gets the place of ours as a note. */
static void add_place(Cx *cx, Format *f) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && cx_run(cx, format_diag, f) == 0)
        Py_XDECREF(PyObject_CallMethod(value, "add_note", "s", f->text));
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
}

/* The exception for cx->diag. What Python raised itself (an overload's own error) goes on as it is.
 */
static void raise_diag(Cx *cx) {
    Format f = {.diag = cx->diag};
    if (PyErr_Occurred()) {
        if (f.diag && f.diag->id == D_PYTHON) add_place(cx, &f);
        bool no_memory = PyErr_ExceptionMatches(PyExc_MemoryError);
        if (no_memory || !f.diag || f.diag->id == D_PYTHON) return;
        PyErr_Clear();
    }
    if (!f.diag || !f.diag->text || cx_run(cx, format_diag, &f) != 0) {
        PyErr_NoMemory();
        return;
    }
    PyObject *cls = error_class(f.diag->cls);
    if (cls) PyErr_SetString(cls, f.text);
    Py_XDECREF(cls);
}

/* --- results ---------------------------------------------------------------------------------- */

/* Unit.code of an interpreted unit is its Interp. */
static int32_t enter_interp(WsCtx *ctx, uint64_t *slots) {
    return ir_interp_call(ctx->unit->code, ctx, slots);
}

static Unit *make_unit(const Job *job) {
    UnitParts parts = {.m = job->m,
                       .req = job->req,
                       .sites = job->code.sites,
                       .nsites = job->code.nsites,
                       .nslots = job->code.nslots,
                       .code = job->loaded.code,
                       .code_size = job->loaded.code_size,
                       .stage_ns = job->cx->stage_ns};
    *(void **)&parts.entry = job->loaded.entry;
    if (job->interp) {
        parts.entry = enter_interp;
        parts.sites = ir_interp_sites(job->interp, &parts.nsites);
        parts.nslots = ir_interp_nslots(job->interp);
        parts.code = job->interp;
    }
    Unit *u = unit_new(&parts);
    if (!u) PyErr_NoMemory();
    return u;
}

/* Without memory for it the bytes stay NULL. */
static void copy_object(const Job *job, CompiledObject *out) {
    size_t size = job->code.object_size, n = strlen(job->code.entry) + 1;
    *out = (CompiledObject){.size = size, .unlike_code = job->m->unlike_code};
    out->bytes = mem_alloc(size + n);
    if (!out->bytes) return;
    memcpy(out->bytes, job->code.object, size);
    out->entry = memcpy(out->bytes + size, job->code.entry, n);
}

static int give_result(const Job *job, Unit **unit, PyObject **text) {
    if (job->text) {
        *text = PyUnicode_DecodeUTF8(job->text, (Py_ssize_t)strlen(job->text), "replace");
        return *text ? 0 : -1;
    }
    *unit = make_unit(job);
    if (*unit && job->req->object && job->code.object) copy_object(job, job->req->object);
    return *unit ? 0 : -1;
}

/* An interpreted unit runs in the compile's own memory, which stays for good. */
static void end_compile(Cx *cx, bool keep) {
    if (keep) return;
    cx_close(cx);
    mem_free(cx);
}

static int compile(const CompileRequest *req, Unit **unit, PyObject **text) {
    Job job = {.req = req, .cx = mem_alloc(sizeof(Cx))};
    if (!job.cx || cx_open(job.cx) != 0) {
        mem_free(job.cx);
        PyErr_NoMemory();
        return -1;
    }
    int rc = run_stages(&job);
    if (rc != 0)
        raise_diag(job.cx);
    else
        rc = give_result(&job, unit, text);
    end_compile(job.cx, rc == 0 && job.interp);
    return rc;
}

/* --- tools for tests -------------------------------------------------------------------------- */

typedef struct ToolJob {
    const char *what, *text, *result;
} ToolJob;

static void run_tool(Cx *cx, void *arg) {
    ToolJob *job = arg;
    IrToolHost host = {.find_symbol = core->find_symbol, .run_pass = opt_run_pass};
    job->result = ir_tool(cx, &host, job->what, job->text);
}

static PyObject *tool(const char *what, const char *text) {
    ToolJob job = {.what = what, .text = text};
    PyObject *result = NULL;
    Cx cx;
    if (cx_open(&cx) != 0) return PyErr_NoMemory();
    if (cx_run(&cx, run_tool, &job) == 0)
        result = PyUnicode_FromString(job.result);
    else
        raise_diag(&cx);
    cx_close(&cx);
    return result;
}

/* --- the door --------------------------------------------------------------------------------- */

__attribute__((visibility("default"))) int ws_compiler_open(const CoreApi *api, CompilerApi *out) {
    core = api;
    ty_api = api->types;
    mem_faults = api->mem_faults;
    *out = (CompilerApi){.compile = compile, .ir_tool = tool, .list_rows = row_list};
    return 0;
}
