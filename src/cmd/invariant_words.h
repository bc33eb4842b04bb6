/* invariant_words.h: what learn, guard and expose say about invariants. */
#ifndef SN_CMD_INVARIANT_WORDS_H
#define SN_CMD_INVARIANT_WORDS_H

#include <stdio.h>

#include "guard/invariants.h"

/* Reads what the store has about the program; path: where the program is. 0, or SN_EXIT_FAILED
 * after a message. */
int sn_words_load(struct sn_inv *v, const char *program, char path[4096]);
/* New pairs of each correct run, as a line of bars. */
void sn_words_chart(const struct sn_inv *v);
/* Every guarded place with its belonging set, to stdout. */
void sn_words_sets(struct sn_inv *v);
/* Places that this build of the program does not have any more; the first, or all. */
void sn_words_gone(struct sn_inv *v, bool all);

#endif
