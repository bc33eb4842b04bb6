/*
 * hit.c: two threads that both stand before an access, to the same bytes, one of them a write, not
 * both atomic: whichever goes first, nothing orders them. That is a race beyond doubt (algorithm 2
 * of the paper), and the finding is `confirmed`.
 */
#include "scheduler.h"
#include "tally.h"

#include "core/hash.h"
#include "core/sys.h"
#include "plan.h"
#include "runtime/draft.h"
#include "runtime/hook.h"

static bool is_access(const struct sn_next *n)
{
    return n->op >= SN_EV_READ && n->op <= SN_EV_FREE && n->op != SN_EV_FENCE && n->size;
}

bool sn_hit_conflict(const struct sn_next *a, const struct sn_next *b)
{
    return is_access(a) && is_access(b) && (a->write || b->write) && !(a->atomic && b->atomic) &&
           a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

static enum sn_op op_of(const struct sn_next *n)
{
    if (n->op == SN_EV_FREE)
        return SN_OP_FREE;
    return n->atomic ? SN_OP_ATOMIC : n->write ? SN_OP_WRITE : SN_OP_READ;
}

static void add_site(struct sn_draft *d, struct sn_thread *t)
{
    const struct sn_next *n = &sn_task_of(t)->next;
    sn_draft_site(d, t, op_of(n), sn_ctx_where(t, n->pc), n->addr, (uint32_t)n->size, true, 0);
}

/* A debugger stops here: t is at the second of the two accesses. */
SN_NOINLINE void sn_hit_report(struct sn_thread *t, struct sn_thread *u)
{
    const struct sn_next *a = &sn_task_of(t)->next, *b = &sn_task_of(u)->next;
    uint64_t key = sn_hash_mix(a->pc) + sn_hash_mix(b->pc);
    struct sn_draft *d = sn_draft_begin(SN_KIND_DATA_RACE, SN_CONFIRMED, key, 0);
    sn_tally_hit(t, u);
    if (!d)
        return;
    sn_draft_object(d, a->addr > b->addr ? a->addr : b->addr, (size_t)a->size);
    add_site(d, t);
    add_site(d, u);
    sn_draft_commit(d);
}

static uint32_t look_in(struct sn_thread *t, const struct sn_set *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        struct sn_thread *u = s->t[i];
        if (u != t && sn_task_of(u)->stands &&
            sn_hit_conflict(&sn_task_of(t)->next, &sn_task_of(u)->next)) {
            sn_hit_report(t, u);
            n++;
        }
    }
    return n;
}

/* How many threads stand before an access to each granule, more or less (granules share counters),
 * so that a thread need not look at all the others; and how many before a large one. */
enum { GRANULE = 8, COUNTERS = 256, LARGE = 4 * GRANULE };
static uint16_t standing[COUNTERS] SN_HOT;
static uint32_t standing_large SN_HOT;

static uint16_t *counter(uintptr_t addr)
{
    return &standing[(addr / GRANULE * 0x9e3779b97f4a7c15ull) >> 56];
}

/* Of plain accesses only those that the plan names are points at all; of atomics and frees, too,
 * only the named ones count. */
static bool counts(const struct sn_next *n)
{
    return is_access(n) && (n->target || sn_plan.points == SN_POINTS_ALL);
}

static void add(const struct sn_next *n, int by)
{
    if (n->size > LARGE) {
        standing_large += (uint32_t)by;
        return;
    }
    for (uintptr_t a = n->addr & -GRANULE; a < n->addr + n->size; a += GRANULE)
        *counter(a) += (uint16_t)by;
}

static bool may_conflict(const struct sn_next *n)
{
    bool any = standing_large != 0 || n->size > LARGE;
    for (uintptr_t a = n->addr & -GRANULE; !any && a < n->addr + n->size; a += GRANULE)
        any = *counter(a) != 0;
    return any;
}

void sn_hit_stand(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    k->stands = 1;
    if (counts(&k->next))
        add(&k->next, 1);
}

void sn_hit_go_on(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    k->stands = 0;
    if (counts(&k->next))
        add(&k->next, -1);
}

uint32_t sn_hit_look(struct sn_thread *t)
{
    const struct sn_next *n = &sn_task_of(t)->next;
    if (!counts(n) || !may_conflict(n))
        return 0;
    return look_in(t, &sn_sched.set[SN_SET_READY]) + look_in(t, &sn_sched.set[SN_SET_POSTPONED]) +
           look_in(t, &sn_sched.set[SN_SET_LAZY]);
}
