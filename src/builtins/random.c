/* The modules random and numpy.random (the legacy functions): the same numbers as theirs for the
 * same seed, but of streams of our own, one pair per thread.
 *
 * NumPy's `size=` gives an array filled by a loop of the prelude. */
#include <string.h>

#include "builtins/mathrules.h"

/* --- seeds ------------------------------------------------------------------------------------ */

static bool no_seed(const Call *c) { return !given(c, 0) || c->args[0].ty->kind == TY_NONE; }

static Type *type_seed(Call *c) {
    if (no_seed(c)) return TY_OF(TY_NONE);
    Type *ty = math_number(c, 0);
    return ty && ty_is_integral(ty) && ty != TY_U(64) ? TY_OF(TY_NONE) : math_refuse(c);
}

static Ref lower_seed(Lower *lo, Call *c) {
    bool numpy = c->row->data;
    Type *none = TY_OF(TY_NONE);
    if (no_seed(c)) return lo_rt(lo, numpy ? "ws_np_reseed" : "ws_py_reseed", none, 0, NULL);
    Ref seed = lo_arg_as(lo, c->args[0], TY_I(64));
    return lo_rt(lo, numpy ? "ws_np_seed" : "ws_py_seed", none, 1, &seed);
}

/* --- random: floats --------------------------------------------------------------------------- */

/* Functions of the runtime whose parameters are float64, with these defaults. */
static const struct Stream {
    const char *name;
    double defaults[2];
} streams[] = {
    {"ws_py_random", {0}},    {"ws_py_gauss", {0, 1}},   {"ws_py_normal", {0, 1}},
    {"ws_py_lognormal", {0}}, {"ws_py_expo", {1}},       {"ws_py_gamma", {0}},
    {"ws_py_beta", {0}},      {"ws_py_pareto", {0}},     {"ws_py_weibull", {0}},
    {"ws_py_vonmises", {0}},  {"ws_np_random", {0}},     {"ws_np_gauss", {0}},
    {"ws_np_normal", {0, 1}}, {"ws_np_uniform", {0, 1}}, {"ws_np_expo", {0}},
};
enum {
    PY_RANDOM,
    PY_GAUSS,
    PY_NORMAL,
    PY_LOGNORMAL,
    PY_EXPO,
    PY_GAMMA,
    PY_BETA,
    PY_PARETO,
    PY_WEIBULL,
    PY_VONMISES,
    NP_RANDOM,
    NP_GAUSS,
    NP_NORMAL,
    NP_UNIFORM,
    NP_EXPO
};

/* The first n parameters must be real numbers, where given. */
static bool are_floats(Call *c, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        Type *ty = given(c, i) ? math_number(c, i) : TY_F(64);
        if (!ty || ty->kind == TY_COMPLEX) return false;
    }
    return true;
}

static Ref draw(Lower *lo, Call *c, uint32_t n) {
    const struct Stream *s = &streams[c->row->data];
    Type *d = TY_F(64);
    Ref args[2];
    for (uint32_t i = 0; i < n; i++)
        args[i] = given(c, i) ? lo_arg_as(lo, c->args[i], d) : lo_float(lo, d, s->defaults[i]);
    return lo_rt(lo, s->name, d, n, args);
}

static Type *type_draw(Call *c) { return are_floats(c, c->nargs) ? TY_F(64) : math_refuse(c); }
static Ref lower_draw(Lower *lo, Call *c) { return draw(lo, c, c->nargs); }

/* a + (b - a) * random() */
static Ref lower_uniform(Lower *lo, Call *c) {
    Type *d = TY_F(64);
    Ref a = lo_arg_as(lo, c->args[0], d), b = lo_arg_as(lo, c->args[1], d);
    Ref x = lo_rt(lo, "ws_py_random", d, 0, NULL);
    return lo_op2(lo, OP_ADD, a, lo_op2(lo, OP_MUL, lo_op2(lo, OP_SUB, b, a), x));
}

static Type *type_bits(Call *c) { return math_int(c, 1) ? TY_I(64) : NULL; }

static Ref lower_bits(Lower *lo, Call *c) {
    Ref k = lo_arg_as(lo, c->args[0], TY_I(64));
    lo_check(lo, lo_cmp(lo, OP_GE, k, lo_int(lo, 0)), CHECK_RANDOM_BITS);
    lo_check(lo, lo_cmp(lo, OP_LE, k, lo_int(lo, 63)), CHECK_INT_RESULT);
    return lo_rt(lo, "ws_py_bits", TY_I(64), 1, &k);
}

/* --- numpy.random: one number, or an array of a size ------------------------------------------ */

