/* report.c: candidates, written once for each pair of sites. */
#include "report.h"

#include "clock.h"
#include "core/benign.h"
#include "core/ctx.h"
#include "core/hash.h"
#include "record.h"
#include "runtime/draft.h"

enum { TOLD_BITS = 16, TOLD_TRIES = 16, MAX_LOCKS = 64 };
static uint64_t told[1u << TOLD_BITS]; /* hashes of the pairs that were written; atomic */

static uint64_t site_hash(uint32_t where)
{
    return sn_hash_mix(sn_ctx_pc(where));
}

/* Told before, or told now for the first time. A full table lets it pass: draft.c looks again. */
static int told_before(uint64_t hash)
{
    hash |= 1;
    for (unsigned i = 0; i < TOLD_TRIES; i++) {
        uint64_t *e = &told[(hash + i) & ((1u << TOLD_BITS) - 1)];
        uint64_t seen = __atomic_load_n(e, __ATOMIC_RELAXED);
        if (seen == hash)
            return 1;
        if (!seen &&
            __atomic_compare_exchange_n(e, &seen, hash, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return 0;
        if (seen == hash)
            return 1;
    }
    return 0;
}

static enum sn_op op_of(uint32_t b)
{
    uint32_t where = sn_record_where(b);
    if (sn_record_kind(b) & SN_ATOMIC)
        return SN_OP_ATOMIC;
    if (where && sn_ctx_op(where) == SN_OP_FREE)
        return SN_OP_FREE;
    return sn_record_kind(b) & SN_WRITE ? SN_OP_WRITE : SN_OP_READ;
}

/* The order of the two does not matter. */
static uint64_t pair_hash(const struct sn_candidate *c)
{
    return site_hash(sn_record_where(c->place)) + site_hash(sn_record_where(c->b));
}

int sn_hybrid_is_new(const struct sn_candidate *c)
{
    return !sn_benign_has(c->addr) && !told_before(pair_hash(c));
}

void sn_hybrid_report(struct sn_thread *t, const struct sn_candidate *c)
{
    uint32_t mine = sn_record_where(c->place), other = sn_record_where(c->b);
    struct sn_draft *d = sn_draft_begin(SN_KIND_DATA_RACE, SN_CANDIDATE, pair_hash(c), 0);
    if (!d)
        return;
    struct sn_held locks[MAX_LOCKS];
    int nlocks = sn_lockset_list(sn_record_locks(c->a), locks, MAX_LOCKS);
    unsigned size = sn_ctx_size(mine);
    sn_draft_object(d, c->addr, size ? size : 1);
    sn_draft_site(d, t, op_of(c->place), mine, c->addr, size, true, 0);
    sn_draft_past_site(d, sn_epoch_thread(sn_record_epoch(c->a)), op_of(c->b), other, c->addr,
                       sn_ctx_size(other), nlocks < 0 ? 0 : locks, nlocks < 0 ? 0 : nlocks);
    sn_draft_commit(d);
}
