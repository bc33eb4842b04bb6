/*
 * generate.c: traces of any length for measuring `snag predict`: a made-up server under a serial
 * scheduler, with exact values.
 *
 *     generate EVENTS [SEED [KIND]] > FILE
 *
 * KIND: server, the mixture; locks, nearly all of it short critical sections; values, shared words
 * and atomics that are read and written again and again; threads, the mixture by a hundred of them;
 * calls, every other step a call of the library.
 *
 * Worker threads do what servers do: work on memory of their own, keep counters under locks, look
 * things up under a read-write lock, hand items to each other through a queue, count with atomics,
 * call a library that is not recorded. Three places are wrong: a statistics counter without a lock,
 * a flag that is tested outside the lock, an item that is touched after it was handed over.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/writer.h"

#define THREADS 100
#define LOCKS 16
#define QUEUE 64
#define QUANTUM 24 /* events between two switches, on average */
#define STEPS 64   /* events of one job, at most */

enum {
    COUNTERS = 0x10000,
    TABLE = 0x20000,
    SLOTS = 0x30000,
    ITEMS = 0x40000,
    STATS = 0x50000,
    FLAG = 0x50100,
    TICKET = 0x50200,
    LOGGER = 0x50300,
    MUTEX = 0x60000,
    TABLE_LOCK = 0x61000,
    QUEUE_LOCK = 0x62000,
    HEAD = 0x63000,
    TAIL = 0x63008,
    PRIVATE = 0x1000000,
};

/* One event that a thread is going to do; values are found out when it does it. */
struct step {
    uint8_t op;
    uint32_t site;
    uint64_t addr;
    uint8_t size;
    int add; /* write: what was last read plus this */
    enum how { PLAIN, AT_TAIL, AT_HEAD, ITEM, NEW_ITEM, PUT_ITEM, TAKE_ITEM } how;
};

struct thread {
    struct step step[STEPS];
    unsigned n, at;
    uint64_t last; /* value read last */
    uint64_t item; /* in its hands */
};

static struct sn_trace_writer *writer;
static uint64_t seed = 1, written, wanted;
static uint64_t memory[1 << 16]; /* by hash of address */
static int owner[1 << 16], readers[1 << 16];
static struct thread threads[THREADS];
static unsigned nthreads = 8;
static const char *kind = "server";

static uint64_t roll(uint64_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 11) % n;
}

static unsigned slot(uint64_t addr)
{
    return (unsigned)(addr * 0x9e3779b97f4a7c15ull >> 48);
}

static void plan_how(struct thread *t, uint8_t op, uint32_t site, uint64_t addr, uint8_t size,
                     int add, enum how how)
{
    if (t->n < STEPS)
        t->step[t->n++] = (struct step){op, site, addr, size, add, how};
}

static void plan(struct thread *t, uint8_t op, uint32_t site, uint64_t addr, uint8_t size, int add)
{
    plan_how(t, op, site, addr, size, add, PLAIN);
}

/* The jobs. Sites are numbers: each is a place in the made-up source. */

static void job_private(struct thread *t, unsigned me)
{
    uint64_t base = PRIVATE + me * 0x10000u;
    for (unsigned i = 0, n = 4 + (unsigned)roll(12); i < n; i++) {
        uint64_t a = base + 8 * roll(400);
        plan(t, SN_EV_READ, 1, a, 8, 0);
        plan(t, SN_EV_WRITE, 2, a, 8, 1);
    }
}

static void job_counter(struct thread *t)
{
    uint64_t k = roll(LOCKS);
    plan(t, SN_EV_LOCK, 10, MUTEX + 64 * k, 0, 0);
    plan(t, SN_EV_READ, 11, COUNTERS + 8 * k, 8, 0);
    plan(t, SN_EV_WRITE, 12, COUNTERS + 8 * k, 8, 1);
    plan(t, SN_EV_UNLOCK, 13, MUTEX + 64 * k, 0, 0);
}

static void job_lookup(struct thread *t)
{
    plan(t, SN_EV_RDLOCK, 20, TABLE_LOCK, 0, 0);
    for (int i = 0; i < 4; i++)
        plan(t, SN_EV_READ, 21, TABLE + 8 * roll(128), 8, 0);
    plan(t, SN_EV_RDUNLOCK, 22, TABLE_LOCK, 0, 0);
}

static void job_update(struct thread *t)
{
    plan(t, SN_EV_LOCK, 25, TABLE_LOCK, 0, 0);
    plan(t, SN_EV_WRITE, 26, TABLE + 8 * roll(128), 8, (int)roll(3));
    plan(t, SN_EV_UNLOCK, 27, TABLE_LOCK, 0, 0);
}

