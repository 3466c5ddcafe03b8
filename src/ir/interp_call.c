/* The interpreter: calls of the runtime, by their prototype (ir/rt.h).
 *
 * One call for all shapes: integer and pointer arguments travel in one set of registers and floats
 * in another, each in order (so say the ABIs of x86-64 except on Windows, and of AArch64), so a
 * function that takes ints and doubles mixed is called as one that takes eight ints and then four
 * doubles; what it does not take is not looked at. A float32 lies in the low half of its
 * register. */
#include "ir/interp_int.h"

enum { MAX_INTS = 8, MAX_FLOATS = 4 };

typedef struct Call {
    void *address;
    uint64_t ints[MAX_INTS];
    double floats[MAX_FLOATS];
    uint32_t nints, nfloats;
} Call;

#define INTS       uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#define SHAPE      INTS, double, double, double, double
#define ARGS(i, f) i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], f[0], f[1], f[2], f[3]

/* The sanitizer for function types is right that these are other types. */
#if defined(__clang__)
#define ANY_TYPE __attribute__((no_sanitize("function")))
#else
#define ANY_TYPE
#endif

ANY_TYPE static uint64_t call_int(const Call *c) {
    return ((uint64_t (*)(SHAPE))(uintptr_t)c->address)(ARGS(c->ints, c->floats));
}
ANY_TYPE static double call_double(const Call *c) {
    return ((double (*)(SHAPE))(uintptr_t)c->address)(ARGS(c->ints, c->floats));
}
ANY_TYPE static float call_float(const Call *c) {
    return ((float (*)(SHAPE))(uintptr_t)c->address)(ARGS(c->ints, c->floats));
}

/* --- arguments -------------------------------------------------------------------------------- */

uint32_t interp_scratch_slots(const Fn *fn, const Ins *i) {
    if (i->op != OP_CALL_RT && i->op != OP_EXC_MAKE && i->op != OP_CALL_FN && i->op != OP_REGION)
        return 0;
    uint32_t n = i->ty->nparts;
    for (uint32_t k = 0; k < i->nargs; k++) n += ir_at(fn, i->args[k])->ty->nparts;
    return n;
}

void interp_extend(const Type *ty, uint64_t *slots) {
    if (ty->kind == TY_INT) slots[0] = (uint64_t)interp_int(ty, slots[0]);
    for (uint32_t k = 0; k < ir_field_count(ty); k++)
        interp_extend(ir_field_type(ty, k), slots + ir_field_part(ty, k));
}

static double low_half(float f) {
    double d = 0;
    memcpy(&d, &f, sizeof f);
    return d;
}

/* Integers and floats of another width are converted, as compiled code does. */
static void pass(Frame *fr, Call *c, char letter, Ref r, uint64_t **scratch) {
    const Type *ty = frame_type(fr, r);
    const uint64_t *v = frame_at(fr, r);
    if (letter == 'A') {
        c->ints[c->nints++] = (uint64_t)(uintptr_t)*scratch;
        if (ty->nparts) memcpy(*scratch, v, ty->nparts * sizeof *v);
        interp_extend(ty, *scratch);
        *scratch += ty->nparts;
    } else if (letter == 'd') {
        c->floats[c->nfloats++] = interp_float((PartKind)ty->parts[0], *v);
    } else if (letter == 'f') {
        c->floats[c->nfloats++] = low_half((float)interp_float((PartKind)ty->parts[0], *v));
    } else {
        c->ints[c->nints++] = letter == 'p' ? *v : (uint64_t)interp_int(ty, *v);
    }
}

/* --- the result ------------------------------------------------------------------------------- */

static uint64_t put_result(const Type *ty, char letter, const Call *c) {
    if (letter == 'd') return interp_put_float((PartKind)ty->parts[0], call_double(c));
    if (letter == 'f') return interp_put_float((PartKind)ty->parts[0], (double)call_float(c));
    uint64_t v = call_int(c);
    if (letter == 'b') return (uint8_t)v != 0;
    if (letter == 'l') v = (uint64_t)(int64_t)(int32_t)v;
    return letter == 'p' ? v : interp_put_int(ty, v);
}

/* Slots that C code filled: only the part's own bytes count. */
static void take_slots(const Type *ty, const uint64_t *from, uint64_t *out) {
    static const uint64_t mask[] = {[P_I1] = 1,           [P_I8] = 0xff,    [P_I16] = 0xffff,
                                    [P_I32] = 0xffffffff, [P_F16] = 0xffff, [P_F32] = 0xffffffff,
                                    [P_I64] = ~0ull,      [P_F64] = ~0ull,  [P_PTR] = ~0ull};
    for (uint32_t k = 0; k < ty->nparts; k++) out[k] = from[k] & mask[ty->parts[k]];
}

int32_t interp_call_rt(Frame *fr, const Ins *i, Ref r) {
    Call c = {.address = fr->f->prep[r].address};
    uint64_t *scratch = fr->scratch, *result = NULL;
    uint32_t arg = 0;
    for (const char *s = i->rt->proto + 2; *s != ')'; s++) {
        if (*s == 'c') {
            c.ints[c.nints++] = (uint64_t)(uintptr_t)fr->ctx;
            c.ints[c.nints++] = fr->f->prep[r].where.site;
        } else if (*s == 'R') {
            result = scratch;
            scratch += i->ty->nparts;
            c.ints[c.nints++] = (uint64_t)(uintptr_t)result;
        } else {
            pass(fr, &c, *s, i->args[arg++], &scratch);
        }
    }
    char letter = i->rt->proto[0];
    if (letter == 's' || letter == 'v') {
        uint64_t status = call_int(&c);
        if (letter == 's' && (int32_t)status != 0) return 1;
        if (result) take_slots(i->ty, result, frame_at(fr, r));
    } else if (i->ty->nparts) {
        *frame_at(fr, r) = put_result(i->ty, letter, &c);
    } else {
        call_int(&c);
    }
    return 0;
}
