/*
 * range.c: accesses of many bytes, granule by granule. Neighbours mostly have one history, so the
 * last epochs that were found to be known are remembered, of the first word and of the second.
 */
#include "access.h"

#include "clock.h"
#include "core/ctx_cache.h"
#include "race.h"
#include "readset.h"

enum { EXCHANGED = 3 }; /* granules of an access of 16 bytes at any address */

struct walk {
    struct sn_thread *t;
    uint64_t me; /* mask 0 */
    uint32_t epoch, known_first, known_second;
    int write;
    uint64_t known_set; /* the last second word that named a set and was known; 0: none yet */
};

static inline int is_known(struct walk *k, uint32_t epoch, uint32_t *known)
{
    if (epoch == *known || epoch == 0)
        return 1;
    if (!sn_clock_knows(sn_race_of(k->t), epoch))
        return 0;
    *known = epoch;
    return 1;
}

static inline int both_known(struct walk *k, uint64_t w, uint64_t r)
{
    return is_known(k, sn_word_epoch(w), &k->known_first) &&
           is_known(k, sn_word_epoch(r), &k->known_second);
}

/* One access in each word at most, known and covered: true, and it is done. */
static inline int walk_quickly(struct walk *k, struct sn_granule *g, unsigned mask)
{
    uint64_t w = g->w, r = g->r;
    if (k->write) {
        if (((sn_word_mask(w) | sn_word_mask(r)) & ~mask) || (w && !sn_word_mask(w)) ||
            (r && !sn_word_mask(r)) || !both_known(k, w, r))
            return 0;
        __atomic_store_n(&g->w, k->me | mask, __ATOMIC_RELAXED);
        if (r)
            __atomic_store_n(&g->r, 0, __ATOMIC_RELAXED);
        return 1;
    }
    if ((sn_word_mask(r) & ~mask) || sn_word_is_write(r) || (w && !sn_word_mask(w)) ||
        (r && !sn_word_mask(r)) || !both_known(k, w, r))
        return 0;
    __atomic_store_n(&g->r, k->me | mask, __ATOMIC_RELAXED);
    return 1;
}

static void walk_granule(struct walk *k, struct sn_granule *g, uintptr_t base, unsigned mask)
{
    if (sn_race_has(&g->w, k->epoch, mask) ||
        (!k->write && sn_race_was_read(g, &sn_race_hot, mask)))
        return;
    if (SN_LIKELY(walk_quickly(k, g, mask)))
        return;
    if (k->write)
        sn_race_write_granule(k->t, g, base, k->me | mask);
    else
        sn_race_read_granule(k->t, g, base, k->me | mask);
}

/* An access of the whole granule that gives way: nothing, or of an epoch that is known to be known.
 */
static inline int is_plain(uint64_t word, uint32_t known)
{
    return !word || (sn_word_epoch(word) == known && (uint8_t)word);
}

/* What a granule has gives way to a write to all of it: it is known. The first write after reads
 * that a set names is exchanged (access.c). */
static inline int gives_way(struct walk *k, uint64_t w, uint64_t r)
{
    if (!is_plain(w, k->known_first) &&
        (!(uint8_t)w || !is_known(k, sn_word_epoch(w), &k->known_first)))
        return 0;
    if (is_plain(r, k->known_second) || (w && r == k->known_set))
        return 1;
    if ((uint8_t)r)
        return is_known(k, sn_word_epoch(r), &k->known_second);
    if (!w || !sn_set_known_bytes(sn_race_of(k->t), r))
        return 0;
    k->known_set = r;
    return 1;
}

/* Four neighbours have `me`, at whatever place: their words are two apart. */
static inline int four_have(const uint64_t *word, uint64_t me)
{
    const uint64_t not_where = 0xffffffff000000ffull;
    uint64_t a = __atomic_load_n(&word[0], __ATOMIC_RELAXED) ^ me,
             b = __atomic_load_n(&word[2], __ATOMIC_RELAXED) ^ me,
             c = __atomic_load_n(&word[4], __ATOMIC_RELAXED) ^ me,
             d = __atomic_load_n(&word[6], __ATOMIC_RELAXED) ^ me;
    return !((a | b | c | d) & not_where);
}

/* Four neighbours that nobody has accessed: most of a block that is freed. */
static inline int four_empty(const struct sn_granule *g)
{
    const sn_granule_words *words = (const sn_granule_words *)g;
    sn_granule_words any = (words[0] | words[1]) | (words[2] | words[3]);
    return !(any[0] | any[1]);
}

/* Whole granules: the bulk of what free(), memset() and memcpy() cover. Both stop at the first one
 * that needs more care, and return where. */
