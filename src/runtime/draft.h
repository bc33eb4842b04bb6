/*
 * draft.h: how a finding is written: begin, describe the object, add sites, commit.
 *
 *     struct sn_draft *d = sn_draft_begin(SN_KIND_MISUSE, SN_OBSERVED, "unlock of a mutex …");
 *     if (!d)
 *         return;                     // report limit reached, or seen before, or nested
 *     sn_draft_object(d, addr, size); // finds out by itself: heap, global, stack, …
 *     sn_draft_site(d, t, SN_OP_LOCK, where, addr, 0, NULL);
 *     sn_draft_commit(d);
 *
 * One draft exists at a time (a spin lock that no hook holds across a real call). Program counters
 * become module frames here. The text of a finding is stable: no addresses, no thread numbers.
 */
#ifndef SN_RUNTIME_DRAFT_H
#define SN_RUNTIME_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "core/runfile.h"
#include "core/thread.h"

struct sn_draft;

/* A heap block, as the engine knows it; the engine sets the function. 0: none there. */
struct sn_draft_block {
    uintptr_t start;
    uint64_t size;
    uint32_t where, thread;
    uint32_t freed;
};
extern int (*sn_draft_find_block)(uintptr_t addr, struct sn_draft_block *out);

/* dedupe: an engine-chosen hash of the finding's sites; the same one is not written twice. */
struct sn_draft *sn_draft_begin(enum sn_kind kind, enum sn_status status, uint64_t dedupe,
                                const char *text);
void sn_draft_object(struct sn_draft *d, uintptr_t addr, size_t size);
/* A named object that has no storage of its own (a contract's hidden state). */
void sn_draft_named_object(struct sn_draft *d, enum sn_object_kind kind, uintptr_t addr,
                           const char *name);
/* `t` at `where`. held: take the locks it holds now. name: SN_OP_CALL's function or a note. */
void sn_draft_site(struct sn_draft *d, struct sn_thread *t, enum sn_op op, uint32_t where,
                   uintptr_t addr, uint32_t size, bool held, const char *name);
/* A past access: thread by number, locks as given (null: not known). */
void sn_draft_past_site(struct sn_draft *d, uint32_t thread, enum sn_op op, uint32_t where,
                        uintptr_t addr, uint32_t size, const struct sn_held *locks, int nlocks);
void sn_draft_commit(struct sn_draft *d);
void sn_draft_forked(void); /* in a child: whoever held the draft is gone */

/* Not a finding yet: t takes `to` (where) while it holds `held`. clock: n entries of the message
 * clock. flags: enum sn_event_flag. */
void sn_draft_lock_edge(struct sn_thread *t, const struct sn_held *held, struct sn_sync *to,
                        uint32_t where, unsigned flags, bool shared, uint32_t slot,
                        uint32_t epoch, const uint32_t *clock, uint32_t n);

#endif
