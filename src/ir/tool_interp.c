/* "interp ARGS": arguments from text, the outcome as text.
 *
 * ARGS: one word per argument of the entry: an integer, a float, true or false, none (an optional
 * without a value), (re,im) for a complex number, (a,b) for a tuple, and for an array its elements,
 * before them the shape if it has not one dimension: [1,2,3] or 2x2[1,2,3,4]; "[1,2,3" in reverse
 * is ~[...]: the same elements laid out backwards, a negative stride (layout A only). Outcome: one
 * line for the result or for the exception, then one for each array argument, whose elements may
 * have changed:
 *
 *     result: 6
 *     raise IndexError: index 3 is out of bounds for axis 0 with size 3
 *     argument 0: [1, 2, 4] */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ir/interp_int.h"
#include "ir/text_int.h"
#include "ir/tool_int.h"

typedef struct Reader {
    Cx *cx;
    const char *at;
} Reader;

static _Noreturn void bad(Reader *rd, const char *what) {
    tool_fail(rd->cx, cx_printf(rd->cx, "interp: %s expected at '%s'", what, rd->at));
}

static bool accept(Reader *rd, const char *s) {
    if (strncmp(rd->at, s, strlen(s)) != 0) return false;
    rd->at += strlen(s);
    return true;
}

static void expect(Reader *rd, const char *s) {
    if (!accept(rd, s)) bad(rd, s);
}

static uint64_t read_part(Reader *rd, const Type *ty, uint32_t part) {
    PartKind kind = (PartKind)ty->parts[part];
    char *end;
    uint64_t v;
    if (accept(rd, "true")) return 1;
    if (accept(rd, "false")) return 0;
    if (kind == P_F16 || kind == P_F32 || kind == P_F64)
        v = interp_put_float(kind, strtod(rd->at, &end));
    else if (*rd->at == '-')
        v = (uint64_t)strtoll(rd->at, &end, 0);
    else
        v = strtoull(rd->at, &end, 0);
    if (end == rd->at) bad(rd, "a number");
    rd->at = end;
    return v;
}

static const uint8_t part_size[] = {[P_I1] = 1,  [P_I8] = 1,  [P_I16] = 2, [P_I32] = 4, [P_I64] = 8,
                                    [P_F16] = 2, [P_F32] = 4, [P_F64] = 8, [P_PTR] = 8};

static void read_value(Reader *rd, const Type *ty, uint64_t *slots);

/* A part or two: elements are scalars or complex numbers. */
typedef struct Element {
    uint64_t part[2];
} Element;

static void store_element(const Type *elem, const Element *e, char *at) {
    for (uint32_t k = 0; k < elem->nparts; k++) {
        memcpy(at, &e->part[k], part_size[elem->parts[k]]);
        at += part_size[elem->parts[k]];
    }
}

/* "2x3" before the elements; one dimension is as long as there are elements. */
static uint64_t read_shape(Reader *rd, uint32_t ndim, uint64_t *shape) {
    uint64_t count = 1;
    for (uint32_t axis = 0; axis < ndim; axis++) {
        char *end;
        if (axis) expect(rd, "x");
        shape[axis] = strtoull(rd->at, &end, 10);
        if (end == rd->at) bad(rd, "a shape");
        count *= shape[axis];
        rd->at = end;
    }
    return count;
}

static void fill_strides(const Type *ty, bool reversed, const uint64_t *shape, uint64_t *strides) {
    uint64_t stride = ty->elem->size;
    for (uint32_t axis = ty->ndim; axis-- > 0;) {
        strides[axis] = reversed ? 0 - stride : stride;
        stride *= shape[axis];
    }
}

/* [a,b,c]: into freshly made memory. The owner is none: borrowed, as the arguments of a compiled
 * function are. */
static void read_array(Reader *rd, const Type *ty, uint64_t *slots) {
    bool reversed = accept(rd, "~");
    uint64_t count = ty->ndim > 1 ? read_shape(rd, ty->ndim, slots + 2) : 1;
    VEC(Element) all = {0};
    expect(rd, "[");
    while (!accept(rd, "]")) {
        if (all.n) expect(rd, ",");
        Element e = {{0}};
        read_value(rd, ty->elem, e.part);
        vec_push(rd->cx, &all, e);
    }
    if (ty->ndim == 1) count = slots[2] = all.n;
    if (count != all.n) bad(rd, "another number of elements");
    uint32_t size = ty->elem->size;
    char *data = cx_alloc(rd->cx, count * size + 1);
    for (uint32_t i = 0; i < all.n; i++)
        store_element(ty->elem, &all.at[i], data + (reversed ? all.n - 1 - i : i) * (size_t)size);
    slots[0] = (uint64_t)(uintptr_t)(reversed && all.n ? data + (all.n - 1) * (size_t)size : data);
    slots[1] = 0;
    if (ty->layout == 'A') fill_strides(ty, reversed, slots + 2, slots + 2 + ty->ndim);
}

