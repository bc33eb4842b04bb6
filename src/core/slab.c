/* slab.c: chunked slabs, and a power-of-two pool on top of mapped chunks. */
#include "core/slab.h"

#include "core/spin.h"
#include "core/sys.h"

static uint32_t take_new(struct sn_slab *s)
{
    uint32_t h = s->next, c = h >> s->chunk_bits;
    if (h >= s->max)
        return 0;
    if (!s->chunk[c]) {
        void *p = sn_map((size_t)s->elem_bytes << s->chunk_bits);
        if (!p)
            return 0;
        __atomic_store_n(&s->chunk[c], p, __ATOMIC_RELEASE); /* pairs with use of the handle */
    }
    s->next = h + 1;
    return h;
}

uint32_t sn_slab_alloc(struct sn_slab *s)
{
    sn_spin_lock(&s->lock);
    uint32_t h = s->free_head;
    if (h)
        s->free_head = *(uint32_t *)sn_slab_at(s, h);
    else
        h = take_new(s);
    s->in_use += h != 0;
    sn_spin_unlock(&s->lock);
    return h;
}

void sn_slab_free(struct sn_slab *s, uint32_t handle)
{
    sn_spin_lock(&s->lock);
    *(uint32_t *)sn_slab_at(s, handle) = s->free_head;
    s->free_head = handle;
    s->in_use--;
    sn_spin_unlock(&s->lock);
}

enum { POOL_MIN_BITS = 6, POOL_MAX_BITS = 20, POOL_CHUNK = 1 << 18 };

static struct {
    uint32_t lock;
    void *free[POOL_MAX_BITS + 1]; /* chains through the first word */
    char *bump[POOL_MAX_BITS + 1], *end[POOL_MAX_BITS + 1];
} pool;

static unsigned class_of(size_t bytes)
{
    unsigned bits = POOL_MIN_BITS;
    while ((size_t)1 << bits < bytes)
        bits++;
    return bits;
}

void *sn_pool_alloc(size_t bytes)
{
    unsigned c = class_of(bytes);
    if (c > POOL_MAX_BITS)
        return 0;
    sn_spin_lock(&pool.lock);
    char *p = pool.free[c];
    if (p) {
        pool.free[c] = *(void **)p;
    } else {
        if (pool.bump[c] == pool.end[c]) {
            size_t chunk = (size_t)1 << c > POOL_CHUNK ? (size_t)1 << c : POOL_CHUNK;
            pool.bump[c] = sn_map(chunk);
            pool.end[c] = pool.bump[c] ? pool.bump[c] + chunk : 0;
        }
        p = pool.bump[c];
        if (p)
            pool.bump[c] += (size_t)1 << c;
    }
    sn_spin_unlock(&pool.lock);
    return p;
}

void sn_pool_free(void *p, size_t bytes)
{
    if (!p)
        return;
    unsigned c = class_of(bytes);
    sn_spin_lock(&pool.lock);
    *(void **)p = pool.free[c];
    pool.free[c] = p;
    sn_spin_unlock(&pool.lock);
}
