/*
 * map.c: mmap, munmap, mremap. glibc's own mappings (stacks, arenas, libraries) do not come through
 * here; thread stacks are told by thread_create.c and heap blocks by alloc.c.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/types.h>

#include "runtime/emit.h"
#include "runtime/real.h"

static void *mapped(struct sn_thread *t, void *p, size_t size, uintptr_t pc)
{
    if (p != MAP_FAILED)
        SN_EMIT(t, MAP, .addr = (uintptr_t)p, .size = size, .pc = pc);
    sn_hook_leave(t);
    return p;
}

SN_EXPORT void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t at)
{
    struct sn_thread *t = sn_hook_enter(SN_CALLER);
    if (!t)
        return sn_pass(mmap)(addr, size, prot, flags, fd, at);
    return mapped(t, sn_real.mmap(addr, size, prot, flags, fd, at), size, SN_CALLER);
}

SN_EXPORT void *mmap64(void *addr, size_t size, int prot, int flags, int fd, off64_t at)
{
    struct sn_thread *t = sn_hook_enter(SN_CALLER);
    if (!t)
        return sn_pass(mmap64)(addr, size, prot, flags, fd, at);
    return mapped(t, sn_real.mmap64(addr, size, prot, flags, fd, at), size, SN_CALLER);
}

/* The kernel refuses these, and then nothing is unmapped. */
static bool will_unmap(const void *addr, size_t size)
{
    return size && ((uintptr_t)addr & 4095) == 0;
}

SN_EXPORT int munmap(void *addr, size_t size)
{
    struct sn_thread *t = sn_hook_enter(SN_CALLER);
    if (!t)
        return sn_pass(munmap)(addr, size);
    if (will_unmap(addr, size))
        SN_EMIT(t, UNMAP, .addr = (uintptr_t)addr, .size = size, .pc = SN_CALLER);
    int r = sn_real.munmap(addr, size);
    sn_hook_leave(t);
    return r;
}

/* As with realloc: given up, then new; the old place again when it fails. */
SN_EXPORT void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(ap, void *) : 0;
    va_end(ap);
    struct sn_thread *t = sn_hook_enter(SN_CALLER);
    if (!t)
        return sn_pass(mremap)(old, old_size, size, flags, to);
    if (will_unmap(old, old_size))
        SN_EMIT(t, UNMAP, .addr = (uintptr_t)old, .size = old_size, .pc = SN_CALLER);
    void *p = sn_real.mremap(old, old_size, size, flags, to);
    if (p == MAP_FAILED && will_unmap(old, old_size))
        SN_EMIT(t, MAP, .addr = (uintptr_t)old, .size = old_size, .pc = SN_CALLER);
    return mapped(t, p, size, SN_CALLER);
}