/* The item is filled before it is handed over and read after it was taken, without a lock: only the
 * queue orders it. */
static void job_push(struct thread *t)
{
    plan_how(t, SN_EV_ALLOC, 29, 0, 16, 0, NEW_ITEM);
    plan_how(t, SN_EV_WRITE, 30, 0, 8, (int)roll(100), ITEM);
    plan_how(t, SN_EV_WRITE, 31, 8, 8, (int)roll(100), ITEM);
    plan(t, SN_EV_LOCK, 32, QUEUE_LOCK, 0, 0);
    plan_how(t, SN_EV_WRITE, 34, 0, 8, 0, PUT_ITEM);
    plan(t, SN_EV_READ, 33, TAIL, 8, 0);
    plan(t, SN_EV_WRITE, 35, TAIL, 8, 1);
    plan(t, SN_EV_UNLOCK, 36, QUEUE_LOCK, 0, 0);
    if (roll(200) == 0)
        plan_how(t, SN_EV_WRITE, 37, 8, 8, 1, ITEM); /* wrong: it belongs to somebody else now */
}

static void job_pop(struct thread *t)
{
    plan(t, SN_EV_LOCK, 40, QUEUE_LOCK, 0, 0);
    plan(t, SN_EV_READ, 41, TAIL, 8, 0);
    plan_how(t, SN_EV_READ, 43, 0, 8, 0, TAKE_ITEM);
    plan(t, SN_EV_READ, 42, HEAD, 8, 0);
    plan(t, SN_EV_WRITE, 47, HEAD, 8, 1);
    plan(t, SN_EV_UNLOCK, 44, QUEUE_LOCK, 0, 0);
    plan_how(t, SN_EV_READ, 45, 0, 8, 0, ITEM);
    plan_how(t, SN_EV_READ, 46, 8, 8, 0, ITEM);
    plan_how(t, SN_EV_FREE, 48, 0, 16, 0, ITEM);
}

static void job_ticket(struct thread *t)
{
    plan(t, SN_EV_ATOMIC_RMW, 50, TICKET, 8, 1);
}

static void job_stats(struct thread *t)
{
    plan(t, SN_EV_READ, 60, STATS, 8, 0); /* wrong: no lock */
    plan(t, SN_EV_WRITE, 61, STATS, 8, 1);
}

static void job_flag(struct thread *t)
{
    plan(t, SN_EV_READ, 70, FLAG, 4, 0); /* wrong: tested outside the lock */
    plan(t, SN_EV_LOCK, 71, MUTEX, 0, 0);
    plan(t, SN_EV_READ, 72, FLAG, 4, 0);
    plan(t, SN_EV_WRITE, 73, FLAG, 4, 1);
    plan(t, SN_EV_UNLOCK, 74, MUTEX, 0, 0);
}

static void job_log(struct thread *t)
{
    plan(t, SN_EV_LEAVE_CODE, 80, 0, 0, 0);
    plan(t, SN_EV_ENTER_CODE, 81, 0, 0, 0);
}

/* Where in the mixture. */
static uint64_t job_of_kind(uint64_t k)
{
    if (strcmp(kind, "locks") == 0)
        return k < 900 ? 150 + k * 49 / 90 : k;
    if (strcmp(kind, "values") == 0)
        return k < 400 ? 640 + k % 140 : k < 900 ? 920 + k % 50 : k;
    if (strcmp(kind, "calls") == 0)
        return k < 500 ? 975 : (k - 500) * 2;
    return k;
}

static void new_job(struct thread *t, unsigned me)
{
    uint64_t k = job_of_kind(roll(1000));
    t->n = t->at = 0;
    if (k < 150)
        job_private(t, me);
    else if (k < 640)
        job_counter(t);
    else if (k < 780)
        job_lookup(t);
    else if (k < 800)
        job_update(t);
    else if (k < 860)
        job_push(t);
    else if (k < 920)
        job_pop(t);
    else if (k < 970)
        job_ticket(t);
    else if (k < 972)
        job_stats(t);
    else if (k < 975)
        job_flag(t);
    else
        job_log(t);
}

/* Executing a step. */

static uint64_t free_item[2 * QUEUE];
static unsigned nfree;

static uint64_t *word(uint64_t addr)
{
    return &memory[slot(addr)];
}

/* Where the step goes to, now that it is known. False: the job ends here (the queue is full or
 * empty). */
