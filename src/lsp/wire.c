/* wire.c: see wire.h. */
#include "lsp/wire.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "store/xalloc.h"

#define HEADER_MOST 4096u             /* a longer one is no header */
#define BODY_MOST (64u * 1024 * 1024) /* more is dropped: no source file is that long */

void sn_wire_feed(struct sn_wire *w, const void *bytes, size_t n)
{
    size_t drop = w->skip < n ? w->skip : n;
    w->skip -= drop;
    n -= drop;
    while (w->cap - w->n < n)
        w->data = sn_xrealloc(w->data, w->cap = w->cap ? w->cap * 2 : 65536, 1);
    if (n > 0)
        memcpy(w->data + w->n, (const char *)bytes + drop, n);
    w->n += n;
}

static void take(struct sn_wire *w, size_t n)
{
    if (n > w->n) {
        w->skip = n - w->n;
        n = w->n;
    }
    memmove(w->data, w->data + n, w->n - n);
    w->n -= n;
}

/* Where the header ends: behind its empty line. 0: not there. */
static size_t header_end(const struct sn_wire *w)
{
    size_t most = w->n < HEADER_MOST ? w->n : HEADER_MOST;
    for (size_t i = 0; i + 1 < most; i++) {
        if (w->data[i] != '\n')
            continue;
        if (w->data[i + 1] == '\n')
            return i + 2;
        if (i + 2 < most && w->data[i + 1] == '\r' && w->data[i + 2] == '\n')
            return i + 3;
    }
    return 0;
}

/* Content-Length, or -1. */
static long long length_of(const char *header, size_t n)
{
    static const char name[] = "Content-Length:";
    const size_t len = sizeof name - 1;
    for (size_t i = 0; i + len < n; i++) {
        bool line_start = i == 0 || header[i - 1] == '\n';
        if (!line_start || strncasecmp(header + i, name, len) != 0)
            continue;
        char digits[24] = "", *end;
        for (i += len; i < n && (header[i] == ' ' || header[i] == '\t'); i++)
            ;
        size_t k = 0;
        while (i + k < n && k < sizeof digits - 1 && header[i + k] >= '0' && header[i + k] <= '9')
            k++;
        memcpy(digits, header + i, k);
        errno = 0;
        long long v = strtoll(digits, &end, 10);
        return k > 0 && errno == 0 ? v : -1;
    }
    return -1;
}

/* No header where one should be: go on at the next place that looks like one. */
static void resync(struct sn_wire *w)
{
    for (size_t i = 1; i + 15 <= w->n; i++) {
        if (strncasecmp(w->data + i, "Content-Length:", 15) == 0) {
            take(w, i);
            return;
        }
    }
    take(w, w->n > 14 ? w->n - 14 : w->n);
}

enum sn_wire_result sn_wire_next(struct sn_wire *w, json_t **out)
{
    size_t head = header_end(w);
    if (head == 0) {
        if (w->n < HEADER_MOST)
            return SN_WIRE_MORE;
        resync(w);
        return SN_WIRE_BAD;
    }
    long long body = length_of(w->data, head);
    if (body < 0) {
        resync(w);
        return SN_WIRE_BAD;
    }
    if ((unsigned long long)body > BODY_MOST) {
        take(w, (unsigned long long)body > SIZE_MAX / 2 ? w->n : head + (size_t)body);
        return SN_WIRE_BAD;
    }
    if (w->n - head < (size_t)body)
        return SN_WIRE_MORE;
    *out = json_loadb(w->data + head, (size_t)body, JSON_ALLOW_NUL, NULL);
    take(w, head + (size_t)body);
    if (json_is_object(*out))
        return SN_WIRE_MESSAGE;
    json_decref(*out);
    *out = NULL;
    return SN_WIRE_BAD;
}

void sn_wire_free(struct sn_wire *w)
{
    free(w->data);
    *w = (struct sn_wire){0};
}

int sn_wire_send(FILE *to, json_t *message)
{
    char *text = sn_xcheck(json_dumps(message, JSON_COMPACT));
    fprintf(to, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    free(text);
    json_decref(message);
    return fflush(to) == 0 ? 0 : -EIO;
}
