/*
 * select.c: which places are guarded, and with what sets.
 *
 * Needed are the accesses to shared memory: who has a remote predecessor, and who is one
 * (section 3.3). Groups (Algorithm 2) are places that touch the same memory: a chain of
 * predecessors leads from each access of an address to the next, so the groups are the components
 * of the graph of all pairs.
 *
 * When a place is left out, it is missing in the recorder, and others see what came before it. So
 * its own predecessors take its place in the sets (section 3.4.2 has the sets computed anew from
 * traces). That may allow more than a new training would, never less.
 */
#include <stdlib.h>
#include <string.h>

#include "guard/invariants.h"
#include "guard/marks.h"
#include "store/xalloc.h"

static uint32_t find(struct sn_inv_place *p, uint32_t i)
{
    while (p[i].group != i) {
        p[i].group = p[p[i].group].group;
        i = p[i].group;
    }
    return i;
}

static void find_groups(struct sn_inv *v)
{
    for (size_t i = 0; i < v->n; i++)
        v->place[i].group = (uint32_t)i;
    for (size_t i = 0; i < v->npairs; i++) {
        const struct sn_inv_pair *p = &v->pair[i];
        if (p->pred && p->what <= SN_GUARD_LOCAL)
            v->place[find(v->place, p->site)].group = find(v->place, p->pred);
    }
    for (size_t i = 0; i < v->n; i++)
        v->place[i].group = find(v->place, (uint32_t)i);
}

static void find_needed(struct sn_inv *v)
{
    for (size_t i = 0; i < v->n; i++) {
        struct sn_inv_place *p = &v->place[i];
        p->needed = p->kept = p->light = p->reads = p->plain = p->behind = false;
    }
    for (size_t i = 0; i < v->npairs; i++) {
        const struct sn_inv_pair *p = &v->pair[i];
        if (p->what == SN_GUARD_REMOTE && p->pred)
            v->place[p->site].needed = v->place[p->pred].needed = true;
    }
}

/* Accesses of each group, and of all; by the place that stands for the group. malloc. */
static uint64_t *count_groups(const struct sn_inv *v, uint64_t *all)
{
    uint64_t *sum = sn_xcalloc(v->n, sizeof *sum);
    *all = 0;
    for (size_t i = 1; i < v->n; i++)
        if (v->place[i].needed) {
            sum[v->place[i].group] += v->place[i].count;
            *all += v->place[i].count;
        }
    return sum;
}

static bool is_hot(const struct sn_inv_choice *c, uint64_t count, uint64_t all)
{
    return c->bias > 0 && all && (double)count / (double)all > c->bias;
}

static bool is_listed(const struct sn_inv_choice *c, uint32_t place)
{
    for (size_t i = 0; i < c->nonly; i++)
        if (c->only[i] == place)
            return true;
    return !c->only;
}

static void choose(struct sn_inv *v, const struct sn_inv_choice *c)
{
    uint64_t all, *sum = count_groups(v, &all);
    for (size_t i = 1; i < v->n; i++) {
        struct sn_inv_place *p = &v->place[i];
        p->hot = c->was ? c->was->place[i].hot
                        : p->needed && (is_hot(c, sum[p->group], all) || (c->drop && c->drop[i]));
        p->kept = p->needed && p->module >= 0 && !p->hot && (!c->annotated || p->chosen) &&
                  is_listed(c, (uint32_t)i) && (!c->can || c->can(c->arg, p));
    }
    free(sum);
}

/* ---- sets ---- */

struct index {
    size_t *first; /* pairs of place i: order[first[i] … first[i + 1]) */
    uint32_t *order;
};

static struct index make_index(const struct sn_inv *v)
{
    struct index x = {sn_xcalloc(v->n + 2, sizeof *x.first),
                      sn_xcalloc(v->npairs, sizeof *x.order)};
    for (size_t i = 0; i < v->npairs; i++)
        x.first[v->pair[i].site + 2]++;
    for (size_t i = 2; i < v->n + 2; i++)
        x.first[i] += x.first[i - 1];
    for (size_t i = 0; i < v->npairs; i++)
        x.order[x.first[v->pair[i].site + 1]++] = (uint32_t)i;
    return x;
}

static void put(struct sn_inv_place *p, uint32_t member)
{
    for (size_t i = 0; i < p->nset; i++)
        if (p->set[i] == member)
            return;
    p->set = sn_xgrow(p->set, p->nset, &p->set_cap, sizeof *p->set);
    p->set[p->nset++] = member;
}

