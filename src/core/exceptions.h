/* Numbers of Python's builtin exception classes, as ExcObj.cls holds them. */
#pragma once

typedef enum ExcClass {
#define EXCEPTION(name, base) EXC_##name,
#include "core/exceptions.def"
#undef EXCEPTION
    EXC_CLASSES
} ExcClass;
_Static_assert(EXC_CLASSES <= 64, "Module.class_bases has a bit for each");

typedef struct ExcClassInfo {
    const char *name;
    int base; /* ExcClass; BaseException: itself */
} ExcClassInfo;
extern const ExcClassInfo exc_classes[EXC_CLASSES];

/* The number of a class by its name, or -1. */
int exc_find_class(const char *name);
