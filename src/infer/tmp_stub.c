#include "opt/opt.h"
__attribute__((weak)) bool opt_range(Cx *cx, Fn *fn);
__attribute__((weak)) bool opt_range(Cx *cx, Fn *fn) { return (void)cx, (void)fn, false; }
