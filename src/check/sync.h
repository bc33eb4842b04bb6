/*
 * sync.h: synchronisation objects of the simulated program, found by address, with the clocks that
 * order what they order, and the wait-for graph. Models of pthread, C11 and others are built on these.
 */
#ifndef SN_CHECK_SYNC_H
#define SN_CHECK_SYNC_H

#include "check/vm.h"

enum sn_vsync_kind {
    SN_VSYNC_MUTEX,
    SN_VSYNC_RWLOCK,
    SN_VSYNC_COND,
    SN_VSYNC_SEM,
    SN_VSYNC_BARRIER,
    SN_VSYNC_ONCE,
    SN_VSYNC_ATOMIC, /* an atomic variable: the clock of its release sequence */
    SN_VSYNC_EVENT,  /* an edge without a lock: what one side did before is known to the other */
    SN_VSYNC_KINDS
};

enum sn_mutex_type { SN_MUTEX_NORMAL, SN_MUTEX_RECURSIVE, SN_MUTEX_CHECKED };

struct sn_vsync {
    struct sn_vsync *next;      /* of the same hash slot */
    struct sn_vsync *list_next; /* all of the run */
    uint32_t addr;
    enum sn_vsync_kind kind;
    enum sn_mutex_type type;
    bool destroyed, initialised, robust;
    int32_t owner;             /* task, -1 nobody */
    uint32_t depth;            /* of a recursive lock */
    int64_t value;             /* semaphore's count, barrier's size, once: 0, 1 running, 2 done */
    uint32_t arrived, generation;
    uint32_t waiting;          /* tasks in a wait on it */
    uint32_t *reader;          /* tasks that hold it shared */
    uint32_t nreader, cap_reader;
    struct sn_vclock clock, read_clock;
    struct sn_place_of taken, gone; /* where it was last locked, destroyed */
};

void sn_vsync_init(struct sn_vm *vm);
void sn_vsync_reset(struct sn_vm *vm);
void sn_vsync_free(struct sn_vm *vm);
/* The object at addr, made on first use. */
struct sn_vsync *sn_vsync_at(struct sn_vm *vm, uint64_t addr, enum sn_vsync_kind kind);
struct sn_vsync *sn_vsync_find(struct sn_vm *vm, uint64_t addr, enum sn_vsync_kind kind);
/* Objects inside memory that goes away. Tells if one is still held. */
void sn_vsync_gone(struct sn_vm *vm, struct sn_task *t, uint64_t addr, uint64_t bytes);

/* Happens-before edges. */
void sn_vsync_acquire(struct sn_vm *vm, struct sn_task *t, const struct sn_vclock *from);
void sn_vsync_release(struct sn_vm *vm, struct sn_task *t, struct sn_vclock *to); /* joins, then ticks */
void sn_vsync_publish(struct sn_vm *vm, struct sn_task *t, struct sn_vclock *to); /* replaces, then ticks */

bool sn_held_by(const struct sn_vsync *s, const struct sn_task *t); /* either way */
bool sn_lock_free_for(const struct sn_vsync *s, const struct sn_task *t, bool shared);
void sn_lock_take(struct sn_vm *vm, struct sn_task *t, struct sn_vsync *s, bool shared);
void sn_lock_give(struct sn_vm *vm, struct sn_task *t, struct sn_vsync *s);
/* Blocks t on a lock that others hold; tells a deadlock if that closes a cycle. */
enum sn_result sn_lock_wait(struct sn_vm *vm, struct sn_task *t, struct sn_vsync *s);
/* Takes the lock or waits for it; the call is repeated then. */
enum sn_result sn_lock_or_wait(struct sn_vm *vm, struct sn_task *t, struct sn_vsync *s, bool shared);
void sn_wake_all(struct sn_vm *vm, const struct sn_vsync *s);
/* One of those that wait on s, chosen by chance; null if nobody does. */
struct sn_task *sn_pick_waiter(struct sn_vm *vm, const struct sn_vsync *s, enum sn_wait wait);
/* Tells a deadlock if t, which has just begun to wait, closes a cycle. */
bool sn_deadlock_check(struct sn_vm *vm, struct sn_task *t);
/* No task can run: tells it when that is certain. */
void sn_stuck_check(struct sn_vm *vm);

#endif
