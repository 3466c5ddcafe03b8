/* Types as the text form of the IR writes them: by structure, so that they can be read back. */
#include <stdlib.h>
#include <string.h>

#include "ir/text_int.h"

/* --- printing --------------------------------------------------------------------------------- */

static const char *const exc_words[] = {"exc", "excclass", "excargs"};

static void print_items(Cx *cx, Buf *out, const Type *ty) {
    buf_add(cx, out, "(", 1);
    for (uint32_t i = 0; i < ty->nitems; i++) {
        if (i) buf_add(cx, out, ", ", 2);
        ir_print_type(cx, out, ty->items[i]);
    }
    buf_add(cx, out, ")", 1);
}

static void print_of(Cx *cx, Buf *out, const char *word, const Type *of) {
    buf_printf(cx, out, "%s(", word);
    ir_print_type(cx, out, of);
    buf_add(cx, out, ")", 1);
}

/* func"math.sin": people's names of such types start with a word that says the same. */
static void print_label(Cx *cx, Buf *out, const char *word, const Type *ty) {
    static const char *const before[] = {"function ", "module ", "class "};
    const char *name = ty->name;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (strncmp(name, before[i], strlen(before[i])) == 0) name += strlen(before[i]);
    buf_printf(cx, out, "%s", word);
    ir_print_quoted(cx, out, name, strlen(name), false);
}

static void print_tuple(Cx *cx, Buf *out, const Type *ty) {
    if (!ty->names) {
        buf_printf(cx, out, "tuple");
        print_items(cx, out, ty);
        return;
    }
    print_label(cx, out, "named", ty);
    buf_add(cx, out, "(", 1);
    for (uint32_t i = 0; i < ty->nitems; i++) {
        buf_printf(cx, out, "%s%s: ", i ? ", " : "", ty->names[i]);
        ir_print_type(cx, out, ty->items[i]);
    }
    buf_add(cx, out, ")", 1);
}

static void print_array(Cx *cx, Buf *out, const Type *ty) {
    buf_printf(cx, out, "array(");
    ir_print_type(cx, out, ty->elem);
    buf_printf(cx, out, ", %ud, %c%s%s)", ty->ndim, ty->layout, ty->readonly ? ", readonly" : "",
               ty->aligned ? "" : ", unaligned");
}

static const char *const iter_words[] = {
    [ITER_PLAIN] = "iter",      [ITER_ENUMERATE] = "enumerate",
    [ITER_ZIP] = "zip",         [ITER_REVERSED] = "reversed",
    [ITER_NDINDEX] = "ndindex", [ITER_NDENUMERATE] = "ndenumerate"};

void ir_print_type(Cx *cx, Buf *out, const Type *ty) {
    switch ((TyKind)ty->kind) {
    case TY_KINDS:
    case TY_UNDEF: buf_printf(cx, out, "?"); break;
    case TY_NONE: buf_printf(cx, out, "none"); break;
    case TY_BOOL: buf_printf(cx, out, "bool"); break;
    case TY_INT: buf_printf(cx, out, "%sint%u", ty->is_signed ? "" : "u", ty->bits); break;
    case TY_FLOAT: buf_printf(cx, out, "float%u", ty->bits); break;
    case TY_COMPLEX: buf_printf(cx, out, "complex%u", ty->bits); break;
    case TY_STR: buf_printf(cx, out, "str"); break;
    case TY_BYTES: buf_printf(cx, out, "bytes"); break;
    case TY_RANGE: buf_printf(cx, out, "range"); break;
    case TY_EXC: buf_printf(cx, out, "%s", exc_words[ty->bits]); break;
    case TY_PTR: buf_printf(cx, out, "ptr"); break;
    case TY_SLICE:
        buf_printf(cx, out, "slice");
        print_items(cx, out, ty);
        break;
    case TY_TUPLE: print_tuple(cx, out, ty); break;
    case TY_OPTIONAL: print_of(cx, out, "optional", ty->of); break;
    case TY_DTYPE: print_of(cx, out, "dtype", ty->of); break;
    case TY_CELL: print_of(cx, out, "cell", ty->of); break;
    case TY_ARRAY: print_array(cx, out, ty); break;
    case TY_ITER:
        if (ty->of) {
            print_of(cx, out, iter_words[ty->how], ty->of);
        } else {
            buf_printf(cx, out, "%s", iter_words[ty->how]);
            print_items(cx, out, ty);
        }
        break;
    case TY_ENUM: print_label(cx, out, ty->is_signed ? "intenum" : "enum", ty); break;
    case TY_FUNC: print_label(cx, out, "func", ty); break;
    case TY_MODULE: print_label(cx, out, "module", ty); break;
    case TY_CLASS: print_label(cx, out, "class", ty); break;
    case TY_CLOSURE:
        print_label(cx, out, "closure", ty);
        print_items(cx, out, ty);
        break;
    }
}

/* --- parsing ---------------------------------------------------------------------------------- */

typedef struct TypeText {
    Cx *cx;
    Map *opaque;
    const char *at, *wrong;
} TypeText;