struct walk {
    struct sn_inv *v;
    bool firsts; /* who came first of all is known by itself */
    const struct index *x;
    uint32_t *mark; /* by place: the walk that has been there */
    uint32_t number;
    struct sn_inv_place *to;
};

/* What can be seen in place of `place`, which came before and is not recorded. A recorded place
 * that is the asking thread's own does not count, so what came before it may be seen as well: one
 * step. */
static void see(struct walk *w, uint32_t place, bool missing)
{
    const struct sn_inv *v = w->v;
    if (w->mark[place] == w->number)
        return;
    w->mark[place] = w->number;
    for (size_t i = w->x->first[place]; i < w->x->first[place + 1]; i++) {
        const struct sn_inv_pair *p = &v->pair[w->x->order[i]];
        if (p->what > (missing ? SN_GUARD_LOCAL : SN_GUARD_REMOTE))
            continue;
        /* others see what its own thread did before */
        if (!p->pred && missing && w->firsts && p->what == SN_GUARD_REMOTE)
            continue;
        if (!p->pred || sn_inv_is_recorded(&v->place[p->pred]))
            put(w->to, p->pred);
        if (p->pred && !sn_inv_is_recorded(&v->place[p->pred]))
            see(w, p->pred, true);
        else if (p->pred && missing)
            see(w, p->pred, false);
    }
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void fill_set(struct walk *w, uint32_t site)
{
    const struct sn_inv *v = w->v;
    struct sn_inv_place *p = w->to = &w->v->place[site];
    p->nset = 0;
    w->number++;
    for (size_t i = w->x->first[site]; p->kept && i < w->x->first[site + 1]; i++) {
        const struct sn_inv_pair *pair = &v->pair[w->x->order[i]];
        if (pair->what != SN_GUARD_REMOTE)
            continue;
        if (!pair->pred || sn_inv_is_recorded(&v->place[pair->pred]))
            put(p, pair->pred);
        else
            see(w, pair->pred, true);
    }
    if (p->nset)
        qsort(p->set, p->nset, sizeof *p->set, compare);
}

void sn_inv_select(struct sn_inv *v, const struct sn_inv_choice *c)
{
    find_needed(v);
    find_groups(v);
    if (c->annotated)
        sn_inv_marks(v);
    choose(v, c);
    struct index x = make_index(v);
    struct walk w = {.v = v, .x = &x, .mark = sn_xcalloc(v->n, sizeof *w.mark)};
    for (size_t i = 0; i < v->npairs && !w.firsts; i++)
        w.firsts = v->pair[i].what == SN_GUARD_LOCAL && !v->pair[i].pred;
    bool enters = false; /* older trainings do not say who does */
    for (size_t i = 0; i < v->npairs && !enters; i++)
        enters = v->pair[i].what == SN_GUARD_ENTER;
    if (c->light && w.firsts)
        sn_inv_light(v);
    for (uint32_t i = 1; i < v->n; i++)
        fill_set(&w, i);
    if (c->light && w.firsts)
        sn_inv_drop_idle(v);
    if (c->behind && w.firsts && enters)
        sn_inv_behind(v);
    free(w.mark);
    free(x.first);
    free(x.order);
}

static int compare_groups(const void *a, const void *b)
{
    const struct sn_inv_group *x = a, *y = b;
    return x->part > y->part ? -1 : x->part < y->part;
}

struct sn_inv_group *sn_inv_groups(const struct sn_inv *v, size_t *n)
{
    uint64_t all, *sum = count_groups(v, &all);
    struct sn_inv_group *out = sn_xcalloc(v->n, sizeof *out);
    *n = 0;
    for (uint32_t i = 1; i < v->n; i++) {
        const struct sn_inv_place *p = &v->place[i];
        struct sn_inv_group *g = &out[p->group];
        if (!p->needed)
            continue;
        if (!g->places++ || p->count > v->place[g->hottest].count)
            g->hottest = i;
        g->group = p->group;
        g->part = all ? (double)sum[p->group] / (double)all : 0;
        g->dropped |= p->hot;
    }
    for (size_t i = 1; i < v->n; i++)
        if (out[i].places)
            out[(*n)++] = out[i];
    qsort(out, *n, sizeof *out, compare_groups);
    free(sum);
    return out;
}
