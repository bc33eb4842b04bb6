/* contract_files.h: the contract files that a command works with. */
#ifndef SN_CMD_CONTRACT_FILES_H
#define SN_CMD_CONTRACT_FILES_H

#include <stdbool.h>
#include <time.h>

#include "cmd/words.h"
#include "contract/contract.h"

/* Reads the built-in files and those of `wanted`: a word with a slash or ending in .contract is a
 * file of the user's and is added; names choose among the built-in ones (none: all of them).
 * 0, or SN_EXIT_FAILED after a message. */
int sn_contract_files(const struct sn_words *wanted, struct sn_contracts *out);
/* The same for what orders threads, which is in a folder of its own; `wanted`: files to add. */
int sn_contract_order_files(const struct sn_words *wanted, struct sn_contracts *out);
/* One of the built-in ones has changed since, or they cannot be looked at. */
bool sn_contract_order_newer(const struct timespec *than);

#endif
