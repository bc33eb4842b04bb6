/*
 * oracle_truth.h: for oracle_test.c: every state that some reordering of a small trace reaches.
 * What can be next at the same time in one of them is a race.
 */
#ifndef SN_PREDICT_ORACLE_TRUTH_H
#define SN_PREDICT_ORACLE_TRUTH_H

#include <stdlib.h>

#include "predict/oracle_trace.h"

struct truth {
    bool race[MAX_EVENTS][MAX_EVENTS];
    bool deadlock[MAX_EVENTS][MAX_EVENTS];
    bool any_race, any_deadlock;
};

#define SEEN 65536

struct search {
    const struct trace *t;
    struct truth *truth;
    uint8_t list[MAX_THREADS][MAX_EVENTS], length[MAX_THREADS];
    bool waits[MAX_THREADS]; /* for its creation */
    uint64_t seen[SEEN];
    uint32_t stamp[SEEN], run;
};

struct state {
    uint8_t pos[MAX_THREADS];
    uint8_t memory[VARS];
    int8_t writer[LOCKS];
    uint8_t readers[LOCKS];
    uint8_t started;
};

static bool visited(struct search *s, const struct state *x)
{
    uint64_t key = 1;
    for (unsigned i = 0; i < MAX_THREADS; i++)
        key = key << 5 | x->pos[i];
    for (unsigned i = 0; i < VARS; i++)
        key = key << 3 | x->memory[i];
    unsigned i = (unsigned)(key * 0x9e3779b97f4a7c15ull >> 48) % SEEN;
    for (; s->stamp[i] == s->run; i = (i + 1) % SEEN)
        if (s->seen[i] == key)
            return true;
    s->stamp[i] = s->run;
    s->seen[i] = key;
    return false;
}

static const struct event *next_event(const struct search *s, const struct state *x, unsigned t,
                                      unsigned *number)
{
    if (!(x->started >> t & 1) || x->pos[t] == s->length[t])
        return NULL;
    *number = s->list[t][x->pos[t]];
    return &s->t->e[*number];
}

static bool is_write(const struct event *e)
{
    return e->op == SN_EV_WRITE || e->op == SN_EV_ATOMIC_STORE || e->op == SN_EV_ATOMIC_RMW;
}

static bool can_take(const struct state *x, const struct event *e)
{
    return x->writer[e->object] < 0 && (e->op == SN_EV_RDLOCK || !x->readers[e->object]);
}

/* Performs the event; false when it cannot happen, or not with the value it had. */
static bool perform(const struct search *s, struct state *x, const struct event *e)
{
    switch (e->op) {
    case SN_EV_READ:
    case SN_EV_ATOMIC_LOAD:
        return x->memory[e->object] == e->value;
    case SN_EV_ATOMIC_RMW:
        if (x->memory[e->object] != e->old)
            return false;
        /* fall through */
    case SN_EV_WRITE:
    case SN_EV_ATOMIC_STORE:
        x->memory[e->object] = e->value;
        return true;
    case SN_EV_LOCK:
    case SN_EV_RDLOCK:
        if (!can_take(x, e))
            return false;
        if (e->op == SN_EV_LOCK)
            x->writer[e->object] = (int8_t)e->thread;
        else
            x->readers[e->object] |= (uint8_t)(1 << e->thread);
        return true;
    case SN_EV_UNLOCK:
        x->writer[e->object] = -1;
        return true;
    case SN_EV_RDUNLOCK:
        x->readers[e->object] &= (uint8_t) ~(1 << e->thread);
        return true;
    case SN_EV_CREATE:
        x->started |= (uint8_t)(1 << e->object);
        return true;
    case SN_EV_JOIN:
        return x->pos[e->object] == s->length[e->object];
    default:
        return true;
    }
}

/* Does `e` wait for a lock that thread t holds? */
static bool waits_for(const struct state *x, const struct event *e, unsigned t)
{
    if (e->op == SN_EV_LOCK)
        return x->writer[e->object] == (int)t || x->readers[e->object] >> t & 1;
    return e->op == SN_EV_RDLOCK && x->writer[e->object] == (int)t;
}

static void judge(struct search *s, const struct state *x)
{
    unsigned i = 0, k = 0;
    for (unsigned a = 0; a < s->t->threads; a++) {
        for (unsigned b = a + 1; b < s->t->threads; b++) {
            const struct event *p = next_event(s, x, a, &i), *q = next_event(s, x, b, &k);
            if (!p || !q)
                continue;
            if (sn_trace_is_access(p->op) && sn_trace_is_access(q->op) && p->object == q->object &&
                (is_write(p) || is_write(q)) && !(is_atomic(p) && is_atomic(q)))
                s->truth->race[i][k] = s->truth->race[k][i] = s->truth->any_race = true;
            if (waits_for(x, p, b) && waits_for(x, q, a))
                s->truth->deadlock[i][k] = s->truth->deadlock[k][i] = s->truth->any_deadlock = true;
        }
    }
}

/* Threads that all wait for each other's locks, of any number: for cp's guarantee. */
static void judge_stuck(struct search *s, const struct state *x)
{
    bool stuck[MAX_THREADS] = {0}, changed = true;
    unsigned k;
    for (unsigned t = 0; t < s->t->threads; t++) {
        const struct event *e = next_event(s, x, t, &k);
        stuck[t] = e && (e->op == SN_EV_LOCK || e->op == SN_EV_RDLOCK) && !can_take(x, e);
    }
    while (changed) {
        changed = false;
        for (unsigned t = 0; t < s->t->threads; t++) {
            const struct event *e = stuck[t] ? next_event(s, x, t, &k) : NULL;
            bool good = false;
            for (unsigned o = 0; e && o < s->t->threads; o++)
                good |= o != t && stuck[o] && waits_for(x, e, o);
            if (e && !good)
                stuck[t] = false, changed = true;
        }
    }
    for (unsigned t = 0; t < s->t->threads; t++)
        s->truth->any_deadlock |= stuck[t];
}

static void explore(struct search *s, const struct state *x)
{
    unsigned number;
    if (visited(s, x))
        return;
    judge(s, x);
    judge_stuck(s, x);
    for (unsigned t = 0; t < s->t->threads; t++) {
        const struct event *e = next_event(s, x, t, &number);
        struct state y = *x;
        if (!e || !perform(s, &y, e))
            continue;
        y.pos[t]++;
        explore(s, &y);
    }
}

#define NOT_KNOWN 7

/* What the trace tells of a variable's value before it: nothing when it is written first. */
static uint8_t first_value(const struct trace *t, unsigned var)
{
    for (unsigned i = 0; i < t->n && !t->past; i++)
        if (sn_trace_is_access(t->e[i].op) && t->e[i].object == var)
            return t->e[i].op == SN_EV_WRITE || t->e[i].op == SN_EV_ATOMIC_STORE ? NOT_KNOWN : 0;
    return 0;
}

static void find_truth(const struct trace *t, struct truth *truth)
{
    static struct search s;
    struct state x = {.writer = {-1, -1}, .started = 0xff};
    memset(truth, 0, sizeof *truth);
    memset(s.length, 0, sizeof s.length);
    s.t = t;
    s.truth = truth;
    s.run++;
    for (unsigned v = 0; v < VARS; v++)
        x.memory[v] = first_value(t, v);
    for (unsigned i = 0; i < t->n; i++) {
        s.list[t->e[i].thread][s.length[t->e[i].thread]++] = (uint8_t)i;
        if (t->e[i].op == SN_EV_CREATE)
            x.started &= (uint8_t) ~(1 << t->e[i].object);
    }
    explore(&s, &x);
}

#endif
