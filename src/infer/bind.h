/* Arguments and parameters of calls, for infer/call.c. */
#pragma once
#include "infer/infer_int.h"

/* Arguments as written. */
typedef struct Actuals {
    Arg *at; /* positional, stars expanded, then keywords */
    uint32_t npos, nkw;
    const char *const *keywords;
} Actuals;

/* A value of inst as an argument. */
Arg infer_value_arg(const Inst *inst, Ref r);
/* The arguments of a call; false: the types of some are not known yet. */
bool infer_actuals(Infer *in, Inst *inst, Ref call, Actuals *out);

typedef struct Param {
    const char *name;
    uint32_t n; /* length of the name */
    bool optional, rest;
} Param;

typedef struct Params {
    Param at[32];
    uint32_t n;
    uint32_t npositional; /* those before *rest, or all */
} Params;

/* What is called, for messages: a Python function, or a row. */
typedef struct Called {
    const char *name;
    const FnDef *def; /* NULL: a row */
} Called;

/* A row's parameters: "a, b=, *rest". */
void infer_parse_params(const char *text, Params *out);
void infer_add_ufunc_params(Params *p);
/* args[i] gets the argument for parameter i, or stays as it was. False: it does not fit, and that is told. */
bool infer_bind(Infer *in, const Params *params, const Actuals *act, Arg *args, const Called *who,
                Span span);
bool infer_bind_def(Infer *in, const FnDef *def, const Actuals *act, const Arg *captures, Span span,
                    Callee *out);
/* "numpy.zeros": "zeros". */
const char *infer_short_name(const char *name);
