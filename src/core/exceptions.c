#include "core/exceptions.h"

#include <string.h>

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
