/*
 * hb.c: happens-before, as vector clocks: program order, fork and join, conditions, barriers,
 * semaphores, once, annotations (the model's edges), a lock after its last release, and atomics by
 * their memory order with fences.
 */
#include "predict/analyse.h"

#include <string.h>

static void lock_edges(struct sn_model *m, struct sn_edges *edges)
{
    for (uint32_t l = 0; l < m->nlocks; l++) {
        const struct sn_lock *lock = &m->lock[l];
        for (uint32_t i = lock->first; lock->contested && i < lock->first + lock->n; i++) {
            const struct sn_section *late = &m->section[i];
            for (uint32_t k = i; late->acquire != SN_NONE && k-- > lock->first;) {
                const struct sn_section *early = &m->section[k];
                if (early->shared && late->shared)
                    continue;
                if (early->release != SN_NONE && early->release < late->acquire)
                    sn_edge_add(m, edges, early->release, late->acquire, SN_EDGE_ORDER);
                if (!early->shared)
                    break; /* all before it are before it */
            }
        }
    }
}

/* Atomics. What an object carries is the set of releases that it stands for: per thread the last
 * event that an acquirer happens after. */
struct carried {
    uint64_t addr;
    uint32_t *event; /* by thread; SN_NONE */
};

struct atomics {
    struct sn_model *m;
    struct sn_edges *edges;
    struct carried **slot;
    uint32_t cap;
    uint32_t *fence;    /* thread -> its last release fence; SN_NONE */
    uint32_t **pending; /* thread -> what its relaxed loads saw, for an acquire fence */
};

static uint32_t *new_set(struct sn_model *m)
{
    uint32_t *set = SN_NEW(m->arena, uint32_t, m->nthreads);
    memset(set, 0xff, m->nthreads * sizeof *set);
    return set;
}

static uint32_t *carried_by(struct atomics *a, uint64_t addr)
{
    uint32_t i = (uint32_t)(addr * 0x9e3779b97f4a7c15ull >> 40) & (a->cap - 1);
    while (a->slot[i] && a->slot[i]->addr != addr)
        i = (i + 1) & (a->cap - 1);
    if (!a->slot[i]) {
        a->slot[i] = SN_NEW(a->m->arena, struct carried, 1);
        *a->slot[i] = (struct carried){addr, new_set(a->m)};
    }
    return a->slot[i]->event;
}

static void happen_after(struct atomics *a, const uint32_t *set, uint32_t event)
{
    for (uint32_t t = 0; t < a->m->nthreads; t++)
        if (set[t] != SN_NONE)
            sn_edge_add(a->m, a->edges, set[t], event, SN_EDGE_ORDER);
}

static bool acquires(uint8_t order)
{
    return order == SN_ACQUIRE || order == SN_CONSUME || order == SN_ACQ_REL || order == SN_SEQ_CST;
}

static bool releases(uint8_t order)
{
    return order == SN_RELEASE || order == SN_ACQ_REL || order == SN_SEQ_CST;
}

static void load(struct atomics *a, uint32_t i, const uint32_t *set)
{
    const struct sn_wevent *e = &a->m->w->ev[i];
    if (acquires(e->order)) {
        happen_after(a, set, i);
        return;
    }
    for (uint32_t t = 0; t < a->m->nthreads; t++)
        if (set[t] != SN_NONE &&
            (a->pending[e->thread][t] == SN_NONE || a->pending[e->thread][t] < set[t]))
            a->pending[e->thread][t] = set[t];
}

/* A read-modify-write continues the release sequence; a store begins a new one. */
static void store(struct atomics *a, uint32_t i, uint32_t *set, bool rmw)
{
    const struct sn_wevent *e = &a->m->w->ev[i];
    uint32_t from = releases(e->order) ? i : a->fence[e->thread];
    if (!rmw)
        memset(set, 0xff, a->m->nthreads * sizeof *set);
    if (from != SN_NONE)
        set[e->thread] = from;
}

static void fence(struct atomics *a, uint32_t i)
{
    const struct sn_wevent *e = &a->m->w->ev[i];
    if (acquires(e->order))
        happen_after(a, a->pending[e->thread], i);
    if (releases(e->order))
        a->fence[e->thread] = i;
}

static void atomic_edges(struct sn_model *m, struct sn_edges *edges)
{
    struct atomics a = {.m = m, .edges = edges, .cap = 64};
    while (a.cap < 2 * m->n)
        a.cap *= 2;
    a.slot = SN_NEW(m->arena, struct carried *, a.cap);
    a.fence = new_set(m);
    a.pending = SN_NEW(m->arena, uint32_t *, m->nthreads);
    for (uint32_t t = 0; t < m->nthreads; t++)
        a.pending[t] = new_set(m);
    for (uint32_t i = 0; i < m->n; i++) {
        const struct sn_wevent *e = &m->w->ev[i];
        bool rmw = e->op == SN_EV_ATOMIC_RMW;
        if (e->op == SN_EV_FENCE)
            fence(&a, i);
        if (e->op == SN_EV_ATOMIC_LOAD || rmw)
            load(&a, i, carried_by(&a, e->addr));
        if (e->op == SN_EV_ATOMIC_STORE || rmw)
            store(&a, i, carried_by(&a, e->addr), rmw);
    }
}

void sn_hb_edges(struct sn_model *m, struct sn_edges *order, struct sn_edges *locks)
{
    for (uint32_t i = 0; i < m->edges.n; i++)
        if (m->edges.e[i].kind == SN_EDGE_ORDER)
            sn_edge_add(m, order, m->edges.e[i].from, m->edges.e[i].to, SN_EDGE_ORDER);
    atomic_edges(m, order);
    lock_edges(m, locks);
}

struct sn_clocks sn_hb_clocks(struct sn_model *m)
{
    struct sn_edges all = {0};
    struct sn_clocks k = sn_clocks_new(m);
    sn_hb_edges(m, &all, &all);
    struct sn_edges_in in = sn_edges_index(m, &all);
    sn_clocks_fill(m, &k, &in);
    return k;
}
