#include "cache/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cache/format.h"
#include "core/os.h"

enum {
    MEGABYTES = 512,  /* unless WHIPSNAKE_CACHE_SIZE says otherwise */
    AN_HOUR = 3600,   /* seconds: how exactly the last use is known; how long a writer may take */
    TRIM_EVERY = 16,  /* one write in so many looks at the whole folder */
    PATH_SIZE = 4096,
};

static Folder folder = {.fd = -1, .path = ""};
static char path[PATH_SIZE];

/* --- finding it ------------------------------------------------------------------------------- */

static bool set_path(const char *base, const char *below) {
    int n = snprintf(path, sizeof path, "%s%s", base, below);
    return n > 0 && (size_t)n < sizeof path && path[0] == '/';
}

static const char *home_folder(void) {
    const char *home = getenv("HOME");
    if (home && *home) return home;
    const struct passwd *entry = getpwuid(geteuid());
    return entry && entry->pw_dir ? entry->pw_dir : "";
}

static bool find_path(void) {
    const char *own = getenv("WHIPSNAKE_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME");
    char here[PATH_SIZE];
    if (own && *own == '/') return set_path(own, "");
    if (own && *own) return getcwd(here, sizeof here - 1) && set_path(strcat(here, "/"), own);
    if (xdg && *xdg == '/') return set_path(xdg, "/whipsnake");
    return set_path(home_folder(), "/.cache/whipsnake");
}

/* Makes the folders of the path that are not there. What cannot be made is seen when it is opened. */
static void make_folders(void) {
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        mkdir(path, 0700);
        *p = '/';
    }
    mkdir(path, 0700);
}

static const char *open_it(void) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        make_folders();
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (fd < 0) return errno == EACCES ? "it may not be opened" : "it cannot be made or opened";
    const char *problem = NULL;
    if (fstat(fd, &st) != 0 || st.st_uid != geteuid())
        problem = "it belongs to another user";
    else if (st.st_mode & 077)
        problem = "others may look into it; make it private with chmod 700";
    if (problem)
        close(fd);
    else
        folder.fd = fd;
    return problem;
}

static uint64_t read_limit(void) {
    const char *text = getenv("WHIPSNAKE_CACHE_SIZE");
    char *end;
    unsigned long long n = text ? strtoull(text, &end, 10) : 0;
    return (text && end != text && !*end ? n : MEGABYTES) * 1000000u;
}

static void start(void) {
    folder.limit = read_limit();
    const char *off = getenv("WHIPSNAKE_CACHE");
    if (off && strcmp(off, "0") == 0)
        folder.problem = "WHIPSNAKE_CACHE=0";
    else if (!find_path())
        folder.problem = "the user has no home folder, and WHIPSNAKE_CACHE_DIR is not set";
    else {
        folder.path = path;
        folder.problem = open_it();
    }
}

const Folder *folder_open(void) {
    static OsOnce once = OS_ONCE_INIT;
    os_once(&once, start);
    return &folder;
}

/* --- files ------------------------------------------------------------------------------------ */

static char *read_all(int fd, size_t size) {
    char *bytes = mem_alloc(size);
    size_t n = 0;
    while (bytes && n < size) {
        ssize_t k = read(fd, bytes + n, size - n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) break; /* truncated meanwhile, or a bad disk */
        n += (size_t)k;
    }
    if (bytes && n == size) return bytes;
    mem_free(bytes);
    return NULL;
}

/* Its time says when it was last used, to the hour: so that reading seldom writes. */
static void mark_used(int fd, const struct stat *st) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) == 0 && now.tv_sec - st->st_mtime > AN_HOUR)
        (void)!futimens(fd, NULL);
}

char *folder_read(const char *name, size_t *size) {
    struct stat st;
    char *bytes = NULL;
    int fd = openat(folder.fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        st.st_size >= (off_t)sizeof(ImageHead) && st.st_size <= IMAGE_LARGEST) {
        *size = (size_t)st.st_size;
        bytes = read_all(fd, *size);
        if (bytes) mark_used(fd, &st);
    }
    close(fd);
    return bytes;
}

