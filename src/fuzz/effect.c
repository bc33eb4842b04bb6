/* effect.c: the effect of a schedule in words, from the exit status and the program's own message.
 */
#include "fuzz/effect.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "store/utf8.h"
#include "store/xalloc.h"

enum { TAIL = 8192 };

/* The end of the file, at most TAIL bytes. malloc. */
static char *tail_of(const char *file)
{
    char *text = sn_xcalloc(TAIL + 1, 1);
    FILE *f = file ? fopen(file, "r") : NULL;
    if (!f)
        return text;
    if (fseek(f, -TAIL, SEEK_END) < 0)
        rewind(f);
    text[fread(text, 1, TAIL, f)] = 0;
    fclose(f);
    return text;
}

/* "prog: bank.c:40: main: Assertion `x == 2' failed." -> "assertion failed: x == 2 (bank.c:40)" */
static char *assertion(const char *text)
{
    const char *a = strstr(text, "Assertion `"), *end = a ? strstr(a, "' failed") : NULL;
    if (!end)
        return NULL;
    const char *line = a;
    while (line > text && line[-1] != '\n')
        line--;
    char file[256] = "";
    int number = 0;
    a += strlen("Assertion `");
    const char *colon = strchr(line, ':');
    bool placed = colon && sscanf(colon, ": %255[^:]:%d:", file, &number) == 2;
    char *slash = strrchr(file, '/');
    if (placed)
        return sn_xformat("assertion failed: %.*s (%s:%d)", (int)(end - a), a,
                          slash ? slash + 1 : file, number);
    return sn_xformat("assertion failed: %.*s", (int)(end - a), a);
}

/* The last line that says something. malloc; null: none. */
static char *last_line(char *text)
{
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = 0;
    char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    return *line ? sn_utf8_clean(line, strlen(line) < 120 ? strlen(line) : 120, true) : NULL;
}

static char *killed(int sig, char *text)
{
    char *words = sig == 6 ? assertion(text) : NULL;
    if (words)
        return words;
    const char *name = sigabbrev_np(sig);
    char *line = sig == 6 ? last_line(text) : NULL;
    if (sig == 11)
        words = sn_xstrdup("segmentation fault");
    else if (line)
        words = sn_xformat("aborted: %s", line);
    else
        words = sig == 6 ? sn_xstrdup("aborted") : sn_xformat("killed by SIG%s", name ? name : "?");
    free(line);
    return words;
}

char *sn_effect_words(enum sn_end end, int status, int expected, double timeout_s, const char *err)
{
    char *text, *words;
    switch (end) {
    case SN_END_SIGNAL:
        text = tail_of(err);
        words = killed(status - 128, text);
        free(text);
        return words;
    case SN_END_STATUS:
        if (expected > 128) /* it seems to die always, but does not */
            return sn_xformat("exit status %d, while other schedules end by signal %d", status,
                              expected - 128);
        return sn_xformat("exit status %d instead of %d", status, expected);
    case SN_END_DEADLOCK:
        return sn_xstrdup("deadlock");
    case SN_END_HANG:
        return sn_xformat("does not end (%g s)", timeout_s);
    default:
        return NULL;
    }
}
