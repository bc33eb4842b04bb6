/*
 * access.c: reads and writes. The value is looked at before anything else is changed: an address
 * that cannot be read faults here as it would in the program, and a handler may jump away.
 *
 * What a write has written is looked at at the thread's next event. Only a copy of a struct has
 * two: compilers tell of the write, then of the read, then copy. So a read of the same size right
 * after a write that seems not to have happened waits with it: if memory has changed when both are
 * settled, it was a copy and the read comes first.
 */
#include "access.h"

#include <string.h>

#include "core/count.h"
#include "core/stop.h"
#include "graph.h"

static uint64_t load(uintptr_t addr, size_t size)
{
    uint64_t v = 0;
    switch (size) {
    case 8:
        return *(const volatile uint64_t *)addr;
    case 4:
        return *(const volatile uint32_t *)addr;
    case 2:
        return *(const volatile uint16_t *)addr;
    case 1:
        return *(const volatile uint8_t *)addr;
    }
    for (size_t i = 0; i < size; i++)
        v |= (uint64_t)((const volatile uint8_t *)addr)[i] << (8 * i);
    return v;
}

enum { KNOWN = 1, PART = 2 };

static void put(struct sn_thread *t, enum sn_event_op op, uintptr_t addr, size_t size,
                uint32_t site, uint64_t value, unsigned how)
{
    struct sn_trace_event ev = {.ev = {.op = (uint8_t)op,
                                       .flags = how & PART ? SN_EF_PART : 0,
                                       .addr = addr,
                                       .size = size,
                                       .value = value},
                                .thread = t->number,
                                .site = site,
                                .flags = how & KNOWN ? SN_TRACE_VALUE : 0};
    sn_file_event(&ev);
}

/* Word by word, as memory is divided. */
static void put_words(struct sn_thread *t, enum sn_event_op op, uintptr_t addr, size_t size,
                      uint32_t site)
{
    if (size > SN_REC_MEMORY) {
        put(t, op, addr, size, site, 0, 0);
        return;
    }
    for (size_t done = 0, n; done < size; done += n) {
        n = 8 - ((addr + done) & 7);
        if (n > size - done)
            n = size - done;
        uint64_t value = load(addr + done, n);
        put(t, op, addr + done, n, site, value, done ? KNOWN | PART : KNOWN);
        if (op == SN_EV_WRITE && n == 8)
            sn_graph_written(addr + done, value);
    }
}

/* What is at addr, in one word. */
static uint64_t sum_of(uintptr_t addr, uint64_t size)
{
    uint64_t sum = size;
    if (SN_LIKELY(size <= 8))
        return load(addr, size);
    if (size > SN_REC_MEMORY)
        return 0; /* its value is not recorded */
    for (uint64_t done = 0; done < size; done += 8)
        sum = (sum ^ load(addr + done, size - done < 8 ? size - done : 8)) * 0x9e3779b97f4a7c15ull;
    return sum;
}

static void put_write(struct sn_thread *t, uintptr_t addr, uint64_t size, uint32_t site)
{
    if (size > 8) {
        put_words(t, SN_EV_WRITE, addr, size, site);
        return;
    }
    uint64_t value = load(addr, size);
    put(t, SN_EV_WRITE, addr, size, site, value, KNOWN);
    if (size == 8)
        sn_graph_written(addr, value);
}

static void put_read(struct sn_thread *t, uintptr_t addr, uint64_t size, uint32_t site)
{
    if (SN_LIKELY(size <= 8))
        put(t, SN_EV_READ, addr, size, site, load(addr, size), KNOWN);
    else
        put_words(t, SN_EV_READ, addr, size, site);
}

static SN_NOINLINE void settle_both(struct sn_thread *t, struct sn_recorded *r)
{
    uint64_t size = r->write_size;
    bool copied = sum_of(r->write_addr, size) != r->write_old;
    r->write_size = r->read_size = 0;
    if (copied)
        put_read(t, r->read_addr, size, r->read_site);
    put_write(t, r->write_addr, size, r->write_site);
    if (!copied)
        put_read(t, r->read_addr, size, r->read_site);
}

void sn_write_settle(struct sn_thread *t)
{
    struct sn_recorded *r = sn_rec_of(t);
    uint64_t size = r->write_size;
    if (!size)
        return;
    if (SN_UNLIKELY(r->read_size)) {
        settle_both(t, r);
        return;
    }
    r->write_size = 0;
    put_write(t, r->write_addr, size, r->write_site);
}

