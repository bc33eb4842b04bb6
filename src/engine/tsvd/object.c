/*
 * object.c: which objects a call is about. An object is a number made of its type and its address;
 * hidden state has its own index as address. Conditions of a rule are looked at here, and modes of
 * a library are asked once.
 *
 * Compiled with -mgeneral-regs-only; what calls into libraries is in object_slow.c.
 */
#include "tsvd.h"

#include "object.h"
#include "runtime/hook.h"
#include "runtime/redirect.h"
#include "runtime/stub.h"
#include "runtime/stack_cache.h"

uint8_t sn_mode_known[SN_MAX_MODES];
struct sn_asker sn_asker_of_mode[SN_MAX_MODES], sn_asker_of_type[SN_MAX_TYPES];

static bool test(uint8_t how, uint64_t have, int64_t value)
{
    switch ((enum sn_contract_test)how) {
    case SN_TEST_EQ:
        return have == (uint64_t)value;
    case SN_TEST_NE:
        return have != (uint64_t)value;
    case SN_TEST_AND:
        return (have & (uint64_t)value) != 0;
    case SN_TEST_NAND:
        return (have & (uint64_t)value) == 0;
    case SN_TEST_NONE:
        break;
    }
    return true;
}

bool sn_test_holds(uint8_t how, uint64_t have, int64_t value)
{
    return test(how, have, value);
}

bool sn_effect_holds(const struct sn_call *c, const struct sn_contract_effect *e)
{
    return !e->test || test(e->test, c->arg[e->test_arg - 1], e->value);
}

/* The upper byte is the bucket of traps, the lower bits are the slot of the history. */
uint64_t sn_object_key(uint32_t type, uintptr_t addr)
{
    uint64_t k = (addr ^ ((uint64_t)(type + 1) << 48)) * 0x9e3779b97f4a7c15ull;
    k ^= k >> 29;
    k *= 0xbf58476d1ce4e5b9ull;
    k ^= k >> 32;
    return k ? k : 1;
}

/* From the argument's object to its root. The called function follows the same fields: what it is
 * given is there. False: slow. */
static bool find_root(uint32_t *type, uintptr_t *addr)
{
    const struct sn_contract_object *o = sn_contract_object(*type);
    for (int depth = 0; o->map && *addr && depth < 4; depth++) {
        if (o->map == SN_MAP_LOAD)
            *addr = *(const uintptr_t *)(*addr + (uintptr_t)o->map_value);
        else if (!sn_ask_plain(&sn_asker_of_type[*type % SN_MAX_TYPES], *addr, o->map_value, addr))
            return false;
        *type = o->root;
        o = sn_contract_object(*type);
    }
    return true;
}

/* A mode of one object: 1 on, 0 off, -1: the library must be asked. */
static int is_on(uint32_t mode, uint64_t key, uintptr_t addr)
{
    const struct sn_contract_mode *m = sn_contract_mode(mode);
    uintptr_t have;
    if (m->kind == SN_MODE_MARK)
        return sn_has_mark(key, mode);
    if (!addr)
        return -1;
    if (m->kind == SN_MODE_FIELD)
        return test(m->test, *(const uintptr_t *)(addr + (uintptr_t)m->offset), m->value);
    if (m->deref || !sn_ask_plain(&sn_asker_of_mode[mode % SN_MAX_MODES], addr, 0, &have))
        return -1;
    return test(m->test, (uint64_t)(int64_t)(int)have, m->value);
}

/* ---- locks that libraries make for themselves ----
 *
 * acquire and release of a contract say what orders. It is a lock, which keeps others out, if there
 * is an exclusive release of the type, and nobody releases what it has not acquired: else it is a
 * message. */

enum { LOCK_UNKNOWN = 0, LOCK_IS = 1, LOCK_IS_NOT = 2 };

static uint8_t lock_kind[SN_MAX_TYPES]; /* by type; atomic by its size */

SN_NOINLINE static bool has_release(uint32_t type)
{
    for (uint32_t i = 0; i < sn_contracts->neffects; i++)
        if (sn_contract_effect(i)->object == type && sn_contract_effect(i)->act == SN_ACT_RELEASE)
            return true;
    return false;
}

