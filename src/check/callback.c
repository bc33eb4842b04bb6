/*
 * callback.c: calls from models into the program: comparison functions, destructors, once routines,
 * handlers. A model that calls back leaves a continuation; its step function runs when the callback
 * has returned, and may call again or finish the model's call.
 */
#include <stdlib.h>

#include "check/model.h"
#include "check/vm.h"

struct sn_continuation *sn_push_continuation(struct sn_task *t, sn_step_fn *step, uint32_t dst)
{
    if (t->nkont == t->cap_kont) {
        t->cap_kont = t->cap_kont ? t->cap_kont * 2 : 8;
        t->kont = realloc(t->kont, t->cap_kont * sizeof *t->kont);
        if (t->kont == NULL)
            abort();
    }
    struct sn_continuation *k = &t->kont[t->nkont++];
    *k = (struct sn_continuation){.step = step, .dst = dst, .depth = (uint32_t)t->nact};
    return k;
}

/* The first register that no living frame uses. */
static uint32_t free_register(const struct sn_vm *vm, const struct sn_task *t)
{
    if (t->nact == 0)
        return 0;
    const struct sn_activation *a = &t->act[t->nact - 1];
    const struct sn_func *f = &vm->code->func[a->func];
    return a->base + f->nregs + f->out_max;
}

enum sn_result sn_call_back(struct sn_vm *vm, struct sn_task *t, uint64_t func_addr,
                            const struct sn_reg *args, unsigned nargs)
{
    uint32_t func = sn_func_at(vm->code, func_addr);
    struct sn_reg copy[8];
    t->immediate = (struct sn_reg){0, SN_UNKNOWN};
    nargs = nargs < 8 ? nargs : 8;
    for (unsigned k = 0; k < nargs; k++)
        copy[k] = args[k]; /* the registers may move */
    if (func == SN_NONE || vm->code->func[func].entry == SN_NONE) {
        if (func != SN_NONE)
            sn_model_direct(vm, t, func, copy, nargs, &t->immediate);
        return SN_IMMEDIATE;
    }
    uint32_t base = free_register(vm, t), nparams = vm->code->func[func].nparams;
    if (!sn_task_push(vm, t, func, base, t->pc))
        return SN_END;
    t->act[t->nact - 1].callback = true;
    for (unsigned k = 0; k < nparams; k++)
        t->reg[base + k] = k < nargs ? copy[k] : (struct sn_reg){0, SN_UNKNOWN};
    return SN_CALLED;
}

enum sn_result sn_callback_return(struct sn_vm *vm, struct sn_task *t, struct sn_reg result)
{
    if (t->nkont == 0)
        return SN_EXIT;
    enum sn_result r;
    do {
        struct sn_continuation *now = &t->kont[t->nkont - 1];
        r = now->step(vm, t, now, result);
        result = t->immediate;
    } while (r == SN_IMMEDIATE);
    if (r != SN_DONE)
        return r;
    const struct sn_continuation *k = &t->kont[--t->nkont];
    if (k->dst != SN_NONE && t->nact > 0)
        t->reg[t->act[t->nact - 1].base + k->dst] = k->result;
    return SN_DONE;
}