static inline struct sn_granule *write_whole(struct walk *k, struct sn_granule *g,
                                             struct sn_granule *end)
{
    const uint64_t me = k->me | 0xff;
    for (; g < end; g++) {
        if (sn_race_has(&g->w, k->epoch, 0xff)) {
            while (end - g > 4 && four_have(&g[1].w, me))
                g += 4;
            continue;
        }
        uint64_t w = g->w, r = g->r;
        if ((w | r) && !gives_way(k, w, r))
            break;
        sn_granule_set(g, me);
        for (; end - g > 4 && four_empty(&g[1]); g += 4)
            sn_granule_set_four(&g[1], me);
    }
    return g;
}

static inline struct sn_granule *read_whole(const struct walk *k, struct sn_granule *g,
                                            struct sn_granule *end)
{
    const uint64_t me = k->me | 0xff;
    for (; g < end; g++) {
        if (sn_race_has(&g->w, k->epoch, 0xff) || sn_race_was_read(g, &sn_race_hot, 0xff)) {
            while (end - g > 4 && (four_have(&g[1].w, me) || four_have(&g[1].r, me)))
                g += 4;
            continue;
        }
        uint64_t r = g->r;
        if (!is_plain(g->w, k->known_first) || !is_plain(r, k->known_second) || sn_word_is_write(r))
            break;
        g->r = me;
    }
    return g;
}

/* How far from addr the shadow may be used. */
static inline uintptr_t may_use(const struct sn_granule *g, uintptr_t addr, uintptr_t end)
{
    uintptr_t bias = (uintptr_t)g - 2 * (addr & ~(uintptr_t)7);
    for (uintptr_t at = addr; at < end; at = (at | (SN_STRETCH - 1)) + 1)
        if (!sn_shadow_may_use(sn_granule_at(bias, at), at))
            return at;
    return end;
}

void sn_race_range(struct sn_thread *t, uintptr_t addr, size_t size, uint32_t where, int write)
{
    uint32_t epoch = sn_race_hot.epoch;
    struct walk k = {t, sn_word(epoch, where, 0), epoch, epoch, epoch, write, 0};
    uintptr_t end = addr + size;
    while (addr < end) {
        struct sn_granule *g = sn_shadow_get(addr);
        uintptr_t stop = (addr | (SN_REGION_BYTES - 1)) + 1;
        if (stop > end || stop < addr)
            stop = end;
        if (!g) {
            addr = stop;
            continue;
        }
        uintptr_t may = may_use(g, addr, stop);
        if (may == addr) {
            addr = (addr | (SN_STRETCH - 1)) + 1;
            continue;
        }
        stop = may;
        while (addr < stop) {
            if (!(addr & 7) && stop - addr >= 8) {
                struct sn_granule *from = g, *to = g + (stop - addr) / 8;
                g = write ? write_whole(&k, g, to) : read_whole(&k, g, to);
                addr += (uintptr_t)(g - from) * 8;
                if (addr >= stop)
                    break;
            }
            uintptr_t base = addr & ~(uintptr_t)7, next = base + 8;
            walk_granule(&k, g++, base,
                         sn_mask(addr & 7, (unsigned)((next < stop ? next : stop) - addr)));
            addr = next;
        }
    }
}

/* See read_first() of access.c: soon after a thread was let go, or in a region that nobody has been
 * to, it may be the first together with another. Returns how many bytes that was done for. */
static size_t exchange_first(struct sn_thread *t, uintptr_t addr, size_t size, uint32_t where,
                             int write)
{
    uint64_t me = sn_word(sn_race_hot.epoch, where, 0);
    uintptr_t at = addr, end = addr + size;
    struct sn_granule *g;
    for (int n = 0; n < EXCHANGED && at < end; n++) {
        uintptr_t base = at & ~(uintptr_t)7, next = end - base > 8 ? base + 8 : end;
        unsigned mask = sn_mask(at & 7, (unsigned)(next - at));
        if (!(g = sn_shadow_get(at)) || (g->w | g->r))
            break;
        if (write)
            sn_race_write_granule(t, g, base, me | mask);
        else
            sn_race_read_granule(t, g, base, me | mask);
        at = next;
    }
    return at - addr;
}

/* An access of each, as far as that makes a difference. */
static uint32_t granules(size_t size)
{
    return size / 8 < SN_LONGEST_EPOCH ? (uint32_t)(size / 8) : SN_LONGEST_EPOCH;
}

void sn_race_range_any(uintptr_t addr, size_t size, uintptr_t tagged_pc, int write)
{
    struct sn_thread *t = sn_self;
    struct sn_race_thread *r;
    if (!sn_race_enter(t))
        return;
    r = sn_race_of(t);
    if (!(write ? r->ignore_writes : r->ignore_reads)) {
        uint32_t where = sn_ctx_site(t, tagged_pc);
        size_t done = 0;
        if (r->in_epoch < 4 || !sn_shadow_bias(addr))
            done = exchange_first(t, addr, size, where, write);
        r->in_epoch += granules(size); /* before: that it is a long epoch decides what is made */
        if (done < size)
            sn_race_range(t, addr + done, size - done, where, write);
    }
    sn_race_leave(t);
}
