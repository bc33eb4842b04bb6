/*
 * access.c: from an access to the recorder. Atomic operations count as accesses like all others:
 * the paper's invariant does not ask how memory is accessed, only in which order.
 */
#include "guard.h"

#include "core/invariants.h"
#include "core/stop.h"
#include "runtime/hook.h"

static inline uint64_t *word_of(uintptr_t addr)
{
    if (SN_UNLIKELY(__atomic_load_n(&sn_guard.ncolours, __ATOMIC_RELAXED))) {
        uint64_t *w = sn_colour_word(addr);
        if (w)
            return w;
    }
    return sn_rec_at(addr);
}

static void touch(struct sn_thread *t, struct sn_guard_site *s, uintptr_t addr, unsigned size)
{
    uint64_t *word = word_of(addr);
    if (!word)
        return;
    if (sn_guard.mode != SN_MODE_LEARN) {
        sn_check(t, s, word, addr, size);
        return;
    }
    if (SN_UNLIKELY(__atomic_load_n(&sn_nchosen, __ATOMIC_RELAXED)) && sn_chosen_has(addr))
        sn_learn_chosen(s);
    sn_learn(t, s, word);
}

/* Null: the access is none of the engine's. A signal handler that interrupts it is not followed. */
static inline struct sn_guard_site *begin(struct sn_thread *t, uintptr_t pc, enum sn_touch how)
{
    if (SN_UNLIKELY(!t || !sn_ready || t->busy || sn_guard_of(t)->ignore))
        return 0;
    sn_busy_enter(t);
    sn_guard_flush(t);
    struct sn_guard_site *s = sn_site_get(pc);
    if (SN_LIKELY(s && s->id)) {
        if (SN_UNLIKELY(s->how != (uint32_t)how))
            __atomic_store_n(&s->how, (uint32_t)how, __ATOMIC_RELAXED);
        if (SN_UNLIKELY(s->flags & SN_INV_STALL))
            sn_stall_expose(t, s);
        return s;
    }
    sn_busy_leave(t);
    return 0;
}

/* True: that is all that is to be done with them. */
static inline int only_counts(struct sn_thread *t, uint64_t n)
{
    if (SN_LIKELY(sn_guard.mode != SN_MODE_SPEED))
        return 0;
    if (t && sn_ready)
        sn_guard_of(t)->counted += n;
    return 1;
}

void sn_guard_access(uintptr_t addr, unsigned size, uintptr_t pc, enum sn_touch how)
{
    struct sn_thread *t = sn_self;
    if (only_counts(t, 1))
        return;
    struct sn_guard_site *s = begin(t, pc, how);
    if (!s)
        return;
    touch(t, s, addr, size);
    sn_busy_leave(t);
}

void sn_guard_range(uintptr_t addr, size_t size, uintptr_t pc, enum sn_touch how)
{
    struct sn_thread *t = sn_self;
    uintptr_t first = addr & ~(uintptr_t)(SN_REC_GRAIN - 1);
    uintptr_t last = addr + (size < SN_REC_RANGE ? size : SN_REC_RANGE);
    if (only_counts(t, size ? (last - first + SN_REC_GRAIN - 1) / SN_REC_GRAIN : 0))
        return;
    struct sn_guard_site *s = size ? begin(t, pc, how) : 0;
    if (!s)
        return;
    for (uintptr_t a = first; a < last; a += SN_REC_GRAIN)
        touch(t, s, a, SN_REC_GRAIN);
    sn_busy_leave(t);
}
