#include "cache/cache.h"

#include <stdlib.h>

#include "base/mem.h"
#include "cache/folder.h"
#include "cache/format.h"
#include "cache/image.h"
#include "cache/key.h"

/* --- the key ---------------------------------------------------------------------------------- */

/* Types of variables that the decorator was told. */
static void add_locals(Walk *w, PyObject *locals) {
    PyObject *items = locals ? py_keep(w->cx, PyDict_Items(locals)) : NULL;
    for (Py_ssize_t i = 0; items && i < PyList_Size(items); i++)
        walk_value(w, PyList_GetItem(items, i));
}

static void add_request(Walk *w, const CompileRequest *req) {
    walk_options(w, &req->options);
    for (uint32_t i = 0; i < req->nargs; i++) walk_type(w, req->args[i]);
    if (req->ret) {
        walk_text(w, "->");
        walk_type(w, req->ret);
    }
    add_locals(w, req->locals);
    walk_value(w, req->func);
}

static void walk_request(Cx *cx, void *arg) {
    CacheQuery *q = arg;
    uint8_t key[BLAKE_SIZE];
    walk_start(&q->walk, cx, q->host);
    key_add_process(&q->walk);
    add_request(&q->walk, q->req);
    walk_finish(&q->walk);
    blake_end(&q->walk.hash, key);
    if (q->usable && memcmp(key, q->key, sizeof key) != 0)
        walk_give_up(&q->walk, "what it uses changed while it was compiled");
    memcpy(q->key, key, sizeof key);
}

/* Takes what came in between out of the Cx. -1: it is set as Python's exception (Ctrl-C, exit); 0: there is
 * none, or it says that something cannot be looked at, or that there is no memory: it goes without the
 * cache. */
static int take_raised(Cx *cx) {
    PyObject *value = cx->raised;
    cx->raised = NULL;
    if (!value) return 0;
    bool ends_all = !PyErr_GivenExceptionMatches(value, PyExc_Exception);
    if (ends_all) PyErr_SetObject((PyObject *)Py_TYPE(value), value);
    Py_DECREF(value);
    return ends_all ? -1 : 0;
}

/* Runs a step. 0: done, or given up (q->problem); -1: an exception is set. */
static int run(CacheQuery *q, void (*step)(Cx *, void *)) {
    int failed = cx_run(&q->cx, step, q);
    bool raised = q->cx.raised;
    if (take_raised(&q->cx)) return -1;
    q->problem = failed   ? "there was no memory for it"
                 : raised ? "something that it uses raises an exception when it is looked at"
                          : q->walk.problem;
    return 0;
}

static void name_file(CacheQuery *q) {
    static const char digits[] = "0123456789abcdef";
    char *p = q->name;
    for (int i = 0; i < BLAKE_SIZE; i++) {
        *p++ = digits[q->key[i] >> 4];
        *p++ = digits[q->key[i] & 15];
    }
    memcpy(p, IMAGE_SUFFIX, sizeof IMAGE_SUFFIX);
}

void cache_open(void) { key_open(); }

int cache_ask(CacheQuery *q, const CacheHost *host, const CompileRequest *req) {
    *q = (CacheQuery){.host = host, .req = req};
    if (folder_open()->problem) {
        q->problem = folder_open()->problem;
        return 0;
    }
    q->is_open = cx_open(&q->cx) == 0;
    if (!q->is_open) return 0;
    if (run(q, walk_request)) return -1;
    q->usable = !q->problem;
    if (q->usable) name_file(q);
    return 0;
}

void cache_close(CacheQuery *q) {
    if (q->is_open) cx_close(&q->cx);
    q->is_open = false;
}

/* --- entries ---------------------------------------------------------------------------------- */

typedef struct Loading {
    CacheQuery *q;
    const char *bytes;
    size_t size;
    Unit *unit;
} Loading;

static void read_unit(Cx *cx, void *arg) {
    Loading *l = arg;
    (void)cx;
    l->unit = image_read(&l->q->walk, l->q->req, l->bytes, l->size);
}

static char *read_file(const CacheQuery *q, size_t *size) {
    PyThreadState *state = PyEval_SaveThread();
    char *bytes = folder_read(q->name, size);
    if (bytes && !image_is_whole(bytes, *size, q->key)) {
        mem_free(bytes);
        bytes = NULL;
    }
    PyEval_RestoreThread(state);
    return bytes;
}

Unit *cache_load(CacheQuery *q) {
    Loading l = {.q = q};
    if (!q->usable) return NULL;
    char *bytes = read_file(q, &l.size);
    if (!bytes) return NULL;
    l.bytes = bytes;
    cx_run(&q->cx, read_unit, &l);
    mem_free(bytes);
    return take_raised(&q->cx) ? NULL : l.unit;
}

typedef struct Storing {
    CacheQuery *q;
    const Unit *unit;
    const CompiledObject *object;
    const char *bytes;
    size_t size;
} Storing;

static void write_unit(Cx *cx, void *arg) {
    Storing *s = arg;
    (void)cx;
    s->bytes = image_write(&s->q->walk, s->q->key, s->unit, s->object, &s->size);
}

static const char *write_file(const CacheQuery *q, const Storing *s) {
    PyThreadState *state = PyEval_SaveThread();
    const char *problem = folder_write(q->name, s->bytes, s->size);
    PyEval_RestoreThread(state);
    return problem;
}

/* Overloads are Python and ran meanwhile: what they changed is in no key. */
int cache_store(CacheQuery *q, const Unit *unit, const CompiledObject *object) {
    Storing s = {.q = q, .unit = unit, .object = object};
    if (!q->usable) return 0;
    if (object->unlike_code)
        q->problem = "its source text is not the code that Python runs";
    else if (!object->bytes)
        q->problem = "there was no memory for it";
    if (q->problem) return 0;
    if (run(q, walk_request)) return -1;
    if (q->problem) return 0;
    cx_run(&q->cx, write_unit, &s);
    if (take_raised(&q->cx)) return -1;
    q->problem = s.bytes           ? write_file(q, &s)
                 : q->walk.problem ? q->walk.problem
                                   : "there was no memory for it";
    return 0;
}

/* --- for people ------------------------------------------------------------------------------- */

PyObject *cache_folder(void) {
    const Folder *f = folder_open();
    return Py_BuildValue("(szK)", f->path, f->problem, (unsigned long long)f->limit);
}

PyObject *cache_check(PyObject *obj) {
    char *bytes;
    Py_ssize_t size;
    size_t n;
    if (PyBytes_AsStringAndSize(obj, &bytes, &size)) return NULL;
    if (!image_is_whole(bytes, (size_t)size, NULL)) Py_RETURN_NONE;
    const char *name = image_name(bytes, (size_t)size, &n);
    return PyUnicode_DecodeUTF8(name, (Py_ssize_t)n, "replace");
}

void cache_trim(void) {
    if (!folder_open()->problem) folder_trim();
}
