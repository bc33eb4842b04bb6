/*
 * graph.c: blocks are numbered as they are met; each has its size and a sum over the pointers that
 * were last logged. A walk goes through all that is reachable, but only the first BUDGET blocks of
 * it are looked at again when they were logged before: so a call that is handed a long list costs
 * no more than one that is handed a short one.
 *
 * The same pointers are met again and again: `hints` knows which heap blocks and globals they led
 * into, as long as those live. Everything is dense, so that it stays in the processor's caches.
 */
#include "graph.h"

#include <string.h>
#include <sys/uio.h>

#include "core/count.h"
#include "core/sys.h"
#include "record.h"

enum {
    FIRST_SLOTS = 1 << 12,
    MAX_BLOCKS = 1 << 19, /* more are not logged (counted); numbers fit sn_heap_block */
    HINTS = 1 << 10,
    BUDGET = 8,
    BUDGET_BYTES = 4 * 1024,
    SCAN_BYTES = 64 * 1024, /* of one block; pointers behind that are not followed */
    MAX_POINTERS = 8192,
    MAX_TODO = 1 << 16,
};

struct block {
    uintptr_t addr;
    uint64_t size; /* 0: it was given back */
    uint64_t sum;
    uint32_t walk;  /* the last walk that was here */
    uint16_t class; /* enum sn_object_class */
    bool logged;    /* with this size */
};

static struct block *blocks; /* from 1 */
static uint32_t nblocks, walk_number;
static uint32_t *slots; /* hash table of numbers of blocks; 0 free */
static uint32_t nslots;
static uint32_t *todo; /* numbers */
static uint32_t ntodo;
static struct sn_trace_range ranges[MAX_POINTERS + 1];
static struct {
    uint64_t pointer;
    uint32_t block; /* 0: none */
} hints[HINTS];
uint32_t sn_graph_live;

static bool make_room(void)
{
    if (SN_LIKELY(blocks && todo && slots))
        return true;
    if (!blocks)
        blocks = sn_map(MAX_BLOCKS * sizeof *blocks);
    if (!todo)
        todo = sn_map(MAX_TODO * sizeof *todo);
    if (!slots)
        slots = sn_map(FIRST_SLOTS * sizeof *slots);
    nslots = FIRST_SLOTS;
    return blocks && todo && slots;
}

void sn_graph_forked(void)
{
    if (blocks)
        sn_map_clear(blocks, MAX_BLOCKS * sizeof *blocks);
    if (slots)
        sn_map_clear(slots, nslots * sizeof *slots);
    sn_graph_forget_hints();
    nblocks = 0;
    sn_graph_live = 0;
}

void sn_graph_forget_hints(void)
{
    for (uint32_t i = 0; i < HINTS; i++)
        hints[i].block = 0;
}

static uint32_t mix(uint64_t addr)
{
    return (uint32_t)((addr >> 3) * 0x9e3779b97f4a7c15ull >> 32);
}

static uint32_t *slot_of(uintptr_t addr)
{
    uint32_t h = mix(addr);
    while (slots[h & (nslots - 1)] && blocks[slots[h & (nslots - 1)]].addr != addr)
        h++;
    return &slots[h & (nslots - 1)];
}

static inline bool is_number_of(uint32_t i, uintptr_t addr)
{
    return i && i <= nblocks && blocks[i].addr == addr;
}

/* The object's block; one that is free when it was never met. */
static struct block *known_block(const struct sn_object_at *o)
{
    uint32_t i = o->heap ? o->heap->number : 0;
    return &blocks[is_number_of(i, o->addr) ? i : *slot_of(o->addr)];
}

/* A table that is much larger than the blocks need would cost a page for each of them. */
static SN_NOINLINE bool grow(void)
{
    uint32_t *p = sn_map(2 * nslots * sizeof *slots);
    if (!p)
        return false;
    sn_unmap(slots, nslots * sizeof *slots);
    slots = p;
    nslots *= 2;
    for (uint32_t i = 1; i <= nblocks; i++)
        *slot_of(blocks[i].addr) = i;
    return true;
}

/* The number of the block, a new one when it has none; 0: no room. */
static uint32_t number_of(uintptr_t addr)
{
    uint32_t *s = slot_of(addr);
    if (SN_LIKELY(*s))
        return *s;
    if (nblocks + 1 == MAX_BLOCKS || (nblocks >= nslots / 2 && !grow())) {
        sn_count(LOST_GRAPH);
        return 0;
    }
    blocks[++nblocks] = (struct block){.addr = addr};
    return *slot_of(addr) = nblocks;
}

