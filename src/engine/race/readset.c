/* readset.c: interned sets of accesses. */
#include "readset.h"

#include "clock.h"
#include "core/count.h"
#include "core/spin.h"
#include "core/sys.h"

enum {
    LINE = 64,
    BUCKETS = 1 << 14,
};

struct set {
    uint32_t n;
    uint32_t next; /* bucket chain */
    uint64_t word[];
};

static struct {
    char *base;
    uint32_t used; /* lines; 0 is no set */
    uint32_t lock;
    uint32_t bucket[BUCKETS];
} arena = {.used = 1};

static struct set *at(uint32_t id)
{
    return (struct set *)(arena.base + (size_t)id * LINE);
}

static uint64_t hash_words(const uint64_t *w, unsigned n)
{
    uint64_t h = n;
    for (unsigned i = 0; i < n; i++)
        h = (h ^ w[i]) * 0x9e3779b97f4a7c15ull, h ^= h >> 32;
    return h;
}

static int equal(const struct set *s, const uint64_t *w, unsigned n)
{
    return s->n == n && __builtin_memcmp(s->word, w, n * sizeof *w) == 0;
}

static uint32_t find_or_make(struct sn_set_cache *c, const uint64_t *w, unsigned n)
{
    uint32_t *bucket = &arena.bucket[hash_words(w, n) % BUCKETS];
    uint32_t lines = (uint32_t)((sizeof(struct set) + n * sizeof *w + LINE - 1) / LINE);
    for (uint32_t id = *bucket; id; id = at(id)->next)
        if (equal(at(id), w, n)) {
            c->used_again++;
            return id;
        }
    if (!sn_set_pays(c))
        return 0;
    if (!arena.base && !(arena.base = sn_map((size_t)SN_SET_LINES * LINE)))
        return 0;
    if (arena.used + lines > SN_SET_LINES)
        return 0;
    uint32_t id = arena.used;
    arena.used += lines;
    c->made++;
    c->used = 1;
    struct set *s = at(id);
    s->n = n;
    s->next = *bucket;
    __builtin_memcpy(s->word, w, n * sizeof *w);
    *bucket = id;
    return id;
}

void sn_set_clear_all(void)
{
    arena.used = 1;
    __builtin_memset(arena.bucket, 0, sizeof arena.bucket);
}

/* The bit that says it of one access says it of some of a set. */
static uint64_t some_write(const uint64_t *words, unsigned n)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < n; i++)
        any |= words[i];
    return any & SN_WORD_WRITE;
}

uint64_t sn_set_of(struct sn_set_cache *c, const uint64_t *words, unsigned n)
{
    if (n == 1)
        return words[0];
    if (n == 0 || n > SN_SET_MAX)
        return 0;
    sn_spin_lock(&arena.lock);
    uint32_t id = find_or_make(c, words, n);
    sn_spin_unlock(&arena.lock);
    return id ? sn_word(id, 1, 0) | some_write(words, n) : 0;
}

unsigned sn_set_list(uint64_t r, uint64_t *out, unsigned max)
{
    if (!r)
        return 0;
    if (!sn_word_is_set(r)) {
        out[0] = r;
        return 1;
    }
    const struct set *s = at(sn_word_epoch(r));
    unsigned n = s->n < max ? s->n : max;
    __builtin_memcpy(out, s->word, n * sizeof *out);
    return n;
}

static unsigned insert(uint64_t *w, unsigned n, uint64_t x)
{
    unsigned i = n;
    for (; i > 0 && w[i - 1] > x; i--)
        w[i] = w[i - 1];
    w[i] = x;
    return n + 1;
}

/* The members without what the read `me` makes superfluous, and with `me`, sorted. A read takes the
 * place of reads only. */
static unsigned united(struct sn_race_thread *r, uint64_t *w, unsigned n, uint64_t me)
{
    unsigned kept = 0, mask = sn_word_mask(me);
    for (unsigned i = 0; i < n; i++) {
        uint64_t x = w[i];
        if (!sn_word_is_write(x) && sn_clock_knows(r, sn_word_epoch(x))) {
            if (sn_word_epoch(x) == sn_word_epoch(me) && sn_word_where(x) == sn_word_where(me)) {
                me |= sn_word_mask(x);
                continue;
            }
            x &= ~(uint64_t)mask;
            if (!sn_word_mask(x))
                continue;
        }
        w[kept++] = x;
    }
    return insert(w, kept, me);
}

/* All bytes that the set says were accessed in this epoch. */
static unsigned own_mask(const uint64_t *w, unsigned n, uint32_t epoch)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < n; i++)
        if (sn_word_epoch(w[i]) == epoch)
            mask |= sn_word_mask(w[i]);
    return mask;
}

static void remember(struct sn_set_cache *c, uint64_t now, unsigned mask)
{
    if (sn_word_is_set(now)) {
        c->member[sn_word_epoch(now) % SN_SET_CACHE] = (now & ~0xffffffffull) | mask;
        c->used = 1;
    }
}

static SN_NOINLINE unsigned look_if_known(struct sn_race_thread *r, uint32_t id)
{
    const struct set *s = at(id);
    unsigned mask = 0;
    for (unsigned i = 0; i < s->n; i++) {
        if (!sn_clock_knows(r, sn_word_epoch(s->word[i])))
            return 0;
        mask |= sn_word_mask(s->word[i]);
    }
    r->sets->known[id % SN_SET_KNOWN] = (struct sn_set_known){id, mask};
    return mask;
}

unsigned sn_set_known_bytes(struct sn_race_thread *r, uint64_t second)
{
    uint32_t id = sn_word_epoch(second);
    if (!sn_word_is_set(second))
        return sn_clock_knows(r, id) ? sn_word_mask(second) : 0;
    const struct sn_set_known *k = &r->sets->known[id % SN_SET_KNOWN];
    return k->set == id ? k->mask : look_if_known(r, id);
}

uint64_t sn_set_add_read(struct sn_race_thread *r, uint64_t old, uint64_t me)
{
    uint64_t w[SN_SET_MAX + 1];
    uint32_t epoch = sn_word_epoch(me);
    uint64_t now = sn_set_step(r->sets, old, me);
    if (now)
        return now;
    unsigned n = sn_set_list(old, w, SN_SET_MAX), has = own_mask(w, n, epoch);
    if (!(sn_word_mask(me) & ~has)) { /* only the cache had forgotten */
        remember(r->sets, old, has);
        return old;
    }
    if (!sn_clock_is_long(r))
        return 0;
    n = united(r, w, n, me);
    if (!(now = sn_set_of(r->sets, w, n)))
        return 0;
    *sn_set_step_at(r->sets, old, me) = (struct sn_set_step){old, me, now};
    remember(r->sets, now, own_mask(w, n, epoch));
    return now;
}

uint64_t sn_set_keep(struct sn_race_thread *r, uint64_t old, uint64_t rest)
{
    uint64_t w[SN_SET_MAX + 1];
    uint64_t now = sn_set_step(r->sets, old, rest);
    if (now || !sn_clock_is_long(r))
        return now;
    unsigned n = sn_set_list(old, w, SN_SET_MAX);
    if ((now = sn_set_of(r->sets, w, insert(w, n, rest))))
        *sn_set_step_at(r->sets, old, rest) = (struct sn_set_step){old, rest, now};
    return now;
}
