/* What the passes did, as remarks (base/remark.h). Each does nothing unless a report is wanted. */
#pragma once
#include "ir/ir.h"

/* At the start: which checks there are. */
void opt_report_checks(Cx *cx, Module *m);
/* Behind inlining: finds out whom of the user remarks about our own functions are for. */
void opt_report_callers(Cx *cx, Module *m);
/* A check was moved: id is one of the CHECK_ rows. */
void opt_report_check(Cx *cx, const Fn *fn, Ref check, int id);
/* At the end: which are left, and where; what is allocated in loops, and how loops go through memory. */
void opt_report_rest(Cx *cx, Module *m);
/* Before strips cut loops up: which could run in parallel. */
void opt_report_parallel(Cx *cx, Module *m);
