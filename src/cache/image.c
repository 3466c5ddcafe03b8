#include "cache/image.h"

#include "cache/form.h"
#include "cache/format.h"
#include "core/compiler.h"
#include "core/loader.h"
#include "core/os.h"

/* --- writing ---------------------------------------------------------------------------------- */

static void put(Walk *w, Buf *b, const void *bytes, size_t n) { buf_add(w->cx, b, bytes, n); }
static void put32(Walk *w, Buf *b, uint32_t x) { put(w, b, &x, sizeof x); }

static void put_bytes(Walk *w, Buf *b, const char *bytes, size_t n) {
    put32(w, b, (uint32_t)n);
    put(w, b, bytes, n);
}

static void put_text(Walk *w, Buf *b, const char *text) { put_bytes(w, b, text, strlen(text)); }

static void put_type(Walk *w, Buf *b, const Type *ty) {
    Buf text = {0};
    FormOut out = {.cx = w->cx, .walk = w, .text = &text};
    if (!form_write(&out, ty)) walk_give_up(w, "a type in it cannot be found again later");
    put_text(w, b, text.at ? text.at : "");
}

static void put_object(Walk *w, Buf *b, PyObject *obj, const char *why) {
    int64_t n = walk_number(w, obj);
    if (n < 0) walk_give_up(w, why);
    put32(w, b, (uint32_t)n);
}

static bool is_place(const PyRead *a, const PyRead *b) {
    if (a->home != b->home || !a->key != !b->key) return false;
    return a->key == b->key || PyUnicode_Compare(a->key, b->key) == 0;
}

/* By its place in Walk.found. */
static void put_seen(Walk *w, Buf *b, const PyRead *s) {
    uint32_t i = 0;
    while (i < w->found.n && !is_place(&w->found.at[i], s)) i++;
    if (i == w->found.n)
        walk_give_up(w, "it reads something that has no name here");
    else if (w->found.at[i].value != s->value)
        walk_give_up(w, "what it uses changed while it was compiled");
    put32(w, b, i);
}

/* --- where functions are written -------------------------------------------------------------- */

/* Is `inner` the name of the function, or of one written inside it? */
static bool is_within(const char *inner, const char *outer) {
    size_t n = outer ? strlen(outer) : 0;
    return n && strncmp(inner, outer, n) == 0 && (!inner[n] || inner[n] == '.');
}

/* Could the site be in the function written there? One without a line is in no place: any will do. */
static bool may_contain(const Home *h, const Site *s) {
    if (strcmp(h->filename, s->filename) != 0) return false;
    return !s->line || (h->line <= s->line && (is_within(s->qualname, h->qualname) ||
                                               is_within(s->qualname, h->code_qualname)));
}

/* Of functions that could contain the site, the one that begins last. */
static bool find_function(Walk *w, const Site *s, uint32_t *number, uint32_t *line) {
    bool found = false;
    for (uint32_t n = 0; n < w->nodes.n; n++) {
        const Home *h = walk_home(w, n);
        if (!h->line || !may_contain(h, s) || (found && h->line < *line)) continue;
        *number = n;
        *line = h->line;
        found = true;
    }
    return found;
}

/* "/.../whipsnake/", where the prelude is written. */
static const char *package_folder(Cx *cx) {
    char path[768];
    return compiler_sibling(path, sizeof path, "") == 0 ? cx_name(cx, path) : NULL;
}

static void put_line(Walk *w, Buf *b, uint32_t line, uint32_t first) {
    put32(w, b, line ? line - first + 1 : 0);
}

static void put_place(Walk *w, Buf *b, const Site *s) {
    const char *folder = package_folder(w->cx);
    size_t n = folder ? strlen(folder) : 0;
    uint32_t number = PACKAGE_FILE, first = 0;
    bool ours = n && strncmp(s->filename, folder, n) == 0;
    if (!ours && !find_function(w, s, &number, &first))
        walk_give_up(w,
                     cx_printf(w->cx,
                               "it contains %s, line %u of %s, which was made when it was compiled",
                               s->qualname, s->line, s->filename));
    put32(w, b, number);
    if (ours) put_text(w, b, s->filename + n);
    put_line(w, b, s->line, first);
    put_line(w, b, s->end_line, first);
    put32(w, b, s->col);
    put32(w, b, s->end_col);
}

static void put_site(Walk *w, Buf *b, const Site *s) {
    put_text(w, b, s->function);
    put_text(w, b, s->qualname);
    put_place(w, b, s);
    put32(w, b, s->nargs);
    for (uint32_t i = 0; i < s->nargs; i++) put_type(w, b, s->arg_types[i]);
}

