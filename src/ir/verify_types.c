/* Operand and result types of LOW operations: rule 12 of ir/verify.c, one row per operation. */
#include "core/ctx.h"
#include "core/region.h"
#include "ir/math.h"
#include "ir/rt.h"
#include "ir/verify_int.h"

/* Sets of types. The bits are in the order of `set_names`. */
enum {
    T_BOOL = 1,
    T_INT = 2,
    T_FLOAT = 4,
    T_ENUM = 8,
    T_PTR = 16,
    T_EXC = 32,
    T_COMPLEX = 64,
    T_I64 = 128,
    T_NONE = 256,
    T_ANY = 512
};
#define T_SCALAR (T_BOOL | T_INT | T_FLOAT | T_ENUM)
#define T_NUMBER (T_INT | T_FLOAT | T_COMPLEX)

static const char *const set_names[] = {"bool",      "an integer",   "a float",          "an enum",
                                        "a pointer", "an exception", "a complex number", "int64",
                                        "none"};

static bool is_in(const Type *t, unsigned set) {
    static const unsigned of_kind[TY_KINDS] = {
        [TY_BOOL] = T_BOOL,       [TY_INT] = T_INT,   [TY_FLOAT] = T_FLOAT,
        [TY_COMPLEX] = T_COMPLEX, [TY_ENUM] = T_ENUM, [TY_PTR] = T_PTR,
        [TY_CELL] = T_PTR,        [TY_EXC] = T_EXC,   [TY_NONE] = T_NONE,
    };
    unsigned in = of_kind[t->kind];
    if (t == TY_I(64)) in |= T_I64;
    return (set & T_ANY) || (set & in);
}

/* "an integer or a float" */
static const char *set_text(Cx *cx, unsigned set) {
    Buf b = {0};
    for (unsigned i = 0; i < sizeof set_names / sizeof *set_names; i++)
        if (set & 1u << i) buf_printf(cx, &b, "%s%s", b.n ? " or " : "", set_names[i]);
    return b.n ? b.at : "nothing";
}

static const Type *arg_type(const Verify *v, uint32_t k) {
    return ir_at(v->fn, ir_at(v->fn, v->at)->args[k])->ty;
}

static void expect(Verify *v, uint32_t k, bool good, const char *what) {
    if (!good) verify_breach(v, "operand %u is %s, %s expected", k, arg_type(v, k)->name, what);
}

static void expect_type(Verify *v, uint32_t k, const Type *want) {
    expect(v, k, arg_type(v, k) == want, want->name);
}

static void expect_result(Verify *v, bool good, const char *what) {
    if (!good)
        verify_breach(v, "the result is %s, %s expected", ir_at(v->fn, v->at)->ty->name, what);
}

static void expect_result_type(Verify *v, const Type *want) {
    expect_result(v, ir_at(v->fn, v->at)->ty == want, want->name);
}

/* --- rules for single operations -------------------------------------------------------------- */

static void check_same(Verify *v, const Ins *i) {
    for (uint32_t k = 0; k < i->nargs; k++) expect_type(v, k, i->ty);
}

static void check_same_operands(Verify *v, const Ins *i) {
    (void)i;
    expect_type(v, 1, arg_type(v, 0));
}

static void check_select(Verify *v, const Ins *i) {
    expect(v, 0, arg_type(v, 0)->kind == TY_BOOL, "bool");
    expect_type(v, 1, i->ty);
    expect_type(v, 2, i->ty);
}

static void check_cast(Verify *v, const Ins *i) {
    if (arg_type(v, 0)->kind == TY_COMPLEX)
        expect_result(v, i->ty->kind == TY_COMPLEX, "a complex number");
}

static void check_bitcast(Verify *v, const Ins *i) {
    const Type *from = arg_type(v, 0);
    if (from->nparts != 1 || i->ty->nparts != 1) {
        verify_breach(v, "only scalars have bits to keep");
        return;
    }
    static const uint8_t width[] = {
        [P_I1] = 1,   [P_I8] = 8,   [P_I16] = 16, [P_I32] = 32, [P_I64] = 64,
        [P_F16] = 16, [P_F32] = 32, [P_F64] = 64, [P_PTR] = 64};
    if (width[from->parts[0]] != width[i->ty->parts[0]])
        verify_breach(v, "%s and %s differ in width", from->name, i->ty->name);
}

