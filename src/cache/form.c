#include "cache/form.h"

#include <stdlib.h>

/* --- words ------------------------------------------------------------------------------------ */

static const struct {
    const char *word;
    TyKind kind;
    unsigned bits;
} simple[] = {{"none", TY_NONE, 0},
              {"bool", TY_BOOL, 0},
              {"str", TY_STR, 0},
              {"bytes", TY_BYTES, 0},
              {"range", TY_RANGE, 0},
              {"exc", TY_EXC, EXC_ITSELF},
              {"excclass", TY_EXC, EXC_ITS_CLASS},
              {"excargs", TY_EXC, EXC_ITS_ARGS}},
  numeric[] = {{"int", TY_INT, 0},
               {"uint", TY_INT, 0},
               {"float", TY_FLOAT, 0},
               {"complex", TY_COMPLEX, 0}},
  objects[] = {{"func", TY_FUNC, 0}, {"module", TY_MODULE, 0}, {"class", TY_CLASS, 0}};

static const char *const iter_words[] = {
    [ITER_PLAIN] = "iter",      [ITER_ENUMERATE] = "enumerate",
    [ITER_ZIP] = "zip",         [ITER_REVERSED] = "reversed",
    [ITER_NDINDEX] = "ndindex", [ITER_NDENUMERATE] = "ndenumerate"};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* --- writing ---------------------------------------------------------------------------------- */

static bool write_list(FormOut *out, Type *const *items, uint32_t n, const char *const *names) {
    buf_printf(out->cx, out->text, "(");
    for (uint32_t i = 0; i < n; i++) {
        buf_printf(out->cx, out->text, "%s", i ? "," : "");
        if (names) buf_printf(out->cx, out->text, "%s:", names[i]);
        if (!form_write(out, items[i])) return false;
    }
    buf_printf(out->cx, out->text, ")");
    return true;
}

static bool write_made(FormOut *out, const char *word, Type *const *items, uint32_t n) {
    buf_printf(out->cx, out->text, "%s", word);
    return write_list(out, items, n, NULL);
}

static bool write_object(FormOut *out, const char *word, PyObject *obj) {
    int64_t n = out->add ? (int64_t)walk_meet(out->walk, obj) : walk_number(out->walk, obj);
    buf_printf(out->cx, out->text, "%s#%lld", word, (long long)n);
    return n >= 0;
}

static bool write_array(FormOut *out, const Type *ty) {
    buf_printf(out->cx, out->text, "array(");
    if (!form_write(out, ty->elem)) return false;
    buf_printf(out->cx, out->text, ",%c%s%s%u)", ty->layout, ty->readonly ? "r" : "",
               ty->aligned ? "" : "u", ty->ndim);
    return true;
}

static bool write_numeric(FormOut *out, const Type *ty) {
    size_t row = ty->kind == TY_INT ? !ty->is_signed : ty->kind == TY_FLOAT ? 2 : 3;
    buf_printf(out->cx, out->text, "%s%u", numeric[row].word, ty->bits);
    return true;
}

static bool write_iter(FormOut *out, const Type *ty) {
    if (ty->how == ITER_SHARED) return false; /* its position is this process's */
    if (ty->of) return write_made(out, iter_words[ty->how], &(Type *){ty->of}, 1);
    return write_made(out, iter_words[ty->how], ty->items, ty->nitems);
}

