/*
 * spin.h: the runtime's only lock: a word. Held for some tens of instructions, never across a call
 * into the program or libc. After a while of spinning the waiter sleeps, since the holder may have
 * lost its processor.
 */
#ifndef SN_CORE_SPIN_H
#define SN_CORE_SPIN_H

#include <stdint.h>

#include "core/sys.h"

/* Slow path; takes the lock by setting bit 0. */
void sn_spin_wait(uint32_t *lock);

static inline void sn_spin_lock(uint32_t *lock)
{
    if (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        sn_spin_wait(lock);
}

static inline void sn_spin_unlock(uint32_t *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE); /* pairs with sn_spin_lock() */
}

#endif
