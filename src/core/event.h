/*
 * event.h: the one event model. Hooks fill a struct sn_event; engines read it; the trace format
 * stores it.
 */
#ifndef SN_CORE_EVENT_H
#define SN_CORE_EVENT_H

#include <stdint.h>

enum sn_event_op {
    SN_EV_NONE,
#define SN_EVENT(id, name, when) SN_EV_##id,
#include "core/event.def"
#undef SN_EVENT
    SN_EV_COUNT
};

enum sn_event_flag {
    SN_EF_TRY = 1,        /* trylock and its kin: cannot take part in a deadlock by itself */
    SN_EF_TIMED = 2,      /* has a time limit */
    SN_EF_OWNER_DIED = 4, /* robust mutex handed over by a dead owner */
    SN_EF_SPIN = 8,       /* spin lock: waiting burns the processor */
    SN_EF_COND = 16,      /* the lock/unlock half of a condition wait */
    SN_EF_PART = 32,      /* stored traces: goes on with the access of the event before */
    SN_EF_HANDLER = 64,   /* a signal handler begins: what ran before is interrupted, not over */
    SN_EF_RWLOCK = 128,   /* at a gate: the lock is a pthread_rwlock_t */
};

/* Memory orders, numbered as in C11 and in the TSan ABI. */
enum sn_order { SN_RELAXED, SN_CONSUME, SN_ACQUIRE, SN_RELEASE, SN_ACQ_REL, SN_SEQ_CST };

struct sn_sync;

struct sn_event {
    uint8_t op;      /* enum sn_event_op */
    uint8_t flags;   /* enum sn_event_flag */
    uint8_t order;   /* enum sn_order, atomics and fences only */
    uint8_t pad;
    int32_t result;  /* what the gate wants the caller to see, when it did the operation itself */
    uintptr_t addr;
    uint64_t size;
    uint64_t value;
    uintptr_t pc;    /* return address of the hook: the site */
    const void *arg; /* gate only: the operation's own arguments (mutex of a wait, abstime, …) */
    struct sn_sync *sync; /* record of the object at addr when the hook has it; null: look it up */
};

/* Where the clocks of a barrier's round meet: rounds take turns between two places, so that a thread
 * that leaves late does not meet the next round's arrivals. */
static inline uintptr_t sn_event_round(const struct sn_event *ev)
{
    return ev->addr + 4 + 8 * (ev->value & 1);
}

const char *sn_event_name(enum sn_event_op op);
/* The op with that text-trace name, or SN_EV_NONE. */
enum sn_event_op sn_event_by_name(const char *name);

/* TIMER: addr of a timerfd is this and the descriptor. */
#define SN_TIMER_FD ((uintptr_t)1 << 44)

#endif