static void check_math(Verify *v, const Ins *i) {
    if (i->sub >= MATHS) {
        verify_breach(v, "no such function: %u", i->sub);
        return;
    }
    const MathInfo *info = &math_info[i->sub];
    if (i->nargs != info->nargs) {
        verify_breach(v, "%u operands, %d expected", i->nargs, info->nargs);
        return;
    }
    const Type *ty = arg_type(v, 0);
    expect(v, 0, ty->kind == (info->flags & M_INT ? TY_INT : TY_FLOAT),
           info->flags & M_INT ? "an integer" : "a float");
    for (uint32_t k = 1; k < i->nargs; k++)
        if (k == 1 && info->flags & M_EXP)
            expect(v, 1, is_in(arg_type(v, 1), T_I64), "int64");
        else
            expect_type(v, k, ty);
    if (info->flags & M_BOOL)
        expect_result(v, i->ty->kind == TY_BOOL, "bool");
    else
        expect_result_type(v, ty);
}

static void check_make(Verify *v, const Ins *i) {
    uint32_t n = ir_field_count(i->ty);
    if (i->nargs != n) {
        verify_breach(v, "%u fields, %s has %u", i->nargs, i->ty->name, n);
        return;
    }
    for (uint32_t k = 0; k < n; k++) expect_type(v, k, ir_field_type(i->ty, k));
}

static void check_field(Verify *v, const Ins *i) {
    const Type *ty = arg_type(v, 0);
    if (i->imm < 0 || i->imm >= ir_field_count(ty))
        verify_breach(v, "%s has no field %lld", ty->name, (long long)i->imm);
    else
        expect_result_type(v, ir_field_type(ty, (uint32_t)i->imm));
}

static void check_elem(Verify *v, const Ins *i) {
    const Type *ty = i->nargs ? arg_type(v, 0) : NULL;
    if (!ty || ty->kind != TY_ARRAY || i->nargs != 1u + ty->ndim) {
        verify_breach(v, "an array and one index per axis expected");
        return;
    }
    for (uint32_t k = 1; k < i->nargs; k++) expect(v, k, is_in(arg_type(v, k), T_I64), "int64");
}

static void check_stack(Verify *v, const Ins *i) {
    if (i->imm <= 0) verify_breach(v, "%lld bytes", (long long)i->imm);
}

static void check_check(Verify *v, const Ins *i) {
    if (i->sub >= CHECKS || !i->nargs) {
        verify_breach(v, "no such check");
        return;
    }
    expect(v, 0, arg_type(v, 0)->kind == TY_BOOL, "bool");
    uint32_t k = 1;
    for (const char *s = check_info[i->sub].text; *s; s++) {
        if (*s != '%' || (s[1] != 'd' && s[1] != 'g')) continue;
        if (k < i->nargs)
            expect(v, k, is_in(arg_type(v, k), s[1] == 'd' ? T_INT : T_FLOAT),
                   s[1] == 'd' ? "an integer" : "a float");
        k++;
    }
    if (i->sub == CHECK_FLOAT_TO_INT && k < i->nargs)
        expect(v, k++, is_in(arg_type(v, 1), T_FLOAT), "a float"); /* the text follows from it */
    if (k != i->nargs) verify_breach(v, "%u operands, %u expected", i->nargs, k);
}

static void check_call_fn(Verify *v, const Ins *i) {
    const Fn *callee = i->callee;
    if (callee->stage != STAGE_LOW) verify_breach(v, "calls a HIGH function");
    if (callee->module != v->fn->module) verify_breach(v, "calls a function of another module");
    if (i->nargs != callee->nargs) {
        verify_breach(v, "%u arguments, %s takes %u", i->nargs, callee->name, callee->nargs);
        return;
    }
    for (uint32_t k = 0; k < i->nargs; k++) expect_type(v, k, callee->args[k].ty);
    if (!callee->ret)
        verify_breach(v, "calls %s, which has no return type", callee->name);
    else
        expect_result_type(v, callee->ret);
}

