/* atomic.c: atomic operations and fences. The baton is kept from enter to leave, so the value
 * before and the value after belong to this operation. */
#include "access.h"

#include "core/stop.h"

static uint64_t load(uintptr_t addr, unsigned size)
{
    switch (size) {
    case 1:
        return __atomic_load_n((const uint8_t *)addr, __ATOMIC_SEQ_CST);
    case 2:
        return __atomic_load_n((const uint16_t *)addr, __ATOMIC_SEQ_CST);
    case 4:
        return __atomic_load_n((const uint32_t *)addr, __ATOMIC_SEQ_CST);
    default:
        return __atomic_load_n((const uint64_t *)addr, __ATOMIC_SEQ_CST);
    }
}

static void look(const struct sn_atomic_scope *s, uint64_t value[2])
{
    value[0] = load(s->addr, s->size);
    value[1] = s->size == 16 ? load(s->addr + 8, 8) : 0;
}

SN_NOINLINE void sn_atomic_enter(struct sn_atomic_scope *s, uintptr_t addr, unsigned size,
                                 enum sn_event_op op, int order, uintptr_t pc)
{
    s->t = 0;
    struct sn_thread *t = sn_record_enter(pc, addr, 0);
    if (!t)
        return;
    *s = (struct sn_atomic_scope){.t = t,
                                  .addr = addr,
                                  .pc = pc,
                                  .size = (uint8_t)size,
                                  .op = (uint8_t)op,
                                  .order = (uint8_t)(order & 7)};
    look(s, s->old);
}

static void put(const struct sn_atomic_scope *s, enum sn_event_op op, unsigned order, unsigned half,
                uint64_t value)
{
    struct sn_trace_event ev = {.ev = {.op = (uint8_t)op,
                                       .order = (uint8_t)order,
                                       .flags = half ? SN_EF_PART : 0,
                                       .addr = s->addr + 8 * half,
                                       .size = s->size > 8 ? 8 : s->size,
                                       .value = value},
                                .thread = s->t->number,
                                .site = sn_file_here(s->t, s->pc),
                                .old = s->old[half],
                                .flags = SN_TRACE_VALUE};
    sn_file_event(&ev);
}

/* A compare-exchange that failed has only read. */
SN_NOINLINE int sn_atomic_leave(struct sn_atomic_scope *s, int stored, int fail_order)
{
    uint64_t now[2];
    if (!s->t)
        return 1;
    enum sn_event_op op = s->op == SN_EV_ATOMIC_RMW && !stored ? SN_EV_ATOMIC_LOAD : s->op;
    look(s, now);
    if (now[0] == s->old[0] && now[1] == s->old[1])
        sn_spin_looked(sn_rec_of(s->t), s->addr);
    else
        sn_rec_of(s->t)->spins = 0;
    for (unsigned half = 0; half < (s->size > 8 ? 2u : 1u); half++)
        put(s, op, stored ? s->order : (unsigned)fail_order & 7, half, now[half]);
    sn_busy_leave(s->t);
    return 1;
}

void sn_atomic_fence(int order, uintptr_t pc)
{
    struct sn_thread *t = sn_record_enter(pc, 0, 0);
    if (!t)
        return;
    struct sn_trace_event ev = {.ev = {.op = SN_EV_FENCE, .order = (uint8_t)(order & 7)},
                                .thread = t->number,
                                .site = sn_file_here(t, pc)};
    sn_file_event(&ev);
    sn_busy_leave(t);
}