/* Where the size stands: behind the data2 parameters of the distribution. */
static bool has_size(const Call *c) {
    uint32_t at = (uint32_t)c->row->data2;
    return given(c, at) && c->args[at].ty->kind != TY_NONE;
}

static bool is_size(const Type *ty) {
    if (ty->kind != TY_TUPLE) return ty_is_integral(ty);
    for (uint32_t i = 0; i < ty->nitems; i++)
        if (!ty_is_integral(infer_plain(ty->items[i]))) return false;
    return true;
}

/* The prelude's loop for this distribution: parameters as float64, then the size. */
static uint32_t fill_types(Call *c, Type **types) {
    uint32_t n = (uint32_t)c->row->data2;
    for (uint32_t i = 0; i < n; i++) types[i] = TY_F(64);
    types[n] = c->args[n].ty;
    return n + 1;
}

static Type *filled(Call *c, Type *const *types, uint32_t n) {
    Inst *f = infer_prelude(c->in, c->inst, c->row->prelude, types, n, c->ins);
    return f->ret->kind == TY_UNDEF ? NULL : f->ret;
}

/* Parameters that are arrays, or tuples as such: one number for each of their elements. */
static const char *of_arrays(Call *c) {
    for (uint32_t i = 0; i < (uint32_t)c->row->data2; i++)
        if (given(c, i) && (plain(c, i)->kind == TY_ARRAY || plain(c, i)->kind == TY_TUPLE))
            return cx_printf(c->in->cx, "random_variates.%s", strrchr(c->row->name, '.') + 1);
    return NULL;
}

/* All arguments, with the defaults of what is not given. */
static uint32_t array_args(Lower *lo, Call *c, Type **types, Ref *values) {
    uint32_t n = (uint32_t)c->row->data2;
    for (uint32_t i = 0; i <= n; i++) {
        bool has = given(c, i);
        types[i] = has ? plain(c, i) : i < n ? TY_F(64) : TY_OF(TY_NONE);
        if (!lo) continue;
        double d = i < n ? streams[c->row->data].defaults[i] : 0;
        values[i] = has     ? lo_arg(lo, c->args[i])
                    : i < n ? lo_float(lo, TY_F(64), d)
                            : lo_zero(lo, TY_OF(TY_NONE));
    }
    return n + 1;
}

static Type *type_sized(Call *c) {
    Type *types[3];
    const char *each = of_arrays(c);
    if (each) {
        uint32_t n = array_args(NULL, c, types, NULL);
        Inst *f = infer_prelude(c->in, c->inst, each, types, n, c->ins);
        return f && f->ret->kind != TY_UNDEF ? f->ret : NULL;
    }
    if (!are_floats(c, (uint32_t)c->row->data2)) return math_refuse(c);
    if (!has_size(c)) return TY_F(64);
    if (!is_size(c->args[c->row->data2].ty)) return rule_no_overload(c);
    return filled(c, types, fill_types(c, types));
}

static Ref lower_sized(Lower *lo, Call *c) {
    uint32_t n = (uint32_t)c->row->data2;
    Ref args[3];
    Type *types[3];
    const char *each = of_arrays(c);
    if (each) {
        array_args(lo, c, types, args);
        return lo_prelude(lo, each, n + 1, args);
    }
    if (!has_size(c)) return draw(lo, c, n);
    for (uint32_t i = 0; i < n; i++)
        args[i] = given(c, i) ? lo_arg_as(lo, c->args[i], TY_F(64))
                              : lo_float(lo, TY_F(64), streams[c->row->data].defaults[i]);
    args[n] = lo_arg(lo, c->args[n]);
    return lo_prelude(lo, c->row->prelude, n + 1, args);
}

/* rand(*dims), randn(*dims) */
static Type *type_dims(Call *c) {
    Type *dims = c->args[0].ty;
    if (dims->nitems == 0) return TY_F(64);
    return is_size(dims) ? filled(c, &dims, 1) : rule_no_overload(c);
}

static Ref lower_dims(Lower *lo, Call *c) {
    Ref dims = lo_arg(lo, c->args[0]);
    if (c->args[0].ty->nitems == 0) return draw(lo, c, 0);
    return lo_prelude(lo, c->row->prelude, 1, &dims);
}

/* randint(low, high, size): low <= r < high, or 0 <= r < low. */
static bool has_high(const Call *c) { return given(c, 1) && c->args[1].ty->kind != TY_NONE; }

