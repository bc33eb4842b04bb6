/*
 * history.h: who touched which byte when, and whether a new access races with an older one.
 *
 * Exact: an older access is forgotten only when a newer one covers it, happens after it, and races
 * with everything that it would race with. So a race that the run contains is found, whatever lies
 * between its two accesses. Most cells need two records (the last write, the last read); what does
 * not fit goes to a table beside.
 */
#ifndef SN_CHECK_HISTORY_H
#define SN_CHECK_HISTORY_H

#include "check/vm.h"

/* Records an access of task t at its pc and tells the races that it makes. */
void sn_vhistory_access(struct sn_vm *vm, struct sn_task *t, uint64_t addr, uint64_t bytes, uint8_t flags);
/* A block is given back: whoever touched it and is not ordered before races with that. */
void sn_vhistory_freed(struct sn_vm *vm, struct sn_task *t, uint64_t addr, uint64_t bytes);
/* The other way round: a byte of a block that was given back, unordered, is touched. */
void sn_vhistory_after_free(struct sn_vm *vm, struct sn_task *t, uint64_t addr, unsigned bytes, uint8_t flags,
                            const struct sn_heap_block *b);
/* A function returns and its variables die: whoever else touched them and is not ordered before still
 * uses them. */
void sn_vhistory_dead(struct sn_vm *vm, struct sn_task *t, uint64_t addr, uint64_t bytes);
void sn_vhistory_init(struct sn_vm *vm);
void sn_vhistory_reset(struct sn_vm *vm);
void sn_vhistory_free(struct sn_vm *vm);

#endif