void folder_remove(const char *name) { (void)!unlinkat(folder.fd, name, 0); }

static bool write_all(int fd, const char *bytes, size_t size) {
    size_t n = 0;
    while (n < size) {
        ssize_t k = write(fd, bytes + n, size - n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return false;
        n += (size_t)k;
    }
    return true;
}

static const char *describe(int error) {
    switch (error) {
    case ENOSPC:
    case EDQUOT: return "the disk is full";
    case EROFS:
    case EACCES:
    case EPERM: return "the folder may not be written to";
    default: return "the file could not be written";
    }
}

static const char *write_as(const char *own, const char *name, const char *bytes, size_t size) {
    errno = 0;
    int fd = openat(folder.fd, own, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return describe(errno);
    bool good = write_all(fd, bytes, size);
    good = close(fd) == 0 && good; /* network disks tell here */
    if (good && renameat(folder.fd, own, folder.fd, name) == 0) return NULL;
    const char *problem = describe(errno);
    folder_remove(own);
    return problem;
}

const char *folder_write(const char *name, const char *bytes, size_t size) {
    static _Atomic uint32_t count;
    char own[64];
    if (size > folder.limit || size > IMAGE_LARGEST) return "it is larger than the cache";
    uint32_t n = atomic_fetch_add(&count, 1);
    snprintf(own, sizeof own, ".new-%x-%x-%llx", os_process_id(), n,
             (unsigned long long)os_now_ns());
    const char *problem = write_as(own, name, bytes, size);
    if ((n + os_process_id()) % TRIM_EVERY == 0) folder_trim();
    return problem;
}

/* --- making room ------------------------------------------------------------------------------ */

typedef struct Old {
    char name[96];
    int64_t used; /* seconds */
    uint64_t size;
} Old;

typedef struct Listing {
    Old *at;
    size_t n, cap;
    uint64_t total;
} Listing;

static void add_file(Listing *l, const char *name, const struct stat *st) {
    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 256;
        Old *at = mem_realloc(l->at, cap * sizeof *at);
        if (!at) return; /* then this one stays */
        l->at = at;
        l->cap = cap;
    }
    Old *o = &l->at[l->n++];
    snprintf(o->name, sizeof o->name, "%s", name);
    o->used = st->st_mtime;
    o->size = (uint64_t)st->st_blocks * 512;
    if (o->size < (uint64_t)st->st_size) o->size = (uint64_t)st->st_size;
    l->total += o->size;
}

/* Ours alone: whatever else lies in the folder is left alone. */
static bool is_entry(const char *name) {
    size_t n = strlen(name), k = sizeof IMAGE_SUFFIX - 1;
    return n > k && n < sizeof(((Old *)0)->name) && strcmp(name + n - k, IMAGE_SUFFIX) == 0;
}

static void list_folder(Listing *l) {
    int fd = openat(folder.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        if (fd >= 0) close(fd);
        return;
    }
    time_t now = time(NULL);
    for (const struct dirent *e; (e = readdir(dir));) {
        struct stat st;
        bool unfinished = strncmp(e->d_name, ".new-", 5) == 0;
        if ((!unfinished && !is_entry(e->d_name)) ||
            fstatat(folder.fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (!unfinished)
            add_file(l, e->d_name, &st);
        else if (now - st.st_mtime > AN_HOUR) /* its writer died */
            folder_remove(e->d_name);
    }
    closedir(dir);
}

static int by_use(const void *a, const void *b) {
    int64_t x = ((const Old *)a)->used, y = ((const Old *)b)->used;
    return x < y ? -1 : x > y;
}

/* Down to three quarters, so that the next writers have room. */
void folder_trim(void) {
    Listing l = {0};
    list_folder(&l);
    if (l.total > folder.limit) {
        qsort(l.at, l.n, sizeof *l.at, by_use);
        for (size_t i = 0; i < l.n && l.total > folder.limit / 4 * 3; i++) {
            folder_remove(l.at[i].name);
            l.total -= l.at[i].size;
        }
    }
    mem_free(l.at);
}
