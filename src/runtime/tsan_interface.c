/*
 * tsan_interface.c: the functions of sanitizer/tsan_interface.h that programs call by hand:
 * acquire/release, mutexes of one's own, fibers, and what else that header has.
 */
#include <stddef.h>
#include <stdint.h>

#include "core/ctx_cache.h"
#include "core/event.h"
#include "runtime/hook.h"

enum {
    MUTEX_READ = 1 << 3,
    MUTEX_TRY_FAILED = 1 << 5,
    IGNORE_ALL = 7,
    FIBER_NO_SYNC = 1,
};

static void tell(enum sn_event_op op, const void *addr, uint64_t value, uintptr_t pc)
{
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return;
    struct sn_event ev = {.op = (uint8_t)op, .addr = (uintptr_t)addr, .value = value, .pc = pc};
    sn_engine_event(t, &ev);
    sn_hook_leave(t);
}

SN_EXPORT void __tsan_acquire(void *addr);
SN_EXPORT void __tsan_acquire(void *addr)
{
    tell(SN_EV_ACQUIRE, addr, 0, SN_CALLER);
}

SN_EXPORT void __tsan_release(void *addr);
SN_EXPORT void __tsan_release(void *addr)
{
    tell(SN_EV_RELEASE_MERGE, addr, 0, SN_CALLER);
}

/* What happens between pre and post is the lock's own business. */
SN_EXPORT void __tsan_mutex_create(void *m, unsigned flags);
SN_EXPORT void __tsan_mutex_create(void *m, unsigned flags)
{
    (void)flags;
    tell(SN_EV_LOCK_INIT, m, 0, SN_CALLER);
}

SN_EXPORT void __tsan_mutex_destroy(void *m, unsigned flags);
SN_EXPORT void __tsan_mutex_destroy(void *m, unsigned flags)
{
    (void)flags;
    tell(SN_EV_LOCK_DESTROY, m, 0, SN_CALLER);
    sn_sync_drop((uintptr_t)m);
}

SN_EXPORT void __tsan_mutex_pre_lock(void *m, unsigned flags);
SN_EXPORT void __tsan_mutex_pre_lock(void *m, unsigned flags)
{
    (void)m, (void)flags;
    tell(SN_EV_IGNORE, 0, IGNORE_ALL, SN_CALLER);
}

static void own_lock_taken(void *m, int shared, uintptr_t pc)
{
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return;
    struct sn_sync *s = sn_sync_get((uintptr_t)m, SN_SYNC_RWLOCK);
    struct sn_held *h = s ? sn_held_find(t, s) : 0;
    struct sn_event ev = {
        .op = shared ? SN_EV_RDLOCK : SN_EV_LOCK, .addr = (uintptr_t)m, .pc = pc, .sync = s};
    if (h) {
        h->depth++;
    } else if (s) {
        sn_held_push(t, s, sn_ctx_where(t, pc), shared != 0);
        sn_engine_event(t, &ev);
    }
    sn_hook_leave(t);
}

static void own_lock_given(void *m, int shared, uintptr_t pc)
{
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return;
    struct sn_sync *s = sn_sync_find((uintptr_t)m);
    struct sn_held *h = s ? sn_held_find(t, s) : 0;
    struct sn_event ev = {
        .op = shared ? SN_EV_RDUNLOCK : SN_EV_UNLOCK, .addr = (uintptr_t)m, .pc = pc, .sync = s};
    if (h && h->depth) {
        h->depth--;
    } else {
        sn_engine_event(t, &ev);
        if (h)
            sn_held_remove(t, h);
    }
    sn_hook_leave(t);
}

SN_EXPORT void __tsan_mutex_post_lock(void *m, unsigned flags, int recursion);
SN_EXPORT void __tsan_mutex_post_lock(void *m, unsigned flags, int recursion)
{
    (void)recursion;
    tell(SN_EV_WATCH, 0, IGNORE_ALL, SN_CALLER);
    if (!(flags & MUTEX_TRY_FAILED))
        own_lock_taken(m, flags & MUTEX_READ, SN_CALLER);
}

SN_EXPORT int __tsan_mutex_pre_unlock(void *m, unsigned flags);
SN_EXPORT int __tsan_mutex_pre_unlock(void *m, unsigned flags)
{
    own_lock_given(m, flags & MUTEX_READ, SN_CALLER);
    tell(SN_EV_IGNORE, 0, IGNORE_ALL, SN_CALLER);
    return 0;
}

