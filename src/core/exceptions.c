#include "core/exceptions.h"

#include <stdio.h>
#include <string.h>

#include "core/ctx.h"

const ExcClassInfo exc_classes[EXC_CLASSES] = {
#define EXCEPTION(name, base) {#name, EXC_##base},
#include "core/exceptions.def"
#undef EXCEPTION
};

int exc_find_class(const char *name) {
    for (int i = 0; i < EXC_CLASSES; i++)
        if (strcmp(exc_classes[i].name, name) == 0) return i;
    return -1;
}

const char *exc_text(const ExcObj *e, char line[EXC_LINE]) {
    const int64_t *operand = e->operands;
    size_t n = 0;
    if (!e->check) return e->message;
    for (const char *s = e->check; *s && n + 32 < EXC_LINE; s++) {
        if (s[0] == '%' && s[1] == 'd') {
            n += (size_t)snprintf(line + n, EXC_LINE - n, "%lld", (long long)*operand++);
            s++;
        } else if (s[0] == '%' && s[1] == 'g') {
            double d;
            memcpy(&d, operand++, sizeof d);
            n += (size_t)snprintf(line + n, EXC_LINE - n, "%g", d);
            s++;
        } else {
            line[n++] = *s;
        }
    }
    line[n] = 0;
    return line;
}
