#include "syntax/lines.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The text behind `-c` on the command line that started Python; NULL if there was none. */
static PyObject *find_command(Cx *cx) {
    PyObject *argv = PySys_GetObject("orig_argv"); /* borrowed */
    Py_ssize_t n = argv && PyList_Check(argv) ? PyList_Size(argv) : 0;
    for (Py_ssize_t i = 1; i < n; i++) {
        const char *arg = py_text(cx, PyList_GetItem(argv, i), NULL);
        if (!arg || arg[0] != '-' || !arg[1]) return NULL;
        if (arg[1] == '-') {
            i += strcmp(arg, "--check-hash-based-pycs") == 0;
            continue;
        }
        for (const char *c = arg + 1; *c;
             c++) { /* -W and -X take the rest or the next; -c ends the options */
            if (*c == 'c' && c[1]) return py_keep(cx, PyUnicode_FromString(c + 1));
            if (*c == 'c') return i + 1 < n ? PyList_GetItem(argv, i + 1) : NULL;
            if (*c == 'm') return NULL;
            if (*c != 'W' && *c != 'X') continue;
            i += !c[1];
            break;
        }
    }
    return NULL;
}

static PyObject *split_lines(Cx *cx, PyObject *text) {
    return text ? py_keep(cx, PyObject_CallMethod(text, "splitlines", "i", 1)) : NULL;
}

/* What linecache keeps for the file: a tuple, or NULL. Borrowed from the compile. */
static PyObject *find_entry(Cx *cx, PyObject *linecache, PyObject *filename) {
    PyObject *cache = py_attr(cx, linecache, "cache");
    PyObject *entry =
        cache && PyDict_Check(cache) ? PyDict_GetItemWithError(cache, filename) : NULL;
    if (!entry) {
        py_clear_error();
        return NULL;
    }
    Py_IncRef(entry);
    return py_keep(cx, entry);
}

/* Python's own loader for .py files runs what the file says; other loaders may rewrite it first. */
static bool is_plain_import(Cx *cx, PyObject *globals) {
    PyObject *loader = py_get_item(globals, "__loader__"); /* borrowed */
    if (!loader || !py_is_a(loader, "SourceFileLoader")) return false;
    PyObject *module = py_attr(cx, (PyObject *)Py_TYPE(loader), "__module__");
    const char *name = py_text(cx, module, NULL);
    return name && strcmp(name, "_frozen_importlib_external") == 0;
}

/* Is the loader's file this one? Code that a module makes with exec has its globals, too. */
static bool is_own_file(Cx *cx, const char *filename, PyObject *globals) {
    const char *own = py_text(cx, py_get_item(globals, "__file__"), NULL);
    const char *a = strrchr(filename, '/'), *b = own ? strrchr(own, '/') : NULL;
    return own && strcmp(a ? a : filename, b ? b : own) == 0;
}

/* linecache.<name>(a, b), b may be NULL: new, or NULL with the exception set. */
static PyObject *call_linecache(Cx *cx, PyObject *linecache, const char *name, PyObject *a,
                                PyObject *b) {
    PyObject *f = py_attr(cx, linecache, name);
    return f ? PyObject_CallFunctionObjArgs(f, a, b, NULL) : NULL;
}

static void close_file(void *file) { fclose(file); }

/* A file as a str; new, or NULL. */
static PyObject *read_file(Cx *cx, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    cx_defer(cx, close_file, file);
    Buf text = {0};
    char part[1 << 14];
    for (size_t n; (n = fread(part, 1, sizeof part, file)) != 0;) buf_add(cx, &text, part, n);
    return !ferror(file) && text.n ? PyUnicode_FromStringAndSize(text.at, (Py_ssize_t)text.n)
                                   : NULL;
}

/* linecache is not made for threads: another one that reads the same file may drop the entry between the question
 * whether it is there and the answer. What it does not give is read without it, if it is a file. */
