/*
 * process_tree.h: the processes below snag, by /proc. Together with PR_SET_CHILD_SUBREAPER this is
 * the program under test and whatever it started, daemons too.
 */
#ifndef SN_CMD_PROCESS_TREE_H
#define SN_CMD_PROCESS_TREE_H

#include <stdint.h>

/* A moment, to tell older processes (children inherited from a shell) from the program's. */
uint64_t sn_tree_now(void);
/* Sends the signal (0: only counts) to each that was started since. Returns how many are alive. */
unsigned sn_tree_kill(uint64_t since, int sig);

#endif
