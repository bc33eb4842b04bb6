/*
 * scheduler.h: the controlled scheduler. One thread of the program runs at a time: it has the
 * baton, a futex word of its own. At a scheduling point (before a synchronisation operation, an
 * atomic, a memory access that the plan names) the strategy says who goes on. Waiting is done here
 * and not in the kernel, so it is always known who can run.
 *
 * A thread that can run is in one of three sets: READY; LAZY, when it only yields or spins;
 * POSTPONED, when a strategy holds it before its next operation. A thread that cannot is in none:
 * it waits for an object, is outside in a call that waits for the world, or is over.
 *
 * Everything here is guarded by sn_sched.lock: the running thread holds it while it decides, and
 * threads that come back from outside take it for a moment.
 */
#ifndef SN_ENGINE_SCHED_H
#define SN_ENGINE_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine.h"
#include "core/event.h"
#include "core/sync.h"
#include "core/thread.h"

enum sn_sched_set { SN_SET_NONE, SN_SET_READY, SN_SET_LAZY, SN_SET_POSTPONED, SN_SETS };

/* Why a thread is in no set. */
enum sn_wait {
    SN_WAIT_NOTHING,
    SN_WAIT_BIRTH, /* its kernel thread is not there yet */
    SN_WAIT_LOCK,
    SN_WAIT_RDLOCK,
    SN_WAIT_COND,
    SN_WAIT_BARRIER,
    SN_WAIT_SEM,
    SN_WAIT_ONCE,
    SN_WAIT_JOIN,
    SN_WAIT_FUTEX,
    SN_WAIT_SLEEP,
    SN_WAIT_OUTSIDE,
    SN_WAIT_OVER,
};

/* What a thread is about to do at its scheduling point. */
struct sn_next {
    uint8_t op; /* enum sn_event_op; READ, WRITE, ATOMIC_* and FREE are accesses */
    uint8_t write, atomic;
    uint8_t target; /* at a statement that the plan names */
    uint8_t trying; /* it does not wait in any case */
    uint8_t after;  /* the operation is done: the point comes after it */
    uint8_t mutex;  /* it takes the mutex at addr, or waits for it without a limit */
    uintptr_t addr, pc;
    uint64_t size;
};

#define SN_NEVER UINT64_MAX

enum { SN_BATON = 1, SN_SIGNAL = 2 };

struct sn_task {
    uint32_t
        baton; /* futex: SN_BATON when the thread may run; SN_SIGNAL when it has one to handle */
    uint32_t points; /* scheduling points so far: with the number, the identity of an event */
    uint8_t set;     /* enum sn_sched_set */
    uint8_t wait;    /* enum sn_wait */
    uint8_t woken, timed_out;
    uint8_t created;     /* by a call that snag saw */
    uint8_t cancelled;   /* asked to end: its next wait is libc's, which does that */
    uint8_t interrupted; /* its signal handler is to run: it is READY for that alone */
    uint8_t eintr;       /* a handler has ended its wait */
    uint8_t returned;    /* from outside: READY with the next decision */
    uint8_t unseen;      /* outside in a way that no hook has told */
    uint8_t busy;        /* outside, and computes there: nobody waits for it */
    uint8_t vain;        /* its last operation changed nothing: a trylock that failed */
    uint8_t output;      /* outside: it writes */
    uint8_t comes;       /* outside, and about to come back; without the lock */
    uint8_t stands;      /* at a point: what `next` says is still to be done */
    uint32_t parked;     /* waits for the baton and holds nothing: core/park.h */
    uint32_t arrived;    /* futex: its kernel thread stands at START */
    uint32_t at;         /* index in its set */
    uint32_t spins;      /* points without progress */
    int fd;              /* outside: what it reads or writes; -1 not known */
    uintptr_t key;       /* what it waits for */
    uintptr_t wait_pc;
    uint64_t deadline;               /* in virtual time; SN_NEVER */
    struct sn_thread *prev, *follow; /* in the queue of those who wait, oldest first */
    struct sn_next next;
    uint64_t priority;         /* the strategy's own */
    uint64_t since;            /* step at which it was postponed */
    uintptr_t last_pc;         /* of its last point, for the spin rule */
    uint32_t turn, turn_count; /* order: its place in the plan's turns */
    uint32_t clock_reads;      /* since its last other point */
    uint64_t left_ns, left_at; /* when it went outside, in real and in virtual time */
    uintptr_t woken_cond;      /* the mutex that it takes again after a condition's wait */
    uintptr_t passing;         /* order: the statement that it executes since its last point */
};

_Static_assert(sizeof(struct sn_task) <= SN_THREAD_ENGINE_WORDS * 8, "fits the thread record");

static inline struct sn_task *sn_task_of(struct sn_thread *t)
{
    return (struct sn_task *)t->engine;
}

struct sn_set {
    struct sn_thread **t; /* in no order that means anything, but always the same one */
    uint32_t n;
};

