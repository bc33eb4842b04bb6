/*
 * object_slow.c: objects that are found by asking the library (a statement's connection), modes,
 * marks, freezing, spans, and the locks that libraries make for themselves.
 *
 * What a call makes is known only after it: the address of the pointer that it fills is kept, and
 * looked at when the same thread does the next thing that snag sees. In the same way a lock counts
 * as taken when the thread does something afterwards.
 */
#include "object.h"

#include <sys/uio.h>

#include "core/leaf.h"
#include "core/sys.h"
#include "runtime/redirect.h"
#include "runtime/stub.h"
#include "runtime/unwind.h"

/* Memory that may be gone by now. */
static bool peek(uintptr_t addr, uintptr_t *out)
{
    struct iovec to = {out, sizeof *out}, from = {(void *)addr, sizeof *out};
    if (sn_is_on_stack(sn_self, __builtin_frame_address(0), addr)) {
        *out = *(const uintptr_t *)addr;
        return true;
    }
    return sn_sys6(SYS_process_vm_readv, sn_sys0(SYS_getpid), &to, 1, &from, 1, 0) == sizeof *out;
}

/* Bytes that may be an instruction with a lock prefix, before the function's first return. */
static bool has_lock_prefix(uintptr_t function)
{
    enum { LOCK = 0xf0, RET = 0xc3, LOOK = 96 };
    const unsigned char *code = (const unsigned char *)function;
    for (int i = 0; i < LOOK && code[i] != RET; i++)
        if (code[i] == LOCK)
            return true;
    return false;
}

/* An int, sign-extended; behind a pointer when the mode says so. */
static uint64_t ask(const struct sn_contract_mode *m, uintptr_t function, uintptr_t arg)
{
    uintptr_t have = ((uintptr_t(*)(uintptr_t))function)(arg);
    if (m->deref && !peek(have + (uintptr_t)m->offset, &have))
        have = 0;
    return (uint64_t)(int64_t)(int)have;
}

static bool ask_mode(uint32_t i)
{
    const struct sn_contract_mode *m = sn_contract_mode(i);
    uintptr_t f = sn_redirect_find(m->library, SN_CONTRACT_TEXT(sn_contracts, m->symbol));
    if (m->kind == SN_MODE_HAS || !f)
        return f != 0;
    if (m->kind == SN_MODE_ATOMIC)
        return has_lock_prefix(f);
    return sn_test_holds(m->test, ask(m, f, 0), m->value);
}

/* The function to ask; 0: the library does not have it. Found again after a module was unloaded. */
static uintptr_t asker(struct sn_asker *a, uint32_t library, uint32_t symbol)
{
    uint32_t age = __atomic_load_n(&sn_instrumented_age, __ATOMIC_ACQUIRE);
    if (SN_LIKELY(__atomic_load_n(&a->age, __ATOMIC_ACQUIRE) == age))
        return a->function;
    uintptr_t f = sn_redirect_find(library, SN_CONTRACT_TEXT(sn_contracts, symbol));
    a->is_plain = f && sn_leaf_is_plain((const uint8_t *)f);
    a->function = f;
    if (f)
        __atomic_store_n(&a->age, age, __ATOMIC_RELEASE); /* pairs with sn_ask_plain() */
    return f;
}

static bool ask_object(uint32_t i, uintptr_t addr)
{
    const struct sn_contract_mode *m = sn_contract_mode(i);
    uintptr_t word = 0;
    if (m->kind == SN_MODE_FIELD)
        return peek(addr + (uintptr_t)m->offset, &word) && sn_test_holds(m->test, word, m->value);
    uintptr_t f = asker(&sn_asker_of_mode[i % SN_MAX_MODES], m->library, m->symbol);
    return f && sn_test_holds(m->test, ask(m, f, addr), m->value);
}

static bool is_on(uint32_t mode, uint64_t key, uintptr_t addr)
{
    uint8_t *known = &sn_mode_known[mode % SN_MAX_MODES];
    const struct sn_contract_mode *m = sn_contract_mode(mode);
    if (m->kind == SN_MODE_MARK) {
        if (*known == SN_MODE_UNKNOWN)
            *known = SN_MODE_OFF; /* until an object gets the mark */
        return sn_has_mark(key, mode);
    }
    if (m->kind > SN_MODE_MARK) {
        *known = SN_MODE_PER_OBJECT;
        return ask_object(mode, addr);
    }
    if (*known == SN_MODE_UNKNOWN)
        *known = ask_mode(mode) ? SN_MODE_ON : SN_MODE_OFF;
    return *known == SN_MODE_ON;
}

/* T: the owner is somebody else. Span: another thread has begun one and not ended it. That another
 * one only goes on with it (a result handed over) is no harm. A span with a mode is open only while
 * that is on. */
bool sn_object_broken(struct sn_thread *t, const struct sn_touch *x, struct sn_broken *out)
{
    const struct sn_contract_effect *e = sn_contract_effect(x->effect);
    if (x->act != SN_ACT_ONLY && x->act != SN_ACT_BEGIN)
        return false;
    *out = sn_fact_who(x->key, x->act == SN_ACT_ONLY ? SN_FACT_OWNER : SN_FACT_SPAN);
    if (!out->thread || out->thread == t->number + 1)
        return false;
    return x->act != SN_ACT_BEGIN || !e->mode ||
           is_on(e->mode - 1u, x->key, x->addr) != e->mode_not;
}

