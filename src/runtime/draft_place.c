/* draft_place.c: a variable, a thread's stack, or a heap block: what an address belongs to. */
#include "runtime/draft_place.h"

#include "runtime/modules.h"

int (*sn_draft_find_block)(uintptr_t addr, struct sn_draft_block *out);

/* The call frame of t whose stack part contains addr, and a code position inside that function. */
static void find_frame(struct sn_draft_place *p, const struct sn_thread *t, uintptr_t addr)
{
    for (struct sn_call_frame *k = t->frames; k < t->sp; k++) { /* outermost, so highest, first */
        if (k->rsp > addr)
            continue;
        /* The callee was called from this function; the innermost function is wherever the
         * thread's last hook was called from. */
        uintptr_t pc = k + 1 < t->sp ? k[1].pc : t->pc;
        p->ref = pc ? sn_modules_frame(pc) : 0;
        p->rsp = k->rsp;
        p->rbp = k->rbp;
        return;
    }
}

static bool on_stack_of(struct sn_draft_place *p, const struct sn_thread *t, uintptr_t addr)
{
    bool inside = addr >= t->stack_low && addr < t->stack_high;
    if ((inside || t->pthread) && sn_modules_tls(addr, t->pthread, &p->ref))
        p->kind = SN_OBJ_TLS;
    else if (inside)
        p->kind = SN_OBJ_STACK;
    else
        return false;
    p->thread = t->number;
    if (p->kind == SN_OBJ_STACK)
        find_frame(p, t, addr);
    return true;
}

static bool on_a_stack(struct sn_draft_place *p, uintptr_t addr)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        const struct sn_thread *t = sn_thread_at(i);
        if (t->state != SN_T_FREE && on_stack_of(p, t, addr))
            return true;
    }
    return false;
}

void sn_draft_locate(uintptr_t addr, struct sn_draft_place *p)
{
    *p = (struct sn_draft_place){.kind = SN_OBJ_UNKNOWN};
    if (sn_modules_contain(addr)) {
        p->kind = SN_OBJ_GLOBAL;
        p->ref = sn_modules_frame(addr);
    } else if (!on_a_stack(p, addr) && sn_draft_find_block &&
               sn_draft_find_block(addr, &p->block)) {
        p->kind = SN_OBJ_HEAP;
        p->thread = p->block.thread;
    }
}
