/* The passes over LOW IR, and the order they run in.
 *
 * Every pass is one function in a file of its own; the comment above it is its contract. A pass
 * returns whether it changed anything. None fails: memory leaves by cx_abort. The GIL is not held
 * and not needed. */
#pragma once
#include "ir/ir.h"

/* The whole pipeline: from what lowering made to what codegen takes. WHIPSNAKE_DUMP=name prints the
 * module after that pass (several: comma between; "passes": the time of each) to stderr. */
void opt_run(Cx *cx, Module *m);

/* One pass by its name over all functions of m, or "all": opt_run. False: there is no such pass.
 * For tests. */
bool opt_run_pass(Cx *cx, Module *m, const char *name);

/* Per function. */
bool opt_simplify(Cx *cx, Fn *fn);
bool opt_catch(Cx *cx, Fn *fn);
bool opt_cse(Cx *cx, Fn *fn);
bool opt_range(Cx *cx, Fn *fn);
bool opt_hoist(Cx *cx, Fn *fn);
bool opt_parallel(Cx *cx, Fn *fn);
bool opt_version(Cx *cx, Fn *fn);
bool opt_lockstep(Cx *cx, Fn *fn);
bool opt_strip(Cx *cx, Fn *fn);
bool opt_carry(Cx *cx, Fn *fn);
bool opt_select(Cx *cx, Fn *fn);
bool opt_wrap(Cx *cx, Fn *fn);
bool opt_promise(Cx *cx, Fn *fn);
bool opt_poll(Cx *cx, Fn *fn);
bool opt_rc_insert(Cx *cx, Fn *fn);
bool opt_simt_split(Cx *cx, Fn *fn);

/* Over the module. */
bool opt_inline(Cx *cx, Module *m);
bool opt_escape(Cx *cx, Module *m);
bool opt_simt_dims(Cx *cx, Module *m);
