/* pairs.c: groups of accesses by cell, thread and site, and the pairs of them in conflict. */
#include "predict/pairs.h"

#include <stdlib.h>
#include <string.h>

struct member {
    uint32_t thread, site, event;
    uint8_t kind;
};

static int compare(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

struct pairing {
    const struct sn_model *m;
    struct member *member;
    uint32_t *event;
    struct sn_group *group;
    uint32_t ngroups;
};

static bool same_group(const struct member *a, const struct member *b)
{
    return a->thread == b->thread && a->site == b->site && a->kind == b->kind;
}

static void make_groups(struct pairing *p, const struct sn_cell *c)
{
    p->ngroups = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const struct member *x = &p->member[i];
        p->event[i] = x->event;
        if (i == 0 || !same_group(x - 1, x))
            p->group[p->ngroups++] =
                (struct sn_group){p->event + i, 0, x->thread, x->site, x->kind};
        p->group[p->ngroups - 1].n++;
    }
}

static bool conflict(const struct sn_group *a, const struct sn_group *b)
{
    return a->thread != b->thread && sn_kinds_conflict(a->kind, b->kind);
}

/* Every event of the group holds what its first one holds: then one comparison tells for all. */
static bool one_lockset(const struct sn_model *m, const struct sn_group *g)
{
    for (uint32_t i = 1; i < g->n; i++)
        if (m->lockset_of[g->event[i]] != m->lockset_of[g->event[0]])
            return false;
    return true;
}

static bool always_locked(const struct sn_model *m, const struct sn_group *a,
                          const struct sn_group *b)
{
    return sn_locksets_exclude(m, m->lockset_of[a->event[0]], m->lockset_of[b->event[0]]) &&
           one_lockset(m, a) && one_lockset(m, b);
}

void sn_pairs_each(const struct sn_model *m, uint32_t (*site_key)(void *key_arg, uint32_t site),
                   void *key_arg, void (*visit)(void *arg, const struct sn_group_pair *p),
                   void *arg)
{
    uint32_t largest = 0;
    for (uint32_t c = 0; c < m->ncells; c++)
        if (m->cell[c].n > largest)
            largest = m->cell[c].n;
    struct pairing p = {m, SN_NEW(m->arena, struct member, largest),
                        SN_NEW(m->arena, uint32_t, m->ntouches),
                        SN_NEW(m->arena, struct sn_group, largest), 0};
    for (uint32_t c = 0; c < m->ncells; c++) {
        const struct sn_cell *cell = &m->cell[c];
        for (uint32_t i = 0; i < cell->n; i++) {
            const struct sn_touch *t = &m->touch[m->cell_touch[cell->first + i]];
            p.member[i] =
                (struct member){sn_thread_of(m, t->event),
                                site_key(key_arg, m->w->ev[t->event].site), t->event, t->kind};
        }
        if (cell->n)
            qsort(p.member, cell->n, sizeof *p.member, compare);
        make_groups(&p, cell);
        for (uint32_t a = 0; a < p.ngroups; a++)
            for (uint32_t b = a + 1; b < p.ngroups; b++)
                if (conflict(&p.group[a], &p.group[b]) &&
                    !always_locked(m, &p.group[a], &p.group[b]))
                    visit(arg, &(struct sn_group_pair){p.group[a], p.group[b], c});
        p.event += cell->n; /* groups stay valid until the arena goes */
    }
}
