/* words.c: lists of strings, see words.h. */
#include "cmd/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/xalloc.h"

void sn_words_add(struct sn_words *w, const char *word)
{
    w->v = sn_xgrow(w->v, w->n + 1, &w->cap, sizeof *w->v);
    w->v[w->n++] = sn_xstrdup(word);
    w->v[w->n] = NULL;
}

void sn_words_add_all(struct sn_words *w, char *const *words)
{
    for (; words && *words; words++)
        sn_words_add(w, *words);
}

/* Copies the word at `p` without its quotes to `to`, and returns where it ends; null: open quote.
 */
static const char *unquote(const char *p, char *to)
{
    char quote = 0;
    for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
        if (quote ? *p == quote : (*p == '\'' || *p == '"')) {
            quote = quote ? 0 : *p;
            continue;
        }
        if (*p == '\\' && quote != '\'' && p[1])
            p++;
        *to++ = *p;
    }
    *to = 0;
    return quote ? NULL : p;
}

int sn_words_split(struct sn_words *w, const char *text)
{
    char *word = sn_xcalloc(strlen(text) + 1, 1);
    int r = 0;
    for (const char *p = text;;) {
        while (isspace((unsigned char)*p))
            p++;
        if (!*p)
            break;
        p = unquote(p, word);
        if (!p) {
            r = -EINVAL;
            break;
        }
        sn_words_add(w, word);
    }
    free(word);
    return r;
}

void sn_words_free(struct sn_words *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->v[i]);
    free(w->v);
    *w = (struct sn_words){0};
}

size_t sn_word_distance(const char *a, const char *b)
{
    size_t n = strlen(b), row[64];
    if (n >= sizeof row / sizeof *row)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[n];
}
