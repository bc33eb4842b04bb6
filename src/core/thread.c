/* thread.c: the table of threads, their call frames and their held locks. */
#include "core/thread.h"

#include "core/count.h"
#include "core/slab.h"
#include "core/spin.h"
#include "core/sync.h"
#include "core/sys.h"

enum { FIRST_FRAMES = 2048, FIRST_HELD = 16 };

__thread struct sn_thread *sn_self __attribute__((tls_model("initial-exec")));
/* For src/fast. */
SN_EXPORT extern __thread struct sn_thread *snag_self
    __attribute__((alias("sn_self"), tls_model("initial-exec")));

SN_SLAB(records, struct sn_thread, 5, SN_MAX_THREADS);
static uint32_t next_number SN_HOT;
/* Record of thread number n at [n mod capacity]: a hint, so that finding a lock's owner does not
 * walk the table. */
static uint32_t record_of[SN_MAX_THREADS] SN_LARGE;
void (*sn_thread_on_new)(struct sn_thread *t, struct sn_thread *parent);
void (*sn_thread_on_gone)(struct sn_thread *t);

enum { PAGE = 4096 };

static int first_areas(struct sn_thread *t)
{
    size_t cache = SN_CTX_CACHE * sizeof *t->cache, frames = FIRST_FRAMES * sizeof *t->frames;
    size_t held = FIRST_HELD * sizeof *t->held;
    char *p = sn_map(cache + held + sizeof *t->frames + frames);
    if (!p)
        return 0;
    t->cache = (void *)p;
    t->held = (void *)(p + cache);
    t->frames = (struct sn_call_frame *)(p + cache + held) + 1;
    t->frames_end = t->frames + FIRST_FRAMES;
    t->cap_held = FIRST_HELD;
    for (size_t at = 0; at < cache + held; at += PAGE)
        ((volatile char *)p)[at] = 0; /* a page that is read before it is written comes twice */
    return 1;
}

static void touch(void *area, size_t bytes)
{
    volatile char *p = area;
    for (size_t at = 0; at < bytes; at += PAGE)
        p[at] = p[at];
}

void sn_thread_rehearse(struct sn_thread *t)
{
    touch(t, 4 * sizeof *t); /* of the same chunk: the main thread is its first */
    touch(t->cache, SN_CTX_CACHE * sizeof *t->cache);
}

static void begin(struct sn_thread *t, uint32_t index)
{
    struct sn_thread fresh = {.index = index,
                              .cache = t->cache,
                              .frames = t->frames,
                              .frames_end = t->frames_end,
                              .held = t->held,
                              .cap_held = t->cap_held};
    __builtin_memcpy(fresh.engine, t->engine, sizeof fresh.engine);
    *t = fresh;
    t->sp = t->low = t->frames;
    t->number = __atomic_fetch_add(&next_number, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&record_of[t->number % SN_MAX_THREADS], index, __ATOMIC_RELAXED);
}

struct sn_thread *sn_thread_new(struct sn_thread *parent, uint32_t create_where)
{
    uint32_t h = sn_slab_alloc(&records);
    struct sn_thread *t = h ? sn_slab_at(&records, h) : 0;
    if (!t || (!t->frames && !first_areas(t))) {
        if (h)
            sn_slab_free(&records, h);
        sn_count(LOST_THREAD);
        return 0;
    }
    begin(t, h);
    t->parent = parent ? parent->number : 0;
    t->create_where = create_where;
    sn_count(THREADS);
    if (sn_thread_on_new)
        sn_thread_on_new(t, parent);
    __atomic_store_n(&t->state, SN_T_NEW, __ATOMIC_RELEASE);
    return t;
}

/* A finished thread with the same handle was joined, or detached: glibc gives it away then, and
 * whoever joined it may not have come to give the record back. */
void sn_thread_set_handle(struct sn_thread *t, uintptr_t handle)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        struct sn_thread *u = sn_thread_at(i);
        uintptr_t theirs = handle;
        if (u != t && __atomic_load_n(&u->pthread, __ATOMIC_RELAXED) == handle &&
            __atomic_load_n(&u->state, __ATOMIC_ACQUIRE) == SN_T_FINISHED)
            __atomic_compare_exchange_n(&u->pthread, &theirs, 0, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
    }
    __atomic_store_n(&t->pthread, handle, __ATOMIC_RELEASE);
}

void sn_thread_attach(struct sn_thread *t, uintptr_t stack_low, uintptr_t stack_high)
{
    uintptr_t handle;
    t->stack_low = stack_low;
    t->stack_high = stack_high;
    t->kernel_tid = (int32_t)sn_sys0(SYS_gettid);
    __asm__("mov %%fs:0x10, %0" : "=r"(handle)); /* the thread's own pthread_t */
    sn_thread_set_handle(t, handle);
    sn_self = t;
    __atomic_store_n(&t->state, SN_T_RUNNING, __ATOMIC_RELEASE);
}