static void put_unit(Walk *w, Buf *b, const Unit *u, const CompiledObject *object) {
    put_text(w, b, u->name);
    put_text(w, b, object->entry);
    put32(w, b, u->nslots);
    put(w, b, &u->escapes, sizeof u->escapes);
    put32(w, b, u->method);
    put32(w, b, u->shared_bytes);
    put32(w, b, u->stack_bytes);
    put_type(w, b, u->ret);
    put32(w, b, u->nsites);
    for (uint32_t i = 0; i < u->nsites; i++) put_site(w, b, &u->sites[i]);
    put32(w, b, u->nclasses);
    for (uint32_t i = 0; i < u->nclasses; i++)
        put_object(w, b, u->classes[i], "it raises an exception class that has no name here");
    put32(w, b, u->ncaptured);
    for (uint32_t i = 0; i < u->ncaptured; i++) {
        put_object(w, b, u->captured[i], "it uses an array that has no name here");
        put_type(w, b, u->captured_types[i]);
    }
    put32(w, b, u->nseen);
    for (uint32_t i = 0; i < u->nseen; i++) put_seen(w, b, &u->seen[i]);
    put_bytes(w, b, object->bytes, object->size);
}

/* The checksum covers the head, too: itself as zeros. */
static void sum_of(const char *bytes, size_t size, uint8_t out[BLAKE_SIZE]) {
    ImageHead head;
    Blake sum;
    memcpy(&head, bytes, sizeof head);
    memset(head.sum, 0, sizeof head.sum);
    blake_start(&sum);
    blake_add(&sum, &head, sizeof head);
    blake_add(&sum, bytes + sizeof head, size - sizeof head);
    blake_end(&sum, out);
}

const char *image_write(Walk *w, const uint8_t *key, const Unit *unit, const CompiledObject *object,
                        size_t *size) {
    Buf b = {0};
    ImageHead head = {.magic = IMAGE_MAGIC};
    memcpy(head.key, key, sizeof head.key);
    put(w, &b, &head, sizeof head);
    put_unit(w, &b, unit, object);
    if (w->problem) return NULL;
    head.size = *size = b.n;
    memcpy(b.at, &head, sizeof head);
    sum_of(b.at, b.n, head.sum);
    memcpy(b.at, &head, sizeof head);
    return b.at;
}

/* --- reading ---------------------------------------------------------------------------------- */

bool image_is_whole(const char *bytes, size_t size, const uint8_t *key) {
    ImageHead head;
    uint8_t sum[BLAKE_SIZE];
    if (size < sizeof head) return false;
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, IMAGE_MAGIC, sizeof head.magic) != 0 || head.size != size) return false;
    if (key && memcmp(head.key, key, sizeof head.key) != 0) return false;
    sum_of(bytes, size, sum);
    return memcmp(sum, head.sum, sizeof sum) == 0;
}

typedef struct In {
    Walk *w;
    const char *at, *end;
    bool bad; /* what was asked for is not there; all answers since are 0 or empty */
} In;

static const void *take(In *in, size_t n) {
    if (in->bad || n > (size_t)(in->end - in->at)) {
        in->bad = true;
        return NULL;
    }
    in->at += n;
    return in->at - n;
}

static uint32_t take32(In *in) {
    uint32_t x = 0;
    const void *from = take(in, sizeof x);
    if (from) memcpy(&x, from, sizeof x);
    return x;
}

/* A number of things that take at least a byte each. */
static uint32_t take_count(In *in) {
    uint32_t n = take32(in);
    if (n <= (size_t)(in->end - in->at)) return n;
    in->bad = true;
    return 0;
}

static const char *take_text(In *in) {
    uint32_t n = take32(in);
    const char *s = take(in, n);
    return s ? cx_intern(in->w->cx, s, n) : "";
}

static Type *take_type(In *in) {
    const char *text = take_text(in);
    Type *ty = in->bad ? NULL : form_read(in->w, &text);
    if (!ty || *text) in->bad = true;
    return ty;
}

static PyObject *take_object(In *in) {
    uint32_t n = take32(in);
    if (in->bad || n >= in->w->nodes.n) {
        in->bad = true;
        return NULL;
    }
    return in->w->nodes.at[n].obj;
}

static uint32_t take_line(In *in, uint32_t first) {
    uint32_t line = take32(in);
    return line ? line + first - 1 : 0;
}