static Type *parse(TypeText *x);

static Type *fail(TypeText *x, const char *wrong) {
    if (!x->wrong) x->wrong = wrong;
    return NULL;
}

static void skip_blanks(TypeText *x) { x->at += strspn(x->at, " "); }

static bool accept(TypeText *x, const char *mark) {
    skip_blanks(x);
    size_t n = strlen(mark);
    if (strncmp(x->at, mark, n) != 0) return false;
    x->at += n;
    return true;
}

static bool expect(TypeText *x, const char *mark) {
    if (accept(x, mark)) return true;
    fail(x, cx_printf(x->cx, "'%s' expected in a type", mark));
    return false;
}

static const char *parse_word(TypeText *x) {
    skip_blanks(x);
    size_t n = ir_word_length(x->at);
    const char *word = cx_intern(x->cx, x->at, n);
    x->at += n;
    return word;
}

typedef VEC(Type *) TypeList;
typedef VEC(const char *) NameList;

/* "(" [name ":"] type {"," ...} ")" */
static bool parse_list(TypeText *x, TypeList *items, NameList *names) {
    if (!expect(x, "(")) return false;
    if (accept(x, ")")) return true;
    do {
        if (names) {
            vec_push(x->cx, names, parse_word(x));
            if (!expect(x, ":")) return false;
        }
        Type *t = parse(x);
        if (!t) return false;
        vec_push(x->cx, items, t);
    } while (accept(x, ","));
    return expect(x, ")");
}

/* --- stand-ins -------------------------------------------------------------------------------- */

/* A stand-in is a type of this compile alone: for a Python object that the text only names, or made
 * from such types. It is a copy of a real type with the same parts, its `like`, which the map
 * `opaque` gives for it; the map also gives the stand-in for its text, so that equal texts are the
 * same pointer. */
static Type *real_type(const TypeText *x, Type *t) {
    Type *like = map_ptr(x->opaque, t);
    return like ? like : t;
}

static Type *intern_stand_in(TypeText *x, Type like_changed, Type *like) {
    Type *t = NEW(x->cx, Type);
    *t = like_changed;
    Buf text = {0};
    ir_print_type(x->cx, &text, t);
    const char *key = cx_intern(x->cx, text.at, text.n);
    Type *known = map_ptr(x->opaque, key);
    if (known) return known;
    map_put(x->cx, x->opaque, key, t);
    map_put(x->cx, x->opaque, t, like);
    return t;
}

/* --- types made from other types -------------------------------------------------------------- */

static Type *made(TypeText *x, Type *ty) { return ty ? ty : fail(x, "these pieces make no type"); }

static Type *make_real(TypeText *x, const char *word, Type **items, uint32_t n) {
    if (strcmp(word, "tuple") == 0) return made(x, ty_tuple(items, n));
    if (strcmp(word, "zip") == 0) return made(x, ty_iter(ITER_ZIP, NULL, items, n));
    if (strcmp(word, "slice") == 0)
        return n == 3 ? made(x, ty_slice(items[0], items[1], items[2]))
                      : fail(x, "a slice has three types");
    if (n != 1) return fail(x, "one type expected in the parentheses");
    if (strcmp(word, "optional") == 0) return made(x, ty_optional(items[0]));
    if (strcmp(word, "dtype") == 0) return made(x, ty_dtype(items[0]));
    if (strcmp(word, "cell") == 0) return made(x, ty_cell(items[0]));
    for (IterHow how = ITER_PLAIN; how < ITER_SHARED; how++)
        if (strcmp(word, iter_words[how]) == 0) return made(x, ty_iter(how, items[0], NULL, 0));
    return fail(x, cx_printf(x->cx, "no such type: %s", word));
}

/* The items as real types; *differ: some are stand-ins. */
static Type **real_items(TypeText *x, const TypeList *items, bool *differ) {
    Type **real = NEWN(x->cx, Type *, items->n);
    *differ = false;
    for (uint32_t i = 0; i < items->n; i++) {
        real[i] = real_type(x, items->at[i]);
        *differ |= real[i] != items->at[i];
    }
    return real;
}

static Type *make_from_list(TypeText *x, const char *word, const TypeList *items) {
    bool differ;
    Type *like = make_real(x, word, real_items(x, items, &differ), items->n);
    if (!like || !differ) return like;
    Type t = *like;
    if (t.nitems)
        t.items = items->at;
    else if (items->n) /* one: of what */
        t.of = items->at[0];
    return intern_stand_in(x, t, like);
}

static Type *make_array(TypeText *x, Type *elem, unsigned ndim, char layout, bool readonly,
                        bool aligned) {
    Type *like = made(x, ty_array(real_type(x, elem), ndim, layout, readonly, aligned));
    if (!like || real_type(x, elem) == elem) return like;
    Type t = *like;
    t.elem = elem;
    return intern_stand_in(x, t, like);
}

