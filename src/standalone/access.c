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

/* A thread that comes to the same place again has nothing to do. A thread that was the last one
 * goes on without a locked instruction: who would come right between its two steps would have come
 * between its access and the one before, and was checked against that. */
PUBLIC void sn_sa_access(uintptr_t addr, uint32_t id);
void sn_sa_access(uintptr_t addr, uint32_t id)
{
    __asm__ volatile("prefetcht0 (%0)" : : "r"(addr));
    sn_rec_word *word = usual_word(addr);
    if (LIKELY(word != 0)) {
        __asm__ volatile("prefetchw (%0)" : : "r"(word));
        sn_rec_word me = sn_rec_pack(0, 0, usual_thread());
        sn_rec_word old = __atomic_load_n(word, __ATOMIC_ACQUIRE), mine = old ^ me;
        const struct sn_sa_site *s = sn_sa_site_at(id);
        if (LIKELY(sn_rec_thread(mine) == 0 && mine)) { /* the thread's number is gone from it */
            if (sn_rec_last(mine) == id)
                return;
            if (LIKELY(sn_sa_is_near(s, sn_rec_before(mine)))) {
                store(word, me | sn_rec_pack(id, sn_rec_before(mine), 0));
                return;
            }
        } else if (LIKELY(old && sn_sa_is_near(s, sn_rec_last(old)))) {
            if (__atomic_compare_exchange_n(word, &old, me | sn_rec_pack(id, sn_rec_last(old), 0),
                                            1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
                return;
        }
    }
    sn_sa_slow(addr, id);
}

/* Stubs of reads that change nobody's verdict (light.c) come here: nothing is written, so that what
 * all threads read stays in all caches. */
PUBLIC void sn_sa_light(uintptr_t addr, uint32_t id);
void sn_sa_light(uintptr_t addr, uint32_t id)
{
    __asm__ volatile("prefetcht0 (%0)" : : "r"(addr));
    const sn_rec_word *word = usual_word(addr);
    if (!LIKELY(word != 0 && sn_sa_is_near(sn_sa_site_at(id),
                                           sn_rec_rpre(__atomic_load_n(word, __ATOMIC_ACQUIRE),
                                                       usual_thread()))))
        sn_sa_slow(addr, id);
}