static void give_back(struct sn_thread *t)
{
    if (sn_thread_on_gone)
        sn_thread_on_gone(t);
    __atomic_store_n(&t->state, SN_T_FREE, __ATOMIC_RELEASE);
    sn_slab_free(&records, t->index);
}

/* Whoever comes second, the thread's end or its join/detach, gives the record back. */
void sn_thread_finish(struct sn_thread *t)
{
    sn_self = 0;
    __atomic_store_n(&t->state, SN_T_FINISHED, __ATOMIC_RELEASE);
    if (__atomic_exchange_n(&t->let_go, 1, __ATOMIC_ACQ_REL))
        give_back(t);
}

void sn_thread_release(struct sn_thread *t)
{
    if (__atomic_exchange_n(&t->let_go, 1, __ATOMIC_ACQ_REL))
        give_back(t);
}

void sn_thread_never_ran(struct sn_thread *t)
{
    give_back(t);
}

uint32_t sn_thread_count(void)
{
    return __atomic_load_n(&records.next, __ATOMIC_ACQUIRE) - 1;
}

struct sn_thread *sn_thread_at(uint32_t i)
{
    return sn_slab_at(&records, i + 1);
}

struct sn_thread *sn_thread_by_pthread(uintptr_t handle)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        struct sn_thread *t = sn_thread_at(i);
        if (t->pthread == handle && __atomic_load_n(&t->state, __ATOMIC_ACQUIRE) != SN_T_FREE)
            return t;
    }
    return 0;
}

struct sn_thread *sn_thread_by_number(uint32_t number)
{
    uint32_t hint = __atomic_load_n(&record_of[number % SN_MAX_THREADS], __ATOMIC_RELAXED);
    if (hint && ((struct sn_thread *)sn_slab_at(&records, hint))->number == number)
        return sn_slab_at(&records, hint);
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        struct sn_thread *t = sn_thread_at(i);
        if (t->number == number && t->frames)
            return t;
    }
    return 0;
}

void sn_thread_forked(struct sn_thread *self)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        struct sn_thread *t = sn_thread_at(i);
        if (t != self && t->state != SN_T_FREE) {
            t->state = SN_T_FINISHED; /* gone with the parent; the record is not used again */
            t->pthread = 0;           /* its handle may be a new thread's */
        }
    }
    if (self)
        self->kernel_tid = (int32_t)sn_sys0(SYS_gettid);
}

struct sn_call_frame *sn_frames_new(size_t n)
{
    struct sn_call_frame *all = sn_map((n + 1) * sizeof *all);
    return all ? all + 1 : 0;
}

SN_NOINLINE void sn_thread_grow_frames(struct sn_thread *t)
{
    size_t n = (size_t)(t->frames_end - t->frames), used = (size_t)(t->sp - t->frames);
    struct sn_call_frame *bigger = n < SN_MAX_FRAMES ? sn_frames_new(2 * n) : 0;
    if (!bigger)
        return;
    __builtin_memcpy(bigger, t->frames, used * sizeof *bigger);
    struct sn_call_frame *old = t->frames;
    t->frames = t->low = bigger;
    t->frames_end = bigger + 2 * n;
    t->sp = bigger + used;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* a handler must not meet the old area unmapped */
    if (n > FIRST_FRAMES)                    /* the first area shares its mapping with the cache */
        sn_unmap(old - 1, (n + 1) * sizeof *bigger);
}

void sn_thread_cut_frames(struct sn_thread *t, uintptr_t rsp)
{
    while (t->sp > t->frames && t->sp[-1].rsp < rsp)
        t->sp--;
    sn_thread_has_calls(t);
}

bool sn_held_grow(struct sn_thread *t)
{
    size_t n = t->cap_held;
    struct sn_held *bigger = sn_map(2 * n * sizeof *bigger);
    if (!bigger) {
        sn_count(LOST_LOCK);
        return false;
    }
    __builtin_memcpy(bigger, t->held, n * sizeof *bigger);
    if (n > FIRST_HELD)
        sn_unmap(t->held, n * sizeof *bigger);
    t->held = bigger;
    t->cap_held = (uint32_t)(2 * n);
    return true;
}

struct sn_held *sn_held_search(struct sn_thread *t, const struct sn_sync *lock)
{
    for (uint32_t i = t->nheld; i-- > 0;)
        if (t->held[i].lock == lock)
            return &t->held[i];
    return 0;
}

/* The last one takes its place, so that giving up thousands of locks in any order stays cheap. */
/* It has just been cut off. */
void sn_held_move_last(struct sn_thread *t, struct sn_held *to)
{
    *to = t->held[t->nheld];
    if (!to->shared)
        to->lock->held_at = (uint32_t)(to - t->held);
}
