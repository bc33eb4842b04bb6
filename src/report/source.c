/*
 * source.c: source files in memory with an index of their lines, because thousands of findings
 * point into the same few files.
 */
#include "report/source.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/utf8.h"
#include "store/xalloc.h"

#define MAX_FILE_BYTES (16u << 20) /* larger ones are generated: nobody reads them */
#define MAX_FILES 256              /* kept; beyond that, the oldest goes */
#define TAB 8
#define MAX_COLUMNS 120

struct source {
    char *path;
    char *text; /* null: cannot be read */
    size_t bytes;
    size_t *start; /* of each line, and one past the end */
    int nlines;
};

static struct source kept[MAX_FILES];
static size_t nkept, oldest;

static char *read_all(int fd, size_t *bytes)
{
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_FILE_BYTES)
        return NULL;
    char *text = sn_xcalloc((size_t)st.st_size + 1, 1);
    ssize_t n = read(fd, text, (size_t)st.st_size);
    *bytes = n > 0 ? (size_t)n : 0;
    if (n <= 0 || memchr(text, '\0', *bytes)) {
        free(text);
        return NULL;
    }
    return text;
}

static void find_lines(struct source *s)
{
    size_t cap = 0;
    s->nlines = 0;
    for (size_t at = 0; at < s->bytes;) {
        s->start = sn_xgrow(s->start, (size_t)s->nlines + 1, &cap, sizeof *s->start);
        s->start[s->nlines++] = at;
        const char *end = memchr(s->text + at, '\n', s->bytes - at);
        at = end ? (size_t)(end - s->text) + 1 : s->bytes;
        s->start[s->nlines] = at;
    }
}

static void load(struct source *s, const char *path)
{
    *s = (struct source){.path = sn_xstrdup(path)};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    s->text = read_all(fd, &s->bytes);
    close(fd);
    if (s->text)
        find_lines(s);
}

static const struct source *find(const char *path)
{
    for (size_t i = 0; i < nkept; i++) {
        if (!strcmp(kept[i].path, path))
            return &kept[i];
    }
    struct source *s = &kept[nkept < MAX_FILES ? nkept++ : oldest++ % MAX_FILES];
    free(s->path);
    free(s->text);
    free(s->start);
    load(s, path);
    return s;
}

struct screen {
    char *text, *to;
    int column;        /* of the next character, from 0 */
    int wanted, found; /* byte column and its place on the screen */
};

static void put_character(struct screen *s, const char *bytes, unsigned n)
{
    if (*bytes == '\t') {
        do
            *s->to++ = ' ';
        while (++s->column % TAB);
        return;
    }
    memcpy(s->to, bytes, n);
    s->to += n;
    s->column++;
}

/* Characters count as one column each: good enough for a caret. */
static void put_line(struct screen *s, const char *line, size_t n)
{
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)line[i];
        unsigned length = sn_utf8_length((const unsigned char *)line + i, n - i);
        if (s->wanted && (size_t)s->wanted >= i + 1 &&
            (size_t)s->wanted < i + 1 + (length ? length : 1))
            s->found = s->column + 1;
        if (s->column >= MAX_COLUMNS) {
            put_character(s, "…", 3);
            return;
        }
        if (!length || (c < 0x20 && c != '\t') || c == 0x7f)
            put_character(s, "?", 1);
        else
            put_character(s, line + i, length);
        i += length ? length : 1;
    }
}

char *sn_source_line(const char *path, int line, int column, int *screen_column)
{
    const struct source *f = find(path);
    if (!f->text || line < 1 || line > f->nlines)
        return NULL;
    const char *start = f->text + f->start[line - 1];
    size_t n = f->start[line] - f->start[line - 1];
    while (n && (start[n - 1] == '\n' || start[n - 1] == '\r'))
        n--;
    struct screen s = {.wanted = column};
    s.text = s.to = sn_xcalloc(MAX_COLUMNS + TAB + 2, 4);
    put_line(&s, start, n);
    while (s.to > s.text && s.to[-1] == ' ')
        s.to--;
    *s.to = '\0';
    if (screen_column)
        *screen_column = s.found;
    return s.text;
}

const char *sn_source_short(const char *path)
{
    static char here[PATH_MAX];
    static size_t length;
    if (!length) {
        if (!getcwd(here, sizeof here))
            here[0] = '\0';
        length = strlen(here) + 1;
    }
    size_t n = length - 1;
    if (n > 1 && !strncmp(path, here, n) && path[n] == '/')
        return path + n + 1;
    return path;
}
