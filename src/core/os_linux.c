/* core/os.h for Linux. */
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/os.h"

/* --- threads ---------------------------------------------------------------------------------- */

typedef struct Start {
    void (*body)(void *);
    void *arg;
} Start;

static void *run_thread(void *p) {
    Start s = *(Start *)p;
    mem_free(p);
    s.body(s.arg);
    return NULL;
}

int os_start_thread(OsThread *out, void (*body)(void *), void *arg, size_t stack) {
    Start *s = mem_alloc(sizeof *s);
    pthread_attr_t attr;
    sigset_t all, before;
    if (!s) return -1;
    *s = (Start){body, arg};
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, stack);
    sigfillset(&all); /* a new thread inherits the mask */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(out, &attr, run_thread, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (rc == 0) return 0;
    mem_free(s);
    return -1;
}

void os_join_thread(OsThread t) { pthread_join(t, NULL); }

int os_stack_bounds(const char **low, size_t *size) {
    pthread_attr_t attr;
    void *at;
    if (pthread_getattr_np(pthread_self(), &attr) != 0) return -1;
    int rc = pthread_attr_getstack(&attr, &at, size);
    pthread_attr_destroy(&attr);
    *low = at;
    return rc == 0 ? 0 : -1;
}

bool os_wait_for(OsCond *c, OsMutex *m, uint64_t ns) {
    uint64_t end = os_now_ns() + ns;
    struct timespec t = {(time_t)(end / 1000000000u), (long)(end % 1000000000u)};
    return pthread_cond_clockwait(c, m, CLOCK_MONOTONIC, &t) == 0;
}

unsigned os_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return (unsigned)CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

bool os_is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

/* --- memory for code -------------------------------------------------------------------------- */

size_t os_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static int map_both(int fd, size_t size, void **write_view, void **exec_view) {
    *write_view = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*write_view == MAP_FAILED) return -1;
    *exec_view = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    if (*exec_view != MAP_FAILED) return 0;
    munmap(*write_view, size);
    return -1;
}

/* A sandbox may forbid executable files in memory: then one view, with both rights. */
static int map_one(size_t size, void **write_view, void **exec_view) {
    void *p =
        mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return -1;
    *write_view = *exec_view = p;
    return 0;
}

/* A child of fork shares the pages with its parent: whoever loads code after a fork starts a new
 * slab. */
int os_map_code(size_t size, bool single, void **write_view, void **exec_view) {
    int fd = single ? -1 : memfd_create("whipsnake-code", MFD_CLOEXEC);
    if (fd >= 0) {
        int rc = ftruncate(fd, (off_t)size) == 0 ? map_both(fd, size, write_view, exec_view) : -1;
        close(fd);
        if (rc == 0) return 0;
    }
    return map_one(size, write_view, exec_view);
}

void os_flush_code(void *exec_view, size_t size) {
    __builtin___clear_cache((char *)exec_view, (char *)exec_view + size);
}

/* --- libraries -------------------------------------------------------------------------------- */

void *os_open_library(const char *path, const char **why) {
    void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!h && why) *why = dlerror();
    return h;
}

void *os_find_symbol(void *library, const char *name) {
    return dlsym(library ? library : RTLD_DEFAULT, name);
}

unsigned os_process_id(void) { return (unsigned)getpid(); }
