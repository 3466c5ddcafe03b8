#include "syntax/code.h"

#include <ctype.h>
#include <string.h>

#include "base/diag.h"

/* Can the compiler warn about this text? Only escapes it does not know and `is` beside a literal
 * do in practice; hiding warnings forgets which were shown before, so it is not done for every
 * function. */
static bool may_warn(const char *s, size_t n) {
    for (size_t i = 0; i + 4 < n; i++) {
        if (s[i] == '\\' && !strchr("\n\r\\'\"abfnrtvxNuU01234567", s[i + 1])) return true;
        if (s[i] == '\\') i++;
        bool is_is = s[i] == ' ' && s[i + 1] == 'i' && s[i + 2] == 's' && s[i + 3] == ' ';
        const char *next = is_is && strncmp(s + i + 4, "not ", 4) == 0 ? s + i + 8 : s + i + 4;
        if (is_is && (isdigit((unsigned char)*next) || strchr("'\"(-[", *next))) return true;
        if (is_is && i && (isdigit((unsigned char)s[i - 1]) || strchr("'\")]", s[i - 1])))
            return true;
        if (strncmp(s + i, "finally", 7) == 0 || strncmp(s + i, "assert(", 7) == 0) return true;
    }
    return false;
}

static PyObject *call_compile(Cx *cx, const char *text, size_t n, const char *filename, int flags) {
    PyObject *compile = py_attr(cx, py_keep(cx, PyImport_ImportModule("builtins")), "compile");
    PyObject *source = py_keep(cx, PyUnicode_FromStringAndSize(text, (Py_ssize_t)n));
    if (!compile || !source) return NULL;
    return PyObject_CallFunction(compile, "OssiO", source, filename, "exec", flags, Py_True);
}

static PyObject *compile_quietly(Cx *cx, const char *text, size_t n, const char *filename,
                                 int flags) {
    PyObject *warnings = py_keep(cx, PyImport_ImportModule("warnings"));
    PyObject *guard =
        warnings ? py_keep(cx, PyObject_CallMethod(warnings, "catch_warnings", NULL)) : NULL;
    if (!guard) return call_compile(cx, text, n, filename, flags);
    Py_DecRef(PyObject_CallMethod(guard, "__enter__", NULL));
    Py_DecRef(PyObject_CallMethod(warnings, "simplefilter", "s", "ignore"));
    py_clear_error();
    PyObject *code = call_compile(cx, text, n, filename, flags);
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Py_DecRef(PyObject_CallMethod(guard, "__exit__", "OOO", Py_None, Py_None, Py_None));
    PyErr_Restore(type, value, trace);
    return code;
}

PyObject *syn_compile(Cx *cx, const char *text, size_t n, const char *filename, int flags) {
    PyObject *code = may_warn(text, n) ? compile_quietly(cx, text, n, filename, flags)
                                       : call_compile(cx, text, n, filename, flags);
    if (code) return py_keep(cx, code);
    bool too_deep = PyErr_ExceptionMatches(PyExc_RecursionError);
    py_clear_error();
    if (too_deep) diag_fail(cx, (Span){0}, D_TOO_DEEP);
    if (cx->raised) cx_abort(cx);
    return NULL;
}

static bool is_code(PyObject *obj) { return py_is_a(obj, "code"); }

static bool is_same_code(Cx *cx, PyObject *a, PyObject *b);

static bool is_same_tuple(Cx *cx, PyObject *a, PyObject *b);

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Constants: 1, 1.0 and True are three, and so are 0.0 and -0.0. */
static bool is_same_const(Cx *cx, PyObject *a, PyObject *b) {
    if (a == b) return true;
    if (Py_TYPE(a) != Py_TYPE(b)) return false;
    if (PyFloat_Check(a)) {
        return bits_of(PyFloat_AsDouble(a)) == bits_of(PyFloat_AsDouble(b));
    }
    if (PyComplex_Check(a)) {
        return bits_of(PyComplex_RealAsDouble(a)) == bits_of(PyComplex_RealAsDouble(b)) &&
               bits_of(PyComplex_ImagAsDouble(a)) == bits_of(PyComplex_ImagAsDouble(b));
    }
    if (PyTuple_Check(a)) return is_same_tuple(cx, a, b);
    if (is_code(a)) return is_same_code(cx, a, b);
    int equal = PyObject_RichCompareBool(a, b, Py_EQ);
    if (equal < 0) py_clear_error();
    return equal > 0;
}

static bool is_same_tuple(Cx *cx, PyObject *a, PyObject *b) {
    Py_ssize_t n = PyTuple_Size(a);
    if (PyTuple_Size(b) != n) return false;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!is_same_const(cx, PyTuple_GetItem(a, i), PyTuple_GetItem(b, i))) return false;
    return true;
}

/* How arguments are taken and what kind of function it is: *args, **kwargs, generator,
 * coroutine, docstring. That a function is nested depends on where it stands. */
enum { FLAGS_COMPARED = 0x01 | 0x04 | 0x08 | 0x20 | 0x80 | 0x200, FLAG_FUNCTION = 0x01 };

static bool is_same_code(Cx *cx, PyObject *a, PyObject *b) {
    static const char *const attributes[] = {
        "co_code",           "co_name",           "co_argcount", "co_posonlyargcount",
        "co_kwonlyargcount", "co_names",          "co_varnames", "co_freevars",
        "co_cellvars",       "co_exceptiontable", "co_consts",
    };
    int64_t flags = py_int_attr(cx, a, "co_flags", 0);
    if ((flags ^ py_int_attr(cx, b, "co_flags", 0)) & FLAGS_COMPARED) return false;
    /* The constants of a class body name its line, and a set of names in any order: enough that
     * the code is equal. */
    size_t n = sizeof attributes / sizeof *attributes - !(flags & FLAG_FUNCTION);
    for (size_t i = 0; i < n; i++) {
        PyObject *x = py_attr(cx, a, attributes[i]), *y = py_attr(cx, b, attributes[i]);
        if (!x || !y || !is_same_const(cx, x, y)) return false;
    }
    return true;
}

bool syn_has_code(Cx *cx, PyObject *found, PyObject *code) {
    PyObject *consts = py_attr(cx, found, "co_consts");
    Py_ssize_t n = consts ? PyTuple_Size(consts) : 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *k = PyTuple_GetItem(consts, i);
        if (is_code(k) && (is_same_code(cx, k, code) || syn_has_code(cx, k, code))) return true;
    }
    return false;
}