/* From the argument's object to its root. 0: there is none. */
static uintptr_t root(uint32_t *type, uintptr_t addr)
{
    const struct sn_contract_object *o = sn_contract_object(*type);
    for (int depth = 0; o->map && addr && depth < 4; depth++) {
        if (o->map == SN_MAP_LOAD) { /* the called function does the same */
            addr = *(const uintptr_t *)(addr + (uintptr_t)o->map_value);
        } else {
            uintptr_t f = asker(&sn_asker_of_type[*type % SN_MAX_TYPES], o->library, o->map_symbol);
            if (!f)
                return 0;
            addr = ((uintptr_t(*)(uintptr_t, int64_t))f)(addr, o->map_value);
        }
        *type = o->root;
        o = sn_contract_object(*type);
    }
    return addr;
}

void sn_tsvd_pending(struct sn_thread *t)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    uintptr_t addr;
    for (int i = 0; i < 2; i++)
        if (s->pending_lock[i]) {
            struct sn_event ev = {.op = SN_EV_ACQUIRE, .addr = s->pending_lock[i]};
            s->pending_lock[i] = 0;
            sn_engine_event(t, &ev);
        }
    if (!s->pending_mark)
        return;
    if (s->pending_on_stack)
        sn_object_settle(t, *(const uintptr_t *)s->pending_mark);
    else if (peek(s->pending_mark, &addr))
        sn_object_settle(t, addr);
    else
        s->pending_mark = 0;
}

/* Acts that are no touch. */
static bool special(struct sn_thread *t, const struct sn_call *c,
                    const struct sn_contract_effect *e, uint32_t index, uintptr_t arg)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    struct sn_event ev = {.op = SN_EV_RELEASE, .addr = arg};
    switch ((enum sn_contract_act)e->act) {
    case SN_ACT_ACQUIRE:
    case SN_ACT_ACQUIRE_SHARED:
        s->pending_lock[s->pending_lock[0] != 0] = arg;
        return true;
    case SN_ACT_RELEASE:
    case SN_ACT_RELEASE_SHARED:
        if (e->act == SN_ACT_RELEASE_SHARED)
            ev.op = SN_EV_RELEASE_MERGE;
        if (arg)
            sn_engine_event(t, &ev);
        return true;
    case SN_ACT_RESET:
        sn_fact_forget(sn_object_key(e->object, arg));
        return true;
    case SN_ACT_OWN:
        s->pending_where = sn_tsvd_where(t, c);
        s->pending_point = sn_tsvd_place(c->pc, sn_stubs[c->stub].entry);
        if (!e->load && arg)
            sn_fact_own(sn_object_key(e->object, arg),
                        (struct sn_broken){t->number + 1, s->pending_where, s->pending_point});
        /* fall through */
    case SN_ACT_MARK:
        s->pending_mark = e->load && peek(arg, &s->pending_old) ? arg : 0;
        s->pending_on_stack = sn_is_on_stack(t, c, arg);
        s->pending_mark_effect = index;
        s->pending_left = 4096; /* then it has failed */
        if (!e->load && (arg || !e->arg) && e->act == SN_ACT_MARK)
            sn_fact_mark(sn_object_key(e->object, arg), e->mode - 1u);
        return true;
    default:
        return false;
    }
}

static bool is_armed(const struct sn_contract_effect *e)
{
    if (sn_redirect_armed[e->object])
        return true;
    if (!(e->does & SN_CB_WRITE))
        return false;
    if (sn_tsvd.threads > 1 && sn_redirect_arm(e->object))
        sn_tsvd_report_state(e->object);
    return true;
}

static bool one(struct sn_thread *t, const struct sn_call *c, uint32_t index, struct sn_touch *out)
{
    const struct sn_contract_effect *e = sn_contract_effect(index);
    uintptr_t addr = e->arg ? c->arg[e->arg - 1] : 0;
    uint32_t type = e->object;
    bool hidden = sn_contract_object(type)->hidden;
    if (!sn_effect_holds(c, e) || special(t, c, e, index, addr) || (hidden && !is_armed(e)))
        return false;
    if (e->load && (!addr || !peek(addr, &addr)))
        return false;
    if (!hidden && !(addr = root(&type, addr)))
        return false;
    uint64_t key = sn_object_key(type, addr);
    if (e->mode && e->act != SN_ACT_BEGIN && is_on(e->mode - 1u, key, addr) == e->mode_not)
        return false;
    *out = (struct sn_touch){.key = key,
                             .addr = addr,
                             .does = e->does,
                             .conflicts = e->conflicts,
                             .act = e->act,
                             .bytes = 0xff,
                             .effect = index};
    if (e->act == SN_ACT_FREEZE)
        sn_fact_freeze(key);
    return true;
}

unsigned sn_tsvd_touches_slow(struct sn_thread *t, const struct sn_call *c,
                              const struct sn_contract_entry *e, struct sn_touch *touch)
{
    unsigned n = 0;
    sn_tsvd_pending(t);
    for (uint32_t i = 0; i < e->neffects; i++)
        n += one(t, c, e->first_effect + i, &touch[n]);
    return n;
}
