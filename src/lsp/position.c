/* position.c: see position.h. */
#include "lsp/position.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "store/utf8.h"

/* The character at text[at]: its bytes, and how many UTF-16 units it is. */
static size_t step(const char *text, size_t n, size_t at, size_t *units)
{
    unsigned bytes = sn_utf8_length((const unsigned char *)text + at, n - at);
    *units = bytes == 4 ? 2 : 1;
    return bytes ? bytes : 1;
}

static bool is_end(const char *text, size_t n, size_t at)
{
    return at >= n || text[at] == '\n' ||
           (text[at] == '\r' && (at + 1 >= n || text[at + 1] == '\n'));
}

static size_t line_start(const char *text, size_t n, size_t line)
{
    size_t at = 0;
    while (line-- > 0 && at < n) {
        const char *end = memchr(text + at, '\n', n - at);
        at = end ? (size_t)(end - text) + 1 : n;
    }
    return at;
}

size_t sn_position_offset(const char *text, size_t n, struct sn_position p)
{
    size_t at = line_start(text, n, p.line), units;
    for (size_t k = 0; k < p.character && !is_end(text, n, at); k += units)
        at += step(text, n, at, &units);
    return at;
}

struct sn_position sn_position_of(const char *text, size_t n, int line, int column)
{
    struct sn_position p = {.line = line > 0 ? (size_t)line - 1 : 0};
    size_t want = column > 0 ? (size_t)column - 1 : 0, units;
    if (text == NULL) {
        p.character = want;
        return p;
    }
    size_t start = line_start(text, n, p.line);
    for (size_t at = start; at < start + want && !is_end(text, n, at); p.character += units)
        at += step(text, n, at, &units);
    return p;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

struct sn_position sn_position_word_end(const char *text, size_t n, struct sn_position p)
{
    size_t at = text ? sn_position_offset(text, n, p) : 0, units;
    bool first = true;
    while (text != NULL && !is_end(text, n, at) && (first || in_word(text[at]))) {
        bool word = in_word(text[at]);
        at += step(text, n, at, &units);
        p.character += units;
        first = false;
        if (!word)
            return p;
    }
    p.character += first;
    return p;
}

static bool read_number(const json_t *j, size_t *out)
{
    json_int_t v = json_integer_value(j);
    *out = v > 0 ? (size_t)v : 0;
    return json_is_integer(j) && v >= 0 && v <= INT32_MAX;
}

bool sn_position_read(const json_t *j, struct sn_position *out)
{
    return read_number(json_object_get(j, "line"), &out->line) &&
           read_number(json_object_get(j, "character"), &out->character);
}

json_t *sn_position_json(struct sn_position p)
{
    return json_pack("{s:I, s:I}", "line", (json_int_t)p.line, "character",
                     (json_int_t)p.character);
}

json_t *sn_range_json(struct sn_position from, struct sn_position to)
{
    return json_pack("{s:o, s:o}", "start", sn_position_json(from), "end", sn_position_json(to));
}
