#include "cache/key.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

/* --- the processor ---------------------------------------------------------------------------- */

typedef struct Cpu {
    uint32_t words[64];
    uint32_t n;
} Cpu;

static Cpu cpu;

#if defined(__x86_64__)

static void add_leaf(uint32_t leaf, uint32_t sub, uint32_t ebx_mask) {
    uint32_t a, b, c, d;
    if (!__get_cpuid_count(leaf, sub, &a, &b, &c, &d)) return;
    const uint32_t words[4] = {a, b & ebx_mask, c, d};
    memcpy(cpu.words + cpu.n, words, sizeof words);
    cpu.n += 4;
}

/* Model and features, and what the system saves of the registers. Leaf 1 also tells which core this is
 * (in EBX) and leaf 0xD the size of what is in use: neither counts. */
static void look_at_cpu(void) {
    enum { OSXSAVE = 1 << 27 };
    uint32_t a, b, c, d;
    add_leaf(0, 0, UINT32_MAX);
    add_leaf(1, 0, 0);
    add_leaf(7, 0, UINT32_MAX);
    add_leaf(7, 1, UINT32_MAX);
    add_leaf(0x14, 0, UINT32_MAX);
    add_leaf(0x19, 0, UINT32_MAX);
    add_leaf(0x24, 0, UINT32_MAX);
    add_leaf(0x80000001, 0, UINT32_MAX);
    add_leaf(0x80000008, 0, UINT32_MAX);
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE)) return;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    cpu.words[cpu.n++] = a;
    cpu.words[cpu.n++] = d;
}

#else

static void look_at_cpu(void) {
#if defined(__aarch64__)
    cpu.words[cpu.n++] = (uint32_t)getauxval(AT_HWCAP);
    cpu.words[cpu.n++] = (uint32_t)(getauxval(AT_HWCAP) >> 32);
    cpu.words[cpu.n++] = (uint32_t)getauxval(AT_HWCAP2);
    uint64_t model = 0;
    if (getauxval(AT_HWCAP) & HWCAP_CPUID) __asm__("mrs %0, MIDR_EL1" : "=r"(model));
    cpu.words[cpu.n++] = (uint32_t)model;
#endif
}

#endif

/* --- the rest --------------------------------------------------------------------------------- */

/* Switches that change the code. The compiler reads them once, so they have to stay as they were. */
static struct Switch {
    const char *name;
    char value[128];
} switches[] = {
    {.name = "WHIPSNAKE_CPU_NAME"}, {.name = "WHIPSNAKE_OPT"}, {.name = "WHIPSNAKE_POLL"}};

enum { SWITCHES = sizeof switches / sizeof *switches };

static const char *read_switch(const struct Switch *s) {
    const char *value = getenv(s->name);
    return value ? value : "";
}

void key_open(void) {
    look_at_cpu();
    for (size_t i = 0; i < SWITCHES; i++)
        snprintf(switches[i].value, sizeof switches[i].value, "%s", read_switch(&switches[i]));
}

void key_add_process(Walk *w) {
    PyObject *debug = PyDict_GetItemString(PyEval_GetBuiltins(), "__debug__"); /* python -O */
    walk_text(w, ws_build_id);
    walk_put(w, cpu.words, sizeof cpu.words);
    walk_put(w, &Py_Version, sizeof Py_Version);
    walk_value(w, debug ? debug : Py_None);
    walk_text(w, py_text_attr(w->cx, py_loaded_module(w->cx, "numpy"), "__version__"));
    for (size_t i = 0; i < SWITCHES; i++) {
        walk_text(w, switches[i].value);
        if (strcmp(switches[i].value, read_switch(&switches[i])) != 0)
            walk_give_up(w, cx_printf(w->cx, "%s changed after the import", switches[i].name));
    }
}