Lines syn_find_lines(Cx *cx, PyObject *name, PyObject *globals) {
    const char *filename = py_text(cx, name, NULL);
    if (!filename) filename = "";
    Lines lines = {.imported = is_plain_import(cx, globals) && is_own_file(cx, filename, globals)};
    PyObject *linecache = name ? py_keep(cx, PyImport_ImportModule("linecache")) : NULL;
    if (!linecache) return lines;
    PyObject *before = find_entry(cx, linecache, name);
    Py_DecRef(call_linecache(cx, linecache, "checkcache", name, NULL));
    py_clear_error();
    lines.reread = before && find_entry(cx, linecache, name) != before;
    lines.list = py_keep(cx, call_linecache(cx, linecache, "getlines", name, globals));
    if (lines.list && (!PyList_Check(lines.list) || PyList_Size(lines.list) == 0))
        lines.list = NULL;
    if (!lines.list && strcmp(filename, "<string>") == 0)
        lines.list = split_lines(cx, find_command(cx));
    if (!lines.list) lines.list = split_lines(cx, py_keep(cx, read_file(cx, filename)));
    return lines;
}

PyObject *syn_prelude_lines(Cx *cx, PyObject *name) {
    static PyObject *files; /* dict: file name -> list of lines; for good */
    const char *path = py_text(cx, name, NULL);
    if (!files) files = PyDict_New();
    if (!path || !files) return NULL;
    PyObject *known = PyDict_GetItemWithError(files, name);
    if (known) return known;
    PyObject *lines = split_lines(cx, py_keep(cx, read_file(cx, path)));
    if (lines && PyDict_SetItem(files, name, lines) == 0) return lines;
    py_clear_error();
    return NULL;
}

/* --- imports ---------------------------------------------------------------------------------- */

typedef struct Imports {
    Cx *cx;
    const char *text; /* of the function */
    size_t n;
    Buf names;
} Imports;

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static const char *skip_blank(const char *s) {
    while (*s == ' ' || *s == '\t' || *s == '(' || *s == '\\') s++;
    return s;
}

static void add_name(Imports *im, const char *name, size_t n) {
    if (n && memmem(im->text, im->n, name, n))
        buf_printf(im->cx, &im->names, "%s%.*s", im->names.n ? ", " : "", (int)n, name);
}

static size_t word_length(const char *s) {
    size_t n = 0;
    while (is_word(s[n])) n++;
    return n;
}

static bool starts_with(const char *s, const char *word) {
    size_t n = strlen(word);
    return strncmp(s, word, n) == 0 && (s[n] == ' ' || s[n] == '\t');
}

/* "a.b as c, d" binds c and d, "a.b" a. */
static void read_names(Imports *im, const char *s) {
    for (;;) {
        s = skip_blank(s);
        const char *name = s;
        size_t n = word_length(s);
        for (s += n; is_word(*s) || *s == '.';) s++;
        s = skip_blank(s);
        if (starts_with(s, "as")) {
            name = s = skip_blank(s + 2);
            n = word_length(s);
            s = skip_blank(s + n);
        }
        add_name(im, name, n);
        if (*s++ != ',') return;
    }
}

/* One line; *open: it goes on in parentheses. */
static void read_line(Imports *im, const char *s, bool *open) {
    if (*open) {
        read_names(im, s);
    } else if (starts_with(s, "import")) {
        read_names(im, s + 6);
    } else if (starts_with(s, "from")) {
        const char *names = strstr(s, " import");
        if (!names) return;
        read_names(im, names + 7);
        *open = strchr(names, '(') != NULL;
    }
    if (*open && strchr(s, ')')) *open = false;
}

/* Lines inside a def or class do not count; the line `def` itself opens one, to which belongs
 * all that is indented deeper. */
typedef struct Inside {
    bool open;
    long column;
} Inside;

static bool opens_scope(const char *s) {
    return *s == '@' || starts_with(s, "def") || starts_with(s, "class") || starts_with(s, "async");
}

static bool is_inside(Inside *in, const char *line, const char *s) {
    if (in->open && s - line > in->column) return true;
    if (!is_word(*s) && *s != '@') return in->open; /* blank, a comment, a closing bracket */
    in->open = opens_scope(s);
    in->column = s - line;
    return in->open;
}

const char *syn_list_imports(Cx *cx, PyObject *list, const char *text, size_t n) {
    Imports im = {.cx = cx, .text = text, .n = n};
    Inside inside = {0};
    bool open = false;
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
        PyObject *line = PyList_GetItem(list, i);
        const char *s = PyUnicode_Check(line) ? PyUnicode_AsUTF8AndSize(line, NULL) : NULL;
        if (!s) {
            py_clear_error();
            continue;
        }
        const char *first = s + strspn(s, " \t");
        if (open || (!is_inside(&inside, s, first) && (*first == 'i' || *first == 'f')))
            read_line(&im, first, &open);
    }
    return im.names.at;
}
