/*
 * access.h (tsvd): a memory access of instrumented code is a point too: a call on the object at its
 * address. Atomic operations are none: they may overlap.
 */
#ifndef SN_ENGINE_ACCESS_H
#define SN_ENGINE_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/path_calls.h"
#include "runtime/path_no_atomic.h"

void sn_tsvd_memory(uintptr_t addr, size_t size, int write, uintptr_t pc);

static inline void sn_path_memory(uintptr_t addr, size_t size, int write, uintptr_t pc)
{
    sn_tsvd_memory(addr, size, write, pc);
}

#include "runtime/path_memory.h"

#endif