/* May a read be the second half of a copy whose first is pending? */
static bool may_be_copy(const struct sn_recorded *r, uintptr_t addr, uint64_t size)
{
    return size == r->write_size && !r->read_size && (!r->npairs || r->back_at) &&
           (addr + size <= r->write_addr || r->write_addr + size <= addr) &&
           sum_of(r->write_addr, size) == r->write_old;
}

void sn_write_told(struct sn_thread *t, uintptr_t addr, size_t size, uint32_t site)
{
    struct sn_recorded *r = sn_rec_of(t);
    r->write_old = sum_of(addr, size);
    r->write_addr = addr;
    r->write_site = site;
    r->write_size = size;
    r->spins = 0;
}

enum { PATIENCE = 64, NAP_US = 100, LONGER = 8, LONGEST = 3 };

/* A loop that waits would fill the trace with what it sees, while nobody else wants the order. The
 * longer it has waited the longer it naps, up to 0.8 ms. */
static SN_NOINLINE void slow_down(struct sn_thread *t)
{
    uint32_t longer = (sn_rec_of(t)->spins - PATIENCE) / LONGER;
    sn_busy_enter(t);
    sn_order_give(t);
    sn_busy_leave(t);
    sn_sleep_us(NAP_US << (longer < LONGEST ? longer : LONGEST));
}

/* An access that is not recorded: the order is not needed, and others may wait for it. They take it
 * from a thread whose call into what is excluded was seen (order.c). */
static void pass_by(struct sn_thread *t, uintptr_t addr)
{
    enum { SOME = 32 };
    sn_spin_looked(sn_rec_of(t), addr);
    if (SN_UNLIKELY(sn_rec_of(t)->spins >= PATIENCE)) {
        slow_down(t);
        return;
    }
    if (!__atomic_load_n(&sn_order_wanted, __ATOMIC_RELAXED) ||
        sn_rec_of(t)->away == sn_rec_of(t)->hooks || ++sn_rec_of(t)->hidden % SOME)
        return;
    sn_busy_enter(t);
    sn_order_give(t);
    sn_busy_leave(t);
}

struct sn_thread *sn_record_enter(uintptr_t pc, uintptr_t addr, size_t size)
{
    struct sn_thread *t = sn_self;
    if (!t || !sn_file_live)
        return 0;
    if (SN_UNLIKELY(t->busy | t->in_hook | sn_rec_of(t)->queued)) {
        sn_count(LOST_NESTED);
        return 0;
    }
    if (SN_UNLIKELY(sn_exclude_any) && sn_exclude_has(pc)) {
        pass_by(t, addr);
        return 0;
    }
    if (SN_UNLIKELY(sn_rec_of(t)->spins >= PATIENCE))
        slow_down(t);
    sn_busy_enter(t);
    if (size && sn_rec_of(t)->write_size == size && sn_order_keep(t) &&
        may_be_copy(sn_rec_of(t), addr, size))
        return t; /* nobody gets the baton in the middle of a copy: its write is yet to come */
    sn_order_take(t);
    sn_write_settle(t);
    if (SN_UNLIKELY(sn_rec_of(t)->npairs))
        sn_pair_settle(t, pc);
    return t;
}

SN_NOINLINE void sn_record_read(uintptr_t addr, size_t size, uintptr_t pc)
{
    struct sn_thread *t = sn_record_enter(pc, addr, size);
    if (!t)
        return;
    struct sn_recorded *r = sn_rec_of(t);
    uint32_t site = sn_file_here(t, pc);
    sn_spin_looked(r, addr);
    if (SN_UNLIKELY(r->write_size)) {
        (void)*(const volatile char *)addr;
        r->read_addr = addr;
        r->read_site = site;
        r->read_size = size;
    } else {
        put_read(t, addr, size, site);
    }
    sn_busy_leave(t);
}

SN_NOINLINE void sn_record_write(uintptr_t addr, size_t size, uintptr_t pc)
{
    struct sn_thread *t = sn_record_enter(pc, addr, 0);
    if (!t)
        return;
    (void)*(const volatile char *)addr;
    sn_write_told(t, addr, size, sn_file_here(t, pc));
    sn_busy_leave(t);
}