bool form_write(FormOut *out, const Type *ty) {
    for (size_t i = 0; i < COUNT(simple); i++)
        if (ty->kind == simple[i].kind && ty->bits == simple[i].bits) {
            buf_printf(out->cx, out->text, "%s", simple[i].word);
            return true;
        }
    switch ((TyKind)ty->kind) {
    case TY_INT:
    case TY_FLOAT:
    case TY_COMPLEX: return write_numeric(out, ty);
    case TY_SLICE: return write_made(out, "slice", ty->items, ty->nitems);
    case TY_TUPLE:
        if (!ty->names) return write_made(out, "tuple", ty->items, ty->nitems);
        return write_object(out, "named", ty->obj) &&
               write_list(out, ty->items, ty->nitems, ty->names);
    case TY_OPTIONAL: return write_made(out, "optional", &(Type *){ty->of}, 1);
    case TY_DTYPE: return write_made(out, "dtype", &(Type *){ty->of}, 1);
    case TY_ARRAY: return write_array(out, ty);
    case TY_ITER: return write_iter(out, ty);
    case TY_ENUM:
        return write_object(out, "enum", ty->obj) && write_list(out, &(Type *){ty->of}, 1, NULL);
    case TY_FUNC:
        if (ty->nitems) return write_made(out, "choice", ty->items, ty->nitems);
        return write_object(out, "func", ty->obj);
    case TY_MODULE: return write_object(out, "module", ty->obj);
    case TY_CLASS: return write_object(out, "class", ty->obj);
    case TY_CLOSURE: /* stands for a place in this compile's tree */
    case TY_CELL:
    case TY_PTR:
    case TY_UNDEF:
    case TY_NONE:
    case TY_BOOL:
    case TY_STR:
    case TY_BYTES:
    case TY_RANGE:
    case TY_EXC:
    case TY_KINDS: return false;
    }
    return false;
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct FormIn {
    Cx *cx;
    const Walk *walk;
    const char *at;
} FormIn;

typedef VEC(Type *) TypeList;
typedef VEC(const char *) NameList;

static Type *read_one(FormIn *in);

static bool accept(FormIn *in, char mark) {
    if (*in->at != mark) return false;
    in->at++;
    return true;
}

static const char *read_word(FormIn *in, const char *ends) {
    size_t n = strcspn(in->at, ends);
    const char *word = cx_intern(in->cx, in->at, n);
    in->at += n;
    return word;
}

static bool read_list(FormIn *in, TypeList *items, NameList *names) {
    if (!accept(in, '(')) return false;
    if (accept(in, ')')) return true;
    do {
        if (names) {
            vec_push(in->cx, names, read_word(in, ":"));
            if (!accept(in, ':')) return false;
        }
        Type *t = read_one(in);
        if (!t) return false;
        vec_push(in->cx, items, t);
    } while (accept(in, ','));
    return accept(in, ')');
}

static Type *read_array(FormIn *in) {
    Type *elem = accept(in, '(') ? read_one(in) : NULL;
    if (!elem || !accept(in, ',')) return NULL;
    char layout = *in->at ? *in->at++ : 0, *end;
    bool readonly = accept(in, 'r'), aligned = !accept(in, 'u');
    unsigned long ndim = strtoul(in->at, &end, 10);
    in->at = end;
    if (!accept(in, ')') || !layout || !strchr("CFA", layout) || ndim > 64) return NULL;
    return ty_array(elem, (unsigned)ndim, layout, readonly, aligned);
}

static Type *make_named(FormIn *in, PyObject *cls) {
    TypeList items = {0};
    NameList names = {0};
    if (!read_list(in, &items, &names) || !PyType_Check(cls)) return NULL;
    return ty_named_tuple(cls, names.at, items.at, items.n);
}

static Type *make_enum(FormIn *in, PyObject *cls) {
    TypeList of = {0};
    if (!read_list(in, &of, NULL) || of.n != 1 || !PyType_Check(cls)) return NULL;
    return ty_enum(cls, of.at[0]);
}

static Type *read_object(FormIn *in, const char *word) {
    char *end;
    unsigned long n = strtoul(in->at, &end, 10);
    in->at = end;
    if (n >= in->walk->nodes.n) return NULL;
    PyObject *obj = in->walk->nodes.at[n].obj;
    if (strcmp(word, "named") == 0) return make_named(in, obj);
    if (strcmp(word, "enum") == 0) return make_enum(in, obj);
    for (size_t i = 0; i < COUNT(objects); i++)
        if (strcmp(word, objects[i].word) == 0) return ty_object(objects[i].kind, obj);
    return NULL;
}

static Type *make(const char *word, const TypeList *x) {
    if (strcmp(word, "tuple") == 0) return ty_tuple(x->at, x->n);
    if (strcmp(word, "zip") == 0) return ty_iter(ITER_ZIP, NULL, x->at, x->n);
    if (strcmp(word, "choice") == 0) return ty_choice(x->at, x->n);
    if (strcmp(word, "slice") == 0)
        return x->n == 3 ? ty_slice(x->at[0], x->at[1], x->at[2]) : NULL;
    if (x->n != 1) return NULL;
    if (strcmp(word, "optional") == 0) return ty_optional(x->at[0]);
    if (strcmp(word, "dtype") == 0) return ty_dtype(x->at[0]);
    for (IterHow how = ITER_PLAIN; how < ITER_SHARED; how++)
        if (strcmp(word, iter_words[how]) == 0) return ty_iter(how, x->at[0], NULL, 0);
    return NULL;
}

static Type *read_basic(const char *word) {
    for (size_t i = 0; i < COUNT(simple); i++)
        if (strcmp(word, simple[i].word) == 0)
            return ty_basic(simple[i].kind, simple[i].bits, false);
    for (size_t i = 0; i < COUNT(numeric); i++) {
        size_t n = strlen(numeric[i].word);
        unsigned long bits =
            strncmp(word, numeric[i].word, n) == 0 ? strtoul(word + n, NULL, 10) : 0;
        if (bits >= 8 && bits <= 128) return ty_basic(numeric[i].kind, (unsigned)bits, i == 0);
    }
    return NULL;
}

static Type *read_one(FormIn *in) {
    const char *word = read_word(in, "(),#");
    if (accept(in, '#')) return read_object(in, word);
    if (*in->at != '(') return read_basic(word);
    if (strcmp(word, "array") == 0) return read_array(in);
    TypeList items = {0};
    return read_list(in, &items, NULL) ? make(word, &items) : NULL;
}

Type *form_read(const Walk *walk, const char **at) {
    FormIn in = {.cx = walk->cx, .walk = walk, .at = *at};
    Type *ty = read_one(&in);
    *at = in.at;
    return ty;
}
