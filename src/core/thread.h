/*
 * thread.h: the threads of the program under test, as the runtime and the engines know them.
 *
 * A struct sn_thread is made by the parent before pthread_create, attached by the child, and
 * finished by the child's last hook. Records come from a slab, are never unmapped, and are used
 * again only after the thread was finished and joined (or detached and finished), so a stale
 * pointer reads old facts but never faults.
 */
#ifndef SN_CORE_THREAD_H
#define SN_CORE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sync.h"

struct sn_small;

#define SN_MAX_THREADS 65536 /* alive or unjoined at once; a record is 5 KiB, mapped on demand */
#define SN_MAX_FRAMES (1u << 21) /* call depth that is followed: 64 MiB, only when used */
#define SN_THREAD_ENGINE_WORDS 64
#define SN_SYNC_CACHE 256 /* entries of a thread's cache of synchronisation objects */
#define SN_NO_SYNC 8     /* addresses that it knows to be none */
#define SN_CTX_CACHE 4096 /* entries of a thread's context cache: 64 KiB */

/* As the thread has asked for; in between it is enabled and deferred. */
enum sn_cancel_mode { SN_CANCEL_DISABLED = 1, SN_CANCEL_ASYNCHRONOUS = 2 };

enum sn_thread_state { SN_T_FREE, SN_T_NEW, SN_T_RUNNING, SN_T_FINISHED };

/* One instrumented call: where it came from, and the registers that name a stack variable. */
struct sn_call_frame {
    uintptr_t rsp, rbp; /* of the function that called __tsan_func_entry, after its prologue */
    uintptr_t pc;       /* where it was called from */
    uint32_t ctx;       /* its calling context; 0: nobody has asked yet (sn_ctx_here()) */
    uint32_t pad;
};

/* A remembered answer of the context table: (parent, pc) -> node. */
struct sn_ctx_entry {
    uintptr_t pc;
    uint32_t parent, node;
};

/* A remembered answer of the table of synchronisation objects. */
struct sn_sync_entry {
    uintptr_t addr;
    struct sn_sync *sync;
};

/* A lock that the thread holds. */
struct sn_held {
    struct sn_sync *lock;
    uint32_t id;     /* lock's serial, to recognise a destroyed lock's record */
    uint32_t where;  /* sn_ctx_where() of the acquisition */
    uint32_t depth;  /* recursive re-entries beyond the first */
    uint32_t shared; /* held for reading */
};

struct sn_thread {
    uint32_t free_link;    /* the slab's own */
    uint32_t number;       /* 0 is main; serial, never used twice in a process */
    uint32_t index;        /* of this record */
    uint32_t parent;       /* number of the creator */
    uint32_t create_where; /* context of the pthread_create call; 0 for main */
    uint32_t state;        /* enum sn_thread_state; atomic */
    uint32_t let_go;       /* finished, or joined/detached: the second gives back; atomic */
    uint32_t in_hook;      /* owner thread (and its signal handlers) only: hooks nest, see hook.h */
    struct sn_ctx_entry *cache;   /* owner only: SN_CTX_CACHE entries */
    struct sn_call_frame *sp;     /* owner only: next free call frame */
    struct sn_call_frame *frames; /* base; grows by moving; one before it is all zero */
    struct sn_call_frame *frames_end;
    uint32_t frames_lost;      /* owner only: calls deeper than SN_MAX_FRAMES, not kept */
    uint32_t busy;             /* owner and its signal handlers: inside the engine */
    uint32_t sig_pending;      /* owner and its signal handlers: one waits for the hook's end */
    uint32_t wait_serial;      /* counts waits_* changes; odd while it waits; atomic */
    struct sn_call_frame *low; /* owner only: a return at it is not just one frame less: it is
                                  `frames`, or `sp` while calls are lost */
    uintptr_t pc;              /* owner only: site of the last hook; names the innermost frame */
    struct sn_small *small;    /* owner only: its heap; null: none so far (core/small.h) */
    uintptr_t stack_low, stack_high;
    uintptr_t tls_low, tls_high;
    uintptr_t pthread; /* pthread_t */
    int32_t kernel_tid;
    uint32_t nheld; /* owner only; read by others only at a deadlock report */
    uint32_t cap_held;
    struct sn_held *held;
    /* what it is blocked in: written by the owner, read by the deadlock watch; all atomic */
    struct sn_sync *waits_for; /* a lock */
    uint32_t waits_thread;     /* 1 + number of the thread it joins; 0 none */
    uint32_t waits_where;
    uint32_t waits_shared; /* wants the lock for reading */
    uint32_t cancelled;    /* somebody called pthread_cancel() on it; atomic */
    uint32_t cancel_mode;  /* owner only: bits of enum sn_cancel_mode */
    uint32_t waits_seen;   /* signals, posts or rounds that the object had when the wait began */
    struct sn_sync_entry syncs[SN_SYNC_CACHE]; /* owner only: sync_cache.h */
    uintptr_t no_sync[SN_NO_SYNC]; /* owner only: addresses without a record, since … */
    uint32_t no_sync_births;       /* … this was sn_sync_births */
    uint64_t engine[SN_THREAD_ENGINE_WORDS]; /* the engine's own */
} __attribute__((aligned(64)));              /* two threads never share a cache line */

