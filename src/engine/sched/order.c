/*
 * order.c: directed at an order of events. The plan says which, in one of three ways:
 *
 * turns: the witness of a predictor. The thread of the first line runs until it stands before the
 * named statement, then that of the second, and so on; who has come to the end of its turn waits
 * there for its next one. After the last turn everybody goes on at random. A turn whose thread
 * waits for something, spins or is over has ended too; when that is not where the plan wanted it,
 * the plan was left.
 *
 * before: nobody executes the second statement of a pair before another thread has executed the
 * first, as long as anybody else can run (algorithm 3 of the paper on anticipating invariants).
 *
 * Only sites: who comes to one waits there for as long as anybody else can run, so that what
 * usually comes later comes first. Half of those who come are let through, so that both sides of a
 * pair get their turn.
 */
#include "core/sys.h"
#include "plan.h"
#include "strategy.h"
#include "tally.h"

static uint32_t current; /* the turn whose time it is */

enum {
    WITHOUT_END = 1 << 30,   /* steps: the monitor leaves it alone */
    OUTSIDE_NS = 200000000u, /* it may wait there for one of those who wait for its turn to end */
};

static void hold(struct sn_thread *t, uint64_t extra)
{
    sn_task_of(t)->since = sn_sched.steps + extra;
    sn_set_put(t, SN_SET_POSTPONED);
}

static void release_all(void)
{
    struct sn_set *p = &sn_sched.set[SN_SET_POSTPONED];
    while (p->n)
        sn_set_put(p->t[p->n - 1], SN_SET_READY);
}

/* The first turn of t that it has not come to the end of; nturns: none. */
static uint32_t own_turn(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    while (k->turn < sn_plan.nturns && sn_plan.turn[k->turn].thread != t->number)
        k->turn++;
    return k->turn;
}

static void end_turn(struct sn_thread *t, bool as_planned)
{
    struct sn_task *k = sn_task_of(t);
    sn_plan.turn[k->turn++].over = 1;
    k->turn_count = 0;
    if (as_planned)
        sn_tally.followed++;
    else
        sn_tally.diverged++;
}

/* Whoever's turn it is now is not held any more. */
static void go_on_to_next(void)
{
    while (current < sn_plan.nturns && sn_plan.turn[current].over)
        current++;
    if (current == sn_plan.nturns) {
        release_all();
        return;
    }
    struct sn_thread *t = sn_thread_by_number(sn_plan.turn[current].thread);
    if (t && sn_task_of(t)->set == SN_SET_POSTPONED)
        sn_set_put(t, SN_SET_READY);
}

static void arrive_in_turn(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    uint32_t i = own_turn(t);
    const struct sn_plan_turn *turn = &sn_plan.turn[i];
    if (i < sn_plan.nturns && turn->nth && turn->pc == k->next.pc &&
        (sn_plan.after || !k->next.after) && ++k->turn_count == turn->nth) {
        end_turn(t, true);
        go_on_to_next();
    }
    if (current < sn_plan.nturns && own_turn(t) != current)
        hold(t, WITHOUT_END);
}

/* Its turn has ended without coming to the place; true when the next turn is to be looked at. */
static bool is_stuck(struct sn_thread *t)
{
    const struct sn_task *k = sn_task_of(t);
    const struct sn_plan_turn *turn = &sn_plan.turn[current];
    if (k->set != SN_SET_NONE || k->wait == SN_WAIT_BIRTH ||
        (k->wait == SN_WAIT_OUTSIDE && sn_now_ns() - k->left_ns < OUTSIDE_NS))
        return false;
    own_turn(t);
    end_turn(t, !turn->nth || (k->wait != SN_WAIT_OVER && turn->pc == k->wait_pc));
    return true;
}

static struct sn_thread *whose_turn(void)
{
    struct sn_thread *t = 0;
    do {
        go_on_to_next();
        t = current < sn_plan.nturns ? sn_thread_by_number(sn_plan.turn[current].thread) : 0;
    } while (t && is_stuck(t));
    return t;
}

static void mark_passed(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    for (uint32_t i = 0; i < sn_plan.nbefores; i++)
        if (k->passing && sn_plan.before[i].first == k->passing && !sn_plan.before[i].done) {
            sn_plan.before[i].done = t->number + 1;
            release_all(); /* who still has to wait comes back */
        }
    k->passing = k->next.after ? 0 : k->next.pc;
}

static void arrive_before(struct sn_thread *t)
{
    const struct sn_next *n = &sn_task_of(t)->next;
    mark_passed(t);
    for (uint32_t i = 0; i < sn_plan.nbefores; i++) {
        const struct sn_plan_before *b = &sn_plan.before[i];
        if (b->then == n->pc && !n->after && (!b->done || b->done == t->number + 1))
            hold(t, 0);
    }
}

static void arrive(struct sn_thread *t, uint32_t hits)
{
    (void)hits;
    if (sn_plan.nturns)
        arrive_in_turn(t);
    else if (sn_plan.nbefores)
        arrive_before(t);
    else if (sn_task_of(t)->next.target && sn_sched_below(2))
        hold(t, 0);
}

static struct sn_thread *pick(struct sn_thread *self)
{
    struct sn_thread *t = sn_plan.nturns ? whose_turn() : 0;
    if (t && sn_task_of(t)->set == SN_SET_READY)
        return t;
    if (t && sn_task_of(t)->wait == SN_WAIT_OUTSIDE)
        return 0;
    return sn_strategy_random.pick(self);
}

/* Nobody but spinning threads has run for a while. */
static struct sn_thread *release(void)
{
    struct sn_thread *t = sn_plan.nturns ? whose_turn() : 0;
    while (t && sn_task_of(t)->set == SN_SET_LAZY) {
        own_turn(t);
        end_turn(t, false);
        t = whose_turn();
    }
    struct sn_set *p = &sn_sched.set[SN_SET_POSTPONED];
    return t && sn_task_of(t)->set != SN_SET_NONE ? t : p->n ? p->t[sn_sched_below(p->n)] : 0;
}

/* Time limits in the middle of an order would spoil it. */
static struct sn_thread *early(struct sn_thread *self)
{
    return sn_plan.nturns ? 0 : sn_strategy_early(self);
}

const struct sn_strategy sn_strategy_order = {
    .name = "order", .arrive = arrive, .pick = pick, .release = release, .early = early};
