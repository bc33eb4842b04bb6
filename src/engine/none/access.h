/*
 * access.h (none): the memory path of the engine that does nothing. It is also the list of what an
 * engine's access.h provides (atomics: runtime/path_no_atomic.h); each is called by
 * runtime/tsan_abi.c and its siblings.
 */
#ifndef SN_ENGINE_ACCESS_H
#define SN_ENGINE_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/path_no_atomic.h"

/* 1: entry points do nothing at all; the ABI's functions are compiled empty. */
#define SN_ACCESS_NONE 1

static inline void sn_access_read(uintptr_t addr, unsigned size, uintptr_t pc)
{
    (void)addr, (void)size, (void)pc;
}

static inline void sn_access_write(uintptr_t addr, unsigned size, uintptr_t pc)
{
    (void)addr, (void)size, (void)pc;
}

/* Any size and alignment. */
static inline void sn_access_read_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    (void)addr, (void)size, (void)pc;
}

static inline void sn_access_write_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    (void)addr, (void)size, (void)pc;
}

static inline void sn_access_func_entry(uintptr_t caller, uintptr_t rsp, uintptr_t rbp)
{
    (void)caller, (void)rsp, (void)rbp;
}

static inline void sn_access_func_exit(void)
{
}

#endif
