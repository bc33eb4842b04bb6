/*
 * order_file.h: what libraries order that are not instrumented (contracts/order), for the runtime:
 * every program that snag starts finds it in its run folder.
 */
#ifndef SN_CMD_ORDER_FILE_H
#define SN_CMD_ORDER_FILE_H

#include "cmd/options.h"

/* Files of the user's, for the same. */
extern struct sn_words sn_order_contracts;
#define SN_OPTION_ORDER                                                                            \
    SN_OPTION_LIST("contracts", &sn_order_contracts, "FILE", "what a library of yours orders")

/* Writes the file into the run folder. 0, or SN_EXIT_FAILED after a message. */
int sn_order_put(const char *run_dir);
/* Compiles what is built in, and the user's, into a file. The same. */
int sn_order_compile(const char *path);
/* Writes `data` there as the contracts of the run. */
int sn_contracts_put(const char *run_dir, const void *data, size_t bytes);

#endif
