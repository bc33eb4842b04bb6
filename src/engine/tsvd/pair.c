/*
 * pair.c: the trap set (section 3.4.1): pairs of places that nearly conflicted, until the program
 * was seen to order them, a violation was found there, or delays were in vain too often. What
 * became of a pair is kept, so that it is not suspected again in this run.
 *
 * Compiled with -mgeneral-regs-only, since the fast half asks for pairs.
 */
#include "tsvd.h"

#include "core/count.h"
#include "core/options.h"
#include "core/spin.h"
#include "runtime/hook.h"

enum { PAIR_BITS = 14, MAX_PAIRS = 1 << PAIR_BITS };

/* Directions of a pair; places are compared by their numbers. */
enum { UP = 1, DOWN = 2, REVIVED = 4 };

struct pair {
    uint64_t key;     /* the two places; 0: free; written under the lock, read without */
    uint32_t state;   /* enum sn_pair_state; atomic */
    uint32_t ordered; /* directions that were seen to be ordered, REVIVED; atomic */
    uint32_t vote[2]; /* per direction, delay that spoke for an order; 0: none; a hint */
};

static struct pair pairs[MAX_PAIRS];
static uint32_t npairs;
static uint32_t lock;

static uint64_t key_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static struct pair *find(uint64_t key)
{
    uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> (64 - PAIR_BITS));
    for (;; i++) {
        struct pair *p = &pairs[i & (MAX_PAIRS - 1)];
        uint64_t have = __atomic_load_n(&p->key, __ATOMIC_ACQUIRE);
        if (have == key || !have)
            return p;
    }
}

enum sn_pair_state sn_pair_state(uint32_t a, uint32_t b)
{
    struct pair *p = find(key_of(a, b));
    return p->key ? __atomic_load_n(&p->state, __ATOMIC_RELAXED) : SN_PAIR_NONE;
}

static uint32_t direction(uint32_t first, uint32_t then)
{
    return first <= then ? UP : DOWN;
}

static bool may_revive(const struct pair *p, uint32_t first, uint32_t then)
{
    return __atomic_load_n(&p->state, __ATOMIC_RELAXED) == SN_PAIR_ORDERED &&
           !(__atomic_load_n(&p->ordered, __ATOMIC_RELAXED) & (direction(first, then) | REVIVED));
}

bool sn_pair_is_open(uint32_t first, uint32_t then)
{
    struct pair *p = find(key_of(first, then));
    return !p->key || may_revive(p, first, then);
}

static void raise(uint32_t point, uint32_t to)
{
    struct sn_point *p = &sn_points[point];
    __atomic_fetch_add(&p->npairs, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&p->probability, __ATOMIC_RELAXED) < to)
        __atomic_store_n(&p->probability, to, __ATOMIC_RELAXED);
}

