/* loss.h: counters of what was lost, in words for the user. */
#ifndef SN_STORE_LOSS_H
#define SN_STORE_LOSS_H

#include <stdint.h>

#include "core/count.h"

/* One line: how much of what was lost, and what helps where something does. Null when the counter
 * is zero or counts no loss. malloc. */
char *sn_loss_words(enum sn_count c, uint64_t n);

#endif