/* The callee's first three arguments are the run time's. */
static void check_region(Verify *v, const Ins *i) {
    const Fn *callee = i->callee;
    if (callee->stage != STAGE_LOW || callee->module != v->fn->module ||
        callee->nargs < REGION_BODY_VALUES ||
        i->nargs != callee->nargs - REGION_BODY_VALUES + REGION_VALUES) {
        verify_breach(v, "%s does not take what a region gives", callee->name);
        return;
    }
    expect(v, REGION_N, is_in(arg_type(v, REGION_N), T_I64), "int64");
    expect(v, REGION_APART, arg_type(v, REGION_APART)->kind == TY_BOOL, "bool");
    expect(v, REGION_COST, is_in(arg_type(v, REGION_COST), T_FLOAT), "a float");
    expect(v, REGION_PARTIALS, arg_type(v, REGION_PARTIALS)->kind == TY_PTR, "pointer");
    for (uint32_t k = REGION_BODY_VALUES; k < callee->nargs; k++)
        expect_type(v, REGION_VALUES + k - REGION_BODY_VALUES, callee->args[k].ty);
    if (!callee->ret || callee->ret->kind != TY_NONE) verify_breach(v, "a region has no result");
}

/* Does the type fit a letter of a prototype (ir/rt.h)? Integers and floats of another width are
 * converted on the way. */
static bool fits_letter(const Type *t, char c) {
    if (c == 'A') return true;
    if (t->nparts != 1) return false;
    int part = t->parts[0];
    if (c == 'i' || c == 'l') return part >= P_I1 && part <= P_I64;
    if (c == 'd' || c == 'f') return part >= P_F16 && part <= P_F64;
    return (c == 'b' && part == P_I1) || (c == 'p' && part == P_PTR);
}

static void check_call_rt(Verify *v, const Ins *i) {
    uint32_t k = 0;
    bool fills = false; /* has an R */
    for (const char *s = i->rt->proto + 2; *s && *s != ')'; s++) {
        if (*s == 'c') continue;
        if (*s == 'R') {
            fills = true;
            continue;
        }
        if (k < i->nargs && !fits_letter(arg_type(v, k), *s))
            verify_breach(v, "operand %u is %s, but %s takes '%c'", k, arg_type(v, k)->name,
                          i->rt->name, *s);
        k++;
    }
    if (k != i->nargs) verify_breach(v, "%u operands, %s takes %u", i->nargs, i->rt->name, k);
    char result = i->rt->proto[0];
    bool good = fills || (result == 'v' || result == 's' ? i->ty->kind == TY_NONE
                                                         : fits_letter(i->ty, result));
    if (!good)
        verify_breach(v, "the result is %s, but %s is %s", i->ty->name, i->rt->name, i->rt->proto);
}

enum {
#define EXCEPTION(name, base) EXCEPTION_##name,
#include "core/exceptions.def"
#undef EXCEPTION
    EXCEPTIONS
};

static void check_exc_make(Verify *v, const Ins *i) {
    int64_t user = v->fn->module ? v->fn->module->classes.n : 0;
    if (i->imm < 0 || (i->imm >= EXCEPTIONS && (i->imm < EXC_USER || i->imm >= EXC_USER + user)))
        verify_breach(v, "there is no exception class %lld", (long long)i->imm);
}

static void check_global(Verify *v, const Ins *i) {
    const Module *m = v->fn->module;
    if (!m || i->imm < 0 || i->imm >= m->captured_types.n)
        verify_breach(v, "there is no captured array %lld", (long long)i->imm);
    else
        expect_result_type(v, m->captured_types.at[i->imm]);
}

static void check_arg(Verify *v, const Ins *i) { expect_result_type(v, v->fn->args[i->imm].ty); }

static void check_const(Verify *v, const Ins *i) { expect_result_type(v, i->k->ty); }

static void check_atomic(Verify *v, const Ins *i) {
    uint32_t n = i->sub == ATOMIC_CAS ? 3 : i->sub == ATOMIC_LOAD ? 1 : 2;
    if (i->sub > ATOMIC_LOAD || i->nargs != n) {
        verify_breach(v, "%u operands do not fit", i->nargs);
        return;
    }
    expect(v, 0, arg_type(v, 0)->kind == TY_PTR, "pointer");
    for (uint32_t k = 1; k < i->nargs; k++) expect_type(v, k, i->ty);
}

static bool is_vote(unsigned kind) {
    return kind == BARRIER_COUNT || kind == BARRIER_AND || kind == BARRIER_OR;
}

