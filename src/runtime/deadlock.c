/*
 * deadlock.c: finds a deadlock at the moment it closes.
 *
 * Every thread that is about to block without a time limit publishes what it waits for, then
 * follows the chain: lock, its owner, what the owner waits for, … The last thread of a cycle to
 * publish sees all of it. Nothing is locked on the way, so what was read may be a mixture of
 * moments: a cycle is believed only after it was collected twice with the same wait serials (a
 * double collect is a snapshot), and again and again over a while that any running thread would use
 * to get on.
 *
 * Edges: a lock to its exclusive owner; a writer to every reader that itself waits (each of them is
 * enough to block it for ever); a join to the joined thread. A reader that waits behind a waiting
 * writer has no edge. Locks that were ever given up by a thread that did not hold them are used as
 * semaphores: no edge.
 */
#include "runtime/deadlock.h"

#include "core/count.h"
#include "core/hash.h"
#include "core/options.h"
#include "core/spin.h"
#include "runtime/draft.h"
#include "runtime/hang.h"
#include "runtime/hook.h"
#include "runtime/locks.h"

enum {
    MAX_CYCLE = 128,  /* threads in one cycle that is reported; a longer one is not found */
    MAX_CHAIN = 4096, /* steps of the first look */
    GRACE_US = 5000,  /* between looks at a cycle that was found */
    GRACE_LOOKS = 40,
};

struct step {
    struct sn_thread *t;
    uint32_t number, serial;
    struct sn_sync *lock;
    uint32_t lock_id;
};

struct cycle {
    struct step step[MAX_CYCLE];
    int n;
};

static uint32_t watch; /* guards the two below */
static struct cycle found SN_LARGE, again SN_LARGE;

static uint32_t serial_of(const struct sn_thread *t)
{
    return __atomic_load_n(&t->wait_serial, __ATOMIC_SEQ_CST);
}

static bool waits(const struct sn_thread *t)
{
    return (serial_of(t) & 1) && __atomic_load_n(&t->state, __ATOMIC_RELAXED) == SN_T_RUNNING;
}

static struct sn_sync *lock_of(const struct sn_thread *t)
{
    return __atomic_load_n(&t->waits_for, __ATOMIC_RELAXED);
}

/* The one thread that t waits for; null when there is none or not just one. */
static struct sn_thread *only_target(const struct sn_thread *t)
{
    uint32_t joined = __atomic_load_n(&t->waits_thread, __ATOMIC_RELAXED);
    if (joined)
        return sn_thread_by_number(joined - 1);
    struct sn_sync *s = lock_of(t);
    uint32_t owner = s ? __atomic_load_n(&s->owner, __ATOMIC_SEQ_CST) : 0;
    if (!owner || (s->flags & SN_LOCK_FOREIGN))
        return 0;
    return sn_thread_by_number(owner - 1);
}

static bool waits_for_readers(const struct sn_thread *t)
{
    struct sn_sync *s = lock_of(t);
    return s && sn_sync_is_rw(s) && !t->waits_shared &&
           !__atomic_load_n(&s->owner, __ATOMIC_SEQ_CST) && sn_lock_may_be_read(s);
}

/* t itself waits, so its array stands still. */
static bool reads(const struct sn_thread *t, const struct sn_sync *s)
{
    for (uint32_t i = 0; i < t->nheld; i++)
        if (t->held[i].lock == s && t->held[i].shared)
            return true;
    return false;
}

/* First look, without memory: does the chain from `me` come back to it, or branch into readers? */
static bool suspicious(const struct sn_thread *me)
{
    const struct sn_thread *t = me;
    for (int i = 0; i < MAX_CHAIN; i++) {
        if (waits_for_readers(t))
            return true;
        t = only_target(t);
        if (t == me)
            return true;
        if (!t || !waits(t))
            return false;
    }
    return false;
}

static bool on_path(const struct cycle *c, const struct sn_thread *t)
{
    for (int i = 0; i < c->n; i++)
        if (c->step[i].t == t)
            return true;
    return false;
}

static bool search(struct cycle *c, struct sn_thread *t, const struct sn_thread *goal);

static bool search_next(struct cycle *c, struct sn_thread *next, const struct sn_thread *goal)
{
    if (next == goal)
        return true;
    return next && waits(next) && !on_path(c, next) && search(c, next, goal);
}

static bool search_readers(struct cycle *c, const struct sn_sync *s, const struct sn_thread *goal)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        struct sn_thread *u = sn_thread_at(i);
        if (waits(u) && reads(u, s) && search_next(c, u, goal))
            return true;
    }
    return false;
}

