/*
 * finding_unite.c: equal findings become one. Every choice is the larger of two by a total order,
 * so the result does not depend on who came first; the store makes the same choices in SQL
 * (store_findings.c), column by column.
 */
#include "store/finding.h"

#include <string.h>

#include "store/xalloc.h"

static int64_t stack_weight(const struct sn_stack *s)
{
    int64_t lines = 0;
    for (size_t i = 0; i < s->n; i++)
        lines += s->frame[i].line > 0;
    return lines;
}

/* What helps a reader most weighs most: the interleaving, then stacks with lines, then the object.
 */
int64_t sn_finding_weight(const struct sn_finding *f)
{
    int64_t weight = f->nsteps ? 1000000 : 0;
    for (size_t i = 0; i < f->nsites; i++) {
        const struct sn_site *s = &f->sites[i];
        int64_t lines = stack_weight(&s->stack);
        weight += (lines ? 10000 : 0) + lines * 10 + (s->stack.n ? 1000 : 0);
        weight += (s->locks_known ? 100 : 0) + (s->created.n ? 10 : 0);
    }
    weight += f->object.kind != SN_OBJ_UNKNOWN ? 1000 : 0;
    weight += f->object.name ? 1000 : 0;
    return weight + (f->object.alloc.n ? 100 : 0);
}

static int compare_text(const char *a, const char *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

/* A stronger status brings its engine along. */
static void unite_status(struct sn_finding *to, struct sn_finding *from)
{
    int order = (int)to->status - (int)from->status;
    if (!order)
        order = compare_text(to->engine, from->engine);
    if (order >= 0)
        return;
    to->status = from->status;
    free(to->engine);
    to->engine = sn_xstrdup(from->engine);
}

static void unite_effect(struct sn_finding *to, struct sn_finding *from)
{
    int order = to->harmful - from->harmful;
    if (!order)
        order = compare_text(to->effect, from->effect);
    if (order >= 0)
        return;
    to->harmful = from->harmful;
    free(to->effect);
    to->effect = sn_xstrdup(from->effect);
}

static int compare_bodies(const struct sn_finding *a, const struct sn_finding *b)
{
    int64_t wa = sn_finding_weight(a), wb = sn_finding_weight(b);
    if (wa != wb)
        return wa < wb ? -1 : 1;
    char *ta = sn_finding_body(a), *tb = sn_finding_body(b);
    int order = strcmp(ta, tb);
    free(ta);
    free(tb);
    return order;
}

static void swap_text(char **a, char **b)
{
    char *t = *a;
    *a = *b;
    *b = t;
}

/* `from` is used up. The united one is at *to. */
static void unite(struct sn_finding *to, struct sn_finding *from)
{
    unite_status(to, from);
    unite_effect(to, from);
    /* Two answers of the store for one finding are totals, the later one the larger. */
    if (to->id && to->id == from->id)
        to->hits = to->hits > from->hits ? to->hits : from->hits;
    else
        to->hits += from->hits;
    to->has_schedule = to->has_schedule || from->has_schedule;
    if (!to->id)
        to->id = from->id;
    if (from->first_run && (!to->first_run || from->first_run < to->first_run))
        to->first_run = from->first_run;
    if (compare_bodies(to, from) < 0) {
        struct sn_finding t = *to;
        *to = *from;
        *from = t;
        to->id = t.id;
        to->status = t.status;
        to->harmful = t.harmful;
        to->hits = t.hits;
        to->first_run = t.first_run;
        to->has_schedule = t.has_schedule;
        swap_text(&to->engine, &from->engine);
        swap_text(&to->effect, &from->effect);
    }
    sn_finding_clear(from);
}

static int compare_keys(const void *a, const void *b)
{
    const struct sn_finding *x = a, *y = b;
    return strcmp(x->key, y->key);
}

void sn_findings_unite(struct sn_findings *all)
{
    if (!all->n)
        return;
    for (size_t i = 0; i < all->n; i++) {
        if (!all->f[i].key || !all->f[i].title)
            sn_finding_finish(&all->f[i]);
    }
    qsort(all->f, all->n, sizeof *all->f, compare_keys);
    size_t kept = 0;
    for (size_t i = 1; i < all->n; i++) {
        if (!strcmp(all->f[kept].key, all->f[i].key))
            unite(&all->f[kept], &all->f[i]);
        else
            all->f[++kept] = all->f[i];
    }
    all->n = kept + 1;
}
