/*
 * model_verifier.c: the functions of the software-verification competitions: nondeterministic input,
 * assumptions, atomic blocks, errors.
 */
#include "check/lib.h"
#include "check/sync.h"

static enum sn_result m_nondet(struct sn_call *c)
{
    c->ret = (struct sn_reg){sn_invent(c->vm, (unsigned)sn_model_of(c)->extra), SN_CHOICE};
    return SN_DONE;
}

static enum sn_result m_nondet_pointer(struct sn_call *c)
{
    c->ret = (struct sn_reg){SN_ADDR_WILD, SN_UNKNOWN};
    return SN_DONE;
}

/* A run whose assumption does not hold proves nothing: it ends. */
static enum sn_result m_assume(struct sn_call *c)
{
    struct sn_reg cond = sn_arg(c, 0);
    sn_decided_at(c->vm, cond.u, c->t->pc);
    if ((uint32_t)cond.v == 0) {
        c->vm->stop_reason = "assumption does not hold";
        return SN_END;
    }
    return SN_DONE;
}

static enum sn_result m_error(struct sn_call *c)
{
    c->vm->stop_reason = "error reached";
    return SN_END;
}

#define ATOMIC_ADDR 0x80 /* pseudo address of the one lock that atomic blocks are */

void sn_atomic_begin(struct sn_vm *vm, struct sn_task *t)
{
    if (t->atomic_depth++ == 0)
        sn_vsync_acquire(vm, t, &sn_vsync_at(vm, ATOMIC_ADDR, SN_VSYNC_EVENT)->clock);
}

void sn_atomic_end(struct sn_vm *vm, struct sn_task *t)
{
    if (t->atomic_depth > 0 && --t->atomic_depth == 0)
        sn_vsync_release(vm, t, &sn_vsync_at(vm, ATOMIC_ADDR, SN_VSYNC_EVENT)->clock);
}

static enum sn_result m_atomic_begin(struct sn_call *c)
{
    sn_atomic_begin(c->vm, c->t);
    return SN_DONE;
}

static enum sn_result m_atomic_end(struct sn_call *c)
{
    sn_atomic_end(c->vm, c->t);
    return SN_DONE;
}

static const struct sn_model models[] = {
    {"__VERIFIER_nondet_bool", m_nondet, 0, 1}, {"__VERIFIER_nondet__Bool", m_nondet, 0, 1},
    {"__VERIFIER_nondet_char", m_nondet, 0, 8}, {"__VERIFIER_nondet_uchar", m_nondet, 0, 8},
    {"__VERIFIER_nondet_short", m_nondet, 0, 16}, {"__VERIFIER_nondet_ushort", m_nondet, 0, 16},
    {"__VERIFIER_nondet_int", m_nondet, 0, 32}, {"__VERIFIER_nondet_uint", m_nondet, 0, 32},
    {"__VERIFIER_nondet_unsigned", m_nondet, 0, 32}, {"__VERIFIER_nondet_long", m_nondet, 0, 64},
    {"__VERIFIER_nondet_ulong", m_nondet, 0, 64}, {"__VERIFIER_nondet_longlong", m_nondet, 0, 64},
    {"__VERIFIER_nondet_ulonglong", m_nondet, 0, 64}, {"__VERIFIER_nondet_size_t", m_nondet, 0, 64},
    {"__VERIFIER_nondet_u8", m_nondet, 0, 8}, {"__VERIFIER_nondet_u16", m_nondet, 0, 16},
    {"__VERIFIER_nondet_u32", m_nondet, 0, 32}, {"__VERIFIER_nondet_float", m_nondet, 0, 32},
    {"__VERIFIER_nondet_double", m_nondet, 0, 64}, {"__VERIFIER_nondet_pchar", m_nondet_pointer, 0, 0},
    {"__VERIFIER_nondet_pointer", m_nondet_pointer, 0, 0},
    {"__VERIFIER_assume", m_assume, 0, 0}, {"__VERIFIER_error", m_error, 0, 0},
    {"__VERIFIER_atomic_begin", m_atomic_begin, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"__VERIFIER_atomic_end", m_atomic_end, 0, 0},
    {"assume", m_assume, 0, 0}, {"reach_error", m_error, 0, 0},
};
const struct sn_model_table sn_models_verifier = {models, sizeof models / sizeof *models};
