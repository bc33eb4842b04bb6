/*
 * access.c: where the stubs of plain accesses go: the address is the program's, the number is the
 * stub's. What is usual is done here, without a call.
 *
 * Most of the cost is waiting for memory: the program's, which it is about to access in any case
 * and which is asked for first, and the recorder's meanwhile.
 */
#include "guard.h"

#define PUBLIC __attribute__((visibility("default")))
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* The recorder's word; null: not the usual case. */
static inline sn_rec_word *usual_word(uintptr_t addr)
{
    const struct sn_sa_state *state = sn_sa_ready;
    uintptr_t *dir = LIKELY(state != 0) ? state->fast : 0;
    uintptr_t bias = LIKELY(dir != 0) ? dir[(addr >> SN_REC_REGION_BITS) & (SN_REC_DIR - 1)] : 0;
    return LIKELY(bias != 0) ? sn_sa_in_region(bias, addr) : 0;
}

static inline uint32_t usual_thread(void)
{
    return sn_sa_tid() & ((1u << SN_REC_THREAD_BITS) - 1);
}

static inline void store(sn_rec_word *word, sn_rec_word new)
{
    __atomic_store_n(word, new, __ATOMIC_RELEASE);
}

static const sn_rec_word BEFORE = (sn_rec_word)(SN_REC_MAX_SITES - 1) << SN_REC_SITE_BITS;

/* What came before is looked up in the set. */
static inline void check(uintptr_t addr, uint32_t id, sn_rec_word *word, sn_rec_word old,
                         sn_rec_word me)
{
    const struct sn_sa_site *s = sn_sa_site_at(id);
    sn_rec_word mine = old ^ me; /* the thread's number is gone from it, if it was the last */
    if (LIKELY(sn_rec_thread(mine) == 0 && mine)) {
        if (LIKELY(sn_sa_is_near(s, sn_rec_before(mine)))) {
            store(word, me | sn_rec_pack(id, sn_rec_before(mine), 0));
            return;
        }
    } else if (LIKELY(old && sn_sa_is_near(s, sn_rec_last(old)))) {
        if (__atomic_compare_exchange_n(word, &old, me | sn_rec_pack(id, sn_rec_last(old), 0), 1,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return;
    }
    sn_sa_slow(addr, id);
}

/* A thread that comes to the same place again has nothing to do. One that comes from `after`, where
 * the same was asked before (usual.c), has only to say where it is. A thread that was the last one
 * goes on without a locked instruction: who would come right between its two steps would have come
 * between its access and the one before, and was checked against that. */
static inline void go_on(uintptr_t addr, uint32_t id, uint32_t after, sn_rec_word *word,
                         sn_rec_word old)
{
    sn_rec_word me = sn_rec_pack(0, 0, usual_thread());
    sn_rec_word who = (old ^ me) & ~BEFORE; /* the last place, when the thread is this one */
    if (who == id)
        return;
    if (LIKELY(who == after))
        store(word, old ^ after ^ id);
    else
        check(addr, id, word, old, me);
}

PUBLIC void sn_sa_access(uintptr_t addr, uint32_t id, uint32_t after);
void sn_sa_access(uintptr_t addr, uint32_t id, uint32_t after)
{
    __asm__ volatile("prefetcht0 (%0)" : : "r"(addr));
    sn_rec_word *word = usual_word(addr);
    if (!LIKELY(word != 0)) {
        sn_sa_slow(addr, id);
        return;
    }
    __asm__ volatile("prefetchw (%0)" : : "r"(word));
    go_on(addr, id, after, word, __atomic_load_n(word, __ATOMIC_ACQUIRE));
}

/* Stubs of reads that everybody may come after (usual.c) come here: many threads may be the last.
 */
PUBLIC void sn_sa_shared_read(uintptr_t addr, uint32_t id, uint32_t after);
void sn_sa_shared_read(uintptr_t addr, uint32_t id, uint32_t after)
{
    __asm__ volatile("prefetcht0 (%0)" : : "r"(addr));
    sn_rec_word *word = usual_word(addr);
    if (!LIKELY(word != 0)) {
        sn_sa_slow(addr, id);
        return;
    }
    sn_rec_word old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (LIKELY(sn_rec_last(old) == id))
        return;
    go_on(addr, id, after, word, old);
}

/* Stubs of reads that change nobody's verdict (light.c) come here: nothing is written, so that what
 * all threads read stays in all caches. Most come after `after`. */
PUBLIC void sn_sa_light(uintptr_t addr, uint32_t id, uint32_t after);
void sn_sa_light(uintptr_t addr, uint32_t id, uint32_t after)
{
    __asm__ volatile("prefetcht0 (%0)" : : "r"(addr));
    const sn_rec_word *word = usual_word(addr);
    if (!LIKELY(word != 0)) {
        sn_sa_slow(addr, id);
        return;
    }
    sn_rec_word old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    uint32_t me = usual_thread();
    if (LIKELY(sn_rec_last(old) == after && sn_rec_thread(old) != me))
        return;
    if (!sn_sa_is_near(sn_sa_site_at(id), sn_rec_rpre(old, me)))
        sn_sa_slow(addr, id);
}
