/*
 * count.h: named counters. In the program under test sn_counters points into the run file's header
 * page; elsewhere it points to a private array.
 */
#ifndef SN_CORE_COUNT_H
#define SN_CORE_COUNT_H

#include <stdint.h>

enum sn_count {
#define SN_COUNT(id, name, class, words) SN_C_##id,
#include "core/count.def"
#undef SN_COUNT
    SN_C_COUNT
};

extern uint64_t *sn_counters; /* atomic adds; never null */

static inline void sn_count_add(enum sn_count c, uint64_t n)
{
    __atomic_fetch_add(&sn_counters[c], n, __ATOMIC_RELAXED);
}

#define sn_count(c) sn_count_add(SN_C_##c, 1)

#endif
