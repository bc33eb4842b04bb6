/*
 * oracle_trace.h: for oracle_test.c: random small executions, and a trace as the text that everyone
 * else would hand in.
 */
#ifndef SN_PREDICT_ORACLE_TRACE_H
#define SN_PREDICT_ORACLE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/event.h"

#define MAX_LENGTH 14
#define MAX_EVENTS (MAX_LENGTH + LOCKS * MAX_THREADS) /* locks may have to be given back */
#define MAX_THREADS 4
#define VARS 3
#define LOCKS 2
#define WINDOW 50 /* more than any trace has lines */

static uint64_t seed;

static unsigned roll(unsigned n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    uint64_t x = seed ^ seed >> 33;
    x *= 0xff51afd7ed558ccdull;
    return (unsigned)((x ^ x >> 29) % n);
}

struct event {
    enum sn_event_op op;
    uint8_t thread;
    uint8_t object; /* variable, lock, or thread */
    uint8_t value, old;
    bool hidden;
};

struct trace {
    struct event e[MAX_EVENTS];
    unsigned n, threads;
    bool past; /* an earlier window says that all variables were 0 */
    /* hidden calls: between two positions of a thread */
    struct call {
        uint8_t thread, first, last; /* events, as numbers in the trace */
        bool vars[VARS], locks[LOCKS], threads[MAX_THREADS];
    } call[4];
    unsigned ncalls;
};

/* A random execution: threads take random steps that are possible. */

struct world {
    bool started[MAX_THREADS], ended[MAX_THREADS], joined[MAX_THREADS];
    uint8_t memory[VARS];
    int8_t writer[LOCKS];   /* thread; -1 */
    uint8_t readers[LOCKS]; /* bits */
    int8_t spinner;         /* who has taken variable 0 for a lock; -1 */
};

static void add(struct trace *t, enum sn_event_op op, unsigned thread, unsigned object)
{
    t->e[t->n++] = (struct event){.op = op, .thread = (uint8_t)thread, .object = (uint8_t)object};
}

static void access_step(struct trace *t, struct world *w, unsigned thread, unsigned first)
{
    static const enum sn_event_op ops[] = {SN_EV_READ,        SN_EV_WRITE,        SN_EV_READ,
                                           SN_EV_WRITE,       SN_EV_READ,         SN_EV_WRITE,
                                           SN_EV_ATOMIC_LOAD, SN_EV_ATOMIC_STORE, SN_EV_ATOMIC_RMW};
    unsigned var = first + roll(VARS - first);
    add(t, ops[roll(sizeof ops / sizeof *ops)], thread, var);
    struct event *e = &t->e[t->n - 1];
    e->old = w->memory[var];
    if (e->op != SN_EV_READ && e->op != SN_EV_ATOMIC_LOAD)
        w->memory[var] = (uint8_t)roll(3);
    e->value = w->memory[var];
}

static void lock_step(struct trace *t, struct world *w, unsigned thread, bool nested)
{
    unsigned l = roll(LOCKS);
    bool shared = roll(5) == 0;
    if (nested && roll(4) && w->writer[l] == (int)thread)
        l = 1 - l;
    if (w->writer[l] == (int)thread) {
        add(t, SN_EV_UNLOCK, thread, l);
        w->writer[l] = -1;
    } else if (w->readers[l] >> thread & 1) {
        add(t, SN_EV_RDUNLOCK, thread, l);
        w->readers[l] ^= (uint8_t)(1 << thread);
    } else if (w->writer[l] < 0 && shared) {
        add(t, SN_EV_RDLOCK, thread, l);
        w->readers[l] |= (uint8_t)(1 << thread);
    } else if (w->writer[l] < 0 && !w->readers[l]) {
        add(t, SN_EV_LOCK, thread, l);
        w->writer[l] = (int8_t)thread;
    }
}

/* Variable 0 as a lock that the program built itself. */
static void spin_step(struct trace *t, struct world *w, unsigned thread)
{
    bool mine = w->spinner == (int)thread, taken = w->spinner >= 0;
    add(t,
        mine               ? SN_EV_ATOMIC_STORE
        : taken && roll(2) ? SN_EV_ATOMIC_LOAD
                           : SN_EV_ATOMIC_RMW,
        thread, 0);
    struct event *e = &t->e[t->n - 1];
    e->old = w->memory[0];
    w->memory[0] = e->value = !mine;
    w->spinner = (int8_t)(mine ? -1 : taken ? w->spinner : (int)thread);
}

static bool holds_any(const struct world *w, unsigned thread)
{
    for (unsigned l = 0; l < LOCKS; l++)
        if (w->writer[l] == (int)thread || w->readers[l] >> thread & 1)
            return true;
    return false;
}

