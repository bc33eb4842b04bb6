/*
 * access.c: where calls of plain accesses go, with the address that is accessed. What is usual is
 * done here, without a call.
 *
 * Most of the cost is waiting for memory: the program's, which it is about to access in any case
 * and which is asked for first, and the recorder's meanwhile.
 */
#include "guard.h"

#define PUBLIC __attribute__((visibility("default")))
#define LINE __attribute__((aligned(64))) /* few lines of code are asked for */
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* The recorder's word; null: not the usual case. */
static inline sn_rec_word *usual_word(uintptr_t addr)
{
    const struct sn_sa_state *state = sn_sa_config.ready;
    uintptr_t *dir = LIKELY(state != 0) ? state->fast : 0;
    uintptr_t bias = LIKELY(dir != 0) ? dir[(addr >> SN_REC_REGION_BITS) & (SN_REC_DIR - 1)] : 0;
    sn_rec_word *word = sn_sa_in_region(bias, addr);
    if (!LIKELY(bias != 0))
        return 0;
    if (!word)
        __builtin_unreachable();
    return word;
}

static inline uint32_t usual_thread(void)
{
    return sn_sa_tid() & ((1u << SN_REC_THREAD_BITS) - 1);
}

static inline void store(sn_rec_word *word, sn_rec_word new)
{
    __atomic_store_n(word, new, __ATOMIC_RELEASE);
}

/* The site whose call returns there. */
static inline uint32_t site_of(const char *returns)
{
    const char *base = (const char *)&sn_sa_config;
    return ((const sn_sa_index *)(base + sn_sa_config.index))[(returns - base) >> SN_SA_CODE_BITS];
}

/* May `id` come after `pred`? No: it may still be in the rest of the set, when that is elsewhere.
 */
static inline int may_follow(uint32_t id, uint32_t pred)
{
#ifdef SN_REC_NARROW
    const char *row = (const char *)&sn_sa_config + sn_sa_config.rows + pred * SN_SA_ROW;
    return ((const uint32_t *)row)[id / 32] >> id % 32 & 1;
#else
    return sn_sa_is_near(sn_sa_site_at(id), pred);
#endif
}

/* Another thread, or nobody, was the last one. */
static __attribute__((noinline)) void take_over(uintptr_t addr, uint32_t id, sn_rec_word *word,
                                                sn_rec_word old)
{
    sn_rec_word new = sn_rec_pack(id, sn_rec_last(old), usual_thread());
    if (!LIKELY(
            old && may_follow(id, sn_rec_last(old)) &&
            __atomic_compare_exchange_n(word, &old, new, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)))
        sn_sa_slow(addr, id);
}

/* A thread that was the last one goes on without a locked instruction: who would come right between
 * its two steps would have come between its access and the one before, and was checked against
 * that. It has the same remote predecessor as before, which is asked for without looking where the
 * thread comes from: there are many such ways, and a branch that guesses wrong costs more. */
static inline void go_on(uintptr_t addr, uint32_t id, sn_rec_word *word, sn_rec_word old)
{
    const sn_rec_word threads = (sn_rec_word)1 << 2 * SN_REC_SITE_BITS;
    sn_rec_word mine = old ^ sn_rec_pack(0, 0, usual_thread()); /* less than that, if it was */
    sn_rec_word new = (old & ~(sn_rec_word)(SN_REC_MAX_SITES - 1)) | id;
    if (!LIKELY(mine - 1 < threads - 1))
        take_over(addr, id, word, old);
    else if (!LIKELY(may_follow(id, (uint32_t)(mine >> SN_REC_SITE_BITS))))
        sn_sa_slow(addr, id);
    else if (new != old)
        store(word, new);
}

#define SITE() site_of(__builtin_return_address(0))

PUBLIC LINE void sn_sa_access(uintptr_t addr);
void sn_sa_access(uintptr_t addr)
{
    __asm__ volatile("prefetcht0 (%0)" : : "r"(addr));
    uint32_t id = SITE();
    sn_rec_word *word = usual_word(addr);
    if (!LIKELY(word != 0)) {
        sn_sa_slow(addr, id);
        return;
    }
    __asm__ volatile("prefetchw (%0)" : : "r"(word));
    go_on(addr, id, word, __atomic_load_n(word, __ATOMIC_ACQUIRE));
}

/* Reads that everybody may come after (usual.c) come here: many threads may be the last. */
PUBLIC LINE void sn_sa_shared_read(uintptr_t addr);
void sn_sa_shared_read(uintptr_t addr)
{
    __asm__ volatile("prefetcht0 (%0)" : : "r"(addr));
    uint32_t id = SITE();
    sn_rec_word *word = usual_word(addr);
    if (!LIKELY(word != 0)) {
        sn_sa_slow(addr, id);
        return;
    }
    sn_rec_word old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (LIKELY(sn_rec_last(old) == id))
        return;
    go_on(addr, id, word, old);
}

/* Reads that change nobody's verdict (light.c) come here: nothing is written, so that what all
 * threads read stays in all caches. */
PUBLIC LINE void sn_sa_light(uintptr_t addr);
void sn_sa_light(uintptr_t addr)
{
    __asm__ volatile("prefetcht0 (%0)" : : "r"(addr));
    uint32_t id = SITE();
    const sn_rec_word *word = usual_word(addr);
    if (!LIKELY(word != 0)) {
        sn_sa_slow(addr, id);
        return;
    }
    sn_rec_word old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (!LIKELY(sn_sa_is_near(sn_sa_site_at(id), sn_rec_rpre(old, usual_thread()))))
        sn_sa_slow(addr, id);
}
