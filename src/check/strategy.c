/* strategy.c: what all strategies share. */
#include "check/strategy.h"

struct sn_task *sn_pick_ready(struct sn_vm *vm)
{
    return vm->nready > 0 ? vm->task[vm->ready[sn_random_below(&vm->random, vm->nready)]] : NULL;
}

struct sn_task *sn_pick_timeout(struct sn_vm *vm)
{
    struct sn_task *chosen = NULL;
    uint64_t n = 0;
    for (size_t i = 0; i < vm->ntask; i++) {
        struct sn_task *t = vm->task[i];
        if (t->state == SN_BLOCKED && t->timed && sn_random_below(&vm->random, ++n) == 0)
            chosen = t;
    }
    return chosen;
}

void sn_resume(struct sn_vm *vm, struct sn_task *t, int64_t slice)
{
    uint64_t left = vm->bounds.steps_per_run > vm->steps ? vm->bounds.steps_per_run - vm->steps : 1;
    vm->fuel = slice < 1 ? 1 : (uint64_t)slice < left ? slice : (int64_t)left;
    vm->counts.switches++;
    if (t->state == SN_BLOCKED) {
        t->timed_out = true;
        sn_task_wake(vm, t);
    }
    t->passed_point = t->at_point;
    t->at_point = false;
}
