/* readset.c: interned sets of accesses. */
#include "readset.h"

#include "clock.h"
#include "core/count.h"
#include "core/spin.h"
#include "core/sys.h"
#include "epoch.h"
#include "fields.h"
#include "shadow.h"

enum {
    LINE = 64,
    HUGE = SN_HUGE_PAGE / LINE,
    TABLE = 1 << 10,                               /* entries of the table at first */
    MOST = (8 + SN_SET_MAX * 8 + LINE - 1) / LINE, /* lines of a set */
    COLLECT = 1 << 15,                             /* at least so many lines are taken first */
    MISSED = 1 << 10, /* sets for which there was no room count together */
};

struct set {
    uint32_t n;    /* 0: free, and word[0] is the number of lines */
    uint32_t next; /* of a free one */
    uint64_t word[];
};

/* Sets are found by their hash, which tells others apart without looking at them. Who looks for one
 * needs no lock, since it is inside the engine: entries are stored whole, after their sets, and a
 * table that was too small stays until nobody is. */
struct table {
    struct table *smaller; /* not in use any more */
    uint32_t size;         /* a power of two, of which three in four may be in use */
    uint64_t entry[];      /* hash << 32 | id; 0: none */
};

static struct {
    char *base;
    uint32_t used;           /* lines; 0 is no set */
    uint32_t free[MOST + 1]; /* by number of lines */
    uint32_t taken;          /* lines since the last collection */
    uint32_t collect_at;     /* when so many are; 0: not known yet */
    uint32_t full;           /* a set was not made for lack of room since; relaxed */
    uint32_t lock;
    struct table *table;
    uint32_t entries; /* of the table */
} arena = {.used = 1};

static struct set *at(uint32_t id)
{
    return (struct set *)(arena.base + (size_t)id * LINE);
}

static uint32_t hash_words(const uint64_t *w, unsigned n)
{
    uint64_t h = n;
    for (unsigned i = 0; i < n; i++)
        h = (h ^ w[i]) * 0x9e3779b97f4a7c15ull, h ^= h >> 32;
    return (uint32_t)h;
}

static int equal(const struct set *s, const uint64_t *w, unsigned n)
{
    return s->n == n && __builtin_memcmp(s->word, w, n * sizeof *w) == 0;
}

static uint32_t lines_of(unsigned n)
{
    return (uint32_t)((sizeof(struct set) + n * sizeof(uint64_t) + LINE - 1) / LINE);
}

static void push_free(uint32_t id, uint32_t lines)
{
    struct set *s = at(id);
    s->n = 0;
    s->word[0] = lines;
    s->next = arena.free[lines];
    arena.free[lines] = id;
}

/* 0: there is no room. */
static uint32_t take_lines(uint32_t lines)
{
    uint32_t id;
    for (uint32_t k = lines; k <= MOST; k++) {
        if (!(id = arena.free[k]))
            continue;
        arena.free[k] = at(id)->next;
        if (k > lines)
            push_free(id + lines, k - lines);
        return id;
    }
    id = arena.used;
    if (id + lines > SN_SET_LINES)
        return 0;
    arena.used += lines;
    if ((id ^ arena.used) / HUGE)
        sn_map_huge(at(id & ~(HUGE - 1u))); /* it is full: so many sets are met in no order */
    return id;
}

/* A collection looks at all of the shadow: it should not cost more than the sets did. */
static uint32_t until_collection(void)
{
    uint64_t lines = sn_shadow_extent() >> 9;
    return lines > SN_SET_LINES / 2 ? SN_SET_LINES / 2
           : lines > COLLECT        ? (uint32_t)lines
                                    : COLLECT;
}

static void count_taken(uint32_t lines)
{
    if (!arena.collect_at)
        arena.collect_at = until_collection();
    arena.taken += lines;
    if (arena.taken >= arena.collect_at) {
        arena.taken = 0;
        __atomic_fetch_or(&sn_renewal_due, SN_DUE_SETS, __ATOMIC_RELAXED);
    }
}

/* The number of a set; 0: it is not in the table. */
static uint32_t find(const struct table *t, uint32_t hash, const uint64_t *w, unsigned n)
{
    uint64_t e;
    for (uint32_t i = hash; t; i++) {
        e = __atomic_load_n(&t->entry[i & (t->size - 1)], __ATOMIC_ACQUIRE);
        if (!e || (e >> 32 == hash && equal(at((uint32_t)e), w, n)))
            return (uint32_t)e;
    }
    return 0;
}

