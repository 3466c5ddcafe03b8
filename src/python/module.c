/* The extension module: what the Python package is built on. */
#include <Python.h>

#include <string.h>

#include "base/mem.h"
#include "cache/cache.h"
#include "cache/key.h"
#include "core/compiler.h"
#include "core/memory.h"
#include "dispatch/disp.h"
#include "python/device.h"
#include "python/threads.h"
#include "runtime/runtime.h"
#include "types/promote.h"
#include "ufunc/ufunc.h"

static PyObject *is_compiler_open(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyBool_FromLong(compiler_is_open());
}

/* ir_tool(what, text): a tool of the compiler on IR text, for tests. */
static PyObject *ir_tool(PyObject *module, PyObject *args) {
    (void)module;
    const char *what, *text;
    if (!PyArg_ParseTuple(args, "ss", &what, &text)) return NULL;
    const CompilerApi *compiler = disp_compiler();
    return compiler ? compiler->ir_tool(what, text) : NULL;
}

/* memory_stats(): blocks of compiled code made and freed. */
static PyObject *memory_stats(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    MemoryStats s = mem_stats();
    return Py_BuildValue("(KK)", (unsigned long long)s.made, (unsigned long long)s.freed);
}

/* cache_folder(): (path, why the cache is off or None, limit in bytes). */
static PyObject *get_cache_folder(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return cache_folder();
}

/* cache_check(bytes): the function's name if this is the content of a whole entry, else None. */
static PyObject *check_cache(PyObject *module, PyObject *bytes) {
    (void)module;
    return cache_check(bytes);
}

/* cache_trim(): drops the entries that were not used for longest, if there are too many. */
static PyObject *trim_cache(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    cache_trim();
    Py_RETURN_NONE;
}

#ifdef WS_CHECKS
/* _fail_after(n): fail the n-th allocation of ours from now on, in both shared objects; how many
 * there were since the last call. */
static PyObject *fail_after(PyObject *module, PyObject *args) {
    (void)module;
    unsigned long long n;
    if (!PyArg_ParseTuple(args, "K", &n)) return NULL;
    return PyLong_FromUnsignedLongLong(mem_fail_after(n));
}

/* _live_blocks(): what is allocated now. */
static PyObject *live_blocks(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyLong_FromUnsignedLongLong(mem_live());
}
#endif

/* builtin_rows(): what compiled code may call; see row_list in infer/row.h. */
static PyObject *builtin_rows(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    const CompilerApi *compiler = disp_compiler();
    return compiler ? compiler->list_rows() : NULL;
}

/* --- the rules for numbers, for the manual ---------------------------------------------------- */

/* mark: "" a variable, "w" a weak constant, "+" and "-" weak and of that sign. False: exception
 * set. */
static bool read_operand(PyObject *obj, const char *mark, Operand *out) {
    Type *ty = disp_type_from(obj);
    *out = (Operand){ty, *mark != 0, *mark == '+', *mark == '-'};
    return ty != NULL;
}

/* promote(symbol, type, mark, type, mark): the result's type, None if there is no such operator.
 * Comparisons: the common type, None: as they are, by value. */
static PyObject *promote(PyObject *module, PyObject *args) {
    (void)module;
    const char *symbol, *mark_a, *mark_b;
    PyObject *obj_a, *obj_b;
    Operand a, b;
    if (!PyArg_ParseTuple(args, "sOsOs", &symbol, &obj_a, &mark_a, &obj_b, &mark_b)) return NULL;
    if (!read_operand(obj_a, mark_a, &a) || !read_operand(obj_b, mark_b, &b)) return NULL;
    Promotion p = {NULL, NULL};
    bool mixed = false;
    for (int op = 0; op < BIN_OPS; op++)
        if (strcmp(symbol, bin_symbol[op]) == 0 && !ty_promote((BinOp)op, a, b, &p)) Py_RETURN_NONE;
    if (!p.result && !ty_promote_compare(a, b, &p.result, &mixed)) Py_RETURN_NONE;
    return mixed ? Py_NewRef(Py_None) : disp_type_object(p.result);
}

/* join(type, type): what a variable is that has the one type on one path and the other on another;
 * None: an error. */
