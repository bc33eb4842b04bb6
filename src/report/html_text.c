/* html_text.c: text from outside on its way into the page, see html.h. */
#include "report/html.h"

#include <stdlib.h>
#include <string.h>

#include "store/utf8.h"
#include "store/xalloc.h"

static const char *entity(unsigned char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069: they make code look like other code. */
static bool turns_direction(const unsigned char *s)
{
    if (s[0] != 0xe2)
        return false;
    return (s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xaa && s[2] <= 0xae))) ||
           (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
}

void sn_html_text(FILE *out, const char *text)
{
    char *clean = sn_utf8_clean(text, strlen(text), true);
    for (const unsigned char *s = (const unsigned char *)clean; *s; s++) {
        const char *name = entity(*s);
        if (name) {
            fputs(name, out);
        } else if (turns_direction(s)) {
            fprintf(out, "[U+%X]", (s[0] & 15u) << 12 | (s[1] & 63u) << 6 | (s[2] & 63u));
            s += 2;
        } else {
            fputc(*s, out);
        }
    }
    free(clean);
}

void sn_html_words(FILE *out, void (*words)(FILE *out, const void *arg), const void *arg)
{
    char *text;
    size_t bytes;
    FILE *to = sn_xcheck(open_memstream(&text, &bytes));
    words(to, arg);
    fclose(to);
    sn_html_text(out, text);
    free(text);
}
