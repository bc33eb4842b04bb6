/*
 * cells.c: the memory of a window, cut into cells.
 *
 * First every aligned word that is accessed gets a record: where accesses begin and end in it, who
 * touches it, whether anyone writes. Then words that matter are cut at those places, and every
 * access becomes one touch per cell that it covers. Memory that is given to or taken from the
 * allocator counts as written, as far as the window accesses it.
 */
#include "predict/model.h"

#include <stdlib.h>

#define LONGEST 4096u /* bytes of one access that are looked at; recorders split into words */

struct word {
    uint64_t addr; /* divided by 8 */
    uint16_t cuts; /* bit i: a cell begins at byte i; bit 8 stands for the end */
    bool written, shared;
    uint32_t thread; /* the first one */
    uint32_t cell;   /* of byte 0, once cut; SN_NONE */
};

struct words {
    struct word *word;
    uint32_t n, cap;
    uint32_t *slot; /* hash -> 1 + index */
    uint32_t cap_slots;
};

static uint32_t find_slot(const struct words *t, uint64_t addr)
{
    uint32_t i = (uint32_t)(addr * 0x9e3779b97f4a7c15ull >> 32) & (t->cap_slots - 1);
    while (t->slot[i] && t->word[t->slot[i] - 1].addr != addr)
        i = (i + 1) & (t->cap_slots - 1);
    return i;
}

static void grow_slots(struct sn_model *m, struct words *t)
{
    if (2 * t->n < t->cap_slots)
        return;
    t->cap_slots = t->cap_slots ? t->cap_slots * 2 : 1024;
    t->slot = SN_NEW(m->arena, uint32_t, t->cap_slots);
    for (uint32_t i = 0; i < t->n; i++)
        t->slot[find_slot(t, t->word[i].addr)] = i + 1;
}

static struct word *word_of(struct sn_model *m, struct words *t, uint64_t addr, uint32_t thread)
{
    grow_slots(m, t);
    uint32_t i = find_slot(t, addr);
    if (!t->slot[i]) {
        SN_PUSH(m->arena, t->word, t->n, t->cap,
                (struct word){.addr = addr, .thread = thread, .cell = SN_NONE});
        t->slot[i] = t->n;
    }
    return &t->word[t->slot[i] - 1];
}

/* The part of [addr, addr + size) that lies in the word at `at`, as offset and length. */
struct piece {
    unsigned offset, size;
};

static struct piece piece_at(uint64_t addr, uint64_t size, uint64_t at)
{
    uint64_t low = addr > at ? addr : at, high = addr + size < at + 8 ? addr + size : at + 8;
    return (struct piece){(unsigned)(low - at), (unsigned)(high - low)};
}

static void note(struct word *w, struct piece p, uint32_t thread, bool writes)
{
    w->cuts |= (uint16_t)(1u << p.offset | 1u << (p.offset + p.size));
    w->written |= writes;
    w->shared |= w->thread != thread;
}

static uint64_t access_size(const struct sn_wevent *e)
{
    return e->size < LONGEST ? e->size : LONGEST;
}

static bool only_reads(const struct sn_wevent *e)
{
    return e->op == SN_EV_READ || e->op == SN_EV_ATOMIC_LOAD;
}

static void note_accesses(struct sn_model *m, struct words *t)
{
    for (uint32_t i = 0; i < m->n; i++) {
        const struct sn_wevent *e = &m->w->ev[i];
        if (!sn_trace_is_access(e->op))
            continue;
        uint64_t end = e->addr + access_size(e);
        for (uint64_t at = e->addr & ~7ull; at < end; at += 8)
            note(word_of(m, t, at / 8, e->thread), piece_at(e->addr, access_size(e), at), e->thread,
                 !only_reads(e));
    }
}

static int by_addr(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    return (x->addr > y->addr) - (x->addr < y->addr);
}

static bool is_block_event(const struct sn_wevent *e)
{
    return e->op == SN_EV_ALLOC || e->op == SN_EV_FREE || e->op == SN_EV_MAP ||
           e->op == SN_EV_UNMAP;
}