/* Depth first; the path is the cycle when it ends at the goal. */
static bool search(struct cycle *c, struct sn_thread *t, const struct sn_thread *goal)
{
    if (c->n == MAX_CYCLE)
        return false;
    struct sn_sync *s = lock_of(t);
    c->step[c->n++] = (struct step){t, t->number, serial_of(t), s, s ? s->id : 0};
    bool hit =
        waits_for_readers(t) ? search_readers(c, s, goal) : search_next(c, only_target(t), goal);
    if (!hit)
        c->n--;
    return hit;
}

static bool same_step(const struct step *a, const struct step *b)
{
    return a->t == b->t && a->number == b->number && a->serial == b->serial && a->lock == b->lock &&
           a->lock_id == b->lock_id;
}

static bool same(const struct cycle *a, const struct cycle *b)
{
    if (a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++)
        if (!same_step(&a->step[i], &b->step[i]))
            return false;
    return true;
}

/* glibc refuses a thread that joins itself, or one that already joins it. */
static bool is_refused(const struct cycle *c)
{
    for (int i = 0; i < c->n; i++)
        if (c->step[i].lock)
            return false;
    return c->n <= 2;
}

/* Under the watch: the cycle through `me` that stays. */
static bool proven(struct sn_thread *me)
{
    found.n = 0;
    if (!search(&found, me, me) || is_refused(&found))
        return false;
    for (int look = 0; look < GRACE_LOOKS; look++) {
        again.n = 0;
        if (!search(&again, me, me) || !same(&found, &again))
            return false;
        sn_sleep_us(GRACE_US);
    }
    return true;
}

static void write_finding(const struct cycle *c)
{
    uint64_t key = 0;
    for (int i = 0; i < c->n; i++)
        key += sn_hash_mix(c->step[i].t->waits_where);
    struct sn_draft *d = sn_draft_begin(SN_KIND_DEADLOCK, SN_OBSERVED, key,
                                        c->n == 1 ? "a thread waits for a lock that it holds itself"
                                                  : "threads wait for each other in a circle");
    if (!d)
        return;
    for (int i = 0; i < c->n; i++) {
        const struct step *s = &c->step[i];
        if (i == 0 && s->lock)
            sn_draft_object(d, s->lock->addr, 1);
        sn_draft_site(d, s->t, s->lock ? SN_OP_LOCK : SN_OP_CALL, s->t->waits_where,
                      s->lock ? s->lock->addr : 0, 0, true, s->lock ? "waits for" : "pthread_join");
    }
    sn_draft_commit(d);
}

static SN_NOINLINE void look_closer(struct sn_thread *me)
{
    sn_spin_lock(&watch);
    if (proven(me)) {
        write_finding(&found);
        sn_runtime_stop((int)sn_opt.deadlock_exit);
    }
    sn_spin_unlock(&watch);
}

static void publish(struct sn_thread *t, struct sn_sync *s, uint32_t joined, bool shared,
                    uint32_t where)
{
    t->waits_shared = shared;
    t->waits_where = where;
    __atomic_store_n(&t->waits_for, s, __ATOMIC_RELAXED);
    __atomic_store_n(&t->waits_thread, joined, __ATOMIC_RELAXED);
    /* seq_cst: of two threads that publish at once, one sees the other */
    __atomic_store_n(&t->wait_serial, t->wait_serial + 1, __ATOMIC_SEQ_CST);
    if (sn_opt.deadlock && suspicious(t))
        look_closer(t);
    sn_hang_wait_begins(t);
}

void sn_wait_lock(struct sn_thread *t, struct sn_sync *s, bool shared, uint32_t where)
{
    publish(t, s, 0, shared, where);
}

void sn_wait_join(struct sn_thread *t, struct sn_thread *child, uint32_t where)
{
    publish(t, 0, child->number + 1, false, where);
}

void sn_wait_message(struct sn_thread *t, struct sn_sync *s, uint32_t seen, uint32_t where)
{
    t->waits_seen = seen;
    publish(t, s, 0, false, where);
}

void sn_wait_unknown(struct sn_thread *t)
{
    publish(t, 0, 0, false, 0);
}

void sn_wait_end(struct sn_thread *t)
{
    if (!(t->wait_serial & 1))
        return;
    sn_hang_wait_ended();
    __atomic_store_n(&t->wait_serial, t->wait_serial + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&t->waits_for, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&t->waits_thread, 0, __ATOMIC_RELAXED);
}

void sn_deadlock_forked(struct sn_thread *self)
{
    watch = 0;
    sn_hang_forked(self);
    if (self)
        sn_wait_end(self);
}
