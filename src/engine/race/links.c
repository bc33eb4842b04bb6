/* links.c: links of cells. */
#include "links.h"

#include "core/count.h"
#include "core/slab.h"
#include "core/spin.h"
#include "core/sys.h"

SN_SLAB(links, struct sn_link, SN_LINK_CHUNK_BITS, SN_LINKS);
extern void *sn_link_chunks[SN_LINKS >> SN_LINK_CHUNK_BITS] __attribute__((alias("links_chunks")));

int sn_link_append(uint32_t first, uint64_t word, unsigned kind)
{
    struct sn_link *l = sn_link_at(first);
    while (l->n == SN_PER_LINK && l->next)
        l = sn_link_at(l->next);
    if (l->n == SN_PER_LINK) {
        uint32_t h = sn_slab_alloc(&links);
        if (!h) {
            sn_count(LOST_CELL);
            return 0;
        }
        struct sn_link *more = sn_link_at(h);
        more->next = 0;
        more->n = 0;
        l->next = h;
        l = more;
    }
    sn_link_set(l, l->n, word, kind);
    l->n++;
    sn_link_at(first)->stays = 0;
    return 1;
}

void sn_link_tidy(uint32_t first)
{
    for (struct sn_link *l = sn_link_at(first); l->next;) {
        uint32_t h = l->next;
        if (sn_link_at(h)->n) {
            l = sn_link_at(h);
            continue;
        }
        l->next = sn_link_at(h)->next;
        sn_slab_free(&links, h);
    }
}

uint32_t sn_link_take(void)
{
    uint32_t h = sn_slab_alloc(&links);
    if (!h) {
        sn_count(LOST_CELL);
        return 0;
    }
    struct sn_link *l = sn_link_at(h);
    sn_spin_lock(&l->lock); /* a late visitor of its former life may hold it for a moment */
    l->next = 0;
    l->n = 0;
    l->stays = 0;
    l->reads = l->atomics = l->members = l->calm = l->turns = 0;
    l->version++;
    return h;
}

void sn_link_give(uint32_t first)
{
    uint32_t h = sn_link_at(first)->next;
    sn_link_at(first)->next = 0;
    sn_link_at(first)->n = 0;
    sn_link_at(first)->version++;
    sn_spin_unlock(&sn_link_at(first)->lock);
    sn_slab_free(&links, first);
    while (h) {
        uint32_t next = sn_link_at(h)->next;
        sn_slab_free(&links, h);
        h = next;
    }
}
