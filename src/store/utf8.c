/*
 * utf8.c: validity by the Unicode standard's table of well-formed sequences: no overlong forms, no
 * surrogates, nothing above U+10FFFF.
 */
#include "store/utf8.h"

#include "store/xalloc.h"

static bool is_tail(const unsigned char *s, unsigned n)
{
    for (unsigned i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return false;
    }
    return true;
}

/* The second byte's range is narrower after these first bytes. */
static bool second_fits(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xe0:
        return second >= 0xa0;
    case 0xed:
        return second < 0xa0;
    case 0xf0:
        return second >= 0x90;
    case 0xf4:
        return second < 0x90;
    default:
        return true;
    }
}

unsigned sn_utf8_length(const unsigned char *s, size_t n)
{
    if (s[0] < 0x80)
        return 1;
    unsigned want = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if (!want || want > n || !is_tail(s, want) || !second_fits(s[0], s[1]))
        return 0;
    return want;
}

static bool is_control(const unsigned char *s, unsigned length)
{
    if (length == 1)
        return s[0] < 0x20 || s[0] == 0x7f;
    return length == 2 && s[0] == 0xc2 && s[1] < 0xa0; /* C1: terminals obey these too */
}

char *sn_utf8_clean(const char *text, size_t n, bool printable)
{
    const unsigned char *s = (const unsigned char *)text;
    char *out = sn_xcalloc(n + 1, 3), *to = out; /* one bad byte becomes three */
    for (size_t i = 0; i < n && s[i];) {
        unsigned length = sn_utf8_length(s + i, n - i);
        if (length && !(printable && is_control(s + i, length))) {
            memcpy(to, s + i, length);
            to += length;
        } else {
            memcpy(to, "\xef\xbf\xbd", 3);
            to += 3;
        }
        i += length ? length : 1;
    }
    *to = '\0';
    return out;
}