static void check_barrier(Verify *v, const Ins *i) {
    if (i->sub >= BARRIER_KINDS || i->nargs != is_vote(i->sub))
        verify_breach(v, "no such barrier");
    else if (is_vote(i->sub))
        expect_result_type(v, TY_I(64));
    else
        expect_result(v, i->ty->kind == TY_NONE, "none");
    for (uint32_t k = 0; k < i->nargs; k++) expect(v, k, arg_type(v, k)->kind == TY_BOOL, "bool");
}

static uint32_t warp_operands(unsigned op) {
    if (op == WARP_ACTIVE) return 0;
    return op <= WARP_SHFL_XOR ? 3 : op == WARP_SYNC ? 1 : 2;
}

static void check_warp(Verify *v, const Ins *i) {
    if (i->sub >= WARP_OPS || i->nargs != warp_operands(i->sub) || i->imm < 1 || i->imm > 32) {
        verify_breach(v, "no such operation of a warp");
        return;
    }
    bool votes = i->sub >= WARP_ALL && i->sub <= WARP_BALLOT;
    for (uint32_t k = 0; k < i->nargs; k += 2) expect(v, k, is_in(arg_type(v, k), T_I64), "int64");
    if (i->nargs > 1)
        expect(v, 1, is_in(arg_type(v, 1), votes ? T_BOOL : T_INT | T_FLOAT),
               votes ? "bool" : "a number");
    if (i->sub == WARP_SYNC)
        expect_result(v, i->ty->kind == TY_NONE, "none");
    else if (votes && i->sub != WARP_BALLOT)
        expect_result(v, i->ty->kind == TY_BOOL, "bool");
    else if (i->nargs > 1 && (i->sub <= WARP_SHFL_XOR || i->sub >= WARP_ADD))
        expect_result_type(v, arg_type(v, 1));
    else
        expect_result_type(v, TY_I(64));
}

static void check_fence(Verify *v, const Ins *i) {
    if (i->sub >= FENCE_SCOPES) verify_breach(v, "no such scope");
}

static void check_shared(Verify *v, const Ins *i) {
    if (i->imm < 0 || i->imm2 < 0) verify_breach(v, "%lld bytes", (long long)i->imm);
}

static void check_sreg(Verify *v, const Ins *i) {
    if (i->sub > SREG_DYN || i->imm < 0 || i->imm > 2) verify_breach(v, "no such register");
}

/* --- the table -------------------------------------------------------------------------------- */

typedef struct TypeRow {
    unsigned args; /* set that every operand is in; 0: see `special` */
    unsigned result; /* set the result is in */
    void (*special)(Verify *v, const Ins *i); /* or NULL */
    bool kernel; /* only in kernels */
} TypeRow;

#define ARITHMETIC {T_NUMBER, T_NUMBER, check_same, false}
#define FLOOR      {T_INT | T_FLOAT, T_INT | T_FLOAT, check_same, false}
#define BITS       {T_INT | T_BOOL, T_INT | T_BOOL, check_same, false}
#define ORDER      {T_SCALAR, T_BOOL, check_same_operands, false}
#define EQUALITY   {T_ANY, T_BOOL, check_same_operands, false} /* all parts */

