/* Inside ir/tool*.c. */
#pragma once
#include "ir/tool.h"

_Noreturn void tool_fail(Cx *cx, const char *text);
/* Calls the entry of m with arguments from text; appends the outcome. */
void tool_interp(Cx *cx, const IrToolHost *host, const Module *m, const char *args, Buf *out);
