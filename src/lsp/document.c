/* document.c: see document.h. */
#include "lsp/document.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "lsp/position.h"
#include "store/xalloc.h"

#define TEXT_MOST (64u * 1024 * 1024)

/* --- URIs --- */

static int hex(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
                                        : -1;
}

static char *unescape(const char *s)
{
    char *out = sn_xcalloc(strlen(s) + 1, 1), *to = out;
    for (; *s && *s != '?' && *s != '#'; s++) {
        bool escape =
            s[0] == '%' && hex(s[1]) >= 0 && hex(s[2]) >= 0 && (s[1] != '0' || s[2] != '0');
        *to++ = escape ? (char)(hex(s[1]) << 4 | hex(s[2])) : *s;
        s += escape ? 2 : 0;
    }
    return out;
}

char *sn_uri_path(const char *uri)
{
    if (strncasecmp(uri, "file://", 7) != 0)
        return sn_xformat("/nowhere/%s", uri);
    const char *path = strchr(uri + 7, '/'); /* behind the host's name */
    char *plain = unescape(path ? path : "/"), *real = realpath(plain, NULL);
    if (real == NULL)
        return plain;
    free(plain);
    return real;
}

char *sn_path_uri(const char *path)
{
    char *out = sn_xcalloc(strlen(path) * 3 + 8, 1), *to = out + sprintf(out, "file://");
    for (; *path; path++) {
        if (isalnum((unsigned char)*path) || strchr("/-_.~", *path) != NULL)
            *to++ = *path;
        else
            to += sprintf(to, "%%%02X", (unsigned char)*path);
    }
    return out;
}

/* --- the set --- */

struct sn_document *sn_document_find(struct sn_documents *all, const char *uri)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->d[i].uri, uri) == 0)
            return &all->d[i];
    return NULL;
}

struct sn_document *sn_document_by_path(struct sn_documents *all, const char *path)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->d[i].path, path) == 0)
            return &all->d[i];
    return NULL;
}

static char *read_all(const char *path, size_t *n)
{
    FILE *f = fopen(path, "re");
    char *text = NULL;
    size_t cap = 0, k;
    *n = 0;
    if (f == NULL)
        return NULL;
    do {
        text = sn_xrealloc(text, cap += 65536, 1);
        k = fread(text + *n, 1, cap - *n, f);
        *n += k;
    } while (k > 0 && *n < TEXT_MOST);
    fclose(f);
    return text;
}

static bool is_on_disk(const struct sn_document *d)
{
    size_t n;
    char *text = read_all(d->path, &n);
    bool same = text != NULL && n == d->n && memcmp(text, d->text, n) == 0;
    free(text);
    return same;
}

static void set_text(struct sn_document *d, char *text, size_t n)
{
    free(d->text);
    d->text = text;
    d->n = n;
    clock_gettime(CLOCK_REALTIME, &d->changed);
}

struct sn_document *sn_document_open(struct sn_documents *all, const char *uri,
                                     const char *language, int64_t version, const char *text,
                                     size_t n)
{
    struct sn_document *d = sn_document_find(all, uri);
    if (d == NULL) {
        all->d = sn_xgrow(all->d, all->n, &all->cap, sizeof *all->d);
        d = &all->d[all->n++];
        *d = (struct sn_document){.uri = sn_xstrdup(uri), .path = sn_uri_path(uri)};
    }
    char *copy = sn_xcalloc(n + 1, 1);
    memcpy(copy, text, n);
    free(d->language);
    d->language = sn_xstrdup(language ? language : "");
    d->version = version;
    set_text(d, copy, n);
    d->dirty = !is_on_disk(d);
    return d;
}

/* Replaces the bytes from..to. */
static void splice(struct sn_document *d, size_t from, size_t to, const char *text, size_t n)
{
    size_t total = d->n - (to - from) + n;
    char *out = sn_xcalloc(total + 1, 1);
    memcpy(out, d->text, from);
    memcpy(out + from, text, n);
    memcpy(out + from + n, d->text + to, d->n - to);
    set_text(d, out, total);
    d->dirty = true;
}

bool sn_document_change(struct sn_document *d, const json_t *change)
{
    const json_t *text = json_object_get(change, "text"), *range = json_object_get(change, "range");
    struct sn_position from, to;
    if (!json_is_string(text))
        return false;
    size_t n = json_string_length(text);
    if (range == NULL || json_is_null(range)) {
        splice(d, 0, d->n, json_string_value(text), n);
        return true;
    }
    if (!sn_position_read(json_object_get(range, "start"), &from) ||
        !sn_position_read(json_object_get(range, "end"), &to) || d->n + n > TEXT_MOST)
        return false;
    size_t a = sn_position_offset(d->text, d->n, from), b = sn_position_offset(d->text, d->n, to);
    splice(d, a, b > a ? b : a, json_string_value(text), n);
    return true;
}

static void clear(struct sn_document *d)
{
    free(d->uri);
    free(d->path);
    free(d->language);
    free(d->text);
    json_decref(d->findings);
}

static void remember_discarded(struct sn_documents *all, const struct sn_document *d)
{
    struct sn_discarded *g = NULL;
    for (size_t i = 0; i < all->ngone && g == NULL; i++)
        g = strcmp(all->gone[i].path, d->path) == 0 ? &all->gone[i] : NULL;
    if (g == NULL) {
        all->gone = sn_xgrow(all->gone, all->ngone, &all->cap_gone, sizeof *all->gone);
        g = &all->gone[all->ngone++];
        g->path = sn_xstrdup(d->path);
    }
    clock_gettime(CLOCK_REALTIME, &g->when);
}

void sn_document_close(struct sn_documents *all, struct sn_document *d)
{
    if (d->dirty)
        remember_discarded(all, d);
    clear(d);
    *d = all->d[--all->n];
}

void sn_documents_free(struct sn_documents *all)
{
    for (size_t i = 0; i < all->n; i++)
        clear(&all->d[i]);
    for (size_t i = 0; i < all->ngone; i++)
        free(all->gone[i].path);
    free(all->gone);
    free(all->d);
    *all = (struct sn_documents){0};
}

bool sn_document_is_unit(const struct sn_document *d)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".i", ".c++", ".ii"};
    const char *dot = strrchr(d->path, '.');
    for (size_t k = 0; dot != NULL && k < sizeof endings / sizeof *endings; k++)
        if (strcmp(dot, endings[k]) == 0)
            return true;
    bool c = strcmp(d->language, "c") == 0 || strcmp(d->language, "cpp") == 0;
    return c && (dot == NULL || strchr(dot, '/') != NULL);
}

char *sn_documents_text(struct sn_documents *all, const char *path, size_t *n)
{
    const struct sn_document *d = sn_document_by_path(all, path);
    if (d == NULL)
        return read_all(path, n);
    *n = d->n;
    char *copy = sn_xcalloc(d->n + 1, 1);
    memcpy(copy, d->text, d->n);
    return copy;
}