/* For one that is not in it. */
static void put_in_table(struct table *t, uint64_t entry)
{
    uint32_t i = (uint32_t)(entry >> 32);
    while (t->entry[i & (t->size - 1)])
        i++;
    __atomic_store_n(&t->entry[i & (t->size - 1)], entry, __ATOMIC_RELEASE);
    arena.entries++;
}

static size_t bytes_of(uint32_t size)
{
    return sizeof(struct table) + size * sizeof(uint64_t);
}

/* False: there is no memory. */
static int make_table_larger(void)
{
    struct table *old = arena.table;
    uint32_t size = old ? 2 * old->size : TABLE;
    struct table *t = sn_map(bytes_of(size));
    if (!t)
        return 0;
    t->size = size;
    t->smaller = old;
    arena.entries = 0;
    for (uint32_t i = 0; old && i < old->size; i++)
        if (old->entry[i])
            put_in_table(t, old->entry[i]);
    __atomic_store_n(&arena.table, t, __ATOMIC_RELEASE);
    return 1;
}

static int has_room(void)
{
    if (!arena.base && !(arena.base = sn_map_aligned((size_t)SN_SET_LINES * LINE, SN_HUGE_PAGE)))
        return 0;
    return (arena.table && 4 * arena.entries < 3 * arena.table->size) || make_table_larger();
}

static uint32_t make_set(struct sn_set_cache *c, uint32_t hash, const uint64_t *w, unsigned n)
{
    uint32_t id;
    if (!has_room() || !sn_set_pays(c))
        return 0;
    count_taken(lines_of(n));
    if (!(id = take_lines(lines_of(n)))) {
        __atomic_store_n(&arena.full, 1, __ATOMIC_RELAXED);
        return 0;
    }
    c->made++;
    c->used = 1;
    struct set *s = at(id);
    s->n = n;
    __builtin_memcpy(s->word, w, n * sizeof *w);
    put_in_table(arena.table, (uint64_t)hash << 32 | id);
    return id;
}

/* There is no room until a collection, which is due when enough sets are missed. */
static int is_full(struct sn_set_cache *c)
{
    if (SN_LIKELY(!__atomic_load_n(&arena.full, __ATOMIC_RELAXED)))
        return 0;
    if (!(++c->missed % MISSED)) {
        sn_spin_lock(&arena.lock);
        count_taken(MISSED);
        sn_spin_unlock(&arena.lock);
    }
    return 1;
}

static uint32_t find_or_make(struct sn_set_cache *c, const uint64_t *w, unsigned n)
{
    uint32_t hash = hash_words(w, n);
    uint32_t id = find(__atomic_load_n(&arena.table, __ATOMIC_ACQUIRE), hash, w, n);
    int found = id != 0;
    if (!found && sn_set_pays(c) && !is_full(c)) {
        sn_spin_lock(&arena.lock);
        if (!(found = (id = find(arena.table, hash, w, n)) != 0))
            id = make_set(c, hash, w, n);
        sn_spin_unlock(&arena.lock);
    }
    c->used_again += (uint32_t)found;
    return id;
}

void sn_set_clear_all(void)
{
    arena.used = 1;
    arena.full = 0;
    arena.entries = 0;
    __builtin_memset(arena.free, 0, sizeof arena.free);
    struct table *t = arena.table;
    if (!t)
        return;
    __builtin_memset(t->entry, 0, t->size * sizeof *t->entry);
    for (struct table *old = t->smaller, *next; old; old = next) {
        next = old->smaller;
        sn_unmap(old, bytes_of(old->size));
    }
    t->smaller = 0;
}

static uint64_t named[SN_SET_LINES / 64]; /* a bit for each set that a granule or field names */

static void note(uint64_t set)
{
    named[sn_word_epoch(set) / 64] |= 1ull << (sn_word_epoch(set) & 63);
}

static void note_named(const struct sn_granule *g, unsigned n)
{
    for (const struct sn_granule *end = g + n; g < end; g++) {
        uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
        uint64_t r = __atomic_load_n(&g->r, __ATOMIC_RELAXED);
        if (SN_UNLIKELY(sn_word_is_set(r)))
            note(r);
        if (SN_UNLIKELY(sn_word_is_fields(w) && (w & SN_FIELDS_SETS)))
            sn_fields_each_set(w, note);
    }
}