static void read_value(Reader *rd, const Type *ty, uint64_t *slots) {
    uint32_t n = ir_field_count(ty);
    if (ty->kind == TY_ARRAY) {
        read_array(rd, ty, slots);
    } else if (ty->kind == TY_OPTIONAL) {
        if (accept(rd, "none")) return;
        slots[0] = 1;
        read_value(rd, ty->of, slots + 1);
    } else if (ty->kind == TY_NONE) {
        expect(rd, "none");
    } else if (n) {
        expect(rd, "(");
        for (uint32_t k = 0; k < n; k++) {
            if (k) expect(rd, ",");
            read_value(rd, ir_field_type(ty, k), slots + ir_field_part(ty, k));
        }
        expect(rd, ")");
    } else if (ty->nparts == 1 && ty->parts[0] != P_PTR) {
        slots[0] = read_part(rd, ty, 0);
    } else {
        tool_fail(rd->cx,
                  cx_printf(rd->cx, "interp: no argument of type %s can be given", ty->name));
    }
}

/* --- the outcome ------------------------------------------------------------------------------ */

static void put_value(Cx *cx, Buf *out, const Type *ty, const uint64_t *slots);

static Element load_element(const Type *elem, const char *at) {
    Element e = {{0}};
    for (uint32_t k = 0; k < elem->nparts; k++) {
        memcpy(&e.part[k], at, part_size[elem->parts[k]]);
        at += part_size[elem->parts[k]];
    }
    return e;
}

/* Nested brackets, axis by axis. */
static void put_axis(Cx *cx, Buf *out, const Type *ty, const uint64_t *slots,
                     const int64_t *strides, uint32_t axis, const char *at) {
    if (axis == ty->ndim) {
        Element e = load_element(ty->elem, at);
        put_value(cx, out, ty->elem, e.part);
        return;
    }
    buf_add(cx, out, "[", 1);
    for (uint64_t i = 0; i < slots[2 + axis]; i++) {
        if (i) buf_add(cx, out, ", ", 2);
        put_axis(cx, out, ty, slots, strides, axis + 1, at + (int64_t)i * strides[axis]);
    }
    buf_add(cx, out, "]", 1);
}

static void put_array(Cx *cx, Buf *out, const Type *ty, const uint64_t *slots) {
    int64_t *strides = NEWN(cx, int64_t, ty->ndim), step = ty->elem->size;
    for (uint32_t k = 0; k < ty->ndim; k++) {
        uint32_t axis = ty->layout == 'F' ? k : ty->ndim - 1u - k;
        strides[axis] = ty->layout == 'A' ? (int64_t)slots[2 + ty->ndim + axis] : step;
        step *= (int64_t)slots[2 + axis];
    }
    put_axis(cx, out, ty, slots, strides, 0, (const char *)(uintptr_t)slots[0]);
}

static void put_text(Cx *cx, Buf *out, const Type *ty, const uint64_t *slots) {
    const unsigned char *bytes = (const unsigned char *)(uintptr_t)slots[0];
    if (slots[2] == 1) {
        ir_print_quoted(cx, out, (const char *)bytes, slots[1], ty->kind == TY_BYTES);
        return;
    }
    buf_add(cx, out, "\"", 1);
    for (uint64_t i = 0; i < slots[1]; i++) {
        uint32_t code;
        memcpy(&code, bytes + 4 * i, sizeof code);
        if (code < 0x80)
            buf_printf(cx, out, "%c", (int)code);
        else
            buf_printf(cx, out, "\\u%04x", code);
    }
    buf_add(cx, out, "\"", 1);
}

static void put_items(Cx *cx, Buf *out, const Type *ty, const uint64_t *slots) {
    buf_add(cx, out, "(", 1);
    for (uint32_t k = 0; k < ir_field_count(ty); k++) {
        if (k) buf_add(cx, out, ", ", 2);
        put_value(cx, out, ir_field_type(ty, k), slots + ir_field_part(ty, k));
    }
    buf_add(cx, out, ")", 1);
}

static void put_value(Cx *cx, Buf *out, const Type *ty, const uint64_t *slots) {
    PartKind kind = ty->nparts ? (PartKind)ty->parts[0] : P_PTR;
    if (ty->kind == TY_NONE || (ty->kind == TY_OPTIONAL && !slots[0]))
        buf_printf(cx, out, "none");
    else if (ty->kind == TY_OPTIONAL)
        put_value(cx, out, ty->of, slots + 1);
    else if (ty->kind == TY_ARRAY)
        put_array(cx, out, ty, slots);
    else if (ty->kind == TY_STR || ty->kind == TY_BYTES)
        put_text(cx, out, ty, slots);
    else if (ir_field_count(ty))
        put_items(cx, out, ty, slots);
    else if (ty->kind == TY_FLOAT)
        ir_print_float(cx, out, interp_float(kind, slots[0]));
    else if (ty->kind == TY_BOOL)
        buf_printf(cx, out, slots[0] ? "true" : "false");
    else if (ty->kind == TY_INT && !ty->is_signed)
        buf_printf(cx, out, "%llu", (unsigned long long)interp_int(ty, slots[0]));
    else if (ty->kind == TY_INT || ty->kind == TY_ENUM)
        buf_printf(cx, out, "%lld", (long long)interp_int(ty, slots[0]));
    else
        buf_printf(cx, out, "%s", ty->name);
}

