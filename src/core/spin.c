/* spin.c: waiting for a spin lock. */
#include "core/spin.h"

SN_NOINLINE void sn_spin_wait(uint32_t *lock)
{
    for (unsigned round = 0;; round++) {
        for (unsigned ticks = 50; ticks < 2000; ticks *= 2) {
            sn_cpu_wait(ticks);
            if (!(__atomic_load_n(lock, __ATOMIC_RELAXED) & 1) &&
                !(__atomic_fetch_or(lock, 1, __ATOMIC_ACQUIRE) & 1))
                return;
        }
        if (round < 16)
            sn_sys0(SYS_sched_yield);
        else
            sn_sleep_us(50);
    }
}