static uint32_t number_as(const struct sn_object_at *o)
{
    uint32_t i = o->heap ? o->heap->number : 0;
    if (SN_UNLIKELY(!is_number_of(i, o->addr))) {
        i = number_of(o->addr);
        if (!i)
            return 0;
        if (o->heap)
            o->heap->number = i;
    }
    struct block *b = &blocks[i];
    b->logged = b->logged && b->size == o->size;
    b->size = o->size;
    b->class = (uint16_t)o->class;
    return i;
}

/* Of a pointer that was met before; 0: it is not known any more. */
static inline uint32_t hinted(uint64_t pointer)
{
    uint32_t i = hints[mix(pointer) % HINTS].block;
    const struct block *b = &blocks[i];
    bool right = hints[mix(pointer) % HINTS].pointer == pointer && pointer - b->addr < b->size &&
                 b->class <= SN_AT_GLOBAL;
    return SN_LIKELY(right) ? i : 0;
}

static SN_NOINLINE uint32_t look_up(uint64_t pointer)
{
    struct sn_object_at o;
    if (!sn_objects_at(pointer, &o))
        return UINT32_MAX;
    uint32_t i = number_as(&o);
    hints[mix(pointer) % HINTS].pointer = pointer;
    hints[mix(pointer) % HINTS].block = i;
    return i;
}

/* Number of the block that it points into; 0: one for which there is no room; UINT32_MAX: none. */
static inline uint32_t target_of(uint64_t pointer)
{
    uint32_t i = hinted(pointer);
    return SN_LIKELY(i != 0) ? i : look_up(pointer);
}

static inline void want(uint32_t number)
{
    if (SN_LIKELY(number && ntodo < MAX_TODO))
        todo[ntodo++] = number;
    else
        sn_count(LOST_GRAPH);
}

/* This thread's stack is mapped from here on, and so is the first thread's. */
static bool is_surely_mapped(const struct sn_object_at *o)
{
    const struct sn_thread *t = sn_self, *first = sn_thread_at(0);
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t end = o->addr + o->size;
    return (o->addr > here && end <= sn_objects_stack_end(t)) ||
           (first->number == 0 && o->addr >= first->stack_low &&
            end <= sn_objects_stack_end(first));
}

/* Another thread may just be ending: the kernel copies what there is. */
static uintptr_t copy_stack(const struct sn_object_at *o, uint64_t *copy, size_t room)
{
    struct iovec to = {copy, o->size < room ? o->size : room};
    struct iovec from = {(void *)o->addr, to.iov_len};
    long n = sn_sys6(SYS_process_vm_readv, sn_sys0(SYS_getpid), &to, 1, &from, 1, 0);
    return n > 0 ? (uintptr_t)n : 0;
}

/* The block's pointers into `ranges`; their sum. Those that are found go on the list. */
static uint64_t scan(const struct sn_object_at *o, uint32_t *n)
{
    static uint64_t copy[64]; /* the holder's */
    uintptr_t from = (o->addr + 7) & ~(uintptr_t)7;
    uintptr_t end = o->addr + (o->size < SCAN_BYTES ? o->size : SCAN_BYTES);
    uintptr_t shift = 0; /* from where it is to where it is looked at */
    uint64_t sum = o->size;
    if (SN_UNLIKELY(o->class == SN_AT_STACK) && !is_surely_mapped(o)) {
        end = o->addr + copy_stack(o, copy, sizeof copy);
        shift = (uintptr_t)copy - o->addr;
    }
    uint32_t found = 0;
    for (uintptr_t at = from; at + 8 <= end; at += 8) {
        uint64_t value = *(const volatile uint64_t *)(at + shift);
        if (SN_LIKELY(!sn_objects_maybe(value)) || found == MAX_POINTERS)
            continue;
        uint32_t target = target_of(value);
        if (target == UINT32_MAX)
            continue;
        want(target);
        ranges[++found] = (struct sn_trace_range){at - o->addr, value};
        sum = (sum ^ (value + at)) * 0x9e3779b97f4a7c15ull;
    }
    *n = found;
    return sum;
}