static void put_exception(Cx *cx, Buf *out, const ExcObj *e) {
    if (e->cls < ir_class_word_count)
        buf_printf(cx, out, "raise %s", ir_class_words[e->cls]);
    else
        buf_printf(cx, out, "raise class #%u", e->cls);
    char line[EXC_LINE];
    const char *text = exc_text(e, line);
    if (text) buf_printf(cx, out, ": %s", text);
    const uint64_t *slots = e->slots;
    for (uint32_t k = 0; e->site && !text && k < e->site->nargs; k++) {
        buf_printf(cx, out, k ? ", " : ": ");
        put_value(cx, out, e->site->arg_types[k], slots);
        slots += e->site->arg_types[k]->nparts;
    }
    for (uint32_t k = 0; k < e->ntrace && k < 16; k++)
        if (e->trace[k])
            buf_printf(cx, out, "\n  in %s line %u", e->trace[k]->qualname, e->trace[k]->line);
    buf_add(cx, out, "\n", 1);
}

/* What the result owns is given back, so that a test can count. */
static void release_value(void *(*find_symbol)(const char *), const Type *ty,
                          const uint64_t *slots) {
    if (!ty->owning) return;
    void (*release)(void *) = (void (*)(void *))(uintptr_t)find_symbol(
        ty->kind == TY_EXC ? "ws_exc_release" : "ws_release");
    uint32_t n = ir_field_count(ty);
    if (ty->kind == TY_ARRAY || ty->kind == TY_STR || ty->kind == TY_BYTES) {
        uint64_t owner = slots[ty->kind == TY_ARRAY ? 1 : 3];
        if (owner) release((void *)(uintptr_t)owner);
    } else if (n == 0 && slots[0]) {
        release((void *)(uintptr_t)slots[0]);
    }
    for (uint32_t k = 0;
         k < n && ty->kind != TY_ARRAY && ty->kind != TY_STR && ty->kind != TY_BYTES; k++)
        release_value(find_symbol, ir_field_type(ty, k), slots + ir_field_part(ty, k));
}

static void put_result(Cx *cx, Buf *out, const IrToolHost *host, const Fn *entry,
                       const uint64_t *slots) {
    buf_printf(cx, out, "result: ");
    put_value(cx, out, entry->ret, slots);
    buf_add(cx, out, "\n", 1);
    release_value(host->find_symbol, entry->ret, slots);
}

static void put_arrays(Cx *cx, Buf *out, const Fn *entry, const uint64_t *slots) {
    for (uint32_t i = 0; i < entry->nargs; i++) {
        if (entry->args[i].ty->kind == TY_ARRAY) {
            buf_printf(cx, out, "argument %u: ", i);
            put_array(cx, out, entry->args[i].ty, slots);
            buf_add(cx, out, "\n", 1);
        }
        slots += entry->args[i].ty->nparts;
    }
}

void tool_interp(Cx *cx, const IrToolHost *host, const Module *m, const char *args, Buf *out) {
    if (!m->fns.n) tool_fail(cx, "interp: there is no function");
    const Fn *entry = m->fns.at[0];
    if (entry->stage != STAGE_LOW) tool_fail(cx, "interp: the first function is not LOW");
    uint32_t n = entry->ret->nparts, at = 0;
    for (uint32_t i = 0; i < entry->nargs; i++) n += entry->args[i].ty->nparts;
    uint64_t *slots = NEWN(cx, uint64_t, n), *given = NEWN(cx, uint64_t, n);
    Reader rd = {.cx = cx, .at = args};
    for (uint32_t i = 0; i < entry->nargs; i++) {
        read_value(&rd, entry->args[i].ty, slots + at);
        at += entry->args[i].ty->nparts;
        rd.at += strspn(rd.at, " ");
    }
    if (*rd.at) bad(&rd, "the end");
    if (n) memcpy(given, slots, n * sizeof *slots);
    WsCtx ctx = {0};
    if (ir_interp_run(cx, m, &ctx, host->find_symbol, slots) == 0) {
        put_result(cx, out, host, entry, slots);
    } else if (ctx.exc) {
        put_exception(cx, out, ctx.exc);
        void (*release)(ExcObj *) =
            (void (*)(ExcObj *))(uintptr_t)host->find_symbol("ws_exc_release");
        release(ctx.exc);
    } else {
        tool_fail(cx, "interp: it raised without an exception");
    }
    put_arrays(cx, out, entry, given);
}