static bool is_lock(uint32_t type)
{
    uint8_t *kind = &lock_kind[type % SN_MAX_TYPES];
    if (*kind == LOCK_UNKNOWN)
        *kind = has_release(type) ? LOCK_IS : LOCK_IS_NOT;
    return *kind == LOCK_IS;
}

static void give_back(struct sn_tsvd_thread *s, uint32_t lock, uint32_t type)
{
    uint32_t i = s->ncontract_locks;
    while (i > 0 && (s->contract_lock[i - 1] & ~1u) != lock)
        i--;
    if (!i && s->lost_locks) {
        s->lost_locks--;
    } else if (!i) {
        lock_kind[type % SN_MAX_TYPES] = LOCK_IS_NOT;
        s->ncontract_locks = 0;
    } else {
        for (s->ncontract_locks--; i <= s->ncontract_locks; i++)
            s->contract_lock[i - 1] = s->contract_lock[i];
    }
}

/* By the thread's next point it has the lock. */
static void note_lock(const struct sn_contract_effect *e, uintptr_t addr)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(sn_self);
    uint32_t lock = ((uint32_t)(addr >> 3) * 0x9e3779b1u & ~1u) | 0x80000000u;
    if (!is_lock(e->object))
        return;
    if (e->act == SN_ACT_RELEASE || e->act == SN_ACT_RELEASE_SHARED)
        give_back(s, lock, e->object);
    else if (s->ncontract_locks < SN_CONTRACT_LOCKS)
        s->contract_lock[s->ncontract_locks++] = lock | (e->act == SN_ACT_ACQUIRE_SHARED);
    else
        s->lost_locks++;
}

/* ---- what a call makes known ---- */

void sn_object_settle(struct sn_thread *t, uintptr_t word)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    const struct sn_contract_effect *e = sn_contract_effect(s->pending_mark_effect);
    if (!s->pending_left--) {
        s->pending_mark = 0;
    } else if (word && word != s->pending_old) { /* else the call still runs, or failed */
        uint64_t key = sn_object_key(e->object, word);
        if (e->act == SN_ACT_MARK)
            sn_fact_mark(key, e->mode - 1u);
        else
            sn_fact_own(key, (struct sn_broken){t->number + 1, s->pending_where, s->pending_point});
        s->pending_mark = 0;
    }
}

/* The object is made by the call, which fills a pointer on the stack. False: the slow way. */
static bool expect(struct sn_thread *t, const struct sn_call *c, const struct sn_contract_effect *e,
                   uint32_t index)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    uintptr_t arg = e->arg ? c->arg[e->arg - 1] : 0;
    if (!e->load || !sn_is_on_stack(t, c, arg))
        return false;
    if (e->act == SN_ACT_OWN) {
        s->pending_where = sn_stack_cache_find(c, t);
        if (!s->pending_where)
            return false;
        s->pending_point = sn_tsvd_place(c->pc, sn_stubs[c->stub].entry);
    }
    s->pending_mark = arg;
    s->pending_on_stack = 1;
    s->pending_old = *(const uintptr_t *)arg;
    s->pending_mark_effect = index;
    s->pending_left = 4096; /* then it has failed */
    return true;
}

bool sn_object_needs_where(const struct sn_touch *touch, unsigned n)
{
    bool needs = false;
    for (unsigned i = 0; i < n; i++)
        needs |= touch[i].act == SN_ACT_BEGIN;
    return needs;
}

bool sn_object_is_well(struct sn_thread *t, const struct sn_touch *touch, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t who = touch[i].act == SN_ACT_ONLY ? sn_fact_who(touch[i].key, SN_FACT_OWNER).thread
                       : touch[i].act == SN_ACT_BEGIN
                           ? sn_fact_who(touch[i].key, SN_FACT_SPAN).thread
                           : 0;
        if (who && who != t->number + 1)
            return false;
    }
    return true;
}

