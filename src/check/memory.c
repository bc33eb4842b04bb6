/* memory.c: the simulated memory, its blocks, and its reset between runs. See memory.h. */
#include "check/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GAP_BYTES 16u

int sn_simmem_init(struct sn_simmem *m, const struct sn_bytecode *code)
{
    *m = (struct sn_simmem){.code = code};
    void *p = mmap(NULL, SN_SPACE_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return -errno;
    m->base = p;
    uint64_t end = SN_ADDR_LOW + code->space_bytes;
    m->heap_start = (uint32_t)((end + SN_PAGE - 1) / SN_PAGE * SN_PAGE);
    memcpy(sn_mem(m, SN_ADDR_LOW), code->image, code->image_bytes);
    memcpy(sn_tag(m, SN_ADDR_LOW), code->image_tag, code->image_bytes);
    m->top = m->heap_start;
    return 0;
}

void sn_simmem_free(struct sn_simmem *m)
{
    if (m->base != NULL)
        munmap(m->base, SN_SPACE_BYTES);
    free(m->block);
    *m = (struct sn_simmem){0};
}

/* A page of globals gets its first contents back, any other becomes zero. */
static void reset_bytes(struct sn_simmem *m, uint64_t addr)
{
    const struct sn_bytecode *c = m->code;
    uint64_t offset = addr - SN_ADDR_LOW;
    size_t n = offset < c->image_bytes ? c->image_bytes - offset : 0;
    n = n < SN_PAGE ? n : SN_PAGE;
    if (n > 0) {
        memcpy(sn_mem(m, addr), c->image + offset, n);
        memcpy(sn_tag(m, addr), c->image_tag + offset, n);
    }
    memset(sn_mem(m, addr) + n, 0, SN_PAGE - n);
    memset(sn_tag(m, addr) + n, 0, SN_PAGE - n);
}

static void reset_page(struct sn_simmem *m, uint64_t addr)
{
    uint8_t *d = sn_dirty(m, addr);
    if (*d & SN_DIRTY_BYTES)
        reset_bytes(m, addr);
    if (*d & SN_DIRTY_CELLS)
        memset(sn_vcell(m, addr), 0, SN_PAGE / 8 * sizeof(struct sn_vcell));
    *d = 0;
}

void sn_simmem_reset(struct sn_simmem *m)
{
    uint64_t end = (m->top + 8ull * SN_PAGE) / (8ull * SN_PAGE) * (8ull * SN_PAGE);
    for (uint64_t addr = SN_ADDR_LOW; addr < end; addr += 8 * SN_PAGE) {
        uint64_t eight;
        memcpy(&eight, sn_dirty(m, addr), sizeof eight);
        for (unsigned k = 0; eight != 0 && k < 8; k++)
            reset_page(m, addr + k * SN_PAGE);
    }
    m->top = m->heap_start;
    m->live_bytes = 0;
    m->nblock = 0;
}

bool sn_range_ok(const struct sn_simmem *m, uint64_t addr, uint64_t bytes)
{
    return addr >= SN_ADDR_LOW && addr < m->top && bytes <= m->top - addr;
}

uint8_t sn_range_tags(const struct sn_simmem *m, uint64_t addr, uint64_t bytes)
{
    const uint8_t *t = sn_tag(m, addr);
    uint8_t all = 0;
    for (uint64_t i = 0; i < bytes; i++)
        all |= t[i];
    return all;
}

void sn_range_mark(struct sn_simmem *m, uint64_t addr, uint64_t bytes, uint8_t dirty)
{
    for (uint64_t page = addr >> 12; bytes > 0 && page <= (addr + bytes - 1) >> 12; page++)
        m->base[SN_DIRTY + page] |= dirty;
}

void sn_range_tag(struct sn_simmem *m, uint64_t addr, uint64_t bytes, uint8_t tag)
{
    sn_range_mark(m, addr, bytes, SN_DIRTY_BYTES);
    memset(sn_tag(m, addr), tag, bytes);
}

void sn_range_forget(struct sn_simmem *m, uint64_t addr, uint64_t bytes)
{
    uint64_t end = addr + bytes;
    while (addr < end) {
        uint64_t stop = (addr / SN_PAGE + 1) * SN_PAGE;
        stop = stop < end ? stop : end;
        if (*sn_dirty(m, addr) & SN_DIRTY_CELLS)
            memset(sn_vcell(m, addr), 0, ((stop + 7) / 8 - addr / 8) * sizeof(struct sn_vcell));
        addr = stop;
    }
}

uint32_t sn_simmem_take(struct sn_simmem *m, uint64_t bytes, uint64_t align, uint8_t tag)
{
    uint64_t old = m->top, addr = (old + GAP_BYTES + align - 1) / align * align;
    uint64_t end = (addr + bytes + GAP_BYTES + 15) / 16 * 16;
    if (bytes >= SN_ADDR_LIMIT || end + SN_PAGE > SN_ADDR_LIMIT)
        return 0;
    sn_range_tag(m, old, addr - old, SN_TAG_GAP);
    sn_range_tag(m, addr + bytes, end - addr - bytes, SN_TAG_GAP);
    if (tag != 0)
        sn_range_tag(m, addr, bytes, tag);
    m->top = (uint32_t)end;
    return (uint32_t)addr;
}

struct sn_heap_block *sn_heap_new(struct sn_simmem *m, uint64_t bytes, uint64_t align, uint8_t tag)
{
    uint32_t addr = sn_simmem_take(m, bytes, align, tag);
    if (addr == 0)
        return NULL;
    if (m->nblock == m->cap_block) {
        m->cap_block = m->cap_block ? m->cap_block * 2 : 256;
        m->block = realloc(m->block, m->cap_block * sizeof *m->block);
        if (m->block == NULL)
            abort();
    }
    m->live_bytes += bytes;
    m->block[m->nblock] = (struct sn_heap_block){.addr = addr, .bytes = (uint32_t)bytes};
    return &m->block[m->nblock++];
}

struct sn_heap_block *sn_heap_at(const struct sn_simmem *m, uint64_t addr)
{
    size_t lo = 0, hi = m->nblock;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (m->block[mid].addr <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0)
        return NULL;
    struct sn_heap_block *b = &m->block[lo - 1];
    return addr - b->addr < (b->bytes ? b->bytes : 1) ? b : NULL;
}

void sn_heap_free(struct sn_simmem *m, struct sn_heap_block *b)
{
    b->freed = true;
    m->live_bytes -= b->bytes;
    sn_range_tag(m, b->addr, b->bytes, SN_TAG_FREED);
}