/* Index of the first word that ends above `addr`. */
static uint32_t first_word(const struct words *t, uint64_t addr)
{
    uint32_t low = 0, high = t->n;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (t->word[mid].addr < addr / 8)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void note_blocks(struct sn_model *m, struct words *t)
{
    for (uint32_t i = 0; i < m->n; i++) {
        const struct sn_wevent *e = &m->w->ev[i];
        if (!is_block_event(e))
            continue;
        for (uint32_t k = first_word(t, e->addr);
             k < t->n && t->word[k].addr * 8 < e->addr + e->size; k++)
            note(&t->word[k], piece_at(e->addr, e->size, t->word[k].addr * 8), e->thread, true);
    }
}

static void cut(struct sn_model *m, struct word *w)
{
    if (!w->shared || !w->written)
        return;
    unsigned start = 0;
    w->cell = m->ncells;
    for (unsigned i = 1; i <= 8; i++) {
        if (i < 8 && !(w->cuts >> i & 1))
            continue;
        SN_PUSH(m->arena, m->cell, m->ncells, m->cap_cells,
                (struct sn_cell){.addr = w->addr * 8 + start, .size = i - start});
        start = i;
    }
}

static void touch_word(struct sn_model *m, uint32_t event, const struct word *w, struct piece p,
                       uint8_t kind)
{
    if (w->cell == SN_NONE)
        return;
    uint64_t low = w->addr * 8 + p.offset, high = low + p.size;
    for (uint32_t c = w->cell; c < m->ncells && m->cell[c].addr < high; c++) {
        if (m->cell[c].addr < low)
            continue;
        m->cell[c].n++;
        SN_PUSH(m->arena, m->touch, m->ntouches, m->cap_touches, (struct sn_touch){event, c, kind});
    }
}

static uint8_t touch_kind(const struct sn_wevent *e)
{
    switch (e->op) {
    case SN_EV_READ:
        return SN_TOUCH_READ;
    case SN_EV_ATOMIC_LOAD:
        return SN_TOUCH_READ | SN_TOUCH_ATOMIC;
    case SN_EV_ATOMIC_STORE:
        return SN_TOUCH_WRITE | SN_TOUCH_ATOMIC;
    case SN_EV_ATOMIC_RMW:
        return SN_TOUCH_READ | SN_TOUCH_WRITE | SN_TOUCH_ATOMIC;
    case SN_EV_ALLOC:
    case SN_EV_MAP:
    case SN_EV_UNMAP:
        return SN_TOUCH_WRITE | SN_TOUCH_NEW;
    default:
        return SN_TOUCH_WRITE;
    }
}

static void touch_event(struct sn_model *m, const struct words *t, uint32_t i)
{
    const struct sn_wevent *e = &m->w->ev[i];
    uint64_t size = is_block_event(e) ? e->size : access_size(e);
    uint8_t kind = touch_kind(e) | (e->quiet ? SN_TOUCH_QUIET : 0);
    if (!sn_trace_is_access(e->op) && !is_block_event(e))
        return;
    for (uint32_t k = first_word(t, e->addr); k < t->n && t->word[k].addr * 8 < e->addr + size; k++)
        touch_word(m, i, &t->word[k], piece_at(e->addr, size, t->word[k].addr * 8), kind);
}

static void touches_by_cell(struct sn_model *m)
{
    uint32_t at = 0;
    for (uint32_t c = 0; c < m->ncells; c++) {
        m->cell[c].first = at;
        at += m->cell[c].n;
        m->cell[c].n = 0;
    }
    m->cell_touch = SN_NEW(m->arena, uint32_t, m->ntouches);
    for (uint32_t i = 0; i < m->ntouches; i++) {
        struct sn_cell *c = &m->cell[m->touch[i].cell];
        m->cell_touch[c->first + c->n++] = i;
    }
}

void sn_model_cells(struct sn_model *m)
{
    struct words t = {0};
    note_accesses(m, &t);
    if (t.n)
        qsort(t.word, t.n, sizeof *t.word, by_addr); /* the slots are not used from here on */
    note_blocks(m, &t);
    for (uint32_t i = 0; i < t.n; i++)
        cut(m, &t.word[i]);
    m->touch_of = SN_NEW(m->arena, uint32_t, m->n + 1);
    for (uint32_t i = 0; i < m->n; i++) {
        m->touch_of[i] = m->ntouches;
        touch_event(m, &t, i);
    }
    m->touch_of[m->n] = m->ntouches;
    touches_by_cell(m);
}

uint64_t sn_cell_value(const struct sn_cell *c, const struct sn_wevent *e, uint64_t value)
{
    uint64_t shifted = value >> (8 * (c->addr - e->addr));
    return c->size == 8 ? shifted : shifted & ((1ull << (8 * c->size)) - 1);
}
