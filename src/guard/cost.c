/*
 * cost.c: what a guarded program costs, as far as training tells, and what is left out when that is
 * too much.
 *
 * Training counts the accesses of every place. How many of them come in how much of the program's
 * own time is known from runs that do nothing but count them, less what counting takes. Where there
 * was none, training itself says how much processor time its runs took: some of that is the
 * training, so much for every access, and what is left is taken for the program's own; it is too
 * much where threads that are slow make the kernel work more. A guarded access costs
 * so many nanoseconds, one that is only checked fewer, and a call that is gone is still a NOP,
 * which code was compiled around, unless its function is compiled anew. Where a program comes all
 * the time, the guard's code and the recorder's words are in the caches; where it comes once for
 * each request or less, both are waited for, which costs several times as much. Measured with
 * two servers (doc/results.md): good for choosing what to leave out, not for the last tenth of a
 * percent.
 */
#include <math.h>
#include <stdlib.h>

#include "guard/invariants.h"
#include "store/xalloc.h"

/* Nanoseconds for an access; GUARDED, CHECKED: at places that come seldom, and at those that come
 * WARM times or more in a microsecond of the program's own time. */
static const double GUARDED[] = {20, 3}, CHECKED[] = {12, 2}, WARM = 0.2;
static const double GONE = 0.3, PLAIN = 1.5, COUNTING = 2, TRAINING = 30;

/* How often in a nanosecond of the program's own time an access comes that was counted once; 0: not
 * known. */
static double rate_of_one(const struct sn_inv *v)
{
    const struct sn_inv_time *t = v->speed.accesses ? &v->speed : &v->time;
    double extra = t == &v->speed ? COUNTING : TRAINING, all = 0, n = (double)t->accesses;
    for (size_t i = 1; i < v->n; i++)
        all += (double)v->place[i].count;
    if (n <= 0 || all <= 0)
        return 0;
    double system = 1e3 * (double)t->system_us;
    double own = system + 1e3 * (double)t->user_us - extra * n, least = system + PLAIN * n;
    return n / all / (own > least ? own : least);
}

double sn_inv_run_ms(const struct sn_inv *v)
{
    const struct sn_inv_time *s = &v->speed;
    double us = (double)(s->user_us + s->system_us) - 1e-3 * COUNTING * (double)s->accesses;
    return v->speed_runs && us > 0 ? us / 1e3 / v->speed_runs : 0;
}

/* In percent of the program's own time. */
static double guard_of(const struct sn_inv_place *p, double rate_of_one)
{
    double rate = rate_of_one * (double)p->count;
    bool warm = rate * 1000 >= WARM;
    return 100 * rate * (p->light ? CHECKED[warm] : GUARDED[warm]);
}

static bool stays(const struct sn_inv *v, size_t place, const bool *drop)
{
    return v->place[place].kept && !(drop && drop[place]);
}

/* What calls cost that are gone, in functions in which others are guarded, so that their
 * instrumentation stays. drop: what is not guarded either; or null. */
static double cost_of_gone(const struct sn_inv *v, const bool *drop)
{
    double one = rate_of_one(v), sum = 0;
    bool *guards = sn_xcalloc(v->n, sizeof *guards);
    for (size_t i = 1; i < v->n; i++)
        guards[v->place[i].function] |= stays(v, i, drop);
    for (size_t i = 1; i < v->n; i++) {
        const struct sn_inv_place *p = &v->place[i];
        if (!stays(v, i, drop) && (!p->function || guards[p->function]))
            sum += 100 * one * (double)p->count * GONE;
    }
    free(guards);
    return sum;
}

static double cost_of_guards(const struct sn_inv *v)
{
    double one = rate_of_one(v), sum = 0;
    for (size_t i = 1; i < v->n; i++)
        sum += v->place[i].kept ? guard_of(&v->place[i], one) : 0;
    return sum;
}

double sn_inv_cost(const struct sn_inv *v, double *gone)
{
    *gone = cost_of_gone(v, NULL);
    return cost_of_guards(v);
}

double sn_inv_cost_of(const struct sn_inv *v, uint32_t group)
{
    double one = rate_of_one(v), sum = 0;
    for (size_t i = 1; i < v->n; i++)
        if (v->place[i].group == group && (v->place[i].kept || v->place[i].hot))
            sum += guard_of(&v->place[i], one);
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
    double one = rate_of_one(v);
    struct part *part = sn_xcalloc(v->n, sizeof *part);
    for (uint32_t i = 0; i < v->n; i++)
        part[i].group = i;
    for (size_t i = 1; i < v->n; i++)
        if (v->place[i].kept && !must[i])
            part[v->place[i].group].saved += guard_of(&v->place[i], one);
    qsort(part, v->n, sizeof *part, compare);
    return part;
}

/* What is left out so that the rest of the guards costs no more. malloc. */
static bool *drop_for(const struct sn_inv *v, double percent, const bool *must)
{
    struct part *part = list_parts(v, must);
    bool *drop = sn_xcalloc(v->n, sizeof *drop), *group = sn_xcalloc(v->n, sizeof *group);
    double cost = cost_of_guards(v);
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

/* What calls cost that are gone depends on what is guarded beside them. Where they alone are too
 * much, half of it is for guards all the same. */
bool *sn_inv_too_much(const struct sn_inv *v, double percent, const bool *must)
{
    double guards = percent, left;
    bool *drop = drop_for(v, guards, must);
    for (; (left = fmax(percent - cost_of_gone(v, drop), percent / 2)) < guards; guards = left) {
        free(drop);
        drop = drop_for(v, left, must);
    }
    return drop;
}