static bool resolve(struct step *s, struct thread *t)
{
    uint64_t head = *word(HEAD), tail = *word(TAIL);
    switch (s->how) {
    case NEW_ITEM:
        if (nfree == 0)
            return false;
        t->item = s->addr = free_item[roll(nfree)];
        for (unsigned i = 0; i < nfree; i++)
            if (free_item[i] == t->item)
                free_item[i] = free_item[--nfree];
        return true;
    case PUT_ITEM:
        s->addr = SLOTS + 8 * (tail % QUEUE);
        t->last = t->item;
        return true;
    case TAKE_ITEM:
        s->addr = SLOTS + 8 * (head % QUEUE);
        t->item = *word(s->addr);
        return head != tail;
    case ITEM:
        s->addr += t->item;
        if (s->op == SN_EV_FREE)
            free_item[nfree++] = t->item;
        return true;
    default:
        return true;
    }
}

static bool blocked(const struct step *s)
{
    unsigned k = slot(s->addr);
    if (s->op == SN_EV_LOCK)
        return owner[k] || readers[k];
    return s->op == SN_EV_RDLOCK && owner[k];
}

static void lock_effect(const struct step *s, int me)
{
    unsigned k = slot(s->addr);
    if (s->op == SN_EV_LOCK)
        owner[k] = me + 1;
    else if (s->op == SN_EV_UNLOCK)
        owner[k] = 0;
    else if (s->op == SN_EV_RDLOCK)
        readers[k]++;
    else if (s->op == SN_EV_RDUNLOCK)
        readers[k]--;
}

static void access_effect(const struct step *s, struct thread *t, struct sn_trace_event *ev)
{
    uint64_t *m = word(s->addr);
    ev->flags = SN_TRACE_VALUE;
    if (s->op == SN_EV_READ) {
        t->last = *m;
    } else if (s->op == SN_EV_ATOMIC_RMW) {
        ev->old = *m;
        ev->ev.order = SN_SEQ_CST;
        *m += (unsigned)s->add;
    } else {
        *m = t->last + (unsigned)s->add;
    }
    ev->ev.value = s->size == 8 ? *m : *m & 0xffffffff;
}

static void perform(struct thread *t, unsigned me)
{
    static const struct sn_trace_range log_reaches[] = {{LOGGER, 64}};
    struct step *s = &t->step[t->at++];
    if (!resolve(s, t)) {
        if (s->how == NEW_ITEM)
            t->n = t->at; /* nothing was locked yet */
        while (t->at < t->n && t->step[t->at].op != SN_EV_UNLOCK)
            t->at++;
        t->n = t->at < t->n ? t->at + 1 : t->n;
        return;
    }
    struct sn_trace_event ev = {.thread = me + 1, .site = s->site, .flags = SN_TRACE_VALUE};
    ev.ev.op = s->op;
    ev.ev.addr = s->addr;
    ev.ev.size = s->size;
    if (sn_trace_is_access(s->op))
        access_effect(s, t, &ev);
    else
        lock_effect(s, (int)me);
    if (s->op == SN_EV_LEAVE_CODE) {
        ev.ranges = log_reaches;
        ev.nranges = 1;
    }
    sn_trace_write(writer, &ev);
    written++;
}

static void run(void)
{
    while (written < wanted) {
        unsigned me = (unsigned)roll(nthreads);
        struct thread *t = &threads[me];
        for (uint64_t left = 1 + roll(2 * QUANTUM); left && written < wanted; left--) {
            if (t->at == t->n)
                new_job(t, me);
            if (blocked(&t->step[t->at]))
                break;
            perform(t, me);
        }
    }
}

static void begin_event(uint32_t thread, enum sn_event_op op, uint64_t other)
{
    struct sn_trace_event ev = {.thread = thread, .flags = SN_TRACE_VALUE};
    ev.ev.op = (uint8_t)op;
    ev.ev.value = other;
    sn_trace_write(writer, &ev);
    written++;
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) * 2654435761u + 1 : 1;
    kind = argc > 3 ? argv[3] : kind;
    nthreads = strcmp(kind, "threads") == 0 ? THREADS : nthreads;
    if (sn_trace_writer_new(stdout, 3, &writer) < 0)
        return 1;
    for (uint32_t i = 1; i < 100; i++) {
        char where[32];
        struct sn_trace_site s = {.module = SN_TRACE_NO_MODULE, .where = where};
        snprintf(where, sizeof where, "server.c:%u", i);
        sn_trace_write_site(writer, i, &s);
    }
    for (nfree = 0; nfree < QUEUE - 1; nfree++)
        free_item[nfree] = ITEMS + 64 * nfree;
    for (uint32_t i = 1; i <= nthreads; i++)
        begin_event(0, SN_EV_CREATE, i);
    for (uint32_t i = 1; i <= nthreads; i++)
        begin_event(i, SN_EV_START, 0);
    run();
    return sn_trace_writer_end(writer) < 0;
}
