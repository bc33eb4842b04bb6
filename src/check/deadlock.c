/*
 * deadlock.c: cycles in the wait-for graph (the paper's section 3.4), looked for whenever a task
 * begins to wait for a lock or for another task's end; and the state in which nobody can go on.
 */
#include "check/issue.h"
#include "check/lib.h"
#include "check/sync.h"

struct search {
    struct sn_vm *vm;
    struct sn_task *goal;
    struct sn_task *path[SN_ISSUE_SITES];
    size_t n;
    uint8_t seen[SN_TASKS_MAX];
};

static bool reaches(struct search *s, struct sn_task *t);

static bool through(struct search *s, uint32_t task)
{
    struct sn_task *next = task < s->vm->ntask ? s->vm->task[task] : NULL; /* null: any of its children */
    if (next == NULL)
        return false;
    if (next == s->goal)
        return true;
    if (s->seen[task])
        return false;
    s->seen[task] = 1;
    return reaches(s, next);
}

/* Whether t waits, directly or through others, for the goal. A shared lock has many holders: one
 * that waits is enough to keep a writer out. */
static bool reaches(struct search *s, struct sn_task *t)
{
    bool found = false;
    if (t->state != SN_BLOCKED || t->timed || s->n == SN_ISSUE_SITES)
        return false;
    s->path[s->n++] = t;
    if (t->wait == SN_WAIT_JOIN) {
        found = through(s, t->wait_task);
    } else if (t->wait == SN_WAIT_LOCK || t->wait == SN_WAIT_ONCE) {
        const struct sn_vsync *on = t->wait_sync;
        found = on->owner >= 0 && through(s, (uint32_t)on->owner);
        for (uint32_t i = 0; !found && i < on->nreader; i++)
            found = through(s, on->reader[i]);
    }
    if (!found)
        s->n--;
    return found;
}

bool sn_deadlock_check(struct sn_vm *vm, struct sn_task *t)
{
    struct search s = {.vm = vm, .goal = t};
    if (!reaches(&s, t))
        return false;
    sn_issue_deadlock(vm, s.path, s.n, NULL);
    return true;
}

/* Every task waits for something that only another waiting task could do. Waits that the outside
 * may end are no deadlock; a cycle has been told when it closed. */
void sn_stuck_check(struct sn_vm *vm)
{
    struct sn_task *stuck[SN_ISSUE_SITES];
    size_t n = 0;
    for (size_t i = 0; i < vm->ntask; i++) {
        struct sn_task *t = vm->task[i];
        if (t->state != SN_BLOCKED)
            continue;
        if (t->wait == SN_WAIT_EVENT || t->timed)
            return;
        if (n < SN_ISSUE_SITES)
            stuck[n++] = t;
    }
    if (n == 0 || !vm->concurrent || vm->nready > 0 || sn_signals_expected(vm))
        return;
    struct search s = {.vm = vm};
    for (size_t i = 0; i < n; i++) { /* told already, as a cycle of locks and joins */
        s = (struct search){.vm = vm, .goal = stuck[i]};
        if (reaches(&s, stuck[i]))
            return;
    }
    sn_issue_deadlock(vm, stuck, n, "every thread waits, and nobody is left to wake them");
}