int sn_object_note(struct sn_thread *t, uint32_t where, const struct sn_touch *touch, unsigned n)
{
    int action = 0;
    for (unsigned i = 0; i < n; i++) {
        if (touch[i].act == SN_ACT_DESTROY)
            sn_fact_forget(touch[i].key);
        else if (touch[i].act == SN_ACT_FREEZE)
            sn_fact_freeze(touch[i].key);
        else if (touch[i].act == SN_ACT_SET && sn_fact_is_frozen(touch[i].key))
            action = SN_DO_NOW; /* nothing more is needed to suspect it */
        else if (touch[i].act == SN_ACT_END)
            sn_fact_span(touch[i].key, (struct sn_broken){0, 0, 0});
        else if (touch[i].act == SN_ACT_BEGIN)
            sn_fact_span(touch[i].key,
                         (struct sn_broken){t->number + 1, where, sn_tsvd_of(t)->point});
    }
    return action;
}

/* ---- one effect ---- */

/* Acts that are no touch. 1: done; 0: it is another act; -1: slow. */
static int special(const struct sn_call *c, const struct sn_contract_effect *e, uint32_t index)
{
    switch ((enum sn_contract_act)e->act) {
    case SN_ACT_ACQUIRE:
    case SN_ACT_ACQUIRE_SHARED:
    case SN_ACT_RELEASE:
    case SN_ACT_RELEASE_SHARED:
        if (sn_tsvd.mode == SN_TSVD_HB)
            return -1;
        note_lock(e, c->arg[e->arg - 1]);
        return 1;
    case SN_ACT_RESET:
        sn_fact_forget(sn_object_key(e->object, e->arg ? c->arg[e->arg - 1] : 0));
        return 1;
    case SN_ACT_OWN:
    case SN_ACT_MARK:
        return expect(sn_self, c, e, index) ? 1 : -1;
    default:
        return 0;
    }
}

/* 1: it is there (0 in *addr: no object); -1: slow. A pointer to a pointer is followed on the stack
 * only, where it can be read whatever it is. */
static int find_address(const struct sn_call *c, const struct sn_contract_effect *e,
                        uintptr_t *addr)
{
    *addr = e->arg ? c->arg[e->arg - 1] : 0;
    if (e->load && !sn_is_on_stack(sn_self, c, *addr))
        return -1;
    if (e->load)
        *addr = *(const uintptr_t *)*addr;
    return 1;
}

/* 1: adds a touch; 0: none; -1: slow. */
static int one(const struct sn_call *c, uint32_t index, struct sn_touch *out)
{
    const struct sn_contract_effect *e = sn_contract_effect(index);
    const struct sn_contract_object *o = sn_contract_object(e->object);
    uint8_t known = e->mode ? sn_mode_known[(e->mode - 1) % SN_MAX_MODES] : SN_MODE_ON;
    bool by_mode = e->mode && e->act != SN_ACT_BEGIN; /* the mode of a span is asked at its end */
    uintptr_t addr;
    if (!sn_effect_holds(c, e))
        return 0;
    if (e->act > SN_ACT_FREEZE) {
        int done = special(c, e, index);
        if (done)
            return done < 0 ? -1 : 0;
    }
    if (by_mode && known == SN_MODE_UNKNOWN)
        return -1;
    if (by_mode && known != SN_MODE_PER_OBJECT && (known == SN_MODE_ON) == e->mode_not)
        return 0;
    uint32_t type = e->object;
    if (find_address(c, e, &addr) < 0 || !find_root(&type, &addr))
        return -1;
    if (o->hidden && !sn_redirect_armed[e->object]) {
        if (!(e->does & SN_CB_WRITE))
            return 0;
        if (sn_tsvd.threads > 1)
            return -1; /* its readers become of interest */
    }
    if (!o->hidden && !addr)
        return 0;
    uint64_t key = sn_object_key(type, addr);
    if (by_mode) {
        int on = known == SN_MODE_PER_OBJECT ? is_on(e->mode - 1u, key, addr) : known == SN_MODE_ON;
        if (on < 0 || on == e->mode_not)
            return on < 0 ? -1 : 0;
    }
    *out = (struct sn_touch){.key = key,
                             .addr = addr,
                             .does = e->does,
                             .conflicts = e->conflicts,
                             .act = e->act,
                             .bytes = 0xff,
                             .effect = index};
    return 1;
}

int sn_tsvd_touches(const struct sn_call *c, const struct sn_contract_entry *e,
                    struct sn_touch *touch)
{
    int n = 0;
    for (uint32_t i = 0; i < e->neffects; i++) {
        int r = one(c, e->first_effect + i, &touch[n]);
        if (r < 0)
            return r;
        n += r;
    }
    return n;
}
