/*
 * object.c: which objects a call is about. An object is a number made of its type and its address;
 * hidden state has its own index as address. Conditions of a rule are looked at here, and modes of
 * a library are asked once.
 *
 * Compiled with -mgeneral-regs-only; what calls into libraries is in object_slow.c.
 */
#include "tsvd.h"

#include "object.h"
#include "runtime/redirect.h"

uint8_t sn_mode_known[SN_MAX_MODES];

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

/* Follows fields of the objects. The called function does the same: what it is given is there. */
uint32_t sn_object_root(uint32_t type, uintptr_t *addr)
{
    const struct sn_contract_object *o = sn_contract_object(type);
    for (int depth = 0; o->map == SN_MAP_LOAD && *addr && depth < 4; depth++) {
        *addr = *(const uintptr_t *)(*addr + (uintptr_t)o->map_value);
        type = o->root;
        o = sn_contract_object(type);
    }
    return type;
}

/* 1: adds a touch; 0: none; -1: slow. */
static int one(const struct sn_call *c, uint32_t index, struct sn_touch *out)
{
    const struct sn_contract_effect *e = sn_contract_effect(index);
    const struct sn_contract_object *o = sn_contract_object(e->object);
    if (!sn_effect_holds(c, e))
        return 0;
    if (e->act >= SN_ACT_ACQUIRE && e->act <= SN_ACT_RELEASE_SHARED && sn_tsvd.mode != SN_TSVD_HB)
        return 0; /* no other mode looks at locks */
    if (e->act != SN_ACT_TOUCH || o->map == SN_MAP_CALL || e->load)
        return -1;
    uintptr_t addr = e->arg ? c->arg[e->arg - 1] : 0;
    uint32_t type = sn_object_root(e->object, &addr);
    if (e->mode) {
        uint8_t known = sn_mode_known[(e->mode - 1) % SN_MAX_MODES];
        if (known != SN_MODE_ON && known != SN_MODE_OFF)
            return -1;
        if ((known == SN_MODE_ON) == e->mode_not)
            return 0;
    }
    if (o->hidden && !sn_redirect_armed[e->object]) {
        if (!(e->does & SN_CB_WRITE))
            return 0;
        if (sn_tsvd.threads > 1)
            return -1; /* its readers become of interest */
    }
    if (!o->hidden && !addr)
        return 0;
    *out = (struct sn_touch){.key = sn_object_key(type, addr),
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
    if (e->flags & (SN_ENTRY_CALLS | SN_ENTRY_LONG))
        return -1;
    for (uint32_t i = 0; i < e->neffects; i++) {
        int r = one(c, e->first_effect + i, &touch[n]);
        if (r < 0)
            return r;
        n += r;
    }
    return n;
}
