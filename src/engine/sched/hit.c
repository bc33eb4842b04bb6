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
        if (u != t && sn_hit_conflict(&sn_task_of(t)->next, &sn_task_of(u)->next)) {
            sn_hit_report(t, u);
            n++;
        }
    }
    return n;
}

/* Of plain accesses only those that the plan names are points at all; of atomics and frees, too,
 * only the named ones count. */
uint32_t sn_hit_look(struct sn_thread *t)
{
    const struct sn_next *n = &sn_task_of(t)->next;
    if (!is_access(n) || (!n->target && sn_plan.points != SN_POINTS_ALL))
        return 0;
    return look_in(t, &sn_sched.set[SN_SET_READY]) + look_in(t, &sn_sched.set[SN_SET_POSTPONED]) +
           look_in(t, &sn_sched.set[SN_SET_LAZY]);
}
