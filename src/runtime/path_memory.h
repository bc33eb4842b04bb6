/*
 * path_memory.h: reads and writes for the access.h of an engine that treats every size alike.
 * Before it is included the engine defines sn_path_memory(addr, size, write, pc).
 */
#ifndef SN_PATH_MEMORY_H
#define SN_PATH_MEMORY_H

#include <stddef.h>
#include <stdint.h>

static inline void sn_access_read(uintptr_t addr, unsigned size, uintptr_t pc)
{
    sn_path_memory(addr, size, 0, pc);
}

static inline void sn_access_write(uintptr_t addr, unsigned size, uintptr_t pc)
{
    sn_path_memory(addr, size, 1, pc);
}

static inline void sn_access_read_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    sn_path_memory(addr, size, 0, pc);
}

static inline void sn_access_write_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    sn_path_memory(addr, size, 1, pc);
}

#endif
