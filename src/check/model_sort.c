/*
 * model_sort.c: qsort and bsearch with the program's own comparison function. Sorting is Shell's,
 * written as a machine that stops at every comparison; elements are moved in simulated memory, so
 * that another thread that touches the array meanwhile races.
 */
#include <string.h>

#include "check/lib.h"

enum { N_BASE, N_COUNT, N_SIZE, N_COMPARE, N_GAP, N_I, N_J, N_CONTEXT };

static enum sn_result compare(struct sn_vm *vm, struct sn_task *t, const struct sn_continuation *k)
{
    uint64_t base = k->n[N_BASE], size = k->n[N_SIZE], j = k->n[N_J];
    struct sn_reg args[3] = {{base + (j - k->n[N_GAP]) * size, 0}, {base + j * size, 0}, {k->n[N_CONTEXT], 0}};
    return sn_call_back(vm, t, k->n[N_COMPARE], args, 3);
}

/* Insertion with a gap: j goes down while its left neighbour is larger; then the next i; then the
 * next smaller gap. False when all is done. */
static bool next_insertion(struct sn_continuation *k)
{
    uint64_t *n = k->n;
    if (++n[N_I] >= n[N_COUNT]) {
        n[N_GAP] = n[N_GAP] == 2 ? 1 : n[N_GAP] * 5 / 11;
        n[N_I] = n[N_GAP];
    }
    n[N_J] = n[N_I];
    return n[N_GAP] > 0;
}

static void swap_elements(struct sn_vm *vm, struct sn_task *t, uint64_t a, uint64_t b, uint64_t size)
{
    uint8_t *x = sn_mem(&vm->mem, a), *y = sn_mem(&vm->mem, b);
    uint8_t *p = sn_tag(&vm->mem, a), *q = sn_tag(&vm->mem, b);
    if (!sn_touch(vm, t, (struct sn_reg){a, 0}, size, true) || !sn_touch(vm, t, (struct sn_reg){b, 0}, size, true))
        return;
    for (uint64_t k = 0; k < size; k++) {
        uint8_t v = x[k], tag = p[k];
        x[k] = y[k];
        y[k] = v;
        p[k] = q[k];
        q[k] = tag;
    }
}

static enum sn_result sort_step(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k, struct sn_reg result)
{
    uint64_t *n = k->n;
    sn_decided_at(vm, result.u, t->pc);
    if ((int32_t)result.v > 0) {
        uint64_t at = n[N_BASE] + n[N_J] * n[N_SIZE];
        swap_elements(vm, t, at - n[N_GAP] * n[N_SIZE], at, n[N_SIZE]);
        n[N_J] -= n[N_GAP];
        if (n[N_J] >= n[N_GAP])
            return compare(vm, t, k);
    }
    return next_insertion(k) ? compare(vm, t, k) : SN_DONE;
}

static enum sn_result m_qsort(struct sn_call *c)
{
    struct sn_reg base = sn_arg(c, 0), count = sn_arg(c, 1), size = sn_arg(c, 2), f = sn_arg(c, 3);
    if ((base.u | count.u | size.u | f.u) & SN_VAGUE || count.v < 2 || size.v == 0 || size.v > 1u << 20 ||
        count.v > 1u << 20 || !sn_usable(c->vm, c->t, base, count.v * size.v, true))
        return SN_DONE;
    uint64_t gap = 1;
    while (gap < count.v / 3)
        gap = gap * 11 / 5 + 1;
    struct sn_continuation *k = sn_push_continuation(c->t, sort_step, SN_NONE);
    k->n[N_BASE] = base.v;
    k->n[N_COUNT] = count.v;
    k->n[N_SIZE] = size.v;
    k->n[N_COMPARE] = f.v;
    k->n[N_CONTEXT] = sn_arg(c, 4).v;
    k->n[N_GAP] = k->n[N_I] = k->n[N_J] = gap;
    return compare(c->vm, c->t, k);
}

/* --- bsearch(key, base, count, size, compare) --- */

enum { B_KEY, B_BASE, B_SIZE, B_COMPARE, B_LOW, B_HIGH };

static enum sn_result probe(struct sn_vm *vm, struct sn_task *t, const struct sn_continuation *k)
{
    uint64_t mid = (k->n[B_LOW] + k->n[B_HIGH]) / 2;
    struct sn_reg args[2] = {{k->n[B_KEY], 0}, {k->n[B_BASE] + mid * k->n[B_SIZE], 0}};
    return sn_call_back(vm, t, k->n[B_COMPARE], args, 2);
}

static enum sn_result search_step(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k, struct sn_reg result)
{
    uint64_t mid = (k->n[B_LOW] + k->n[B_HIGH]) / 2;
    sn_decided_at(vm, result.u, t->pc);
    if ((int32_t)result.v == 0) {
        k->result = (struct sn_reg){k->n[B_BASE] + mid * k->n[B_SIZE], result.u};
        return SN_DONE;
    }
    if ((int32_t)result.v < 0)
        k->n[B_HIGH] = mid;
    else
        k->n[B_LOW] = mid + 1;
    return k->n[B_LOW] < k->n[B_HIGH] ? probe(vm, t, k) : SN_DONE;
}

static enum sn_result m_bsearch(struct sn_call *c)
{
    struct sn_reg key = sn_arg(c, 0), base = sn_arg(c, 1), count = sn_arg(c, 2), size = sn_arg(c, 3), f = sn_arg(c, 4);
    if ((key.u | base.u | count.u | size.u | f.u) & SN_VAGUE) {
        c->ret = (struct sn_reg){0, SN_UNKNOWN};
        return SN_DONE;
    }
    if (count.v == 0)
        return sn_return(c, 0);
    struct sn_continuation *k = sn_push_continuation(c->t, search_step, c->dst);
    k->n[B_KEY] = key.v;
    k->n[B_BASE] = base.v;
    k->n[B_SIZE] = size.v;
    k->n[B_COMPARE] = f.v;
    k->n[B_HIGH] = count.v;
    return probe(c->vm, c->t, k);
}

static const struct sn_model models[] = {
    {"qsort", m_qsort, 0, 0},
    {"qsort_r", m_qsort, 0, 0},
    {"bsearch", m_bsearch, 0, 0},
};
const struct sn_model_table sn_models_sort = {models, sizeof models / sizeof *models};
