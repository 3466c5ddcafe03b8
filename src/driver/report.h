/* What a compile knows, as JSON for whipsnake/_explain.py. */
#pragma once
#include "base/remark.h"
#include "infer/infer.h"

/* Remarks about types: conversions that may lose something. After inference. */
void report_conversions(Cx *cx, const Infer *in);

/* Text of a JSON object:
 *
 *   target:    the machine that code is made for, as LLVM names it
 *   functions: [{name, file, line, end_line, first_line, source: [line ...], arguments: [[name, type] ...],
 *                returns}]                                 of the user's, each instance; file: a number
 *   values:    [{function, line, column, end_line, end_column, name, kind, type}]
 *              function: its position; kind: "argument", "variable" (name is set), "expression" (null)
 *   remarks:   [{kind, topic, level, file, line, column, end_line, end_column, via, text, advice, values: {}}]
 *
 * Columns are bytes from 0 in the source as given here, which has no common indentation. */
const char *report_text(Cx *cx, const Infer *in);
