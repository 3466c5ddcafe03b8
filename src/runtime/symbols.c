/* The closed set of names that compiled code may import. */
#include <dlfcn.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/compiler.h"
#include "core/os.h"
#include "ir/rt.h"
#include "runtime/runtime.h"

/* Names that compiled code uses for C's functions where ours must be called instead. */
static const struct {
    const char *name, *ours;
} aliases[] = {
    {"tgamma", "ws_gamma"},    {"lgamma", "ws_lgamma"}, {"tgammaf", "ws_gammaf"},
    {"lgammaf", "ws_lgammaf"}, {"ldexp", "ws_ldexp"},   {"ldexpf", "ws_ldexpf"},
};

#define LIBM(name) {#name, (void *)(uintptr_t)name}
/* What compiled code and LLVM's own expansions call of C. */
static const struct {
    const char *name;
    void *address;
} c_functions[] = {
    LIBM(fmod),     LIBM(fmodf),     LIBM(remainder), LIBM(remainderf), LIBM(erf),    LIBM(erff),
    LIBM(erfc),     LIBM(erfcf),     LIBM(nextafter), LIBM(nextafterf), LIBM(sin),    LIBM(sinf),
    LIBM(cos),      LIBM(cosf),      LIBM(tan),       LIBM(tanf),       LIBM(asin),   LIBM(asinf),
    LIBM(acos),     LIBM(acosf),     LIBM(atan),      LIBM(atanf),      LIBM(atan2),  LIBM(atan2f),
    LIBM(sinh),     LIBM(sinhf),     LIBM(cosh),      LIBM(coshf),      LIBM(tanh),   LIBM(tanhf),
    LIBM(asinh),    LIBM(asinhf),    LIBM(acosh),     LIBM(acoshf),     LIBM(atanh),  LIBM(atanhf),
    LIBM(exp),      LIBM(expf),      LIBM(exp2),      LIBM(exp2f),      LIBM(expm1),  LIBM(expm1f),
    LIBM(log),      LIBM(logf),      LIBM(log2),      LIBM(log2f),      LIBM(log10),  LIBM(log10f),
    LIBM(log1p),    LIBM(log1pf),    LIBM(cbrt),      LIBM(cbrtf),      LIBM(pow),    LIBM(powf),
    LIBM(hypot),    LIBM(hypotf),    LIBM(sqrt),      LIBM(sqrtf),      LIBM(floor),  LIBM(floorf),
    LIBM(ceil),     LIBM(ceilf),     LIBM(trunc),     LIBM(truncf),     LIBM(rint),   LIBM(rintf),
    LIBM(round),    LIBM(roundf),    LIBM(nearbyint), LIBM(nearbyintf), LIBM(fma),    LIBM(fmaf),
    LIBM(fmin),     LIBM(fminf),     LIBM(fmax),      LIBM(fmaxf),      LIBM(fabs),   LIBM(fabsf),
    LIBM(copysign), LIBM(copysignf), LIBM(frexp),     LIBM(modf),       LIBM(memcpy), LIBM(memmove),
    LIBM(memset),   LIBM(memcmp),    LIBM(bcmp),
};

static void *sleef;
static _Atomic bool sleef_tried;

bool rt_lacks_math(void) { return atomic_load(&sleef_tried) && !sleef; }

static void open_sleef(void) {
    char path[768];
    if (compiler_sibling(path, sizeof path, "libsleef.so.3") == 0)
        sleef = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!sleef) sleef = dlopen("libsleef.so.3", RTLD_LAZY | RTLD_LOCAL);
    atomic_store(&sleef_tried, true);
}

/* Opened once, not under a lock: another thread may fork meanwhile. */
static void *find_sleef(const char *name) {
    static OsOnce once = OS_ONCE_INIT;
    os_once(&once, open_sleef);
    return sleef ? dlsym(sleef, name) : NULL;
}

/* Helpers of the C compiler's run time that LLVM calls for 128-bit integers and half precision. */
extern void __udivti3(void), __divti3(void), __umodti3(void), __modti3(void), __truncdfhf2(void),
    __truncsfhf2(void), __extendhfsf2(void);
static const struct {
    const char *name;
    void (*address)(void);
} compiler_rt[] = {{"__udivti3", __udivti3},        {"__divti3", __divti3},
                   {"__umodti3", __umodti3},        {"__modti3", __modti3},
                   {"__truncdfhf2", __truncdfhf2},  {"__truncsfhf2", __truncsfhf2},
                   {"__extendhfsf2", __extendhfsf2}};

void *rt_find_symbol(const char *name) {
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].name, name) == 0) name = aliases[i].ours;
    if (strncmp(name, "ws_", 3) == 0) {
        const RtFn *f = rt_find(name);
        return f ? f->address : NULL;
    }
    if (strncmp(name, "Sleef_", 6) == 0 || strncmp(name, "_ZGV", 4) == 0) return find_sleef(name);
    for (size_t i = 0; i < sizeof c_functions / sizeof *c_functions; i++)
        if (strcmp(c_functions[i].name, name) == 0) return c_functions[i].address;
    for (size_t i = 0; i < sizeof compiler_rt / sizeof *compiler_rt; i++)
        if (strcmp(compiler_rt[i].name, name) == 0) return *(void **)&compiler_rt[i].address;
    return NULL;
}