static void log_block(const struct sn_object_at *o, uint32_t n)
{
    ranges[0] = (struct sn_trace_range){o->addr, o->size};
    struct sn_trace_event ev = {.ev = {.op = SN_EV_NONE}, .nranges = n + 1, .ranges = ranges};
    sn_file_event(&ev);
}

struct budget {
    int32_t blocks, bytes;
};

/* A root is told with the call: that is enough for one without pointers. */
static bool is_told(const struct block *b, uint32_t npointers, bool is_root)
{
    return is_root && !b->logged && !npointers && b->class <= SN_AT_GLOBAL;
}

/* A small block without pointers that has none yet: most are such. */
static inline bool is_still_leaf(const struct block *b)
{
    enum { SMALL = 32 };
    if (!b->logged || b->sum != b->size || b->size > SMALL || b->class > SN_AT_GLOBAL)
        return false;
    for (uintptr_t at = (b->addr + 7) & ~(uintptr_t)7; at + 8 <= b->addr + b->size; at += 8)
        if (sn_objects_maybe(*(const volatile uint64_t *)at))
            return false;
    return true;
}

static void visit(struct block *b, struct budget *left, bool is_root)
{
    uint32_t n = 0;
    if (b->walk == walk_number || (b->logged && (left->blocks <= 0 || left->bytes <= 0)))
        return;
    b->walk = walk_number;
    left->blocks--;
    left->bytes -= (int32_t)(b->size < SCAN_BYTES ? b->size : SCAN_BYTES);
    if (is_still_leaf(b))
        return;
    const struct sn_object_at o = {b->class, b->addr, b->size, 0};
    uint64_t sum = o.class == SN_AT_THREAD ? o.size : scan(&o, &n);
    if (b->logged && sum == b->sum)
        return;
    bool told = is_told(b, n, is_root);
    b->sum = sum;
    b->logged = true;
    if (!told)
        log_block(&o, n);
    sn_graph_live = 1;
}

void sn_graph_next(void)
{
    walk_number++;
}

static void reach(uint32_t from, bool is_root)
{
    struct budget left = {BUDGET, BUDGET_BYTES};
    ntodo = 0;
    want(from);
    for (uint32_t i = 0; i < ntodo; i++)
        visit(&blocks[todo[i]], &left, is_root && i == 0);
}

void sn_graph_reach(const struct sn_object_at *from)
{
    if (make_room())
        reach(number_as(from), true);
}

bool sn_graph_root(uintptr_t pointer, struct sn_trace_range *out)
{
    if (!sn_objects_maybe(pointer) || !make_room())
        return false;
    uint32_t i = target_of(pointer);
    if (i == UINT32_MAX)
        return false;
    *out = (struct sn_trace_range){i ? blocks[i].addr : pointer, i ? blocks[i].size : 1};
    reach(i, true);
    return true;
}

uint32_t sn_graph_all(const struct sn_object_at *from, struct sn_trace_range *out, uint32_t n,
                      uint32_t most)
{
    uint32_t pointers;
    if (!make_room())
        return UINT32_MAX;
    ntodo = 0;
    want(number_as(from));
    for (uint32_t i = 0; i < ntodo; i++) {
        struct block *b = &blocks[todo[i]];
        const struct sn_object_at o = {b->class, b->addr, b->size, 0};
        if (b->walk == walk_number)
            continue;
        if (n == most)
            return UINT32_MAX;
        b->walk = walk_number;
        out[n++] = (struct sn_trace_range){o.addr, o.size};
        if (o.class != SN_AT_THREAD)
            scan(&o, &pointers);
    }
    return n;
}

void sn_graph_forget(uintptr_t addr)
{
    uint32_t i = sn_objects_number(addr);
    if (is_number_of(i, addr)) {
        blocks[i].size = 0;
        blocks[i].logged = false;
    }
}

/* Only a block that is logged matters, and only a target that is not. */
void sn_graph_pointer_written(uintptr_t addr, uint64_t value)
{
    struct sn_object_at from, to;
    if (blocks[hinted(value)].logged || !sn_objects_maybe(addr) || !sn_objects_at(addr, &from) ||
        !known_block(&from)->logged)
        return;
    if (sn_objects_at(value, &to) && !known_block(&to)->logged) {
        walk_number++;
        reach(number_as(&to), false);
    }
}
