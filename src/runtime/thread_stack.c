/*
 * thread_stack.c: where the calling thread's stack and static TLS are.
 *
 * pthread_getattr_np() is the only exact source: the stack may come from glibc's cache and be
 * larger than was asked for. It allocates (a CPU set): the caller is inside a hook, and lends it
 * some of its stack for that.
 */
#include "runtime/thread_hooks.h"

#include "runtime/alloc.h"
#include "runtime/real.h"

void sn_stack_bounds(uintptr_t *low, uintptr_t *high)
{
    pthread_attr_t attr;
    void *addr = 0;
    size_t bytes = 0;
    char room[768] __attribute__((aligned(16)));
    *low = *high = 0;
    sn_alloc_scratch(room, sizeof room);
    if (sn_real.pthread_getattr_np(pthread_self(), &attr) == 0) {
        if (pthread_attr_getstack(&attr, &addr, &bytes) == 0) {
            *low = (uintptr_t)addr;
            *high = (uintptr_t)addr + bytes;
        }
        pthread_attr_destroy(&attr);
    }
    sn_alloc_scratch(0, 0);
}

/* On x86-64 static TLS lies right below the thread control block. */
void sn_tls_bounds(uintptr_t *low, uintptr_t *high)
{
    uintptr_t tcb = (uintptr_t)pthread_self();
    size_t bytes = sn_real_static_tls_bytes();
    *low = bytes ? tcb - bytes : 0;
    *high = bytes ? tcb : 0;
}
