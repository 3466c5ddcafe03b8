/* usage: unit [--list | NAME] */
#include <string.h>

#include "base/diag.h"
#include "check.h"
#include "types/types.h"

int failures;

/* clang-format off */
#define TESTS(X)                                                                                  \
    X(arena) X(arena_large) X(map) X(map_zero_key) X(vec) X(buf) X(intern) X(run_nested)          \
    X(defer_order) X(defer_without_memory) X(diag_text) X(diag_after_nested)                      \
    X(out_of_memory_is_no_diagnostic) X(every_allocation_fails_once) X(insert_delete) X(split)    \
    X(replace) X(rename_chain) X(delete_param) X(clone) X(clone_renames) X(const_equal)           \
    X(fields_make_parts) X(effects) X(cfg_diamond) X(cfg_handler) X(cfg_random) X(loops_random)   \
    X(cfg_long) X(preheader) X(loops_deep) X(live_random) X(verify_random) X(use_counts)

/* clang-format on */
#define X(name) void test_##name(void);
TESTS(X)
#undef X

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
#define X(name) {#name, test_##name},
    TESTS(X)
#undef X
};

void with_cx(void (*body)(Cx *, void *), void *arg) {
    Cx cx;
    EXPECT(cx_open(&cx) == 0);
    if (cx_run(&cx, body, arg) != 0) {
        failures++;
        printf("left by cx_abort: %s\n", cx.diag ? diag_format(&cx, cx.diag) : "out of memory");
    }
    cx_close(&cx);
}

int main(int argc, char **argv) {
    int ran = 0;
    if (ty_init() != 0) return 2;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (argc > 1 && strcmp(argv[1], "--list") == 0) {
            puts(tests[i].name);
            ran++;
        } else if (argc == 1 || strcmp(argv[1], tests[i].name) == 0) {
            tests[i].run();
            ran++;
        }
    }
    if (!ran) printf("no such test\n");
    return failures || !ran;
}