/* clang-format off */
static const TypeRow type_rows[OPS] = {
    [OP_ARG] = {0, T_ANY, check_arg, false},
    [OP_CONST] = {0, T_ANY, check_const, false},
    [OP_UNSET] = {0, T_ANY, NULL, false},
    [OP_GLOBAL] = {0, T_ANY, check_global, false},
    [OP_YIELD] = {T_ANY, T_ANY, NULL, false},
    [OP_ADD] = ARITHMETIC,
    [OP_SUB] = ARITHMETIC,
    [OP_MUL] = ARITHMETIC,
    [OP_NEG] = ARITHMETIC,
    [OP_FDIV] = {T_FLOAT | T_COMPLEX, T_FLOAT | T_COMPLEX, check_same, false},
    [OP_FLOORDIV] = FLOOR,
    [OP_FLOORMOD] = FLOOR,
    [OP_AND] = BITS,
    [OP_OR] = BITS,
    [OP_XOR] = BITS,
    [OP_SHL] = {T_INT, T_INT, check_same, false},
    [OP_SHR] = {T_INT, T_INT, check_same, false},
    [OP_EQ] = EQUALITY,
    [OP_NE] = EQUALITY,
    [OP_LT] = ORDER,
    [OP_LE] = ORDER,
    [OP_GT] = ORDER,
    [OP_GE] = ORDER,
    [OP_SELECT] = {T_ANY, T_ANY, check_select, false},
    [OP_CAST] = {T_SCALAR | T_COMPLEX, T_SCALAR | T_COMPLEX, check_cast, false},
    [OP_BITCAST] = {T_ANY, T_ANY, check_bitcast, false},
    [OP_MATH] = {T_INT | T_FLOAT, T_INT | T_FLOAT | T_BOOL, check_math, false},
    [OP_MAKE] = {T_ANY, T_ANY, check_make, false},
    [OP_FIELD] = {T_ANY, T_ANY, check_field, false},
    [OP_ELEM] = {T_ANY, T_PTR, check_elem, false},
    [OP_OFFSET] = {T_PTR | T_I64, T_PTR, NULL, false},
    [OP_LOAD] = {T_PTR, T_ANY, NULL, false},
    [OP_STORE] = {T_ANY, T_NONE, NULL, false},
    [OP_ALLOC] = {T_I64, T_PTR, NULL, false},
    [OP_DATA] = {T_PTR, T_PTR, NULL, false},
    [OP_STACK] = {0, T_PTR, check_stack, false},
    [OP_RETAIN] = {T_ANY, T_NONE, NULL, false},
    [OP_RELEASE] = {T_ANY, T_NONE, NULL, false},
    [OP_WRAP] = {T_I64, T_I64, check_same, false},
    [OP_CHECK_INDEX] = {T_I64, T_NONE, NULL, false},
    [OP_CHECK] = {T_ANY, T_NONE, check_check, false},
    [OP_CALL_FN] = {T_ANY, T_ANY, check_call_fn, false},
    [OP_REGION] = {T_ANY, T_I64, check_region, false},
    [OP_CALL_RT] = {T_ANY, T_ANY, check_call_rt, false},
    [OP_EXC_MAKE] = {T_ANY, T_EXC, check_exc_make, false},
    [OP_BIND] = {T_ANY, T_NONE, NULL, false},
    [OP_POLL] = {0, T_NONE, NULL, false},
    [OP_SREG] = {0, T_I64, check_sreg, true},
    [OP_BARRIER] = {T_BOOL, T_NONE | T_I64, check_barrier, true},
    [OP_WARP] = {T_ANY, T_ANY, check_warp, true},
    [OP_FENCE] = {0, T_NONE, check_fence, true},
    [OP_SHARED] = {0, T_PTR, check_shared, true},
    [OP_ATOMIC] = {T_ANY, T_INT | T_FLOAT, check_atomic, false},
};
/* clang-format on */

/* OFFSET and STORE have an address first and something else second: what the sets cannot say. */
static void check_addresses(Verify *v, const Ins *i) {
    if (i->op == OP_OFFSET || i->op == OP_STORE)
        expect(v, 0, arg_type(v, 0)->kind == TY_PTR, "pointer");
    if (i->op == OP_OFFSET) expect(v, 1, is_in(arg_type(v, 1), T_I64), "int64");
}

static bool is_kernel_code(const Fn *fn) {
    return fn->is_kernel || (fn->module && fn->module->fns.n && fn->module->fns.at[0]->is_kernel);
}

void verify_types(Verify *v) {
    const Ins *i = ir_at(v->fn, v->at);
    const TypeRow *row = &type_rows[i->op];
    if (!i->ty || i->ty->kind == TY_UNDEF) {
        verify_breach(v, "has no type");
        return;
    }
    for (uint32_t k = 0; k < i->nargs; k++) {
        const Type *t = arg_type(v, k);
        if (!t || t->kind == TY_UNDEF) {
            verify_breach(v, "operand %u has no type", k);
            return;
        }
        if (!is_in(t, row->args)) expect(v, k, false, set_text(v->cx, row->args));
    }
    if (!is_in(i->ty, row->result)) expect_result(v, false, set_text(v->cx, row->result));
    if (i->weak) verify_breach(v, "is weak");
    if (row->kernel && !is_kernel_code(v->fn)) verify_breach(v, "stands outside a kernel");
    check_addresses(v, i);
    if (row->special && !v->wrong) row->special(v, i);
}
