/* draft_place.h: where an address is, and what a lock is, for findings that are being written. */
#ifndef SN_RUNTIME_DRAFT_PLACE_H
#define SN_RUNTIME_DRAFT_PLACE_H

#include "core/sync.h"
#include "runtime/draft.h"

struct sn_draft_place {
    enum sn_object_kind kind; /* GLOBAL, HEAP, STACK, TLS or UNKNOWN */
    uint32_t thread;          /* STACK, TLS: the owner; HEAP: who allocated it */
    sn_frame_ref ref;         /* GLOBAL, TLS: the variable; STACK: code in the frame that has it */
    uint64_t rsp, rbp;        /* STACK: of that frame */
    struct sn_draft_block block; /* HEAP */
};

void sn_draft_locate(uintptr_t addr, struct sn_draft_place *p);

/* While the draft is open: a lock as records name it. What is not in them is written beside, once:
 * what the lock is (SN_REC_LOCK_INFO), and the stack that took it (SN_REC_STACK). */
struct sn_rec_lock sn_draft_lock_ref(struct sn_sync *lock, uint32_t id, uint32_t where,
                                     bool shared);
void sn_draft_locks_forked(void); /* a new run file knows none of them */

#endif
