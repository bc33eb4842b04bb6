/*
 * vm.c: the machine as a whole: made once per program, reset before every run; seeded chance, and the
 * invention of values for what is not known.
 */
#include "check/vm.h"

#include <stdlib.h>
#include <string.h>

#include "check/history.h"
#include "check/model.h"
#include "check/rules.h"
#include "check/strategy.h"
#include "check/sync.h"

uint64_t sn_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

uint64_t sn_choose(struct sn_vm *vm, uint64_t n)
{
    if (n < 2)
        return 0;
    return vm->strategy->choose ? vm->strategy->choose(vm, vm->strategy, n) : sn_random_below(&vm->random, n);
}

/* Constants that the program compares with: values that decide branches. */
static void collect_dictionary(struct sn_vm *vm)
{
    const struct sn_bytecode *c = vm->code;
    vm->ndictionary = 0;
    for (size_t i = 0; i < c->ninsn && vm->ndictionary < SN_DICTIONARY; i++) {
        const struct sn_insn *p = &c->insn[i];
        bool compare = p->op >= SN_BC_EQ && p->op < SN_BC_SELECT && (p->op - SN_BC_EQ) % 2 == 1;
        if (compare)
            vm->dictionary[vm->ndictionary++] = (uint64_t)(int64_t)(int32_t)p->c;
    }
    for (size_t i = 0; i < c->ncases && vm->ndictionary < SN_DICTIONARY; i++)
        vm->dictionary[vm->ndictionary++] = c->cases[i].value;
}

uint64_t sn_invent(struct sn_vm *vm, unsigned bits)
{
    uint64_t mask = bits >= 64 ? ~0ull : (1ull << bits) - 1, r = sn_random(&vm->random_input), v = r >> 8;
    switch (r & 7) {
    case 0: v = 0; break;
    case 1: v = 1; break;
    case 2: v %= 4; break;
    case 3: v %= 16; break;
    case 4: v = ~0ull; break;
    case 5: v %= 256; break;
    default:
        if (vm->ndictionary > 0)
            v = vm->dictionary[v % vm->ndictionary] + (r >> 61 == 0) - (r >> 61 == 1);
    }
    return v & mask;
}

int sn_vm_init(struct sn_vm *vm, const struct sn_bytecode *code, const struct sn_bounds *b)
{
    memset(vm, 0, sizeof *vm);
    vm->code = code;
    vm->bounds = *b;
    int r = sn_simmem_init(&vm->mem, code);
    if (r != 0)
        return r;
    vm->reached = calloc(code->nfunc + 1, 1);
    if (vm->reached == NULL)
        abort();
    sn_vsync_init(vm);
    sn_vhistory_init(vm);
    sn_lib_init(vm);
    collect_dictionary(vm);
    return 0;
}

static void free_task(struct sn_task *t)
{
    free(t->act);
    free(t->reg);
    free(t->kont);
    free(t->segment);
    free(t);
}

void sn_vm_free(struct sn_vm *vm)
{
    for (size_t i = 0; i < vm->ntask_made; i++)
        free_task(vm->task[i]);
    free(vm->task);
    free(vm->reached);
    free(vm->ready);
    sn_lib_free(vm);
    sn_vhistory_free(vm);
    sn_vsync_free(vm);
    sn_contexts_free(&vm->contexts);
    sn_run_arena_free(&vm->arena);
    sn_simmem_free(&vm->mem);
}

void sn_vm_reset(struct sn_vm *vm, uint64_t seed)
{
    sn_simmem_reset(&vm->mem);
    sn_run_arena_reset(&vm->arena);
    sn_vsync_reset(vm);
    sn_vhistory_reset(vm);
    sn_lib_reset(vm);
    sn_rules_reset(vm->rules);
    vm->ntask = vm->live = 0;
    vm->nready = 0;
    vm->trail.n = 0;
    vm->concurrent = vm->used_input = vm->vague_entry = vm->guessed = false;
    vm->exact = true;
    vm->vague_pc = SN_NONE;
    vm->steps = vm->charged = 0;
    vm->random = seed * 2 + 1;
    vm->random_input = seed ^ 0xabcdef1234567890ull;
    vm->now_ns = 1700000000ull * 1000000000ull;
    vm->stop_reason = NULL;
    vm->bounded = false;
}
