/* deadlock.c: lock requests in groups, and the cycles among them. */
#include "predict/deadlock.h"

#include <stdlib.h>
#include <string.h>

struct member {
    uint32_t thread, site, lock, lockset, sure, event;
    bool shared;
};

static int compare(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    const uint32_t p[7] = {x->thread, x->lock, x->shared, x->lockset, x->sure, x->site, x->event};
    const uint32_t q[7] = {y->thread, y->lock, y->shared, y->lockset, y->sure, y->site, y->event};
    for (int i = 0; i < 7; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

static bool same_group(const struct member *a, const struct member *b)
{
    return a->thread == b->thread && a->lock == b->lock && a->shared == b->shared &&
           a->lockset == b->lockset && a->sure == b->sure && a->site == b->site;
}

struct search {
    const struct sn_model *m;
    struct sn_request *request;
    uint32_t n;
    const struct sn_request *path[SN_MAX_MEET];
    uint32_t found;
    void (*visit)(void *arg, const struct sn_cycle *c);
    void *arg;
};

/* A request of section's lock that can be part of a cycle: it may wait, and it holds something. */
static bool counts(const struct sn_model *m, const struct sn_section *s)
{
    return m->lock[s->lock].contested && s->acquire != SN_NONE &&
           (m->w->ev[s->acquire].op == SN_EV_LOCK || m->w->ev[s->acquire].op == SN_EV_RDLOCK) &&
           !(m->w->ev[s->acquire].flags & SN_EF_TRY) && m->lockset[m->sure_of[s->acquire]].n > 0;
}

static void make_groups(struct search *s, uint32_t (*site_key)(void *key_arg, uint32_t site),
                        void *key_arg)
{
    const struct sn_model *m = s->m;
    struct member *all = SN_NEW(m->arena, struct member, m->nsections);
    uint32_t n = 0, *event;
    for (uint32_t i = 0; i < m->nsections; i++) {
        const struct sn_section *x = &m->section[i];
        if (counts(m, x))
            all[n++] = (struct member){x->thread,
                                       site_key(key_arg, m->w->ev[x->acquire].site),
                                       x->lock,
                                       m->lockset_of[x->acquire],
                                       m->sure_of[x->acquire],
                                       x->acquire,
                                       x->shared};
    }
    if (n)
        qsort(all, n, sizeof *all, compare);
    s->request = SN_NEW(m->arena, struct sn_request, n);
    event = SN_NEW(m->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        event[i] = all[i].event;
        if (i == 0 || !same_group(&all[i - 1], &all[i]))
            s->request[s->n++] = (struct sn_request){
                event + i,      0,           all[i].thread, all[i].site, all[i].lock,
                all[i].lockset, all[i].sure, all[i].shared};
        s->request[s->n - 1].n++;
    }
}

/* `r` waits for a lock that `holder` has. */
static bool waits_for(const struct sn_model *m, const struct sn_request *r,
                      const struct sn_request *holder)
{
    const struct sn_lockset *held = &m->lockset[holder->sure];
    for (uint32_t i = 0; i < held->n; i++)
        if (held->lock[i] >> 1 == r->lock)
            return !(r->shared && held->lock[i] & 1);
    return false;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint64_t key_of(const struct search *s, uint32_t n)
{
    uint32_t site[SN_MAX_MEET];
    uint64_t h = 0xdead10cc;
    for (uint32_t i = 0; i < n; i++)
        site[i] = s->path[i]->site;
    qsort(site, n, sizeof *site, by_number);
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ site[i]) * 0x9e3779b97f4a7c15ull ^ h >> 29;
    return h;
}

static void report(struct search *s, uint32_t n)
{
    struct sn_cycle c = {.n = n, .key = key_of(s, n)};
    memcpy(c.request, s->path, n * sizeof *s->path);
    s->found++;
    s->visit(s->arg, &c);
}

static bool fits(const struct search *s, const struct sn_request *r, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (s->path[i]->thread == r->thread ||
            sn_locksets_exclude(s->m, s->path[i]->lockset, r->lockset))
            return false;
    return true;
}

/* Cycles are entered at their first request, so each is found once. */
static void extend(struct search *s, uint32_t n)
{
    if (n > 1 && waits_for(s->m, s->path[n - 1], s->path[0]))
        report(s, n);
    if (n == SN_MAX_MEET)
        return;
    for (uint32_t i = (uint32_t)(s->path[0] - s->request) + 1; i < s->n && s->found < SN_MAX_CYCLES;
         i++) {
        if (!waits_for(s->m, s->path[n - 1], &s->request[i]) || !fits(s, &s->request[i], n))
            continue;
        s->path[n] = &s->request[i];
        extend(s, n + 1);
    }
}

bool sn_cycles_each(const struct sn_model *m, uint32_t (*site_key)(void *key_arg, uint32_t site),
                    void *key_arg, void (*visit)(void *arg, const struct sn_cycle *c), void *arg)
{
    struct search s = {.m = m, .visit = visit, .arg = arg};
    make_groups(&s, site_key, key_arg);
    for (uint32_t i = 0; i < s.n && s.found < SN_MAX_CYCLES; i++) {
        s.path[0] = &s.request[i];
        extend(&s, 1);
    }
    return s.found < SN_MAX_CYCLES;
}
