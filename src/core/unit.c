#include "core/unit.h"

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
static const Site *copy_sites(Pack *p, const Unit *draft) {
    Site *to = take(p, draft->nsites * sizeof *to), last = {0};
    for (uint32_t k = 0; k < draft->nsites; k++) {
        Site s = draft->sites[k];
        const Site *before = k ? &draft->sites[k - 1] : NULL;
        bool same = before && before->qualname == s.qualname && before->filename == s.filename;
        s.function = same ? last.function : copy_text(p, s.function);
        s.qualname = same ? last.qualname : copy_text(p, s.qualname);
        s.filename = same ? last.filename : copy_text(p, s.filename);
        s.arg_types = s.nargs ? copy(p, s.arg_types, s.nargs * sizeof *s.arg_types) : NULL;
        last = s;
        if (to) to[k] = s;
    }
    return to;
}

static Unit *copy_all(Pack *p, const Unit *draft) {
    Unit u = *draft, *to = take(p, sizeof *to);
    u.name = copy_text(p, draft->name);
    u.args = copy(p, draft->args, draft->nargs * sizeof *draft->args);
    u.sites = copy_sites(p, draft);
    u.classes = copy(p, draft->classes, draft->nclasses * sizeof *draft->classes);
    u.captured = copy(p, draft->captured, draft->ncaptured * sizeof *draft->captured);
    u.captured_types =
        copy(p, draft->captured_types, draft->ncaptured * sizeof *draft->captured_types);
    u.seen = copy(p, draft->seen, draft->nseen * sizeof *draft->seen);
    if (to) *to = u;
    return to;
}

Unit *unit_copy(const Unit *draft) {
    Pack count = {0}, fill;
    copy_all(&count, draft);
    fill = (Pack){mem_alloc(count.n), 0};
    Unit *u = fill.at ? copy_all(&fill, draft) : NULL;
    for (uint32_t k = 0; u && k < u->nclasses; k++) Py_XINCREF(u->classes[k]);
    for (uint32_t k = 0; u && k < u->ncaptured; k++) Py_XINCREF(u->captured[k]);
    for (uint32_t k = 0; u && k < u->nseen; k++) {
        Py_INCREF(u->seen[k].home);
        Py_XINCREF(u->seen[k].key);
        Py_XINCREF(u->seen[k].value);
    }
    return u;
}
