/* Types as the text form of the IR writes them: by structure, so that they can be read back. */
#include <stdlib.h>
#include <string.h>

#include "ir/text_int.h"

/* --- printing --------------------------------------------------------------------------------- */

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

static void print_label(Cx *cx, Buf *out, const char *word, const Type *ty) {
    buf_printf(cx, out, "%s", word);
    ir_print_quoted(cx, out, ty->name, strlen(ty->name), false);
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

static const char *const iter_words[] = {[ITER_PLAIN] = "iter",
                                         [ITER_ENUMERATE] = "enumerate",
                                         [ITER_ZIP] = "zip",
                                         [ITER_REVERSED] = "reversed"};

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
    case TY_EXC: buf_printf(cx, out, "exc"); break;
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
    int depth; /* 0: outermost, where stand-ins are allowed */
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
        x->depth++;
        Type *t = parse(x);
        x->depth--;
        if (!t) return false;
        vec_push(x->cx, items, t);
    } while (accept(x, ","));
    return expect(x, ")");
}

/* --- types made from other types -------------------------------------------------------------- */

static Type *made(TypeText *x, Type *ty) { return ty ? ty : fail(x, "these pieces make no type"); }

static Type *make_from_list(TypeText *x, const char *word, Type **items, uint32_t n) {
    if (strcmp(word, "tuple") == 0) return made(x, ty_tuple(items, n));
    if (strcmp(word, "zip") == 0) return made(x, ty_iter(ITER_ZIP, NULL, items, n));
    if (strcmp(word, "slice") == 0)
        return n == 3 ? made(x, ty_slice(items[0], items[1], items[2]))
                      : fail(x, "a slice has three types");
    if (n != 1) return fail(x, "one type expected in the parentheses");
    if (strcmp(word, "optional") == 0) return made(x, ty_optional(items[0]));
    if (strcmp(word, "dtype") == 0) return made(x, ty_dtype(items[0]));
    if (strcmp(word, "cell") == 0) return made(x, ty_cell(items[0]));
    for (IterHow how = ITER_PLAIN; how <= ITER_REVERSED; how++)
        if (strcmp(word, iter_words[how]) == 0) return made(x, ty_iter(how, items[0], NULL, 0));
    return fail(x, cx_printf(x->cx, "no such type: %s", word));
}

static Type *parse_array(TypeText *x) {
    if (!expect(x, "(")) return NULL;
    x->depth++;
    Type *elem = parse(x);
    x->depth--;
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
    return made(x, ty_array(elem, (unsigned)ndim, layout, readonly, aligned));
}

/* --- stand-ins for types of Python objects ---------------------------------------------------- */

static const struct {
    const char *word;
    TyKind kind;
} opaque_words[] = {{"func", TY_FUNC},  {"module", TY_MODULE}, {"class", TY_CLASS},
                    {"enum", TY_ENUM},  {"intenum", TY_ENUM},  {"closure", TY_CLOSURE},
                    {"named", TY_TUPLE}};

/* A copy of a type with the same parts, under another kind and name. */
static Type *new_opaque(TypeText *x, const char *word, TyKind kind, const char *name) {
    TypeList items = {0};
    NameList names = {0};
    Type *like = TY_OF(TY_NONE);
    if (kind == TY_ENUM) like = TY_I(64);
    if (kind == TY_CLOSURE || kind == TY_TUPLE) {
        if (!parse_list(x, &items, kind == TY_TUPLE ? &names : NULL)) return NULL;
        like = made(x, ty_tuple(items.at, items.n));
        if (!like) return NULL;
    }
    Type *t = NEW(x->cx, Type);
    *t = *like;
    t->kind = (uint8_t)kind;
    t->is_signed = strcmp(word, "intenum") == 0;
    t->name = name;
    if (kind == TY_TUPLE) t->names = names.at;
    if (kind == TY_ENUM) t->of = TY_I(64);
    return t;
}

static Type *parse_opaque(TypeText *x, const char *word) {
    const char *start = x->at;
    size_t n;
    const char *name = ir_parse_quoted(x->cx, &x->at, &n);
    if (!name) return fail(x, "bad quoted text in a type");
    if (x->depth)
        return fail(x, "a type that stands for a Python object cannot be read inside another type");
    for (size_t i = 0; i < sizeof opaque_words / sizeof *opaque_words; i++) {
        if (strcmp(word, opaque_words[i].word) != 0) continue;
        Type *t = new_opaque(x, word, opaque_words[i].kind, name);
        if (!t) return NULL;
        const char *key = cx_printf(x->cx, "%s %.*s", word, (int)(x->at - start), start);
        key = cx_name(x->cx, key);
        Type *known = map_ptr(x->opaque, key);
        if (!known) map_put(x->cx, x->opaque, key, t);
        return known ? known : t;
    }
    return fail(x, cx_printf(x->cx, "no such type: %s", word));
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
    static const struct {
        const char *word;
        TyKind kind;
    } rows[] = {{"none", TY_NONE},   {"bool", TY_BOOL}, {"str", TY_STR}, {"bytes", TY_BYTES},
                {"range", TY_RANGE}, {"exc", TY_EXC},   {"ptr", TY_PTR}};
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
    return make_from_list(x, word, items.at, items.n);
}

Type *ir_parse_type(Cx *cx, Map *opaque, const char **at, const char **wrong) {
    TypeText x = {.cx = cx, .opaque = opaque, .at = *at};
    Type *ty = parse(&x);
    if (ty) *at = x.at;
    *wrong = x.wrong;
    return ty;
}
