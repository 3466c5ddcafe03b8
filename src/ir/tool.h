/* Doing things to IR text: what tests of the verifier, the passes and the interpreter are made
 * of. */
#pragma once
#include "ir/ir.h"

/* What the caller lends. */
typedef struct IrToolHost {
    void *(*find_symbol)(const char *name); /* "interp": see ir/interp.h; NULL: cannot interpret */
    /* "pass NAME": one pass over the module; false: no such pass. NULL: there are none. */
    bool (*run_pass)(Cx *cx, Module *m, const char *name);
} IrToolHost;

/* Does `what` to the module in `text`; the result is text in the arena. Aborts with a diagnostic on
 * bad text, an unknown `what`, or a module that does not verify (but for print and verify).
 *
 *   print, print-spans   the module, printed
 *   verify               "ok", or what is wrong
 *   pass NAME            the module after the pass
 *   cfg                  per function: reverse post-order, dominators, loops
 *   live                 per block: values live into and out of it
 *   interp ARGS          calls the first function; see ir/tool_interp.c */
char *ir_tool(Cx *cx, const IrToolHost *host, const char *what, const char *text);
