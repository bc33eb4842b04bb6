/* report.c: a conflict becomes a finding. */
#include "race.h"

#include "core/benign.h"
#include "core/count.h"
#include "core/ctx.h"
#include "core/hash.h"
#include "runtime/draft.h"
#include "word.h"

static uint64_t site_hash(uint32_t where)
{
    return sn_hash_mix(sn_ctx_pc(where));
}

static enum sn_op op_of(uint32_t where, unsigned kind)
{
    enum sn_op op = (enum sn_op)sn_ctx_op(where);
    if (where && (op == SN_OP_FREE || op == SN_OP_ATOMIC))
        return op;
    return kind & SN_PLAIN_WRITE ? SN_OP_WRITE : SN_OP_READ;
}

/* Many accesses meet the same racing pair: the common case is "told already". */
static int told(uint64_t hash)
{
    static uint64_t recent[256];
    uint64_t *e = &recent[hash & 255];
    if (__atomic_load_n(e, __ATOMIC_RELAXED) == hash)
        return 1;
    __atomic_store_n(e, hash, __ATOMIC_RELAXED);
    return 0;
}

static void report_byte(struct sn_thread *t, uintptr_t addr, unsigned byte, uint64_t me,
                        unsigned kind, uint64_t with, unsigned with_kind)
{
    uint32_t mine = sn_ctx_for_byte(sn_word_where(me), byte);
    uint32_t other = sn_ctx_for_byte(sn_word_where(with), byte);
    uint64_t hash = site_hash(mine) + site_hash(other); /* the order does not matter */
    if (sn_benign_has(addr + byte) || told(hash))
        return;
    struct sn_draft *d = sn_draft_begin(SN_KIND_DATA_RACE, SN_OBSERVED, hash, 0);
    if (!d)
        return;
    struct sn_held locks[16];
    uint32_t epoch = sn_word_epoch(with), number = sn_epoch_thread(epoch);
    int nlocks = sn_order_held_at(number, epoch, locks, 16);
    unsigned size = sn_ctx_size(mine);
    sn_draft_object(d, addr + byte, size ? size : 1);
    sn_draft_site(d, t, op_of(mine, kind), mine, addr + byte, size, true, 0);
    sn_draft_past_site(d, number, op_of(other, with_kind), other, addr + byte, sn_ctx_size(other),
                       nlocks < 0 ? 0 : locks, nlocks < 0 ? 0 : nlocks);
    sn_draft_commit(d);
}

/* Accesses of one thread to neighbouring bytes share a word: each of their places is told. */
static void report_one(struct sn_thread *t, uintptr_t addr, uint64_t me, unsigned kind,
                       uint64_t with, unsigned with_kind)
{
    unsigned common = sn_word_mask(me) & sn_word_mask(with);
    uint32_t last = 0;
    if (!common)
        report_byte(t, addr, 0, me, kind, with, with_kind);
    for (; common; common &= common - 1) {
        unsigned byte = (unsigned)__builtin_ctz(common);
        uint32_t other = sn_ctx_for_byte(sn_word_where(with), byte);
        if (other != last)
            report_byte(t, addr, byte, me, kind, with, with_kind);
        last = other;
    }
}

void sn_race_report(struct sn_thread *t, uintptr_t addr, uint64_t me, unsigned kind,
                    const struct sn_conflicts *with)
{
    for (unsigned i = 0; i < with->n; i++)
        report_one(t, addr, me, kind, with->word[i], with->kind[i]);
}
