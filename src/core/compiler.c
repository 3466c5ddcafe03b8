#include "core/compiler.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CompilerApi api;
static _Atomic bool is_open;

bool compiler_is_open(void) { return is_open; }

int compiler_sibling(char *path, size_t size, const char *file) {
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)compiler_open, &info) || !info.dli_fname) return -1;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash ? (int)(slash - info.dli_fname) : 1;
    int n = snprintf(path, size, "%.*s/%s", folder, slash ? info.dli_fname : ".", file);
    return n < 0 || (size_t)n >= size ? -1 : 0;
}

static const char *open_it(const CoreApi *core) {
    static char text[1024];
    char path[768];
    if (compiler_sibling(path, sizeof path, "_compiler.so"))
        return "the folder of whipsnake's libraries cannot be found";
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        snprintf(text, sizeof text,
                 "whipsnake's compiler cannot be loaded (%.900s); install whipsnake again",
                 dlerror());
        return text;
    }
    int (*start)(const CoreApi *, CompilerApi *);
    *(void **)&start = dlsym(lib, "ws_compiler_open");
    if (!start || start(core, &api))
        return "whipsnake's compiler does not start; install whipsnake again";
    return NULL;
}

const CompilerApi *compiler_open(const CoreApi *core, const char **problem) {
    if (is_open) return &api;
    pthread_mutex_lock(&lock);
    *problem = is_open ? NULL : open_it(core);
    if (!*problem) is_open = true;
    pthread_mutex_unlock(&lock);
    return is_open ? &api : NULL;
}