/* cp takes it for granted that a lock is given back some day. */
static void give_back_locks(struct trace *t)
{
    for (unsigned i = 0, n = t->n; i < n; i++) {
        const struct event e = t->e[i];
        bool taken = e.op == SN_EV_LOCK || e.op == SN_EV_RDLOCK;
        for (unsigned k = i + 1; k < n; k++)
            taken &= t->e[k].thread != e.thread || t->e[k].object != e.object ||
                     (t->e[k].op != SN_EV_UNLOCK && t->e[k].op != SN_EV_RDUNLOCK);
        if (taken)
            add(t, e.op == SN_EV_LOCK ? SN_EV_UNLOCK : SN_EV_RDUNLOCK, e.thread, e.object);
    }
}

static void thread_step(struct trace *t, struct world *w, unsigned thread)
{
    unsigned other = 1 + roll(t->threads - 1);
    if (!w->started[other]) {
        add(t, SN_EV_CREATE, thread, other);
        w->started[other] = true;
    } else if (other == thread && roll(2) && !holds_any(w, thread)) {
        add(t, SN_EV_END, thread, thread);
        w->ended[other] = true;
    } else if (w->ended[other] && !w->joined[other]) {
        add(t, SN_EV_JOIN, thread, other);
        w->joined[other] = true;
    }
}

static void make_trace(struct trace *t)
{
    struct world w = {.writer = {-1, -1}, .spinner = -1};
    bool spin = roll(5) == 0;
    unsigned accesses = roll(4) ? 5 : 2; /* some traces are mostly about locks */
    unsigned length = 6 + roll(MAX_LENGTH - 5);
    memset(t, 0, sizeof *t);
    t->threads = 2 + roll(accesses < 5 ? 2 : MAX_THREADS - 1);
    t->past = roll(4) == 0;
    w.started[0] = true;
    for (unsigned i = 1; i < t->threads; i++)
        w.started[i] = roll(3) == 0; /* some were there before the trace */
    for (unsigned tries = 0; t->n < length && tries < 200; tries++) {
        unsigned thread = roll(t->threads), kind = roll(10);
        if (!w.started[thread] || w.ended[thread])
            continue;
        if (kind < accesses)
            access_step(t, &w, thread, spin);
        else if (kind < 8)
            spin ? spin_step(t, &w, thread) : lock_step(t, &w, thread, accesses < 5);
        else
            thread_step(t, &w, thread);
    }
}

static bool is_atomic(const struct event *e)
{
    return sn_trace_is_access(e->op) && e->op != SN_EV_READ && e->op != SN_EV_WRITE;
}

/* The trace as text, the way everyone else would hand it in. */

static void print_object(FILE *out, const struct event *e)
{
    if (sn_trace_is_access(e->op))
        fprintf(out, " v%d 1", e->object);
    else if (e->op == SN_EV_CREATE || e->op == SN_EV_JOIN)
        fprintf(out, " T%d", e->object);
    else if (e->op != SN_EV_END)
        fprintf(out, " m%d", e->object);
}

static void print_call(FILE *out, const struct call *c)
{
    fprintf(out, "T%d leave-code f D=nothing", c->thread);
    for (unsigned i = 0; i < VARS; i++)
        if (c->vars[i])
            fprintf(out, ",v%u", i);
    for (unsigned i = 0; i < LOCKS; i++)
        if (c->locks[i])
            fprintf(out, ",m%u", i);
    for (unsigned i = 0; i < MAX_THREADS; i++)
        if (c->threads[i])
            fprintf(out, ",T%u", i);
    fputc('\n', out);
}

static char *print_trace(const struct trace *t)
{
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    for (unsigned i = 0; i < VARS; i++)
        fprintf(out, "name v%u 0x%x 1\n", i, 0x1000 + i);
    for (unsigned i = 0; t->past && i < WINDOW; i++)
        fprintf(out, i < VARS ? "T0 write v%u 1 =0\n" : "T0 yield\n", i);
    bool started[MAX_THREADS] = {true};
    for (unsigned i = 0; i < t->n; i++) {
        const struct event *e = &t->e[i];
        if (!started[e->thread])
            fprintf(out, "T%d start T0\n", e->thread);
        started[e->thread] = true;
        for (unsigned c = 0; c < t->ncalls; c++)
            if (t->call[c].first == i)
                print_call(out, &t->call[c]);
        if (!e->hidden) {
            fprintf(out, "T%d %s", e->thread, sn_event_name(e->op));
            print_object(out, e);
            if (is_atomic(e))
                fprintf(out, " seq_cst");
            if (e->op == SN_EV_ATOMIC_RMW)
                fprintf(out, " =%d->%d", e->old, e->value);
            else if (sn_trace_is_access(e->op))
                fprintf(out, " =%d", e->value);
            fprintf(out, " @t.c:%u\n", i + 1);
        }
        for (unsigned c = t->ncalls; c-- > 0;)
            if (t->call[c].last == i)
                fprintf(out, "T%d enter-code f\n", e->thread);
    }
    fclose(out);
    return text;
}

#endif