static PyObject *join(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *obj_a, *obj_b;
    Operand a, b;
    if (!PyArg_ParseTuple(args, "OO", &obj_a, &obj_b)) return NULL;
    if (!read_operand(obj_a, "", &a) || !read_operand(obj_b, "", &b)) return NULL;
    Type *ty = ty_join(a.ty, b.ty);
    return ty ? disp_type_object(ty) : Py_NewRef(Py_None);
}

static PyObject *end_polling(PyObject *m, PyObject *args) {
    (void)m, (void)args;
    rt_end_polling();
    Py_RETURN_NONE;
}

/* build_id(): what tells builds apart; see cache/key.h. */
static PyObject *get_build_id(PyObject *m, PyObject *args) {
    (void)m, (void)args;
    return PyUnicode_FromString(ws_build_id);
}

/* has_math(): is SLEEF, the library of vector math, there? */
static PyObject *has_math(PyObject *m, PyObject *args) {
    (void)m, (void)args;
    return PyBool_FromLong(rt_find_symbol("Sleef_sind1_u10purec") != NULL || !rt_lacks_math());
}

static PyMethodDef functions[] = {{"end_polling", end_polling, METH_NOARGS, NULL},
                                  {"is_compiler_open", is_compiler_open, METH_NOARGS, NULL},
                                  {"ir_tool", ir_tool, METH_VARARGS, NULL},
                                  {"memory_stats", memory_stats, METH_NOARGS, NULL},
                                  {"build_id", get_build_id, METH_NOARGS, NULL},
                                  {"has_math", has_math, METH_NOARGS, NULL},
                                  {"builtin_rows", builtin_rows, METH_NOARGS, NULL},
                                  {"promote", promote, METH_VARARGS, NULL},
                                  {"join", join, METH_VARARGS, NULL},
                                  {"cache_folder", get_cache_folder, METH_NOARGS, NULL},
                                  {"cache_check", check_cache, METH_O, NULL},
                                  {"cache_trim", trim_cache, METH_NOARGS, NULL},
                                  {"thread_settings", python_thread_settings, METH_NOARGS, NULL},
                                  {"set_threads", python_set_threads, METH_O, NULL},
                                  {"set_chunk_size", python_set_chunk_size, METH_O, NULL},
#ifdef WS_CHECKS
                                  {"_fail_after", fail_after, METH_VARARGS, NULL},
                                  {"_reverse_chunks", python_reverse_chunks, METH_O, NULL},
                                  {"_live_blocks", live_blocks, METH_NOARGS, NULL},
#endif
                                  {NULL, NULL, 0, NULL}};

/* The type table and NumPy's API are one per process: a second interpreter would share objects with
 * the first. */
static int refuse_second_interpreter(void) {
    PyInterpreterState *state = PyInterpreterState_Get();
    if (PyInterpreterState_GetID(state) == 0) return 0;
    PyErr_SetString(PyExc_ImportError,
                    "whipsnake works in the main interpreter only, not in subinterpreters");
    return -1;
}

/* A free-threaded Python cannot load this file in the first place (it wants another ABI); but one
 * that could, must not: reference counts would break. */
static int refuse_free_threading(void) {
    PyObject *gil_enabled = PySys_GetObject("_is_gil_enabled"); /* borrowed; 3.13 and later */
    PyObject *answer = gil_enabled ? PyObject_CallNoArgs(gil_enabled) : NULL;
    int off = answer == Py_False;
    Py_XDECREF(answer);
    PyErr_Clear();
    if (!off) return 0;
    PyErr_SetString(PyExc_ImportError,
                    "whipsnake needs the GIL: there is no build for free-threaded Python yet");
    return -1;
}

static int exec_module(PyObject *module) {
    static bool is_ready;
    if (refuse_second_interpreter() || refuse_free_threading()) return -1;
    if (is_ready) {
        PyErr_SetString(PyExc_ImportError, "whipsnake._core can be loaded only once per process");
        return -1;
    }
    if (disp_init(module) || ufunc_init(module) || device_init_streams(module) ||
        device_init_arrays(module) || device_init_launch(module) ||
        PyModule_AddFunctions(module, functions))
        return -1;
    is_ready = true;
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)(uintptr_t)exec_module}, {0, NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "whipsnake._core",
                                    .m_slots = slots};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&module); }
