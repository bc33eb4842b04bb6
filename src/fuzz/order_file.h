/*
 * order_file.h: an order of statements, by hand. Lines of words, `#` begins a comment:
 *
 *     turn THREAD NTH FILE:LINE     the thread runs until it stands before its NTH execution of the
 *                                   line from where it is; then comes the next turn
 *     turn THREAD 0                 it runs until it ends
 *     before FILE:LINE FILE:LINE    nobody executes the second before another thread the first
 */
#ifndef SN_FUZZ_ORDER_FILE_H
#define SN_FUZZ_ORDER_FILE_H

#include "fuzz/execute.h"
#include "store/finding.h"

/* 0, a schedule of strategy `order` and a candidate for its bad ends; else an exit status, with a
 * sentence in *why (malloc) when no message was given yet. */
int sn_order_file_read(struct sn_runner *r, const char *path, struct sn_schedule *s,
                       struct sn_finding *f, char **why);

#endif
