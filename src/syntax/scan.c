#include "syntax/scan.h"

#include <Python.h>

#include <ctype.h>
#include <string.h>

#include "py/py.h"

void scan_open(Cx *cx, Scan *s, PyObject *lines, size_t first) {
    *s = (Scan){.cx = cx, .lines = lines, .next = first, .nlines = (size_t)PyList_Size(lines)};
}

/* Appends one more line, with a newline at its end; false behind the last. */
static bool fetch(Scan *s) {
    if (s->next >= s->nlines) return false;
    PyObject *line = PyList_GetItem(s->lines, (Py_ssize_t)s->next++);
    Py_ssize_t n;
    const char *text = line ? PyUnicode_AsUTF8AndSize(line, &n) : NULL;
    if (!text) {
        py_clear_error();
        return false;
    }
    buf_add(s->cx, &s->text, text, (size_t)n);
    if (!n || text[n - 1] != '\n') buf_add(s->cx, &s->text, "\n", 1);
    return true;
}

int scan_at(Scan *s, size_t i) {
    while (i >= s->text.n)
        if (!fetch(s)) return 0;
    return (unsigned char)s->text.at[i];
}

static bool is_word(int c) { return isalnum(c) || c == '_' || c >= 0x80; }

/* Is the word at i this one? */
static bool is_keyword(Scan *s, size_t i, const char *word) {
    size_t n = strlen(word);
    for (size_t k = 0; k < n; k++)
        if (scan_at(s, i + k) != word[k]) return false;
    return !is_word(scan_at(s, i + n));
}

static size_t skip_code(Scan *s, size_t i);

/* The part of a replacement field behind its colon; i is behind the colon. Ends at the field's
 * `}`. */
static size_t skip_spec(Scan *s, size_t i) {
    for (int c; (c = scan_at(s, i)) && c != '}' && c != '\n';)
        if (c == '{') {
            i = skip_code(s, i + 1);
            if (scan_at(s, i) == ':') i = skip_spec(s, i + 1);
            if (scan_at(s, i) == '}') i++;
        } else
            i++;
    return i;
}

/* A string: i is its first quote. Behind its last. Inside an f-string, what stands in braces is
 * code again. */
static size_t skip_string(Scan *s, size_t i, bool is_format, bool is_raw) {
    int quote = scan_at(s, i), c;
    bool triple = scan_at(s, i + 1) == quote && scan_at(s, i + 2) == quote;
    for (i += triple ? 3 : 1; (c = scan_at(s, i)); i++) {
        if (c == '\\') {
            bool is_name =
                is_format && !is_raw && scan_at(s, i + 1) == 'N' && scan_at(s, i + 2) == '{';
            i++;
            while (is_name && (c = scan_at(s, i)) && c != '}' && c != '\n') i++;
        } else if (c == quote) {
            if (!triple) return i + 1;
            if (scan_at(s, i + 1) == quote && scan_at(s, i + 2) == quote) return i + 3;
        } else if (c == '\n' && !triple) {
            return i;
        } else if (is_format && c == '{') {
            if (scan_at(s, ++i) == '{') continue;
            i = skip_code(s, i);
            if (scan_at(s, i) == ':') i = skip_spec(s, i + 1);
            if (scan_at(s, i) != '}') i--; /* not what it seemed: go on as text */
        }
    }
    return i;
}

/* At a word: behind it, and behind the string whose prefix it is. */
static size_t skip_word(Scan *s, size_t i) {
    bool is_format = false, is_raw = false;
    size_t start = i;
    for (int c; is_word(c = scan_at(s, i)); i++) {
        is_format |= c == 'f' || c == 'F' || c == 't' || c == 'T';
        is_raw |= c == 'r' || c == 'R';
    }
    int c = scan_at(s, i);
    bool is_prefix = i - start <= 2 && (c == '"' || c == '\'');
    return is_prefix ? skip_string(s, i, is_format, is_raw) : i;
}

/* One token (or blank, comment, newline) from i; never stands still before the end of the text. */
static size_t skip_token(Scan *s, size_t i) {
    int c = scan_at(s, i);
    if (is_word(c)) return skip_word(s, i);
    if (c == '"' || c == '\'') return skip_string(s, i, false, false);
    if (c == '#') {
        while ((c = scan_at(s, i)) && c != '\n') i++;
        return i;
    }
    if (c == '\\') return scan_at(s, i + 1) == '\r' ? i + 3 : i + 2; /* a continued line */
    return c ? i + 1 : i;
}

static bool is_opening(int c) { return c == '(' || c == '[' || c == '{'; }
static bool is_closing(int c) { return c == ')' || c == ']' || c == '}'; }

/* Code in a replacement field: stands at the `:`, `!` or `}` that ends it. */
static size_t skip_code(Scan *s, size_t i) {
    int depth = 0;
    for (int c; (c = scan_at(s, i)); i = skip_token(s, i)) {
        if (is_opening(c)) depth++;
        if (is_closing(c) && depth-- == 0) return i;
        if (depth == 0 && c == ':') return i;
    }
    return i;
}

/* A logical line from i: behind its newline. */
static size_t skip_line(Scan *s, size_t i) {
    int depth = 0;
    for (int c; (c = scan_at(s, i)); i = skip_token(s, i)) {
        if (is_opening(c)) depth++;
        if (is_closing(c) && depth) depth--;
        if (c == '\n' && !depth) return i + 1;
    }
    return i;
}

/* Column of the first character that is not blank, as Python counts; *at: where that is. */
static size_t measure_indent(Scan *s, size_t i, size_t *at) {
    size_t column = 0;
    for (int c;; i++) {
        c = scan_at(s, i);
        if (c == ' ')
            column++;
        else if (c == '\t')
            column = (column / 8 + 1) * 8;
        else if (c == '\f')
            column = 0;
        else
            break;
    }
    *at = i;
    return column;
}

size_t scan_def(Scan *s) {
    size_t at, end = 0, base = measure_indent(s, 0, &at);
    bool seen = false;
    for (size_t i = 0;;) {
        size_t column = measure_indent(s, i, &at);
        int c = scan_at(s, at);
        if (!c) return seen ? end : 0;
        if (c == '\n' || c == '\r' ||
            c == '#') { /* blank, or only a comment: belongs to no block */
            i = skip_line(s, at);
            continue;
        }
        if (seen && column <= base) return end;
        if (!seen && c != '@') {
            seen = is_keyword(s, at, "def") || is_keyword(s, at, "async");
            if (!seen) return 0;
        }
        i = end = skip_line(s, at);
    }
}

size_t scan_lambda(Scan *s, size_t at, size_t from, bool *last) {
    int depth = 0, colons = 0; /* lambdas whose colon is still to come */
    *last = false;
    for (size_t i = at;; i = skip_token(s, i)) {
        int c = scan_at(s, i);
        *last = !c ||
                (depth == 0 && (is_closing(c) || c == ';' || (!colons && (c == ',' || c == ':'))));
        if (*last) return i;
        if (is_opening(c)) depth++;
        if (is_closing(c)) depth--;
        if (depth) continue;
        if (c == ':') colons--;
        if (c == '\n' && i > from) return i;
        if (!is_word(c) || (i > at && is_word(scan_at(s, i - 1)))) continue;
        if (is_keyword(s, i, "lambda")) colons++;
        *last = !colons && (is_keyword(s, i, "for") || is_keyword(s, i, "async"));
        if (*last) return i;
    }
}
