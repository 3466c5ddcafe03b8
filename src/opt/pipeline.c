/* The order of the passes, and the one helper that runs, times, dumps and checks each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/diag.h"
#include "opt/opt.h"
#include "opt/report.h"

typedef struct Pass {
    const char *name;
    bool (*on_fn)(Cx *, Fn *);
    bool (*on_module)(Cx *, Module *); /* one of the two */
    bool slow_too; /* functions that version cut out are only made correct, not better */
} Pass;

/* By name, for dumps and tests; the order they run in is opt_run's. */
enum {
    SIMPLIFY,
    INLINE,
    CATCH,
    CSE,
    RANGE,
    PARALLEL,
    VERSION,
    HOIST,
    LOCKSTEP,
    STRIPS,
    CARRY,
    SELECTS,
    WRAP,
    PROMISE,
    POLLS,
    ESCAPE,
    RC_INSERT,
    SIMT_DIMS,
    SIMT_SPLIT,
    PASSES
};
static const Pass passes[PASSES] = {
    [SIMPLIFY] = {"simplify", opt_simplify, NULL, false},
    [INLINE] = {"inline", NULL, opt_inline, false},
    [CATCH] = {"catch", opt_catch, NULL, false},
    [CSE] = {"cse", opt_cse, NULL, false},
    [RANGE] = {"range", opt_range, NULL, false},
    [PARALLEL] = {"parallel", opt_parallel, NULL, false},
    [VERSION] = {"version", opt_version, NULL, false},
    [HOIST] = {"hoist", opt_hoist, NULL, false},
    [LOCKSTEP] = {"lockstep", opt_lockstep, NULL, false},
    [STRIPS] = {"strip", opt_strip, NULL, false},
    [CARRY] = {"carry", opt_carry, NULL, false},
    [SELECTS] = {"select", opt_select, NULL, false},
    [WRAP] = {"wrap", opt_wrap, NULL, false},
    [PROMISE] = {"promise", opt_promise, NULL, true},
    [POLLS] = {"poll", opt_poll, NULL, true},
    [ESCAPE] = {"escape", NULL, opt_escape, true},
    [RC_INSERT] = {"rc_insert", opt_rc_insert, NULL, true},
    [SIMT_DIMS] = {"simt_dims", NULL, opt_simt_dims, false},
    [SIMT_SPLIT] = {"simt_split", opt_simt_split, NULL, false},
};

/* Is `name` one of the comma-separated words of WHIPSNAKE_DUMP? */
static bool is_dumped(const char *name) {
    const char *list = getenv("WHIPSNAKE_DUMP");
    size_t n = strlen(name);
    while (list && *list) {
        size_t word = strcspn(list, ",");
        if (word == n && memcmp(list, name, n) == 0) return true;
        list += word + (list[word] == ',');
    }
    return false;
}

static void dump(Cx *cx, const Module *m, const char *name) {
    Buf out = {0};
    ir_print_module(cx, &out, m);
    fprintf(stderr, "--- after %s\n%s", name, out.at ? out.at : "");
}

/* In builds with assertions: a pass must leave IR that obeys the rules. */
static void verify(Cx *cx, const Module *m, const char *name) {
#ifdef WS_CHECKS
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const char *wrong = ir_verify(cx, m->fns.at[i]);
        if (!wrong) continue;
        dump(cx, m, name);
        INTERNAL(cx, m->fns.at[i]->span,
                 cx_printf(cx, "after pass %s, in %s: %s", name, m->fns.at[i]->name, wrong));
    }
#else
    (void)cx, (void)m, (void)name;
#endif
}

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void run(Cx *cx, Module *m, const Pass *pass) {
    double start = now_us();
    if (pass->on_module)
        pass->on_module(cx, m);
    else
        for (uint32_t i = 0; i < m->fns.n; i++) /* a pass may add functions */
            if (pass->slow_too || !m->fns.at[i]->is_slow) pass->on_fn(cx, m->fns.at[i]);
    if (is_dumped("passes")) fprintf(stderr, "%-10s %8.1f us\n", pass->name, now_us() - start);
    if (is_dumped(pass->name)) dump(cx, m, pass->name);
    verify(cx, m, pass->name);
}