SN_EXPORT void __tsan_mutex_post_unlock(void *m, unsigned flags);
SN_EXPORT void __tsan_mutex_post_unlock(void *m, unsigned flags)
{
    (void)m, (void)flags;
    tell(SN_EV_WATCH, 0, IGNORE_ALL, SN_CALLER);
}

#define BRACKET(name, op)                                                                          \
    SN_EXPORT void name(void *m, unsigned flags);                                                  \
    SN_EXPORT void name(void *m, unsigned flags)                                                   \
    {                                                                                              \
        (void)m, (void)flags;                                                                      \
        tell(op, 0, IGNORE_ALL, SN_CALLER);                                                        \
    }
BRACKET(__tsan_mutex_pre_signal, SN_EV_IGNORE)
BRACKET(__tsan_mutex_post_signal, SN_EV_WATCH)
BRACKET(__tsan_mutex_pre_divert, SN_EV_WATCH) /* inside a lock's code, the program's runs again */
BRACKET(__tsan_mutex_post_divert, SN_EV_IGNORE)

SN_EXPORT void __tsan_ignore_thread_begin(void);
SN_EXPORT void __tsan_ignore_thread_begin(void)
{
    tell(SN_EV_IGNORE, 0, 3, SN_CALLER);
}

SN_EXPORT void __tsan_ignore_thread_end(void);
SN_EXPORT void __tsan_ignore_thread_end(void)
{
    tell(SN_EV_WATCH, 0, 3, SN_CALLER);
}

SN_EXPORT void __tsan_check_no_mutexes_held(void);
SN_EXPORT void __tsan_check_no_mutexes_held(void)
{
}

/* Fibers: each is a thread of its own to the engine; a switch is a message unless the program says
 * that it is not. */
SN_EXPORT void *__tsan_get_current_fiber(void);
SN_EXPORT void *__tsan_get_current_fiber(void)
{
    return sn_self;
}

SN_EXPORT void *__tsan_create_fiber(unsigned flags);
SN_EXPORT void *__tsan_create_fiber(unsigned flags)
{
    struct sn_thread *t = sn_hook_enter(SN_CALLER), *f;
    (void)flags;
    if (!t)
        return 0;
    f = sn_thread_new(t, sn_ctx_where(t, SN_CALLER));
    if (f) {
        struct sn_event ev = {.op = SN_EV_CREATE, .value = f->number, .pc = SN_CALLER};
        sn_engine_event(t, &ev);
        f->state = SN_T_RUNNING;
    }
    sn_hook_leave(t);
    return f;
}

SN_EXPORT void __tsan_destroy_fiber(void *fiber);
SN_EXPORT void __tsan_destroy_fiber(void *fiber)
{
    struct sn_thread *f = fiber;
    if (!f || f == sn_self)
        return;
    f->let_go = 1;
    sn_thread_release(f);
}

SN_EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags);
SN_EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags)
{
    struct sn_thread *from = sn_hook_enter(SN_CALLER), *to = fiber;
    if (!from || !to)
        return;
    struct sn_event release = {.op = SN_EV_RELEASE, .addr = (uintptr_t)to, .pc = SN_CALLER};
    struct sn_event start = {.op = SN_EV_START, .value = from->number, .pc = SN_CALLER};
    struct sn_event acquire = {.op = SN_EV_ACQUIRE, .addr = (uintptr_t)to, .pc = SN_CALLER};
    if (!(flags & FIBER_NO_SYNC))
        sn_engine_event(from, &release);
    sn_hook_leave(from);
    sn_self = to;
    to->pthread = from->pthread;
    to->kernel_tid = from->kernel_tid;
    sn_engine_event(to, &start);
    if (!(flags & FIBER_NO_SYNC))
        sn_engine_event(to, &acquire);
}

SN_EXPORT void __tsan_set_fiber_name(void *fiber, const char *name);
SN_EXPORT void __tsan_set_fiber_name(void *fiber, const char *name)
{
    (void)fiber, (void)name;
}

SN_EXPORT void __tsan_flush_memory(void);
SN_EXPORT void __tsan_flush_memory(void)
{
}

/* Memory behind a handle of a library: the calls that read or change it. */
SN_EXPORT void *__tsan_external_register_tag(const char *type);
SN_EXPORT void *__tsan_external_register_tag(const char *type)
{
    return (void *)type;
}

SN_EXPORT void __tsan_external_register_header(void *tag, const char *header);
SN_EXPORT void __tsan_external_register_header(void *tag, const char *header)
{
    (void)tag, (void)header;
}

SN_EXPORT void __tsan_external_assign_tag(void *addr, void *tag);
SN_EXPORT void __tsan_external_assign_tag(void *addr, void *tag)
{
    (void)addr, (void)tag;
}
