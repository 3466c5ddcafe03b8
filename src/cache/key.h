/* What a key holds beside the function: what decides how any function is compiled. */
#pragma once
#include "cache/walk.h"

/* At import: what later changes of the environment are compared with. */
void key_open(void);

/* Hashes build, machine, interpreter, NumPy and environment. */
void key_add_process(Walk *w);

/* tools/build_id.py: a hash of all our sources, the prelude's too, and of the compilers used. */
extern const char ws_build_id[];