/* Without pairs no reason is left to delay there. */
static void lower(uint32_t point)
{
    if (__atomic_sub_fetch(&sn_points[point].npairs, 1, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&sn_points[point].probability, 0, __ATOMIC_RELAXED);
}

static bool add(uint32_t a, uint32_t b)
{
    uint64_t key = key_of(a, b);
    sn_spin_lock(&lock);
    struct pair *p = find(key);
    bool fresh = !p->key && npairs < MAX_PAIRS * 3 / 4;
    if (fresh) {
        npairs++;
        p->state = SN_PAIR_DANGEROUS;
        __atomic_store_n(&p->key, key, __ATOMIC_RELEASE); /* pairs with find() */
        uint32_t to = sn_pair_is_quiet(a, b) ? SN_CERTAIN / 10 : SN_CERTAIN;
        raise(a, to);
        if (a != b)
            raise(b, to);
    }
    sn_spin_unlock(&lock);
    return fresh;
}

/* What hands an object over is ordered in one direction: a near miss in the other one says that it
 * is not all. Once only, so that it cannot go on for ever. */
static bool revive(uint32_t first, uint32_t then)
{
    struct pair *p = find(key_of(first, then));
    uint32_t was = SN_PAIR_ORDERED;
    if (!p->key || !may_revive(p, first, then) ||
        (__atomic_fetch_or(&p->ordered, REVIVED, __ATOMIC_RELAXED) & REVIVED) ||
        !__atomic_compare_exchange_n(&p->state, &was, SN_PAIR_DANGEROUS, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return false;
    raise(first, SN_CERTAIN);
    if (first != then)
        raise(then, SN_CERTAIN);
    return true;
}

void sn_pair_add(uint32_t first, uint32_t then)
{
    if (!add(first, then) && !revive(first, then))
        return;
    sn_count(NEAR_MISSES);
    sn_tsvd_report_pair(first, then, SN_PAIR_DANGEROUS);
}

static bool end(struct pair *p, enum sn_pair_state why)
{
    uint32_t was = SN_PAIR_DANGEROUS;
    if (!__atomic_compare_exchange_n(&p->state, &was, why, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return false;
    uint32_t a = (uint32_t)(p->key >> 32), b = (uint32_t)p->key;
    lower(a);
    if (a != b)
        lower(b);
    sn_tsvd_report_pair(a, b, why);
    return true;
}

void sn_pair_end(uint32_t a, uint32_t b, enum sn_pair_state why)
{
    struct pair *p = find(key_of(a, b));
    if (p->key)
        end(p, why);
    else if (why == SN_PAIR_FOUND && add(a, b))
        end(find(key_of(a, b)), why);
}

void sn_pair_order(uint32_t first, uint32_t then, uint32_t serial)
{
    struct pair *p = find(key_of(first, then));
    uint32_t d = direction(first, then), *vote = &p->vote[d == DOWN];
    if (!p->key || __atomic_load_n(&p->state, __ATOMIC_RELAXED) != SN_PAIR_DANGEROUS)
        return;
    uint32_t before = serial ? __atomic_exchange_n(vote, serial, __ATOMIC_RELAXED) : 0;
    if (serial && (!before || before == serial))
        return;
    __atomic_fetch_or(&p->ordered, d, __ATOMIC_RELAXED);
    if (end(p, SN_PAIR_ORDERED))
        sn_count(ORDERED);
}

static void drop_pairs_of(uint32_t point)
{
    for (uint32_t i = 0; i < MAX_PAIRS; i++) {
        struct pair *p = &pairs[i];
        uint64_t key = __atomic_load_n(&p->key, __ATOMIC_ACQUIRE);
        if (key && ((uint32_t)(key >> 32) == point || (uint32_t)key == point))
            end(p, SN_PAIR_WORN);
    }
}

/* Section 3.4.5: at both places of the pair. The other places of the point's pairs decay by their
 * own delays: a place with many pairs must not take all of them down. */
void sn_pair_decay(uint32_t point, enum sn_evidence why)
{
    enum { NIL = SN_CERTAIN / 20 };
    struct sn_point *p = &sn_points[point];
    uint32_t was = __atomic_load_n(&p->probability, __ATOMIC_RELAXED);
    uint64_t rest = (uint64_t)(1000 - sn_opt.decay_permille);
    uint32_t is = (uint32_t)(was * rest / 1000);
    if (why == SN_EVIDENCE_NONE) /* it was a guess to begin with */
        is = (uint32_t)(is * rest / 1000);
    if (is >= NIL) {
        __atomic_store_n(&p->probability, is, __ATOMIC_RELAXED);
        return;
    }
    __atomic_store_n(&p->probability, 0, __ATOMIC_RELAXED);
    drop_pairs_of(point);
}

void sn_pair_expect(uint32_t point)
{
    raise(point, SN_CERTAIN);
    __atomic_fetch_or(&sn_points[point].flags, SN_SITE_EXPECTED, __ATOMIC_RELAXED);
}

void sn_pair_put(uint32_t a, uint32_t b)
{
    if (!add(a, b))
        return;
    lower(a);
    if (a != b)
        lower(b);
    sn_tsvd_report_pair(a, b, SN_PAIR_DANGEROUS);
}
