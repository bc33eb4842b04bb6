/*
 * reach.c: blocks in a treap by address (priorities are a hash, so its shape depends on nothing
 * else); each block has the words that are pointers. A word is a pointer when its value lies in a
 * known block, as for a conservative collector; the target is looked up at the walk, so a pointer
 * to a block that is logged later is right too.
 */
#include "predict/reach.h"

#include <stdlib.h>
#include <string.h>

struct block {
    struct block *left, *right;
    uint64_t addr, size, priority;
    uint64_t visited; /* number of the walk that saw it last */
    struct {
        uint64_t offset, target;
    } * word; /* sorted by offset */
    uint32_t n, cap;
};

struct sn_reach {
    struct block *root;
    uint64_t walk;
};

static void *need(void *p)
{
    if (!p)
        abort();
    return p;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * 0x7fb5d329728ea185ull;
    x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44dull;
    return x ^ (x >> 33);
}

static struct block *find(struct block *b, uint64_t addr)
{
    struct block *best = NULL;
    while (b) {
        if (b->addr <= addr) {
            best = b;
            b = b->right;
        } else {
            b = b->left;
        }
    }
    return best && addr - best->addr < best->size ? best : NULL;
}

/* Everything below `addr` goes to *low, the rest to *high. */
static void split(struct block *b, uint64_t addr, struct block **low, struct block **high)
{
    if (!b) {
        *low = *high = NULL;
    } else if (b->addr < addr) {
        *low = b;
        split(b->right, addr, &b->right, high);
    } else {
        *high = b;
        split(b->left, addr, low, &b->left);
    }
}

static struct block *join(struct block *low, struct block *high)
{
    if (!low || !high)
        return low ? low : high;
    if (low->priority > high->priority) {
        low->right = join(low->right, high);
        return low;
    }
    high->left = join(low, high->left);
    return high;
}

static void free_tree(struct block *b)
{
    if (!b)
        return;
    free_tree(b->left);
    free_tree(b->right);
    free(b->word);
    free(b);
}

struct sn_reach *sn_reach_new(void)
{
    return need(calloc(1, sizeof(struct sn_reach)));
}

void sn_reach_free(struct sn_reach *r)
{
    if (!r)
        return;
    free_tree(r->root);
    free(r);
}

static uint32_t word_at(const struct block *b, uint64_t offset)
{
    uint32_t low = 0, high = b->n;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (b->word[mid].offset < offset)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void set_word(struct block *b, uint64_t offset, uint64_t target)
{
    uint32_t i = word_at(b, offset);
    if (i < b->n && b->word[i].offset == offset) {
        b->word[i].target = target;
        return;
    }
    if (target == 0)
        return;
    if (b->n == b->cap) {
        b->cap = b->cap ? b->cap * 2 : 4;
        b->word = need(realloc(b->word, b->cap * sizeof *b->word));
    }
    memmove(b->word + i + 1, b->word + i, (b->n - i) * sizeof *b->word);
    b->word[i].offset = offset;
    b->word[i].target = target;
    b->n++;
}

void sn_reach_forget(struct sn_reach *r, uint64_t addr, uint64_t size)
{
    struct block *low, *mid, *high, *first = find(r->root, addr);
    uint64_t start = first ? first->addr : addr;
    if (size == 0)
        size = 1;
    split(r->root, start, &low, &high);
    split(high, addr + size, &mid, &high);
    free_tree(mid);
    r->root = join(low, high);
}

void sn_reach_block(struct sn_reach *r, const struct sn_trace_range *ranges, uint32_t n)
{
    struct block *low, *high, *b = need(calloc(1, sizeof *b));
    sn_reach_forget(r, ranges[0].addr, ranges[0].size);
    b->addr = ranges[0].addr;
    b->size = ranges[0].size;
    b->priority = mix(b->addr);
    for (uint32_t i = 1; i < n; i++)
        set_word(b, ranges[i].addr, ranges[i].size);
    split(r->root, b->addr, &low, &high);
    r->root = join(join(low, b), high);
}

void sn_reach_write(struct sn_reach *r, uint64_t addr, uint64_t value)
{
    struct block *b = find(r->root, addr);
    if (b)
        set_word(b, addr - b->addr, value);
}

struct walk {
    struct sn_arena *arena;
    struct block **todo;
    uint32_t ntodo, cap_todo;
    struct sn_trace_range *range;
    uint32_t n, cap;
};

static void visit(struct sn_reach *r, struct walk *w, uint64_t addr)
{
    struct block *b = find(r->root, addr);
    if (!b || b->visited == r->walk)
        return;
    b->visited = r->walk;
    SN_PUSH(w->arena, w->range, w->n, w->cap, (struct sn_trace_range){b->addr, b->size});
    SN_PUSH(w->arena, w->todo, w->ntodo, w->cap_todo, b);
}

static int by_addr(const void *a, const void *b)
{
    const struct sn_trace_range *x = a, *y = b;
    return (x->addr > y->addr) - (x->addr < y->addr);
}

static uint32_t join_ranges(struct sn_trace_range *r, uint32_t n)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t last = out ? r[out - 1].addr + r[out - 1].size : 0;
        if (out && r[i].addr <= last) {
            uint64_t end = r[i].addr + r[i].size;
            r[out - 1].size = (end > last ? end : last) - r[out - 1].addr;
        } else {
            r[out++] = r[i];
        }
    }
    return out;
}

uint32_t sn_reach_walk(struct sn_reach *r, struct sn_arena *a, const struct sn_trace_range *roots,
                       uint32_t n, struct sn_trace_range **out)
{
    struct walk w = {.arena = a};
    r->walk++;
    for (uint32_t i = 0; i < n; i++) {
        if (!find(r->root, roots[i].addr) && roots[i].size)
            sn_reach_block(r, &roots[i], 1);
        visit(r, &w, roots[i].addr);
    }
    while (w.ntodo) {
        struct block *b = w.todo[--w.ntodo];
        for (uint32_t i = 0; i < b->n; i++)
            visit(r, &w, b->word[i].target);
    }
    if (w.n)
        qsort(w.range, w.n, sizeof *w.range, by_addr);
    *out = w.range;
    return join_ranges(w.range, w.n);
}