static Type *parse_array(TypeText *x) {
    if (!expect(x, "(")) return NULL;
    Type *elem = parse(x);
    if (!elem || !expect(x, ",")) return NULL;
    char *end;
    skip_blanks(x);
    unsigned long ndim = strtoul(x->at, &end, 10);
    x->at = end;
    if (!expect(x, "d") || !expect(x, ",")) return NULL;
    skip_blanks(x);
    char layout = *x->at ? *x->at++ : 0;
    if (!layout || !strchr("CFA", layout) || ndim > 64) return fail(x, "bad array type");
    bool readonly = accept(x, ", readonly"), aligned = !accept(x, ", unaligned");
    if (!expect(x, ")")) return NULL;
    return make_array(x, elem, (unsigned)ndim, layout, readonly, aligned);
}

/* --- types of Python objects ------------------------------------------------------------------ */

static const struct {
    const char *word;
    TyKind kind;
} opaque_words[] = {{"func", TY_FUNC},   {"module", TY_MODULE},   {"class", TY_CLASS},
                    {"enum", TY_ENUM},   {"closure", TY_CLOSURE}, {"named", TY_TUPLE},
                    {"intenum", TY_ENUM}};

/* What lies behind such a type: the items of a closure or named tuple, an int64, or no parts. */
static Type *parse_like(TypeText *x, TyKind kind, TypeList *items, NameList *names) {
    if (kind == TY_ENUM) return TY_I(64);
    if (kind != TY_CLOSURE && kind != TY_TUPLE) return made(x, ty_dtype(TY_OF(TY_BOOL)));
    if (!parse_list(x, items, kind == TY_TUPLE ? names : NULL)) return NULL;
    bool differ;
    return made(x, ty_tuple(real_items(x, items, &differ), items->n));
}

static Type *parse_opaque(TypeText *x, const char *word) {
    size_t n, k = 0, count = sizeof opaque_words / sizeof *opaque_words;
    const char *name = ir_parse_quoted(x->cx, &x->at, &n);
    if (!name) return fail(x, "bad quoted text in a type");
    while (k < count && strcmp(word, opaque_words[k].word) != 0) k++;
    if (k == count) return fail(x, cx_printf(x->cx, "no such type: %s", word));
    TypeList items = {0};
    NameList names = {0};
    TyKind kind = opaque_words[k].kind;
    Type *like = parse_like(x, kind, &items, &names);
    if (!like) return NULL;
    Type t = *like;
    t.kind = (uint8_t)kind;
    t.name = name;
    t.items = items.at;
    t.is_signed = strcmp(word, "intenum") == 0;
    if (kind == TY_TUPLE) t.names = names.at;
    if (kind == TY_ENUM) t.of = TY_I(64);
    return intern_stand_in(x, t, like);
}

/* --- all of them ------------------------------------------------------------------------------ */

/* "int64" and the like: a word and a number of bits. */
static Type *numeric(const char *word) {
    static const struct {
        const char *word;
        TyKind kind;
        unsigned min, max;
        bool is_signed;
    } rows[] = {{"int", TY_INT, 8, 64, true},
                {"uint", TY_INT, 8, 64, false},
                {"float", TY_FLOAT, 16, 64, false},
                {"complex", TY_COMPLEX, 64, 128, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = strlen(rows[i].word);
        if (strncmp(word, rows[i].word, n) != 0) continue;
        char *end;
        unsigned long bits = strtoul(word + n, &end, 10);
        bool good =
            word[n] >= '1' && word[n] <= '9' && !*end && bits >= rows[i].min && bits <= rows[i].max;
        if (good && (bits & (bits - 1)) == 0)
            return ty_basic(rows[i].kind, (unsigned)bits, rows[i].is_signed);
    }
    return NULL;
}

static Type *simple(const char *word) {
    for (int i = 0; i < EXC_FACETS; i++)
        if (strcmp(word, exc_words[i]) == 0) return TY_EXC_OF((ExcFacet)i);
    static const struct {
        const char *word;
        TyKind kind;
    } rows[] = {{"none", TY_NONE},   {"bool", TY_BOOL},   {"str", TY_STR},
                {"bytes", TY_BYTES}, {"range", TY_RANGE}, {"ptr", TY_PTR}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(word, rows[i].word) == 0) return TY_OF(rows[i].kind);
    return numeric(word);
}

static Type *parse(TypeText *x) {
    if (accept(x, "?")) return TY_OF(TY_UNDEF);
    const char *word = parse_word(x);
    if (!*word) return fail(x, "a type expected");
    Type *ty = simple(word);
    if (ty) return ty;
    if (*x->at == '"') return parse_opaque(x, word);
    if (*x->at != '(') return fail(x, cx_printf(x->cx, "no such type: %s", word));
    if (strcmp(word, "array") == 0) return parse_array(x);
    TypeList items = {0};
    if (!parse_list(x, &items, NULL)) return NULL;
    return make_from_list(x, word, &items);
}

Type *ir_parse_type(Cx *cx, Map *opaque, const char **at, const char **wrong) {
    TypeText x = {.cx = cx, .opaque = opaque, .at = *at};
    Type *ty = parse(&x);
    if (ty) *at = x.at;
    *wrong = x.wrong;
    return ty;
}
