/* sets.c: the three sets of threads that can run, and the random numbers. */
#include "scheduler.h"

#include "core/options.h"
#include "core/sys.h"

struct sn_sched sn_sched SN_HOT;

enum { FEW = 32 };

/* Most programs have few threads: these lie beside each other. */
static struct sn_thread *few[SN_SETS][FEW] SN_HOT, *members[SN_SETS][SN_MAX_THREADS] SN_LARGE;

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

void sn_set_init(void)
{
    for (int i = 0; i < SN_SETS; i++)
        sn_sched.set[i].t = few[i];
    sn_set_seed();
}

void sn_set_seed(void)
{
    sn_sched.random = mix((uint64_t)sn_opt.seed + 0x9e3779b97f4a7c15ull);
}

uint64_t sn_sched_random(void)
{
    return mix(sn_sched.random += 0x9e3779b97f4a7c15ull);
}

/* The last member takes the place of the one that goes: constant time, and the same order whenever
 * the same things happen. */
static void take_out(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    struct sn_set *s = &sn_sched.set[k->set];
    struct sn_thread *last = s->t[--s->n];
    s->t[k->at] = last;
    sn_task_of(last)->at = k->at;
}

void sn_set_put(struct sn_thread *t, enum sn_sched_set set)
{
    struct sn_task *k = sn_task_of(t);
    if (k->set == set)
        return;
    if (k->set != SN_SET_NONE)
        take_out(t);
    k->set = (uint8_t)set;
    if (set == SN_SET_NONE)
        return;
    struct sn_set *s = &sn_sched.set[set];
    if (s->n == FEW && s->t == few[set]) {
        __builtin_memcpy(members[set], few[set], sizeof few[set]);
        s->t = members[set];
    }
    k->at = s->n;
    s->t[s->n++] = t;
    sn_sched.arrivals += set == SN_SET_READY;
}
