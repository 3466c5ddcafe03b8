/* Strings, formatting and print.
 *
 * What a number or a string looks like under a format spec is Python's own business: values become
 * objects and PyObject_Format is asked, so every spec and every Python version agrees to the
 * letter. */
#include <Python.h>

#include <stdio.h>
#include <string.h>

#include "core/exceptions.h"
#include "core/memory.h"
#include "runtime/runtime.h"

static int native_order(void) {
    return (union {
               uint16_t i;
               uint8_t b;
           }){1}
                   .b
               ? -1
               : 1;
}

PyObject *rt_new_str(const StrSlots *s) {
    if (s->kind == 1) return PyUnicode_DecodeASCII(s->data, (Py_ssize_t)s->length, NULL);
    int order = native_order();
    return PyUnicode_DecodeUTF32(s->data, (Py_ssize_t)s->length * 4, "surrogatepass", &order);
}

/* Room for a new string; NULL with ctx->exc set. */
static void *new_text(WsCtx *ctx, int32_t site, int64_t length, int64_t kind, StrSlots *out) {
    WsOwner *o = ws_alloc(ctx, site, length * kind);
    if (!o) return NULL;
    *out = (StrSlots){owner_data(o), length, kind, o};
    return owner_data(o);
}

Status rt_take_str(WsCtx *ctx, int32_t site, PyObject *str, StrSlots *out) {
    Py_ssize_t length = PyUnicode_GetLength(str), bytes;
    const char *utf8 = PyUnicode_AsUTF8AndSize(str, &bytes);
    if (utf8 && bytes == length) {
        void *to = new_text(ctx, site, length, 1, out);
        if (!to) return 1;
        memcpy(to, utf8, (size_t)length);
        return 0;
    }
    PyErr_Clear(); /* lone surrogates have no UTF-8 */
    Py_UCS4 *to = new_text(ctx, site, length, 4, out);
    if (!to) return 1;
    if (length && !PyUnicode_AsUCS4(str, to, length, 0)) {
        rt_raise_python(ctx, site);
        mem_release_owner(out->owner);
        return 1;
    }
    return 0;
}

/* Takes obj (NULL: the exception that is set) and stores its text. GIL held. */
static Status finish(WsCtx *ctx, int32_t site, PyObject *obj, StrSlots *out) {
    Status rc = 1;
    if (obj)
        rc = rt_take_str(ctx, site, obj, out);
    else
        rt_raise_python(ctx, site);
    Py_XDECREF(obj);
    return rc;
}

/* format(obj, spec). Takes obj. GIL held. */
static Status format_object(WsCtx *ctx, int32_t site, PyObject *obj, const StrSlots *spec,
                            StrSlots *out) {
    PyObject *text = NULL, *how = obj ? rt_new_str(spec) : NULL;
    if (how) text = PyObject_Format(obj, how);
    Py_XDECREF(how);
    Py_XDECREF(obj);
    return finish(ctx, site, text, out);
}

static Status copy_ascii(WsCtx *ctx, int32_t site, const char *text, StrSlots *out) {
    size_t n = strlen(text);
    void *to = new_text(ctx, site, (int64_t)n, 1, out);
    if (to) memcpy(to, text, n);
    return to ? 0 : 1;
}

Status ws_format_int(WsCtx *ctx, int32_t site, int64_t v, bool is_unsigned, const StrSlots *spec,
                     StrSlots *out) {
    if (spec->length == 0) {
        char digits[32];
        snprintf(digits, sizeof digits, is_unsigned ? "%llu" : "%lld", (long long)v);
        return copy_ascii(ctx, site, digits, out);
    }
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *obj = is_unsigned ? PyLong_FromUnsignedLongLong((uint64_t)v) : PyLong_FromLongLong(v);
    Status rc = format_object(ctx, site, obj, spec, out);
    PyGILState_Release(gil);
    return rc;
}

Status ws_format_bool(WsCtx *ctx, int32_t site, bool v, const StrSlots *spec, StrSlots *out) {
    if (spec->length == 0) return copy_ascii(ctx, site, v ? "True" : "False", out);
    PyGILState_STATE gil = PyGILState_Ensure();
    Status rc = format_object(ctx, site, PyBool_FromLong(v), spec, out);
    PyGILState_Release(gil);
    return rc;
}

Status ws_format_float(WsCtx *ctx, int32_t site, double v, const StrSlots *spec, StrSlots *out) {
    PyGILState_STATE gil = PyGILState_Ensure();
    Status rc = format_object(ctx, site, PyFloat_FromDouble(v), spec, out);
    PyGILState_Release(gil);
    return rc;
}

Status ws_format_complex(WsCtx *ctx, int32_t site, double re, double im, const StrSlots *spec,
                         StrSlots *out) {
    PyGILState_STATE gil = PyGILState_Ensure();
    Status rc = format_object(ctx, site, PyComplex_FromDoubles(re, im), spec, out);
    PyGILState_Release(gil);
    return rc;
}

Status ws_format_str(WsCtx *ctx, int32_t site, const StrSlots *v, const StrSlots *spec,
                     StrSlots *out) {
    if (spec->length == 0) return ws_str_concat(ctx, site, 1, v, out);
    PyGILState_STATE gil = PyGILState_Ensure();
    Status rc = format_object(ctx, site, rt_new_str(v), spec, out);
    PyGILState_Release(gil);
    return rc;
}

static Status convert_str(WsCtx *ctx, int32_t site, const StrSlots *v,
                          PyObject *(*convert)(PyObject *), StrSlots *out) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *text = NULL, *obj = rt_new_str(v);
    if (obj) text = convert(obj);
    Py_XDECREF(obj);
    Status rc = finish(ctx, site, text, out);
    PyGILState_Release(gil);
    return rc;
}

