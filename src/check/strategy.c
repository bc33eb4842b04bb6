/* strategy.c: what all strategies share. */
#include "check/strategy.h"

size_t sn_runnable(struct sn_vm *vm, struct sn_task **out, size_t cap, bool timeouts)
{
    size_t n = 0;
    for (size_t i = 0; i < vm->ntask && n < cap; i++) {
        struct sn_task *t = vm->task[i];
        if (t->state == SN_READY || (timeouts && t->state == SN_BLOCKED && t->timed))
            out[n++] = t;
    }
    return n;
}

void sn_resume(struct sn_vm *vm, struct sn_task *t, int64_t slice)
{
    uint64_t left = vm->bounds.steps_per_run > vm->steps ? vm->bounds.steps_per_run - vm->steps : 1;
    vm->fuel = slice < 1 ? 1 : (uint64_t)slice < left ? slice : (int64_t)left;
    vm->counts.switches++;
    if (t->state == SN_BLOCKED) {
        t->timed_out = true;
        sn_task_wake(t);
    }
    t->passed_point = t->at_point;
    t->at_point = false;
}
