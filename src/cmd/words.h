/*
 * words.h: growing lists of strings, as argument vectors are, and the splitting of one string into
 * words (SNAG_OPTIONS, SNAG_CC, response files).
 *
 * Ownership: a list owns its strings; sn_words_add() copies. The vector is always null-terminated.
 */
#ifndef SN_CMD_WORDS_H
#define SN_CMD_WORDS_H

#include <stddef.h>

struct sn_words {
    char **v;
    size_t n, cap;
};

void sn_words_add(struct sn_words *w, const char *word);
void sn_words_add_all(struct sn_words *w, char *const *words); /* up to its null */
/* Adds the words of `text`: blanks separate; '…' and "…" keep blanks; \ takes the next character.
 * 0, or -EINVAL when a quote is not closed. */
int sn_words_split(struct sn_words *w, const char *text);
void sn_words_free(struct sn_words *w);
/* Letters to change, add or leave out to get from one to the other: the larger of the two lengths when
 * they have nothing in common. */
size_t sn_word_distance(const char *a, const char *b);

#endif
