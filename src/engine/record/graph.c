/*
 * graph.c: blocks are known by their address in a hash table, with their size and a sum over the
 * pointers that were last logged. A walk goes through all that is reachable, but only the first
 * BUDGET blocks of it are looked at again when they were logged before: so a call that is handed
 * a long list costs no more than one that is handed a short one.
 */
#include "graph.h"

#include <string.h>
#include <sys/uio.h>

#include "core/count.h"
#include "core/sys.h"
#include "record.h"

enum {
    SLOTS = 1 << 20, /* blocks that can be logged; past half of it nothing is added (counted) */
    BUDGET = 16,
    BUDGET_BYTES = 4 * 1024,
    SCAN_BYTES = 64 * 1024, /* of one block; pointers behind that are not followed */
    MAX_POINTERS = 8192,
    MAX_TODO = 1 << 16,
};

struct block {
    uintptr_t addr; /* 0: free */
    uint64_t size;
    uint64_t sum;
    uint32_t walk; /* the last walk that was here */
    uint32_t pad;
};

static struct block *blocks;
static uint32_t nblocks, walk_number;
static struct sn_object_at *todo;
static uint32_t ntodo;
static struct sn_trace_range ranges[MAX_POINTERS + 1];
uint32_t sn_graph_live;

static bool make_room(void)
{
    if (!blocks)
        blocks = sn_map(SLOTS * sizeof *blocks);
    if (!todo)
        todo = sn_map(MAX_TODO * sizeof *todo);
    return blocks && todo;
}

void sn_graph_forked(void)
{
    if (blocks)
        sn_map_clear(blocks, SLOTS * sizeof *blocks);
    nblocks = 0;
    sn_graph_live = 0;
}

static struct block *slot_of(uintptr_t addr)
{
    uint64_t h = (addr >> 3) * 0x9e3779b97f4a7c15ull >> 44;
    while (blocks[h & (SLOTS - 1)].addr && blocks[h & (SLOTS - 1)].addr != addr)
        h++;
    return &blocks[h & (SLOTS - 1)];
}

static void want(const struct sn_object_at *o)
{
    if (ntodo < MAX_TODO)
        todo[ntodo++] = *o;
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
    *n = 0;
    for (uintptr_t at = from; at + 8 <= end; at += 8) {
        struct sn_object_at target;
        uint64_t value = *(const volatile uint64_t *)(at + shift);
        if (value < 4096 || value >> 47 || *n == MAX_POINTERS || !sn_objects_at(value, &target))
            continue;
        ranges[++*n] = (struct sn_trace_range){at - o->addr, value};
        sum = (sum ^ (value + at)) * 0x9e3779b97f4a7c15ull;
        want(&target);
    }
    return sum;
}

static void log_block(const struct sn_object_at *o, uint32_t n)
{
    ranges[0] = (struct sn_trace_range){o->addr, o->size};
    struct sn_trace_event ev = {.ev = {.op = SN_EV_NONE}, .nranges = n + 1, .ranges = ranges};
    sn_file_event(&ev);
    sn_graph_live = 1;
}

struct budget {
    int32_t blocks, bytes;
};

static void visit(const struct sn_object_at *o, struct budget *left)
{
    struct block *b = slot_of(o->addr);
    bool known = b->addr && b->size == o->size && o->size;
    uint32_t n = 0;
    if (b->addr && b->walk == walk_number)
        return;
    if (known && (left->blocks <= 0 || left->bytes <= 0))
        return;
    if (!b->addr && nblocks >= SLOTS / 2) {
        sn_count(LOST_GRAPH);
        return;
    }
    nblocks += !b->addr;
    b->addr = o->addr;
    b->size = o->size;
    b->walk = walk_number;
    left->blocks--;
    left->bytes -= (int32_t)(o->size < SCAN_BYTES ? o->size : SCAN_BYTES);
    uint64_t sum = o->class == SN_AT_THREAD ? o->size : scan(o, &n);
    if (known && sum == b->sum)
        return;
    b->sum = sum;
    log_block(o, n);
}

void sn_graph_next(void)
{
    walk_number++;
}

void sn_graph_reach(const struct sn_object_at *from)
{
    struct budget left = {BUDGET, BUDGET_BYTES};
    if (!make_room())
        return;
    ntodo = 0;
    want(from);
    for (uint32_t i = 0; i < ntodo; i++)
        visit(&todo[i], &left);
}

uint32_t sn_graph_all(const struct sn_object_at *from, struct sn_trace_range *out, uint32_t n,
                      uint32_t most)
{
    uint32_t pointers;
    if (!make_room())
        return UINT32_MAX;
    ntodo = 0;
    want(from);
    for (uint32_t i = 0; i < ntodo; i++) {
        struct sn_object_at o = todo[i];
        struct block *b = slot_of(o.addr);
        if (b->addr && b->walk == walk_number)
            continue;
        if (n == most || (!b->addr && nblocks >= SLOTS / 2))
            return UINT32_MAX;
        nblocks += !b->addr;
        b->addr = o.addr;
        b->walk = walk_number;
        out[n++] = (struct sn_trace_range){o.addr, o.size};
        if (o.class != SN_AT_THREAD)
            scan(&o, &pointers);
    }
    return n;
}

void sn_graph_forget(uintptr_t addr)
{
    struct block *b = blocks ? slot_of(addr) : 0;
    if (b && b->addr)
        b->size = 0;
}

/* Only a block that is logged matters, and only a target that is not. */
void sn_graph_pointer_written(uintptr_t addr, uint64_t value)
{
    struct sn_object_at from, to;
    if (!sn_objects_at(value, &to) || slot_of(to.addr)->size)
        return;
    if (sn_objects_at(addr, &from) && slot_of(from.addr)->size) {
        walk_number++;
        sn_graph_reach(&to);
    }
}
