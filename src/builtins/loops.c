/* Which of its loops an elementwise function takes for arrays: NumPy's rules of types (NEP 50).
 *
 * Row.loops is a pattern of the inputs and the result, then the types X there is a loop for, in NumPy's order:
 *
 *   "XX>X:bBhH"   two inputs of one type, which the result has too
 *   "XX>?:..."    the result is bool; other letters likewise: "Xl>X:"; two results: "X>XX:"
 *   "X>R:..."     R: the real part of X
 *   "VV>?:..."    integers are compared by value, each with its own type
 *   "=numpy.abs"  those of another row, whose rules do not raise
 *   "X>"          any number; the result is what the row's own rule says: conversions
 *
 *   "X>X:!bB"     only these types, nothing is converted to one of them
 *
 * X is what the inputs have in common, or the first in the list that takes them all. There, arrays and NumPy scalars count
 * with their type; a number that may be Python's (bool, int64, float64, complex128) only with its kind. */
#include <string.h>

#include "builtins/elementwise.h"

uint32_t element_inputs(const Row *row) { return (uint32_t)strcspn(row->loops, ">"); }

static Type *input_type(const Call *c, uint32_t i) {
    if (!given(c, i)) return NULL;
    Type *ty = plain(c, i);
    return ty->kind == TY_ARRAY ? ty : math_number(c, i);
}

/* Without its x and y, np.where is no elementwise function. */
static bool lacks_inputs(const Call *c, uint32_t n) {
    uint32_t x = (uint32_t)strcspn(c->row->loops, "XV");
    return x < n && !given(c, x);
}

bool element_has_array(const Call *c) {
    uint32_t n = *c->row->loops == '=' ? 0 : element_inputs(c->row);
    for (uint32_t i = 0; i < n && !lacks_inputs(c, n); i++)
        if (given(c, i) && plain(c, i)->kind == TY_ARRAY) return true;
    return false;
}

/* May the scalar be a Python number, whose type says only its kind? */
static bool is_weak(const Call *c, uint32_t i) {
    const Type *ty = math_number(c, i);
    return ty && (c->args[i].weak || (ty->kind == TY_INT && ty->bits == 64 && ty->is_signed) ||
                  (ty->kind == TY_FLOAT && ty->bits == 64) ||
                  (ty->kind == TY_COMPLEX && ty->bits == 128));
}

/* What the inputs that stand for X or V have in common. */
static Type *common_type(const Call *c, uint32_t n, const char *pattern) {
    Type *all = NULL;
    for (int weak = 0; weak < 2; weak++)
        for (uint32_t i = 0; i < n; i++) {
            Type *ty = input_type(c, i);
            if (!ty || !strchr("XV", pattern[i]) || is_weak(c, i) != weak) continue;
            if (ty->kind == TY_ARRAY) ty = ty->elem;
            all = !all ? ty : weak ? ty_dtype_weak(all, ty) : ty_dtype_join(all, ty);
        }
    return all;
}

/* Does `to` take all inputs that stand for X, without loss but of a Python number? */
static bool takes_all(const Call *c, uint32_t n, const char *pattern, Type *to) {
    for (uint32_t i = 0; i < n; i++) {
        Type *ty = input_type(c, i);
        if (!ty || !strchr("XV", pattern[i])) continue;
        if (ty->kind == TY_ARRAY) ty = ty->elem;
        Type *joined = is_weak(c, i) ? ty_dtype_weak(to, ty) : ty_dtype_join(to, ty);
        if (joined != to) return false;
    }
    return true;
}

int element_kind_order(const Type *ty) {
    return ty->kind == TY_INT ? ty->is_signed ? 2 : 1 : ty->kind == TY_BOOL ? 0 : ty->kind;
}

/* The loop for the dtype that is asked for. */
static Type *asked(const Call *c, uint32_t n, const char *pattern, const char *letters,
                   Type *dtype) {
    for (uint32_t i = 0; i < n; i++) {
        Type *ty = input_type(c, i);
        if (!ty || !strchr("XV", pattern[i])) continue;
        if (ty->kind == TY_ARRAY) ty = ty->elem;
        if (element_kind_order(ty) > element_kind_order(dtype)) return NULL;
    }
    for (const char *s = letters; *s; s++)
        if (rule_letter(*s) == dtype) return dtype;
    return NULL;
}

Type *element_dtype(const Call *c) {
    if (!c->keywords || !c->keywords[UFUNC_DTYPE].ty) return NULL;
    Call about = *c;
    about.args = (Arg *)c->keywords;
    about.nargs = UFUNC_KEYWORDS;
    return rule_dtype(&about, UFUNC_DTYPE, NULL);
}

static Type *choose(const Call *c, uint32_t n, const char *pattern, const char *letters) {
    Type *common = common_type(c, n, pattern);
    if (!common) return NULL;
    for (const char *s = letters; *s; s++)
        if (rule_letter(*s) == common) return common;
    for (const char *s = letters; *s && *letters != '!'; s++)
        if (takes_all(c, n, pattern, rule_letter(*s))) return rule_letter(*s);
    return NULL;
}

static Type *result_letter(char c, Type *x) {
    if (c == 'X') return x;
    if (c == 'R') return x->kind == TY_COMPLEX ? TY_F(x->bits / 2u) : x;
    return rule_letter(c);
}

/* Integers that are compared keep their types: none is rounded, none is out of range. */
static bool all_ints(const Call *c, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const Type *ty = input_type(c, i);
        if (!ty_is_integral(ty->kind == TY_ARRAY ? ty->elem : ty)) return false;
    }
    return true;
}

static Type *loop_input(const Call *c, uint32_t i, char letter, Type *x, bool by_value) {
    Type *own = input_type(c, i);
    if (letter == 'V' && by_value) return own->kind == TY_ARRAY ? own->elem : own;
    return letter == 'X' || letter == 'V' ? x : rule_letter(letter);
}

bool element_loop(const Call *c, ElementLoop *loop) {
    const char *pattern = c->row->loops, *letters = strchr(pattern, ':');
    uint32_t n = element_inputs(c->row);
    *loop = (ElementLoop){.nin = n};
    for (uint32_t i = 0; i < n; i++) {
        if (!given(c, i) || c->args[i].ty->kind == TY_NONE) continue;
        Type *ty = input_type(c, i);
        if (!ty || (ty->kind == TY_ARRAY && !ty_is_number(ty->elem))) return false;
        if (!letters) loop->in[i] = ty->kind == TY_ARRAY ? ty->elem : ty;
    }
    if (!letters) return true;
    Type *dtype = element_dtype(c);
    Type *x = dtype ? asked(c, n, pattern, letters + 1, dtype) : choose(c, n, pattern, letters + 1);
    if (!x) return false;
    bool by_value = *pattern == 'V' && all_ints(c, n);
    for (uint32_t i = 0; i < n; i++)
        if (input_type(c, i)) loop->in[i] = loop_input(c, i, pattern[i], x, by_value);
    const char *out = pattern + n + 1;
    loop->out = result_letter(out[0], x);
    if (out + 1 < letters) loop->out = ty_tuple((Type *[]){loop->out, result_letter(out[1], x)}, 2);
    return loop->out != NULL;
}