static Type *type_randint(Call *c) {
    Type *i64 = TY_I(64);
    if (!math_int(c, 1)) return NULL;
    Type *high = has_high(c) ? math_number(c, 1) : i64;
    if (!high || !ty_is_integral(high)) return math_refuse(c);
    Type *elem = rule_dtype(c, 3, i64);
    if (!elem) return NULL;
    if (elem->kind != TY_INT || elem->bits < 32)
        return infer_fail(c->in, c->span, D_NOT_YET,
                          "numpy.random.randint of a dtype of less than 32 bits");
    if (!has_size(c)) {
        Type *types[] = {i64, i64, ty_dtype(elem)};
        if (elem != i64)
            infer_prelude(c->in, c->inst, "random_arrays.check_bounds", types, 3, c->ins);
        return elem;
    }
    if (!is_size(c->args[2].ty)) return rule_no_overload(c);
    return filled(c, (Type *[]){i64, i64, c->args[2].ty, ty_dtype(elem)}, 4);
}

static Ref lower_randint(Lower *lo, Call *c) {
    Type *i64 = TY_I(64);
    Ref a = lo_arg_as(lo, c->args[0], i64), zero = lo_int(lo, 0);
    Ref low = has_high(c) ? a : zero, high = has_high(c) ? lo_arg_as(lo, c->args[1], i64) : a;
    CheckKind empty = has_high(c) ? CHECK_RANDOM_EMPTY : CHECK_RANDOM_HIGH;
    lo_check(lo, lo_cmp(lo, OP_LT, low, high), empty);
    if (has_size(c))
        return lo_prelude(
            lo, c->row->prelude, 4,
            (Ref[]){low, high, lo_arg(lo, c->args[2]), lo_zero(lo, ty_dtype(c->result->elem))});
    Ref dtype = lo_zero(lo, ty_dtype(c->result));
    if (c->result != i64)
        lo_prelude(lo, "random_arrays.check_bounds", 3, (Ref[]){low, high, dtype});
    Ref most = lo_op2(lo, OP_SUB, lo_op2(lo, OP_SUB, high, low), lo_int(lo, 1));
    Ref v = lo_op2(lo, OP_ADD, low, lo_rt(lo, "ws_np_interval", i64, 1, &most));
    return lo_convert(lo, v, c->result);
}

/* --- table ------------------------------------------------------------------------------------ */

/* clang-format off */
#define DRAW(name_, params_, stream, doc_)                                                         \
    {.name = "random." name_, .params = params_, .type = type_draw, .lower = lower_draw,           \
     .data = stream, .doc = doc_}
#define LOOP(name_, prelude_, doc_)                                                                \
    {.name = name_, .flags = ROW_PRELUDE | ROW_LISTS, .prelude = prelude_, .doc = doc_}
#define SIZED(name_, params_, stream, nparams, prelude_, doc_)                                     \
    {.name = "numpy.random." name_, .params = params_, .type = type_sized, .lower = lower_sized,   \
     .flags = ROW_LISTS, .data = stream, .data2 = nparams, .prelude = "random_arrays." prelude_,   \
     .doc = doc_}

