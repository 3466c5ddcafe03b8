#include "driver/unit.h"

#include <Python.h>

#include <string.h>

#include "base/mem.h"

/* One walk counts the bytes (at == NULL), a second one fills them. */
typedef struct Pack {
    char *at;
    size_t n;
} Pack;

static void *take(Pack *p, size_t n) {
    void *room = p->at ? p->at + p->n : NULL;
    p->n += (n + 15) & ~(size_t)15;
    return room;
}

static void *copy(Pack *p, const void *from, size_t n) {
    void *room = take(p, n);
    if (room && n) memcpy(room, from, n);
    return room;
}

static const char *copy_text(Pack *p, const char *s) {
    return s ? copy(p, s, strlen(s) + 1) : NULL;
}

/* Neighbours mostly lie in one function: they share its names. */
static void copy_sites(Pack *p, const UnitParts *parts, Unit *u) {
    Site *to = take(p, parts->nsites * sizeof *to), last = {0};
    for (uint32_t k = 0; k < parts->nsites; k++) {
        Site s = parts->sites[k];
        const Site *before = k ? &parts->sites[k - 1] : NULL;
        bool same = before && before->qualname == s.qualname && before->filename == s.filename;
        s.function = same ? last.function : copy_text(p, s.function);
        s.qualname = same ? last.qualname : copy_text(p, s.qualname);
        s.filename = same ? last.filename : copy_text(p, s.filename);
        s.arg_types = s.nargs ? copy(p, s.arg_types, s.nargs * sizeof *s.arg_types) : NULL;
        last = s;
        if (to) to[k] = s;
    }
    if (u) u->sites = to;
}

static void copy_parts(Pack *p, const UnitParts *parts, Unit *u) {
    const Module *m = parts->m;
    const char *name = copy_text(p, m->fns.at[0]->name);
    Type **args = copy(p, parts->req->args, parts->req->nargs * sizeof *args);
    PyObject **classes = copy(p, m->classes.at, m->classes.n * sizeof *classes);
    PyObject **captured = copy(p, m->captured.at, m->captured.n * sizeof *captured);
    Type **captured_types =
        copy(p, m->captured_types.at, m->captured_types.n * sizeof *captured_types);
    copy_sites(p, parts, u);
    if (!u) return;
    u->name = name;
    u->args = args;
    u->classes = classes;
    u->captured = captured;
    u->captured_types = captured_types;
}

static void fill_plain(const UnitParts *parts, Unit *u) {
    const Fn *fn = parts->m->fns.at[0];
    *u = (Unit){.entry = parts->entry,
                .nargs = parts->req->nargs,
                .nslots = parts->nslots,
                .ret = fn->ret,
                .escapes = fn->escapes,
                .nogil = parts->req->options.nogil,
                .nsites = parts->nsites,
                .nclasses = parts->m->classes.n,
                .ncaptured = parts->m->captured.n,
                .code = parts->code,
                .code_size = parts->code_size};
    memcpy(u->stage_ns, parts->stage_ns, sizeof u->stage_ns);
}

Unit *unit_new(const UnitParts *parts) {
    Pack count = {0}, fill;
    take(&count, sizeof(Unit));
    copy_parts(&count, parts, NULL);
    fill = (Pack){mem_alloc(count.n), 0};
    if (!fill.at) return NULL;
    Unit *u = take(&fill, sizeof *u);
    fill_plain(parts, u);
    copy_parts(&fill, parts, u);
    for (uint32_t k = 0; k < u->nclasses; k++) Py_XINCREF(u->classes[k]);
    for (uint32_t k = 0; k < u->ncaptured; k++) Py_XINCREF(u->captured[k]);
    return u;
}
