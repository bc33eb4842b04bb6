/*
 * access.h (race): the memory path, inline. One look at the shadow: if this thread, in this epoch,
 * has already done the same or more to these bytes, there is nothing to learn. Everything else is
 * behind one tail call (access.c). A conflict can only be missed when two threads are in the slow
 * path for the same granule within the same few nanoseconds: words are stored, not exchanged, since
 * that would cost more than all the rest.
 */
#ifndef SN_ENGINE_ACCESS_H
#define SN_ENGINE_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "core/ctx_cache.h"
#include "core/event.h"
#include "core/sys.h"
#include "core/thread.h"
#include "shadow.h"
#include "word.h"

/* This thread's epoch; 0 while the engine does not follow it. */
extern __thread uint32_t sn_race_epoch __attribute__((tls_model("initial-exec")));

void sn_race_read(uintptr_t addr, unsigned size, uintptr_t pc);
void sn_race_write(uintptr_t addr, unsigned size, uintptr_t pc);
void sn_race_read_range(uintptr_t addr, size_t size, uintptr_t pc);
void sn_race_write_range(uintptr_t addr, size_t size, uintptr_t pc);

/* Two narrow loads instead of one wide and a shift: a word of this thread's epoch is written by this
 * thread only, so the mask belongs to it. */
static inline __attribute__((always_inline)) int sn_race_has(const uint64_t *word, uint32_t epoch,
                                                             unsigned mask)
{
    return __atomic_load_n((const uint32_t *)word + 1, __ATOMIC_RELAXED) == epoch &&
           !(mask & ~(unsigned)__atomic_load_n((const uint8_t *)word, __ATOMIC_RELAXED));
}

/* 16 bytes on an 8-byte boundary: two neighbouring granules of one region. */
static inline __attribute__((always_inline)) int sn_race_is_pair(uintptr_t addr)
{
    return !(addr & 7) && (addr & (SN_REGION_BYTES - 1)) != SN_REGION_BYTES - 8;
}

static inline __attribute__((always_inline)) void sn_access_read16(uintptr_t addr, uintptr_t pc)
{
    uintptr_t bias = sn_shadow_bias(addr);
    if (SN_LIKELY(bias && sn_race_is_pair(addr))) {
        struct sn_granule *g = sn_granule_at(bias, addr);
        uint32_t epoch = sn_race_epoch;
        if ((sn_race_has(&g[0].r, epoch, 0xff) || sn_race_has(&g[0].w, epoch, 0xff)) &&
            (sn_race_has(&g[1].r, epoch, 0xff) || sn_race_has(&g[1].w, epoch, 0xff)))
            return;
    }
    sn_race_read_range(addr, 16, pc);
}

static inline __attribute__((always_inline)) void sn_access_write16(uintptr_t addr, uintptr_t pc)
{
    uintptr_t bias = sn_shadow_bias(addr);
    if (SN_LIKELY(bias && sn_race_is_pair(addr))) {
        struct sn_granule *g = sn_granule_at(bias, addr);
        uint32_t epoch = sn_race_epoch;
        if (sn_race_has(&g[0].w, epoch, 0xff) && sn_race_has(&g[1].w, epoch, 0xff))
            return;
    }
    sn_race_write_range(addr, 16, pc);
}

static inline __attribute__((always_inline)) void sn_access_read(uintptr_t addr, unsigned size,
                                                                 uintptr_t pc)
{
    uintptr_t bias = sn_shadow_bias(addr);
    if (size == 16) {
        sn_access_read16(addr, pc);
        return;
    }
    if (SN_LIKELY(bias != 0)) {
        struct sn_granule *g = sn_granule_at(bias, addr);
        unsigned mask = size == 8 ? 0xff : ((1u << size) - 1) << (addr & 7);
        uint32_t epoch = sn_race_epoch;
        if (sn_race_has(&g->r, epoch, mask) || sn_race_has(&g->w, epoch, mask))
            return;
    }
    sn_race_read(addr, size, pc);
}

static inline __attribute__((always_inline)) void sn_access_write(uintptr_t addr, unsigned size,
                                                                  uintptr_t pc)
{
    uintptr_t bias = sn_shadow_bias(addr);
    if (size == 16) {
        sn_access_write16(addr, pc);
        return;
    }
    if (SN_LIKELY(bias != 0)) {
        struct sn_granule *g = sn_granule_at(bias, addr);
        unsigned mask = size == 8 ? 0xff : ((1u << size) - 1) << (addr & 7);
        if (sn_race_has(&g->w, sn_race_epoch, mask))
            return;
    }
    sn_race_write(addr, size, pc);
}

static inline void sn_access_read_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    sn_race_read_range(addr, size, pc);
}

static inline void sn_access_write_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    sn_race_write_range(addr, size, pc);
}

static inline void sn_access_func_entry(uintptr_t caller, uintptr_t rsp, uintptr_t rbp)
{
    struct sn_thread *t = sn_self;
    if (SN_LIKELY(t != 0))
        sn_call_push(t, caller, rsp, rbp);
}

static inline void sn_access_func_exit(void)
{
    struct sn_thread *t = sn_self;
    if (SN_LIKELY(t != 0))
        sn_call_pop(t);
}

struct sn_sync;

/* Around an atomic operation; see atomic.c. */
struct sn_atomic_scope {
    struct sn_thread *t; /* null: not followed */
    struct sn_sync *s;   /* locked, unless `looked` */
    uintptr_t addr, pc;
    uint32_t seq;
    uint16_t size;
    uint8_t op, order, looked;
};

void sn_atomic_enter(struct sn_atomic_scope *s, uintptr_t addr, unsigned size, enum sn_event_op op,
                     int order, uintptr_t pc);
int sn_atomic_leave(struct sn_atomic_scope *s, int stored, int fail_order);
void sn_atomic_fence(int order, uintptr_t pc);

#endif