struct sn_sched {
    uint32_t lock;
    uint32_t *wake;            /* the baton that was given on, until the lock is */
    uint32_t *rouse;           /* the same, of a thread that is to watch */
    int live;                  /* 0: before START of main and after the end: everything passes */
    struct sn_thread *current; /* who has the baton; null: all that could run is outside */
    struct sn_set set[SN_SETS];
    struct sn_thread *first, *last;      /* those who wait for an object or a time */
    uint32_t outside, sleeping, in_cond; /* threads that are outside, sleep, wait for a signal */
    uint32_t limited;                    /* threads that wait with a time limit, sleepers aside */
    uint32_t returned, unseen;           /* threads with these flags */
    uint32_t stirred;   /* something was done that may let a thread outside go on */
    uint32_t signalled; /* a signal was sent */
    uint32_t deciding;  /* somebody waits for those, to decide then */
    uint32_t process;   /* 0: the first; else made from its parent's, the thread and its point: the
                           same in every execution, and a name for the plan */
    uint32_t hatching;  /* the running thread waits for its child's kernel thread */
    uint32_t leaving;   /* kernel id of a thread that is on its last instructions; 0 none */
    uint64_t now;       /* virtual nanoseconds */
    struct sn_thread *watcher; /* of those who wait the one that looks at the running thread */
    uint64_t steps;            /* scheduling points of all threads */
    uint64_t alone_since;      /* the step at which the running thread got the baton */
    uint32_t arrivals;         /* threads that became READY so far */
    uint32_t stall;            /* rounds in which only lazy threads could run */
    uint64_t random;           /* state of the generator */
};

extern struct sn_sched sn_sched;

/* sets.c */
void sn_set_init(void);
void sn_set_seed(void); /* the random numbers begin as sn_opt.seed says */
void sn_set_put(struct sn_thread *t, enum sn_sched_set set); /* takes it out of the one it is in */
uint64_t sn_sched_random(void);
static inline uint32_t sn_sched_below(uint32_t n)
{
    return (uint32_t)((sn_sched_random() >> 32) * n >> 32);
}

/* baton.c: all with sn_sched.lock held, which they give up while the thread waits */
void sn_sched_point(struct sn_thread *t); /* t->next is filled; returns when t may do it */
void sn_sched_leave(
    struct sn_thread *t); /* t is in no set: gives the baton on and comes back with it */
void sn_sched_drop(struct sn_thread *t);   /* the same without coming back */
void sn_sched_return(struct sn_thread *t); /* t comes back from outside: it is READY again */
void sn_sched_stir(void); /* whoever is outside may go on because of what is done now */
void sn_baton_signal(struct sn_thread *t); /* in a signal's handler, that runs later */
void sn_sched_lock(void);
void sn_sched_unlock(void);
void sn_baton_await(struct sn_thread *t); /* without the lock */

/* A thread that may be cancelled at any moment must not be torn out of the engine. */
#define SN_SHIELD(t, how)                                                                          \
    do {                                                                                           \
        if (__builtin_expect((t)->cancel_mode & SN_CANCEL_ASYNCHRONOUS, 0))                        \
            sn_sched_shield(how);                                                                  \
    } while (0)
void sn_sched_shield(int how); /* SIG_BLOCK or SIG_UNBLOCK glibc's own signal for it */

/* wait.c: lock held */
/* Waits for key; false when the deadline came first. */
bool sn_wait_on(struct sn_thread *t, enum sn_wait why, uintptr_t key, uint64_t deadline,
                uintptr_t pc);
/* t, which is READY, is to go on, but all that it would do is to wait for a mutex: true when it
 * does that now, without having run. */
bool sn_wait_instead(struct sn_thread *t);
uint32_t sn_wait_wake(uintptr_t key, enum sn_wait why, uint32_t most); /* how many were woken */
void sn_wait_wake_one(struct sn_thread *t);
bool sn_wait_has_limit(const struct sn_thread *t); /* it waits with one, and does not sleep */
bool sn_wait_is_awaited(uintptr_t key, enum sn_wait why); /* does anybody wait for it? */
struct sn_thread *sn_wait_earliest(bool sleepers_only);   /* the next deadline; null: none */
bool sn_wait_fire(bool sleepers_only);      /* time goes on to it; false: there is none */
void sn_wait_time_out(struct sn_thread *t); /* time goes on to its deadline */
void sn_wait_forget(struct sn_thread *t);
uint64_t sn_wait_deadline(const void *abstime, int clock);

/* cycle.c */
void sn_cycle_check(struct sn_thread *t); /* t has just begun to wait for a lock or a thread */
bool sn_cycle_recheck(void);              /* does anybody who waits have what it waits for? */
/* Nobody can run any more: ends the process; false when there is nobody at all, or when a signal
 * handler may still wake somebody. */
bool sn_cycle_all_wait(void);
void sn_cycle_look_outside(void); /* the same when some wait for each other by pipes */

/* clock.c: virtual time */
uint64_t sn_clock_ns(int clock); /* what the program's clocks say */
enum sn_gate_answer sn_clock_gate(struct sn_thread *t, struct sn_event *ev); /* CLOCK and TIMER */
bool sn_clock_armed(void);                                                   /* a timer runs */
bool sn_clock_fire(uint64_t before); /* the next timer, if it ends before that time */

/* Without the lock: a module that dlopen has brought is known before a point in it is written down,
 * or its place would be an address, which is not the same in every execution. */
void sn_sched_meet(uintptr_t pc);
void sn_sched_at_main(void);   /* constructors are done */
uintptr_t sn_sched_main(void); /* the program's main */
uint32_t sn_sched_alive(void); /* the threads that are known and have not ended */
bool sn_sched_alone(void);     /* the process has one thread */

/* gate.c */
enum sn_gate_answer sn_sched_gate(struct sn_thread *t, struct sn_event *ev);

/* hit.c: t stands at an access; is another thread before a conflicting one? Reports it. */
uint32_t sn_hit_look(struct sn_thread *t); /* how many */
void sn_hit_stand(struct sn_thread *t);    /* from here on it is seen by others, */
void sn_hit_go_on(struct sn_thread *t);    /* from here on no more */
void sn_hit_report(struct sn_thread *t, struct sn_thread *u);
bool sn_hit_conflict(const struct sn_next *a, const struct sn_next *b);

/* log.c: what was decided, in the run file */
#include "log.h"

#endif