/* Initial-exec: one load. Null before the runtime is ready and in threads it does not know. */
extern __thread struct sn_thread *sn_self __attribute__((tls_model("initial-exec")));

/* Make a record for a thread that `parent` is about to create. Null: too many (counted). */
struct sn_thread *sn_thread_new(struct sn_thread *parent, uint32_t create_where);
/* In the new thread: bind it to `t`. */
void sn_thread_attach(struct sn_thread *t, uintptr_t stack_low, uintptr_t stack_high);
/* Its pthread_t, which is nobody else's any more. */
void sn_thread_set_handle(struct sn_thread *t, uintptr_t handle);
/* The thread's last act; the record may be reused once joined or detached. */
void sn_thread_finish(struct sn_thread *t);
/* It was joined or detached: the record goes when the thread has finished, now or later. */
void sn_thread_release(struct sn_thread *t);
void sn_thread_never_ran(struct sn_thread *t); /* its pthread_create failed */
/* The engine's part, set by the runtime: sn_engine_thread_new(), sn_engine_thread_gone(). */
extern void (*sn_thread_on_new)(struct sn_thread *t, struct sn_thread *parent);
extern void (*sn_thread_on_gone)(struct sn_thread *t);
struct sn_thread *sn_thread_by_pthread(uintptr_t handle); /* unjoined; null if unknown */
struct sn_thread *sn_thread_by_number(uint32_t number);   /* null once the record was reused */
struct sn_thread *sn_thread_at(uint32_t index);           /* index < sn_thread_count() */
uint32_t sn_thread_count(void);                           /* records ever used */
/* Room for n frames; null: no memory. */
struct sn_call_frame *sn_frames_new(size_t n);
void sn_thread_grow_frames(struct sn_thread *t);
/* Forget the calls whose frames lie below `rsp`: a longjmp or an exception has left them. */
void sn_thread_cut_frames(struct sn_thread *t, uintptr_t rsp);
/* No call is open that is not kept. */
static inline void sn_thread_has_calls(struct sn_thread *t)
{
    t->frames_lost = 0;
    t->low = t->frames;
}
/* In a fork's child: only `self` goes on. */
void sn_thread_forked(struct sn_thread *self);
/* Before many forks, in the only thread: its children find there what threads need. */
void sn_thread_rehearse(struct sn_thread *t);

/* Held locks, kept by the lock hooks. */
bool sn_held_grow(struct sn_thread *t); /* false: no memory (counted) */
struct sn_held *sn_held_search(struct sn_thread *t, const struct sn_sync *lock);

static inline void sn_held_push(struct sn_thread *t, struct sn_sync *lock, uint32_t where,
                                bool shared)
{
    if (__builtin_expect(t->nheld == t->cap_held, 0) && !sn_held_grow(t))
        return;
    if (!shared)
        lock->held_at = t->nheld;
    struct sn_held *h = &t->held[t->nheld++];
    h->lock = lock;
    h->id = lock->id;
    h->where = where;
    h->depth = 0;
    h->shared = shared;
}

/* Most recent first; null when the thread does not hold it. */
static inline struct sn_held *sn_held_find(struct sn_thread *t, const struct sn_sync *lock)
{
    uint32_t hint = lock->held_at;
    if (hint < t->nheld && t->held[hint].lock == lock)
        return &t->held[hint];
    return sn_held_search(t, lock);
}

void sn_held_move_last(struct sn_thread *t, struct sn_held *to);

static inline void sn_held_remove(struct sn_thread *t, struct sn_held *h)
{
    if (__builtin_expect(h != &t->held[--t->nheld], 0))
        sn_held_move_last(t, h);
}

#endif
