/* guard.h: what every guarded access does, and where it goes when that is not enough. */
#ifndef SN_SA_GUARD_H
#define SN_SA_GUARD_H

#include <stdint.h>

#include "recorder.h"
#include "standalone.h"

extern struct sn_sa_config sn_sa_config __attribute__((visibility("hidden")));

void sn_sa_slow(uintptr_t addr, uint32_t id);

/* Where glibc keeps the kernel's number of a thread; looked at once before it is believed. */
static inline uint32_t sn_sa_tid(void)
{
    uint32_t tid;
    __asm__ volatile("movl %%fs:0x2d0, %0" : "=r"(tid));
    return tid;
}

static inline const struct sn_sa_site *sn_sa_site_at(uint32_t id)
{
    return (const struct sn_sa_site *)((char *)&sn_sa_config + sn_sa_config.sites) + id - 1;
}

/* False: it may still be in the rest of the set. */
static inline int sn_sa_is_near(const struct sn_sa_site *s, uint32_t pred)
{
    uint32_t bit = pred - s->base;
    if (!pred)
        return s->nil;
    return bit < SN_SA_NEAR_BITS && s->near[bit / 32] >> bit % 32 & 1;
}

#endif
