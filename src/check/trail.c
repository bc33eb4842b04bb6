/*
 * trail.c: see trail.h. The place of an earlier access among the operations is known by its epoch:
 * it stands behind the last operation of its thread that had this epoch or an earlier one.
 */
#include "check/trail.h"

#include <stdlib.h>
#include <string.h>

#include "check/issue.h"
#include "check/object.h"

static bool takes_part(const struct sn_issue *i, const struct sn_vm *vm,
                       const struct sn_trail_op *op)
{
    const struct sn_insn *insn = &vm->code->insn[op->pc];
    for (uint32_t k = 0; k < i->nsite; k++) {
        if (i->site[k].task == (int32_t)op->task)
            return true;
        for (uint32_t j = 0; j < i->site[k].nmade;
             j++) /* whoever created one of them, where he did */
            if (i->site[k].made[j].task == (int32_t)op->task && i->site[k].made[j].pc == op->pc)
                return insn->op == SN_BC_CALLM;
    }
    return false;
}

/* "pthread_mutex_lock(m)", "atomic flag" */
static char *words(const struct sn_vm *vm, const struct sn_trail_op *op)
{
    const struct sn_insn *i = &vm->code->insn[op->pc];
    bool call = i->op == SN_BC_CALLM || i->op == SN_BC_CALL || i->op == SN_BC_CALLU;
    char *name = op->object > 1 ? sn_object_name(vm, op->object) : NULL, *text = NULL;
    int n = call
                ? asprintf(&text, "%s(%s)", sn_bytecode_string(vm->code, vm->code->func[i->b].name),
                           name ? name : "")
                : asprintf(&text, "atomic %s", name ? name : "operation");
    free(name);
    if (n < 0)
        abort();
    return text;
}

static char *site_words(const struct sn_issue *i, const struct sn_issue_site *s)
{
    char *text = NULL;
    const char *op = s->op == SN_OP_WRITE    ? "write"
                     : s->op == SN_OP_FREE   ? "free"
                     : s->op == SN_OP_ATOMIC ? "atomic"
                                             : "read";
    int n = s->op == SN_OP_CALL ? asprintf(&text, "%s", s->call ? s->call : "call")
            : s->op == SN_OP_LOCK
                ? asprintf(&text, "%s", s->note ? s->note : "lock")
                : asprintf(&text, "%s %s", op, i->object.name ? i->object.name : "memory");
    if (n < 0)
        abort();
    return text;
}

static void add(struct sn_issue *i, uint32_t task, uint32_t pc, char *what)
{
    i->step[i->nstep++] = (struct sn_issue_step){task, pc, what};
}

static void add_site(struct sn_issue *i, uint32_t site)
{
    add(i, (uint32_t)i->site[site].task, i->site[site].pc, site_words(i, &i->site[site]));
}

/* Of its own thread, by the epoch; or its thread's creation. */
static bool before_access(const struct sn_trail_op *op, const struct sn_issue_site *s)
{
    if ((int32_t)op->task == s->task)
        return op->epoch <= s->epoch;
    return s->nmade > 0 && (int32_t)op->task == s->made[0].task && op->pc == s->made[0].pc;
}

void sn_trail_tell(const struct sn_vm *vm, struct sn_issue *i)
{
    const struct sn_trail *t = &vm->trail;
    uint64_t first = t->n > SN_TRAIL ? t->n - SN_TRAIL : 0, begin = t->n, early = first;
    uint32_t room = SN_ISSUE_STEPS - i->nsite;
    bool access = i->nsite == 2 && i->site[0].epoch != 0;
    while (begin > first && room > 0)
        room -= takes_part(i, vm, &t->op[--begin % SN_TRAIL]);
    for (uint64_t k = first; access && k < t->n; k++) /* where the earlier access stands */
        if (before_access(&t->op[k % SN_TRAIL], &i->site[0]))
            early = k + 1;
    bool placed = !access;
    for (uint64_t k = begin; k < t->n; k++) {
        const struct sn_trail_op *op = &t->op[k % SN_TRAIL];
        if (!placed && k >= early) {
            add_site(i, 0);
            placed = true;
        }
        if (takes_part(i, vm, op) && i->nstep < SN_ISSUE_STEPS - i->nsite + (access && placed))
            add(i, op->task, op->pc, words(vm, op));
    }
    if (access && !placed)
        add_site(i, 0);
    for (uint32_t k = access ? 1 : i->kind == SN_KIND_MISUSE ? i->nsite : 0; k < i->nsite; k++)
        add_site(i, k);
    if (i->kind == SN_KIND_MISUSE && i->nsite > 0)
        add_site(i, 0);
}