const Row rows_random[] = {
    {.name = "random.seed", .params = "a=", .type = type_seed, .lower = lower_seed, .data = 0,
     .doc = "starts this thread's stream from an int, or from the system"},
    DRAW("random",          "",            PY_RANDOM,    "a float in [0, 1)"),
    DRAW("gauss",           "mu=, sigma=", PY_GAUSS,     "normal distribution, in pairs"),
    DRAW("normalvariate",   "mu=, sigma=", PY_NORMAL,    "normal distribution"),
    DRAW("lognormvariate",  "mu, sigma",   PY_LOGNORMAL, "log normal distribution"),
    DRAW("expovariate",     "lambd=",      PY_EXPO,      "exponential distribution"),
    DRAW("gammavariate",    "alpha, beta", PY_GAMMA,     "gamma distribution"),
    DRAW("betavariate",     "alpha, beta", PY_BETA,      "beta distribution"),
    DRAW("paretovariate",   "alpha",       PY_PARETO,    "Pareto distribution"),
    DRAW("weibullvariate",  "alpha, beta", PY_WEIBULL,   "Weibull distribution"),
    DRAW("vonmisesvariate", "mu, kappa",   PY_VONMISES,  "von Mises distribution of angles"),
    {.name = "random.uniform", .params = "a, b", .type = type_draw, .lower = lower_uniform,
     .doc = "a float between a and b"},
    {.name = "random.getrandbits", .params = "k", .type = type_bits, .lower = lower_bits,
     .doc = "an int of k random bits, at most 63"},
    LOOP("random.randrange",  "random_numbers.randrange",  "an item of range(start, stop, step)"),
    LOOP("random.randint",    "random_numbers.randint",    "an int from a to b, both included"),
    LOOP("random.choice",     "random_numbers.choice",     "an item of a tuple, array or range"),
    LOOP("random.shuffle",    "random_numbers.shuffle",    "shuffles an array"),
    LOOP("random.triangular", "random_numbers.triangular", "triangular distribution"),

    {.name = "numpy.random.seed", .params = "seed=", .type = type_seed, .lower = lower_seed,
     .data = 1,
     .doc = "starts this thread's stream from an int, or from the system"},
    SIZED("random",          "size=",               NP_RANDOM,  0, "random",          "in [0, 1)"),
    SIZED("random_sample",   "size=",               NP_RANDOM,  0, "random",          "in [0, 1)"),
    SIZED("ranf",            "size=",               NP_RANDOM,  0, "random",          "in [0, 1)"),
    SIZED("sample",          "size=",               NP_RANDOM,  0, "random",          "in [0, 1)"),
    SIZED("standard_normal", "size=",               NP_GAUSS,   0, "standard_normal", "normal"),
    SIZED("normal",          "loc=, scale=, size=", NP_NORMAL,  2, "normal",          "normal"),
    SIZED("uniform",         "low=, high=, size=",  NP_UNIFORM, 2, "uniform",         "between"),
    {.name = "numpy.random.standard_exponential", .params = "size=", .type = type_sized,
     .lower = lower_sized, .data = NP_EXPO, .data2 = 0,
     .prelude = "random_arrays.standard_exponential", .doc = "exponential distribution"},
    {.name = "numpy.random.rand", .params = "*dims", .type = type_dims, .lower = lower_dims,
     .data = NP_RANDOM, .prelude = "random_arrays.random", .doc = "floats in [0, 1) of this shape"},
    {.name = "numpy.random.randn", .params = "*dims", .type = type_dims, .lower = lower_dims,
     .data = NP_GAUSS, .prelude = "random_arrays.standard_normal",
     .doc = "normal distribution of this shape"},
    {.name = "numpy.random.randint", .params = "low, high=, size=, dtype=", .type = type_randint,
     .lower = lower_randint, .data2 = 2, .prelude = "random_arrays.randint",
     .doc = "ints from low up to high, not included"},
    LOOP("numpy.random.exponential", "random_variates.exponential", "exponential distribution"),
    LOOP("numpy.random.standard_gamma", "random_variates.standard_gamma", "gamma distribution of scale 1"),
    LOOP("numpy.random.gamma", "random_variates.gamma", "gamma distribution"),
    LOOP("numpy.random.chisquare", "random_variates.chisquare", "chi-squared distribution"),
    LOOP("numpy.random.beta", "random_variates.beta", "beta distribution"),
    LOOP("numpy.random.f", "random_variates.f", "F distribution"),
    LOOP("numpy.random.standard_t", "random_variates.standard_t", "Student's t distribution"),
    LOOP("numpy.random.standard_cauchy", "random_variates.standard_cauchy", "Cauchy distribution"),
    LOOP("numpy.random.pareto", "random_variates.pareto", "Pareto (Lomax) distribution"),
    LOOP("numpy.random.weibull", "random_variates.weibull", "Weibull distribution"),
    LOOP("numpy.random.power", "random_variates.power", "power distribution"),
    LOOP("numpy.random.laplace", "random_variates.laplace", "Laplace distribution"),
    LOOP("numpy.random.gumbel", "random_variates.gumbel", "Gumbel distribution"),
    LOOP("numpy.random.logistic", "random_variates.logistic", "logistic distribution"),
    LOOP("numpy.random.lognormal", "random_variates.lognormal", "log normal distribution"),
    LOOP("numpy.random.rayleigh", "random_variates.rayleigh", "Rayleigh distribution"),
    LOOP("numpy.random.triangular", "random_variates.triangular", "triangular distribution"),
    LOOP("numpy.random.binomial", "random_counts.binomial", "successes among n"),
    LOOP("numpy.random.poisson", "random_counts.poisson", "Poisson distribution"),
    LOOP("numpy.random.geometric", "random_counts.geometric", "trials until the first success"),
    LOOP("numpy.random.negative_binomial", "random_counts.negative_binomial", "failures before n successes"),
    LOOP("numpy.random.shuffle",     "random_arrays.shuffle",     "shuffles along the first axis"),
    LOOP("numpy.random.permutation", "random_arrays.permutation", "a shuffled range or copy"),
    LOOP("numpy.random.choice",      "random_arrays.choice",      "items of a range or array, with chances p"),
    {0},
};
