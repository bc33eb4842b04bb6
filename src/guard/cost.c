/*
 * cost.c: what a guarded program costs, as far as training tells, and what is left out when that is
 * too much.
 *
 * Training counts the accesses of every place and says how much processor time its runs took. Some
 * of that time is the training itself: so much for every access. What is left is the program's own
 * time, and is at least what the kernel took and a little for every access. A guarded access costs
 * so many nanoseconds, one that is only checked fewer, and a call that is gone is still a NOP,
 * which code was compiled around. Measured with memcached (doc/results.md), where half of it is
 * waiting for memory: good for choosing what to leave out, not for the last tenth of a percent.
 */
#include <stdlib.h>

#include "guard/invariants.h"
#include "store/xalloc.h"

/* Nanoseconds for an access. */
static const double GUARDED = 8, CHECKED = 5, GONE = 0.4, PLAIN = 1.5, TRAINING = 30;

static double ns_of(const struct sn_inv_place *p)
{
    return !p->kept ? 0 : p->light ? CHECKED : GUARDED;
}

/* Percent of the program's time for one nanosecond of every counted access; 0: not known. */
static double percent_of_ns(const struct sn_inv *v)
{
    const struct sn_inv_time *t = &v->time;
    double all = 0, n = (double)t->accesses;
    for (size_t i = 1; i < v->n; i++)
        all += (double)v->place[i].count;
    if (n <= 0 || all <= 0)
        return 0;
    double system = 1e3 * (double)t->system_us;
    double own = system + 1e3 * (double)t->user_us - TRAINING * n, least = system + PLAIN * n;
    return 100 * (n / all) / (own > least ? own : least);
}

double sn_inv_cost(const struct sn_inv *v, double *gone)
{
    double rate = percent_of_ns(v), sum = 0;
    *gone = 0;
    for (size_t i = 1; i < v->n; i++) {
        double ns = rate * (double)v->place[i].count;
        sum += ns * ns_of(&v->place[i]);
        if (!v->place[i].kept)
            *gone += ns * GONE;
    }
    return sum;
}

double sn_inv_cost_of(const struct sn_inv *v, uint32_t group)
{
    double rate = percent_of_ns(v), sum = 0;
    for (size_t i = 1; i < v->n; i++)
        if (v->place[i].group == group)
            sum += rate * (double)v->place[i].count *
                   (v->place[i].hot ? GUARDED : ns_of(&v->place[i]));
    return sum;
}

struct part {
    uint32_t group;
    double saved;
    bool dropped;
};

static int compare(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->saved != y->saved)
        return x->saved > y->saved ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

/* By group, what is saved when all but `must` are left out; most first. malloc. */
static struct part *list_parts(const struct sn_inv *v, const bool *must)
{
    double rate = percent_of_ns(v);
    struct part *part = sn_xcalloc(v->n, sizeof *part);
    for (uint32_t i = 0; i < v->n; i++)
        part[i].group = i;
    for (size_t i = 1; i < v->n; i++)
        if (v->place[i].kept && !must[i])
            part[v->place[i].group].saved += rate * (double)v->place[i].count * ns_of(&v->place[i]);
    qsort(part, v->n, sizeof *part, compare);
    return part;
}

bool *sn_inv_too_much(const struct sn_inv *v, double percent, const bool *must)
{
    struct part *part = list_parts(v, must);
    bool *drop = sn_xcalloc(v->n, sizeof *drop), *group = sn_xcalloc(v->n, sizeof *group);
    double gone, cost = sn_inv_cost(v, &gone);
    size_t n = 0;
    for (; n < v->n && part[n].saved > 0 && cost > percent; n++) {
        part[n].dropped = true;
        cost -= part[n].saved;
    }
    while (n-- > 0) /* the last one may have been more than enough */
        if (cost + part[n].saved <= percent) {
            part[n].dropped = false;
            cost += part[n].saved;
        }
    for (size_t i = 0; i < v->n; i++)
        group[part[i].group] = part[i].dropped;
    for (size_t i = 1; i < v->n; i++)
        drop[i] = group[v->place[i].group] && !must[i];
    free(part);
    free(group);
    return drop;
}
