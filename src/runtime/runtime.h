/* C functions that compiled code calls. Their rows are in runtime.def, which says what each
 * does.
 *
 * `site`: number in ctx->unit->sites. A function that returns int32_t gives 0, or 1 with ctx->exc
 * set. None needs the GIL: those that touch Python take it themselves. `const uint64_t *` are slots
 * of a value (one per part). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/ctx.h"

typedef int32_t Status; /* 0 good, 1: ctx->exc is set */

/* A str or bytes as compiled code holds it: slots data, length in characters, kind, owner. Kind 1:
 * one byte a character (ASCII for a str), kind 4: UCS-4. The owner may be NULL (constants, borrowed
 * arguments). */
typedef struct StrSlots {
    const void *data;
    int64_t length;
    int64_t kind;
    struct WsOwner *owner;
} StrSlots;

/* --- for other C code ------------------------------------------------------------------------- */

/* Raises class `cls` (EXC_...) with a finished text. */
void rt_raise(WsCtx *ctx, int32_t site, uint32_t cls, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* What e stands for as a value of type EXC (ExcFacet) in Python: new, NULL with an exception set. GIL held. */
PyObject *rt_exc_facet(ExcObj *e, int facet);
/* An exception of Python's as one of ours: new, the one MemoryError if there is none for it. GIL held. */
ExcObj *rt_exception_of(const Unit *unit, PyObject *value);
/* The Python exception that is set (none: MemoryError), which is cleared: new. GIL held. */
ExcObj *rt_take_python(const Unit *unit);
/* Turns the Python exception that is set into ctx->exc. GIL held. */
void rt_raise_python(WsCtx *ctx, int32_t site);
/* The site with that number in the running unit, or NULL. */
const Site *rt_find_site(const WsCtx *ctx, int32_t site);
/* New str or bytes object; NULL with an exception set. GIL held. */
PyObject *rt_new_str(const StrSlots *s);
/* The text of a Python str as an owned value; ctx->exc set on failure. GIL held. */
Status rt_take_str(WsCtx *ctx, int32_t site, PyObject *str, StrSlots *out);
/* Address of a symbol that compiled code may import: runtime functions, vector math (SLEEF, opened
 * at the first request for it), C math. NULL: not available. No GIL needed. */
void *rt_find_symbol(const char *name);
/* Was SLEEF asked for and not found? Code then calls C's own functions in its place. */
bool rt_lacks_math(void);

/* An array of rank 1 or 2, borrowed; strides in bytes. */
typedef struct RtArray {
    void *data;
    int rank;
    const int64_t *shape, *strides;
} RtArray;
/* Matrix product of arrays whose shapes fit, of float32, float64, complex64 or complex128 (kind 0 to
 * 3), into C-contiguous `out`. GIL held. 0, or -1 with an exception set. */
typedef int (*RtMatmul)(int kind, const RtArray *a, const RtArray *b, void *out);
extern RtMatmul rt_matmul; /* set before compiled code runs: NumPy is not seen from here */
/* NumPy's sort of n contiguous elements of `width` bytes and this KeyForm: 0, or -1 if it cannot. No GIL needed. */
typedef int (*RtSort)(void *data, int64_t n, int64_t width, int64_t form);
extern RtSort rt_sort; /* likewise */

/* From here on threads but the main one do not look for signals: the interpreter ends, and with it what
 * they would ask. Daemon threads may still run. */
void rt_end_polling(void);

/* A function that leaves all general registers but the result's as they were, which LLVM knows as
 * "preserve_most": for calls out of tight loops that hardly ever come. */
#ifdef __clang__
#define WS_QUIET __attribute__((preserve_most))
#else
#define WS_QUIET __attribute__((no_caller_saved_registers, target("general-regs-only")))
#endif

/* --- for compiled code ------------------------------------------------------------------------ */

void ws_raise_check(WsCtx *ctx, int32_t site, int32_t kind, int64_t a, int64_t b);
void ws_raise_index(WsCtx *ctx, int32_t site, int64_t i, int64_t n, int32_t axis);
void ws_raise(WsCtx *ctx, int32_t site, ExcObj *exc);
Status ws_exc_raise(WsCtx *ctx, int32_t site, ExcObj *exc);
void ws_trace(WsCtx *ctx, int32_t site);
void ws_exc_trace(WsCtx *ctx, int32_t site, ExcObj *exc);
ExcObj *ws_exc_make(WsCtx *ctx, int32_t site, int32_t cls, const uint64_t *slots);
void ws_exc_retain(ExcObj *e);
void ws_exc_release(ExcObj *e);
/* The number of this thread among those of the pool; 0: it is none of them. */
int64_t ws_thread_number(WsCtx *ctx, int32_t site);
/* Signal handlers run, if there is something to handle; 1: one has raised. */
Status ws_poll(WsCtx *ctx, int32_t site);
/* The stack pointer is below ctx->stack_limit: RecursionError, or only a reason to poll. */
Status ws_check_stack(WsCtx *ctx, int32_t site);
WS_QUIET Status ws_poll_quiet(WsCtx *ctx, int32_t site);
WS_QUIET Status ws_check_stack_quiet(WsCtx *ctx, int32_t site);

/* A parallel loop: `body` is a RegionBody, `slots` a RegionHead and what follows (core/region.h). */
Status ws_region(WsCtx *ctx, int32_t site, void *body, void *slots);
/* Do two arrays share no byte? Each as what region_pack_array makes of it (core/region.h), and its slots. */
bool ws_apart(int64_t a_descriptor, const uint64_t *a, int64_t b_descriptor, const uint64_t *b);

struct WsOwner *ws_alloc(WsCtx *ctx, int32_t site, int64_t bytes);
void ws_retain(struct WsOwner *o);
void ws_release(struct WsOwner *o);
Status ws_cell_new(WsCtx *ctx, int32_t site, bool set, const uint64_t *value, struct WsOwner **out);
void ws_cell_get(struct WsOwner *cell, uint64_t *out);
void ws_cell_set(struct WsOwner *cell, bool set, const uint64_t *value);

Status ws_matmul(WsCtx *ctx, int32_t site, int64_t kind, void *a, int64_t a_rank,
                 const int64_t *a_shape, const int64_t *a_strides, void *b, int64_t b_rank,
                 const int64_t *b_shape, const int64_t *b_strides, void *out);

bool ws_exc_match(WsCtx *ctx, int32_t site, ExcObj *e, int32_t cls);
void ws_exc_set_cause(ExcObj *e, ExcObj *cause);
void ws_exc_set_context(ExcObj *e, ExcObj *handled, bool anew);
ExcObj *ws_exc_enter(WsCtx *ctx, int32_t site, ExcObj *e);
void ws_exc_leave(WsCtx *ctx, int32_t site, ExcObj *before);
Status ws_exc_handled(WsCtx *ctx, int32_t site, ExcObj **out);
ExcObj *ws_exc_get_cause(ExcObj *e);
ExcObj *ws_exc_get_context(ExcObj *e);
bool ws_exc_is(ExcObj *a, ExcObj *b);
Status ws_exc_text(WsCtx *ctx, int32_t site, ExcObj *e, int32_t conversion, StrSlots *out);
ExcObj *ws_exc_same(ExcObj *e);
bool ws_exc_same_class(WsCtx *ctx, int32_t site, ExcObj *a, ExcObj *b);
bool ws_exc_class_is(WsCtx *ctx, int32_t site, ExcObj *e, int32_t cls);
Status ws_exc_class_name(WsCtx *ctx, int32_t site, ExcObj *e, int32_t which, StrSlots *out);
Status ws_exc_count(WsCtx *ctx, int32_t site, ExcObj *e, int64_t *out);
Status ws_exc_args_if(WsCtx *ctx, int32_t site, ExcObj *e, uint64_t *out);
Status ws_exc_args(WsCtx *ctx, int32_t site, ExcObj *e, uint64_t *out);

Status ws_format_int(WsCtx *ctx, int32_t site, int64_t v, bool is_unsigned, const StrSlots *spec,
                     StrSlots *out);
Status ws_format_bool(WsCtx *ctx, int32_t site, bool v, const StrSlots *spec, StrSlots *out);
Status ws_format_float(WsCtx *ctx, int32_t site, double v, const StrSlots *spec, StrSlots *out);
Status ws_format_complex(WsCtx *ctx, int32_t site, double re, double im, const StrSlots *spec,
                         StrSlots *out);
Status ws_format_str(WsCtx *ctx, int32_t site, const StrSlots *v, const StrSlots *spec,
                     StrSlots *out);
Status ws_repr_str(WsCtx *ctx, int32_t site, const StrSlots *v, StrSlots *out);
Status ws_ascii_str(WsCtx *ctx, int32_t site, const StrSlots *v, StrSlots *out);
Status ws_str_concat(WsCtx *ctx, int32_t site, int64_t n, const StrSlots *pieces, StrSlots *out);
bool ws_str_eq(const StrSlots *a, const StrSlots *b);
int64_t ws_str_compare(const StrSlots *a, const StrSlots *b);
bool ws_str_contains(const StrSlots *text, const StrSlots *part);
Status ws_str_get(WsCtx *ctx, int32_t site, const StrSlots *s, int64_t i, StrSlots *out);
Status ws_str_code(WsCtx *ctx, int32_t site, const StrSlots *s, int64_t *out);
Status ws_str_of_code(WsCtx *ctx, int32_t site, int64_t code, StrSlots *out);
int64_t ws_str_hash(WsCtx *ctx, int32_t site, const StrSlots *s);
Status ws_print(WsCtx *ctx, int32_t site, const StrSlots *text);

void ws_py_seed(WsCtx *ctx, int32_t site, int64_t seed);
double ws_py_random(WsCtx *ctx, int32_t site);
void ws_py_reseed(WsCtx *ctx, int32_t site);
int64_t ws_py_bits(WsCtx *ctx, int32_t site, int64_t bits);
double ws_py_gauss(WsCtx *ctx, int32_t site, double mu, double sigma);
double ws_py_normal(WsCtx *ctx, int32_t site, double mu, double sigma);
double ws_py_lognormal(WsCtx *ctx, int32_t site, double mu, double sigma);
Status ws_py_expo(WsCtx *ctx, int32_t site, double lambda, double *out);
Status ws_py_gamma(WsCtx *ctx, int32_t site, double alpha, double beta, double *out);
Status ws_py_beta(WsCtx *ctx, int32_t site, double alpha, double beta, double *out);
Status ws_py_pareto(WsCtx *ctx, int32_t site, double alpha, double *out);
Status ws_py_weibull(WsCtx *ctx, int32_t site, double alpha, double beta, double *out);
double ws_py_vonmises(WsCtx *ctx, int32_t site, double mu, double kappa);
void ws_np_reseed(WsCtx *ctx, int32_t site);
double ws_np_expo(WsCtx *ctx, int32_t site);
int64_t ws_np_interval(WsCtx *ctx, int32_t site, int64_t max);
Status ws_np_seed(WsCtx *ctx, int32_t site, int64_t seed);
double ws_np_random(WsCtx *ctx, int32_t site);
double ws_np_gauss(WsCtx *ctx, int32_t site);
Status ws_np_normal(WsCtx *ctx, int32_t site, double mean, double deviation, double *out);
Status ws_np_uniform(WsCtx *ctx, int32_t site, double low, double high, double *out);

int64_t ws_hash_int(int64_t i);
int64_t ws_hash_uint(int64_t bits);
int64_t ws_hash_float(double d);
int64_t ws_hash_complex(double re, double im);
int64_t ws_hash_tuple(int64_t n, const uint64_t *hashes);
int64_t ws_hash_none(WsCtx *ctx, int32_t site);
Status ws_round_digits(WsCtx *ctx, int32_t site, double x, int64_t digits, double *out);
Status ws_round_int(WsCtx *ctx, int32_t site, int64_t i, int64_t digits, int64_t *out);
double ws_ldexp(double x, int64_t e);
float ws_ldexpf(float x, int64_t e);
double ws_gamma(double x);
double ws_lgamma(double x);
float ws_gammaf(float x);
float ws_lgammaf(float x);
double ws_ulp(double x);
int64_t ws_isqrt(int64_t n);
int64_t ws_gcd(int64_t a, int64_t b);
/* pow(base, exponent, modulus); exponent >= 0, modulus not 0. */
int64_t ws_powmod(int64_t base, int64_t exponent, int64_t modulus);
/* Can an array be seen with another shape of the same size without a copy? result: 1 or 0, then
 * new_rank strides in bytes. */
/* Why shapes do not fit: the text of the ValueError. */
Status ws_raise_shapes(WsCtx *ctx, int32_t site, int64_t fault, int64_t n, const int64_t *shapes);
void ws_reshape_plan(int64_t rank, const int64_t *shape, const int64_t *strides, int64_t new_rank,
                     const int64_t *new_shape, int64_t *result);
double ws_floordiv(double a, double b);
double ws_floormod(double a, double b);
float ws_floordivf(float a, float b);
float ws_floormodf(float a, float b);
double ws_pow(double a, double b);
double ws_frexp(double x, int64_t *exponent);
double ws_modf(double x, double *whole);
int64_t ws_ipow(int64_t base, int64_t exponent);
int64_t ws_ugcd(int64_t a, int64_t b);
double ws_nextafter_by(double x, double y, int64_t steps);

Status ws_cmath(WsCtx *ctx, int32_t site, int32_t fn, const double *z, double *out);
void ws_complex(int32_t fn, const double *z, double *out);
Status ws_crect(WsCtx *ctx, int32_t site, double r, double phi, double *out);
Status ws_cpow(WsCtx *ctx, int32_t site, const double *base, const double *exponent, double *out);
void ws_cpow_numpy(const double *base, const double *exponent, double *out);

/* Of contiguous bools: how many are true, and where: `places` has room for all of them and one more. */
int64_t ws_count_true(const uint8_t *data, int64_t n);
void ws_true_places(const uint8_t *data, int64_t n, int64_t *places);
void ws_copy_bytes(void *to, const void *from, int64_t n);
int64_t ws_find_bool(const uint8_t *data, int64_t n, int64_t value);
void ws_take_true(const void *data, const uint8_t *mask, int64_t n, int64_t width, void *out,
                  int64_t room);
/* Elements of `width` bytes; `form` says how they are ordered (runtime/sort.c). NaN is the greatest. Scratch:
 * n elements; of ws_argsort 4 n int64. ws_partition leaves at k what sorting would. */
void ws_sort(void *data, void *scratch, int64_t n, int64_t width, int64_t form);
void ws_argsort(const void *data, int64_t *order, void *scratch, int64_t n, int64_t width,
                int64_t form);
void ws_partition(void *data, void *scratch, int64_t n, int64_t k, int64_t width, int64_t form);
double ws_sum_f64(const char *data, int64_t n, int64_t stride);
float ws_sum_f32(const char *data, int64_t n, int64_t stride);
void ws_sum_c128(const char *data, int64_t n, int64_t stride, double *out);
void ws_sum_c64(const char *data, int64_t n, int64_t stride,
                uint64_t *out); /* float32 parts in the low bytes */
Status ws_sum_long(WsCtx *ctx, int32_t site, const char *data, int64_t n, int64_t stride,
                   int32_t kind, uint64_t *out);

/* Runs f(arg), which may need Python and so a stack of the usual size, on the one below the threads of a block;
 * ctx->thread is one of these (simt/threads.c). */
void simt_on_big_stack(WsCtx *ctx, void (*f)(void *), void *arg);
/* Kernels on the CPU: see simt/warp.h for the operations. */
void ws_simt_warp(int64_t code, const int64_t *same, const int64_t *masks, const char *values,
                  const int64_t *lanes, char *out, const int64_t *extents);
void ws_simt_place(WsCtx *ctx, int32_t site, const int64_t *at);
int64_t ws_simt_vote(int64_t kind, const uint8_t *values, const int64_t *extents);
Status ws_thread_barrier(WsCtx *ctx, int32_t site, int64_t kind, int64_t vote, int64_t *out);
void ws_thread_pass(WsCtx *ctx, int32_t site, int64_t barrier);
Status ws_thread_warp(WsCtx *ctx, int32_t site, int64_t code, int64_t mask, int64_t value,
                      int64_t lane, int64_t *out);