/* Free lines beside each other come together, as far as a set can use them. */
static void free_run(uint32_t from, uint32_t to)
{
    for (uint32_t lines; from < to; from += lines) {
        lines = to - from < MOST ? to - from : MOST;
        push_free(from, lines);
    }
}

void sn_set_collect(void)
{
    uint32_t end = arena.used, lines, from = 1;
    if (!arena.base)
        return;
    __builtin_memset(named, 0, sizeof named);
    sn_shadow_each(note_named);
    sn_set_clear_all();
    for (uint32_t id = 1; id < end; id += lines) {
        const struct set *s = at(id);
        lines = s->n ? lines_of(s->n) : (uint32_t)s->word[0];
        if (!s->n || !(named[id / 64] >> (id & 63) & 1))
            continue;
        free_run(from, id);
        put_in_table(arena.table, (uint64_t)hash_words(s->word, s->n) << 32 | id);
        arena.used = from = id + lines;
    }
    arena.collect_at = until_collection();
    arena.taken = 0;
}

/* What the name of a set says of it: whether some of it are writes, all of its bytes, and whose
 * accesses they are when they are all of one slot. */
static uint64_t name_of(uint32_t id, const uint64_t *words, unsigned n)
{
    uint32_t slot = sn_batch_slot[sn_word_epoch(words[0]) >> SN_BATCH_BITS];
    uint64_t any = 0;
    int same = 1;
    for (unsigned i = 0; i < n; i++) {
        any |= words[i];
        same &= sn_batch_slot[sn_word_epoch(words[i]) >> SN_BATCH_BITS] == slot;
    }
    uint32_t whose = same ? slot + 1 : 0;
    return sn_word(id, whose << SN_NAME_SLOT | sn_word_mask(any), 0) | (any & SN_WORD_WRITE);
}

uint64_t sn_set_of(struct sn_set_cache *c, const uint64_t *words, unsigned n)
{
    if (n == 1)
        return words[0];
    if (n == 0 || n > SN_SET_MAX)
        return 0;
    uint32_t id = find_or_make(c, words, n);
    return id ? name_of(id, words, n) : 0;
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
    return sn_set_insert(w, kept, me);
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

unsigned sn_set_own_bytes(struct sn_race_thread *r, uint64_t set)
{
    const struct set *s = at(sn_word_epoch(set));
    unsigned mask = own_mask(s->word, s->n, r->epoch);
    if (mask)
        remember(r->sets, set, mask);
    return mask;
}

static SN_NOINLINE int look_if_known(struct sn_race_thread *r, uint32_t id)
{
    const struct set *s = at(id);
    for (unsigned i = 0; i < s->n; i++)
        if (!sn_clock_knows(r, sn_word_epoch(s->word[i])))
            return 0;
    r->sets->known[id % SN_SET_KNOWN] = id;
    return 1;
}

unsigned sn_set_known_bytes(struct sn_race_thread *r, uint64_t second)
{
    uint32_t id = sn_word_epoch(second);
    if (!sn_word_is_set(second))
        return sn_clock_knows(r, id) ? sn_word_mask(second) : 0;
    unsigned known = sn_set_known_at_once(r->sets, r->slot, second);
    return known || !look_if_known(r, id) ? known : sn_word_where(second) & 0xff;
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
    if (!sn_word_is_write(old) || sn_set_known_bytes(r, old))
        *sn_set_step_at(r->sets, old, me) = (struct sn_set_step){old, me, now};
    remember(r->sets, now, own_mask(w, n, epoch));
    return now;
}

/* The members, with the write `rest`, which takes the place of the older writes among them. */
static unsigned with_rest(uint64_t *w, unsigned n, uint64_t rest)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t x = sn_word_is_write(w[i]) ? w[i] & ~(uint64_t)sn_word_mask(rest) : w[i];
        if (sn_word_mask(x))
            kept = sn_set_insert(w, kept, x);
    }
    return sn_set_insert(w, kept, rest);
}

uint64_t sn_set_keep(struct sn_race_thread *r, uint64_t old, uint64_t rest)
{
    uint64_t w[SN_SET_MAX + 1];
    uint64_t now = sn_set_step(r->sets, old, rest);
    if (now || !sn_clock_is_long(r))
        return now;
    unsigned n = with_rest(w, sn_set_list(old, w, SN_SET_MAX), rest);
    if ((now = sn_set_of(r->sets, w, n)))
        *sn_set_step_at(r->sets, old, rest) = (struct sn_set_step){old, rest, now};
    return now;
}