static void take_place(In *in, Site *s) {
    uint32_t n = take32(in), first = 1;
    if (n == PACKAGE_FILE) {
        const char *folder = package_folder(in->w->cx);
        s->filename = cx_printf(in->w->cx, "%s%s", folder ? folder : "", take_text(in));
        first = 0;
    } else if (in->bad || n >= in->w->nodes.n || !walk_home(in->w, n)->line) {
        in->bad = true;
    } else {
        s->filename = walk_home(in->w, n)->filename;
        first = walk_home(in->w, n)->line;
    }
    s->line = take_line(in, first);
    s->end_line = take_line(in, first);
    s->col = take32(in);
    s->end_col = take32(in);
}

static void take_site(In *in, Site *s) {
    s->function = take_text(in);
    s->qualname = take_text(in);
    take_place(in, s);
    s->nargs = take_count(in);
    s->arg_types = NEWN(in->w->cx, Type *, s->nargs + 1);
    for (uint32_t i = 0; i < s->nargs; i++) s->arg_types[i] = take_type(in);
}

static void take_sites(In *in, Unit *u) {
    u->nsites = take_count(in);
    Site *sites = NEWN(in->w->cx, Site, u->nsites + 1);
    for (uint32_t i = 0; i < u->nsites && !in->bad; i++) take_site(in, &sites[i]);
    u->sites = sites;
}

static void take_classes(In *in, Unit *u) {
    u->nclasses = take_count(in);
    u->classes = NEWN(in->w->cx, PyObject *, u->nclasses + 1);
    for (uint32_t i = 0; i < u->nclasses; i++) {
        u->classes[i] = take_object(in);
        if (!u->classes[i] || !PyType_Check(u->classes[i])) in->bad = true;
    }
}

static void take_captured(In *in, Unit *u) {
    u->ncaptured = take_count(in);
    u->captured = NEWN(in->w->cx, PyObject *, u->ncaptured + 1);
    u->captured_types = NEWN(in->w->cx, Type *, u->ncaptured + 1);
    for (uint32_t i = 0; i < u->ncaptured; i++) {
        u->captured[i] = take_object(in);
        u->captured_types[i] = take_type(in);
        if (in->bad || in->w->host->type_of(u->captured[i]) != u->captured_types[i]) in->bad = true;
        py_clear_error();
    }
}

/* With the values that the walk met, which the key stands for: they may have changed since. */
static void take_seen(In *in, Unit *u) {
    u->nseen = take_count(in);
    PyRead *seen = NEWN(in->w->cx, PyRead, u->nseen + 1);
    for (uint32_t i = 0; i < u->nseen && !in->bad; i++) {
        uint32_t n = take32(in);
        if (n >= in->w->found.n)
            in->bad = true;
        else
            seen[i] = in->w->found.at[n];
    }
    u->seen = seen;
}

static void load_code(In *in, Unit *u, const char *symbol) {
    uint64_t start = os_now_ns();
    uint32_t size = take32(in);
    LoadRequest req = {.object = take(in, size),
                       .size = size,
                       .entry = symbol,
                       .name = u->name,
                       .find_symbol = in->w->host->find_symbol};
    LoadResult out;
    if (in->bad || in->at != in->end || loader_load(&req, &out) != 0) {
        in->bad = true;
        return;
    }
    *(void **)&u->entry = out.entry;
    u->code = out.code;
    u->code_size = out.code_size;
    u->stage_ns[STAGE_LOAD] = os_now_ns() - start;
}

const char *image_name(const char *bytes, size_t size, size_t *n) {
    uint32_t length = 0;
    *n = 0;
    if (size < sizeof(ImageHead) + sizeof length) return "";
    memcpy(&length, bytes + sizeof(ImageHead), sizeof length);
    *n = length <= size - sizeof(ImageHead) - sizeof length ? length : 0;
    return bytes + sizeof(ImageHead) + sizeof length;
}

Unit *image_read(Walk *w, const CompileRequest *req, const char *bytes, size_t size) {
    In in = {.w = w, .at = bytes + sizeof(ImageHead), .end = bytes + size};
    Unit u = {.args = (Type **)(uintptr_t)req->args,
              .nargs = req->nargs,
              .nogil = req->options.nogil,
              .cached = true};
    u.name = take_text(&in);
    const char *symbol = take_text(&in);
    u.nslots = take32(&in);
    const void *escapes = take(&in, sizeof u.escapes);
    if (escapes) memcpy(&u.escapes, escapes, sizeof u.escapes);
    u.method = (uint8_t)take32(&in);
    u.shared_bytes = take32(&in);
    u.stack_bytes = take32(&in);
    u.ret = take_type(&in);
    take_sites(&in, &u);
    take_classes(&in, &u);
    take_captured(&in, &u);
    take_seen(&in, &u);
    load_code(&in, &u, symbol);
    Unit *unit = in.bad ? NULL : unit_copy(&u);
    if (!in.bad && !unit) cx_abort(w->cx);
    return unit;
}
