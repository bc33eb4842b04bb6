/* alone.h: for tests that compile the engine without the runtime: its neighbours there that they do
 * not use. sn_race_report() is each test's own. */
#ifndef SN_RACE_ALONE_H
#define SN_RACE_ALONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/thread.h"
#include "race.h"

struct sn_draft_block;
int (*sn_draft_find_block)(uintptr_t addr, struct sn_draft_block *out);
void sn_draft_lock_edge(struct sn_thread *t, const struct sn_held *held, struct sn_sync *to,
                        uint32_t where, unsigned flags, bool shared, uint32_t slot,
                        uint32_t epoch, const uint32_t *clock, uint32_t n);
void sn_draft_lock_edge(struct sn_thread *t, const struct sn_held *held, struct sn_sync *to,
                        uint32_t where, unsigned flags, bool shared, uint32_t slot,
                        uint32_t epoch, const uint32_t *clock, uint32_t n)
{
    (void)t, (void)held, (void)to, (void)where, (void)flags, (void)shared, (void)slot, (void)epoch;
    (void)clock, (void)n;
}

#endif