Status ws_repr_str(WsCtx *ctx, int32_t site, const StrSlots *v, StrSlots *out) {
    return convert_str(ctx, site, v, PyObject_Repr, out);
}

Status ws_ascii_str(WsCtx *ctx, int32_t site, const StrSlots *v, StrSlots *out) {
    return convert_str(ctx, site, v, PyObject_ASCII, out);
}

static uint32_t char_at(const StrSlots *s, int64_t i) {
    return s->kind == 1 ? ((const uint8_t *)s->data)[i] : ((const uint32_t *)s->data)[i];
}

/* Copies the characters of s, widened to `kind`, to `to`; returns the end. */
static char *copy_chars(char *to, const StrSlots *s, int64_t kind) {
    size_t n = (size_t)s->length;
    if (s->kind == kind) {
        if (n) memcpy(to, s->data, n * (size_t)kind);
    } else {
        for (size_t i = 0; i < n; i++) ((uint32_t *)to)[i] = ((const uint8_t *)s->data)[i];
    }
    return to + n * (size_t)kind;
}

Status ws_str_concat(WsCtx *ctx, int32_t site, int64_t n, const StrSlots *pieces, StrSlots *out) {
    int64_t length = 0, kind = 1;
    for (int64_t i = 0; i < n; i++) {
        length += pieces[i].length;
        if (pieces[i].kind == 4) kind = 4;
    }
    char *to = new_text(ctx, site, length, kind, out);
    if (!to) return 1;
    for (int64_t i = 0; i < n; i++) to = copy_chars(to, &pieces[i], kind);
    return 0;
}

int64_t ws_str_compare(const StrSlots *a, const StrSlots *b) {
    int64_t n = a->length < b->length ? a->length : b->length;
    for (int64_t i = 0; i < n; i++) {
        uint32_t x = char_at(a, i), y = char_at(b, i);
        if (x != y) return x < y ? -1 : 1;
    }
    return (a->length > b->length) - (a->length < b->length);
}

bool ws_str_eq(const StrSlots *a, const StrSlots *b) {
    if (a->length != b->length) return false;
    if (a->kind == b->kind)
        return a->length == 0 || memcmp(a->data, b->data, (size_t)(a->length * a->kind)) == 0;
    return ws_str_compare(a, b) == 0;
}

bool ws_str_contains(const StrSlots *text, const StrSlots *part) {
    for (int64_t at = 0; at + part->length <= text->length; at++) {
        StrSlots window = {(const char *)text->data + at * text->kind, part->length, text->kind,
                           NULL};
        if (ws_str_eq(&window, part)) return true;
    }
    return false;
}

static Status new_char(WsCtx *ctx, int32_t site, uint32_t c, StrSlots *out) {
    StrSlots one = {&c, 1, 4, NULL};
    uint8_t narrow = (uint8_t)c;
    if (c < 128) one = (StrSlots){&narrow, 1, 1, NULL};
    return ws_str_concat(ctx, site, 1, &one, out);
}

Status ws_str_get(WsCtx *ctx, int32_t site, const StrSlots *s, int64_t i, StrSlots *out) {
    return new_char(ctx, site, char_at(s, i), out);
}

Status ws_str_code(WsCtx *ctx, int32_t site, const StrSlots *s, int64_t *out) {
    if (s->length != 1) {
        rt_raise(ctx, site, EXC_TypeError,
                 "ord() expected a character, but string of length %lld found",
                 (long long)s->length);
        return 1;
    }
    *out = char_at(s, 0);
    return 0;
}

Status ws_str_of_code(WsCtx *ctx, int32_t site, int64_t code, StrSlots *out) {
    if (code >= 0 && code < 0x110000) return new_char(ctx, site, (uint32_t)code, out);
    rt_raise(ctx, site, EXC_ValueError, "chr() arg not in range(0x110000)");
    return 1;
}

int64_t ws_str_hash(WsCtx *ctx, int32_t site, const StrSlots *s) {
    (void)ctx;
    (void)site;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *obj = rt_new_str(s);
    int64_t hash = obj ? PyObject_Hash(obj) : 0;
    if (!obj) PyErr_Clear();
    Py_XDECREF(obj);
    PyGILState_Release(gil);
    return hash;
}

typedef struct Print {
    WsCtx *ctx;
    int32_t site;
    const StrSlots *text;
    Status rc;
} Print;

static Status print(WsCtx *ctx, int32_t site, const StrSlots *text) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *sys =
        PyImport_ImportModule("sys"); /* PySys_GetObject cannot say that memory ran out */
    PyObject *out = sys ? PyObject_GetAttrString(sys, "stdout") : NULL;
    int rc = out ? 0 : -1;
    if (out && out != Py_None) {
        PyObject *str = rt_new_str(text);
        rc = str ? PyFile_WriteObject(str, out, Py_PRINT_RAW) : -1;
        Py_XDECREF(str);
    }
    if (rc) rt_raise_python(ctx, site);
    Py_XDECREF(out);
    Py_XDECREF(sys);
    PyGILState_Release(gil);
    return rc ? 1 : 0;
}

static void print_there(void *arg) {
    Print *p = arg;
    p->rc = print(p->ctx, p->site, p->text);
}

Status ws_print(WsCtx *ctx, int32_t site, const StrSlots *text) {
    Print p = {ctx, site, text, 0};
    if (!ctx->thread) return print(ctx, site, text);
    simt_on_big_stack(ctx, print_there, &p);
    return p.rc;
}