/* From the code of a thread to loops over threads. Here because everything that threads do is in the kernel
 * by now, as small as it gets; because what is proved once about a value holds in all its copies; and because
 * the loops are ordinary ones for the passes behind: range proves subscripts from the counters of threads,
 * version asks the others before the loops over blocks. */
static void split_kernel(Cx *cx, Module *m) {
    run(cx, m, &passes[SIMT_SPLIT]);
    run(cx, m, &passes[SIMPLIFY]);
    run(cx, m, &passes[CSE]);
    run(cx, m, &passes[RANGE]);
    run(cx, m, &passes[SIMPLIFY]);
}

/* For a debugger: nothing is moved, merged or copied, so that each line and each variable is there. */
static void run_for_debugger(Cx *cx, Module *m) {
    run(cx, m, &passes[PROMISE]);
    run(cx, m, &passes[SIMPLIFY]);
    run(cx, m, &passes[ESCAPE]);
    run(cx, m, &passes[RC_INSERT]);
}

void opt_run(Cx *cx, Module *m) {
    if (m->debug && !m->fns.at[0]->is_kernel) {
        run_for_debugger(cx, m);
        return;
    }
    bool splits = m->fns.at[0]->is_kernel && m->fns.at[0]->block_dim[0];
    verify(cx, m, "lowering");
    if (m->fns.at[0]->is_kernel && !splits)
        run(cx, m, &passes[PROMISE]); /* version is not for GPUs */
    if (splits) run(cx, m, &passes[SIMT_DIMS]); /* first: inlining needs it, and constants fold */
    opt_report_checks(cx, m);
    run(cx, m, &passes[SIMPLIFY]); /* bodies as small as they get before they are copied */
    run(cx, m, &passes[INLINE]);
    opt_report_callers(cx, m);
    run(cx, m, &passes[CATCH]); /* raise and handler have come together */
    run(cx, m, &passes[SIMPLIFY]);
    run(cx, m, &passes[CATCH]); /* exceptions that nobody asks for any more */
    run(cx, m, &passes[CSE]);
    run(cx, m, &passes[RANGE]);
    run(cx, m, &passes[SIMPLIFY]); /* branches that were decided, what nobody needs any more */
    if (splits) split_kernel(cx, m);
    run(cx, m,
        &passes[PARALLEL]); /* before version: bodies are functions with loops as any other */
    run(cx, m,
        &passes[VERSION]); /* after range, which may leave nothing to do; copies what is final */
    run(cx, m, &passes[HOIST]); /* in loops that version has left */
    opt_report_parallel(cx, m);
    run(cx, m, &passes[LOCKSTEP]); /* in nests that version has freed of checks */
    /* Behind version: only checks that depend on values are left, and what is made here need not be
     * copied. */
    run(cx, m, &passes[STRIPS]);
    run(cx, m, &passes[CARRY]); /* behind strip, whose loops need no order */
    run(cx, m, &passes[SELECTS]); /* behind both, which want to see branches */
    run(cx, m, &passes[WRAP]); /* what strip left */
    run(cx, m, &passes[PROMISE]); /* nobody behind asks what a subscript is */
    run(cx, m, &passes[CSE]); /* the checks before neighbouring nests have much in common */
    run(cx, m, &passes[POLLS]); /* all loops are there, and what they do is as little as it gets */
    run(cx, m, &passes[SIMPLIFY]);
    opt_report_rest(cx, m);
    run(cx, m, &passes[ESCAPE]);
    /* Last: nothing after it may move, copy or drop a use of a counted value. */
    run(cx, m, &passes[RC_INSERT]);
}

bool opt_run_pass(Cx *cx, Module *m, const char *name) {
    if (strcmp(name, "all") == 0) {
        opt_run(cx, m);
        return true;
    }
    for (int i = 0; i < PASSES; i++) {
        if (strcmp(passes[i].name, name) != 0) continue;
        run(cx, m, &passes[i]);
        return true;
    }
    return false;
}
