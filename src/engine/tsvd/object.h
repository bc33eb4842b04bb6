/* object.h: what object.c, object_slow.c and fact.c share. */
#ifndef SN_TSVD_OBJECT_H
#define SN_TSVD_OBJECT_H

#include "runtime/instrumented.h"
#include "tsvd.h"

#define SN_MAX_MODES 1024
enum { SN_MODE_UNKNOWN, SN_MODE_ON, SN_MODE_OFF, SN_MODE_PER_OBJECT };

extern uint8_t sn_mode_known[SN_MAX_MODES];

#define SN_FACT_BITS 14
#define SN_FACTS (1 << SN_FACT_BITS)
#define SN_FACT_TRIES 64

enum sn_fact_role { SN_FACT_OWNER, SN_FACT_SPAN /* who has begun the open one */ };

/* What is known of an object beyond its history (fact.c). A key stays where it is. */
struct sn_fact {
    uint64_t key;            /* atomic */
    uint64_t marks;          /* bits of modes (index mod 64); atomic */
    uint32_t lock;           /* guards who */
    uint32_t frozen;         /* atomic */
    struct sn_broken who[2]; /* enum sn_fact_role; thread: 1 + number; 0: none */
};

extern struct sn_fact sn_facts[SN_FACTS];

static inline const struct sn_fact *sn_fact_find(uint64_t key)
{
    uint32_t i = (uint32_t)(key >> (64 - SN_FACT_BITS));
    for (unsigned tries = 0; tries < SN_FACT_TRIES; tries++, i++) {
        const struct sn_fact *f = &sn_facts[i & (SN_FACTS - 1)];
        uint64_t have = __atomic_load_n(&f->key, __ATOMIC_ACQUIRE);
        if (have == key)
            return f;
        if (!have)
            return 0;
    }
    return 0;
}

static inline bool sn_has_mark(uint64_t key, uint32_t mode)
{
    const struct sn_fact *f = sn_fact_find(key);
    return f && (__atomic_load_n(&f->marks, __ATOMIC_RELAXED) >> (mode & 63) & 1);
}

/* Null: there is no room. */
struct sn_fact *sn_fact_make(uint64_t key);
void sn_fact_mark(uint64_t key, unsigned mode);
void sn_fact_freeze(uint64_t key);
bool sn_fact_is_frozen(uint64_t key);
void sn_fact_own(uint64_t key, struct sn_broken owner); /* and all else is forgotten */
void sn_fact_forget(uint64_t key);
void sn_fact_span(uint64_t key, struct sn_broken by);               /* begun; thread 0: ended */
struct sn_broken sn_fact_who(uint64_t key, enum sn_fact_role role); /* thread 0: nobody */

/* On the stack of the thread, above `frame`, where there is memory whatever the program does. */
static inline bool sn_is_on_stack(const struct sn_thread *t, const void *frame, uintptr_t addr)
{
    return (uintptr_t)frame >= t->stack_low && addr >= (uintptr_t)frame &&
           addr <= t->stack_high - sizeof addr && addr % sizeof addr == 0;
}
/* What the last call has made is known now, or will be later. word: what the pointer holds. */
void sn_object_settle(struct sn_thread *t, uintptr_t word);

bool sn_effect_holds(const struct sn_call *c, const struct sn_contract_effect *e);
uint64_t sn_object_key(uint32_t type, uintptr_t addr);

/* A function of a library that is asked about an object. Found in the slow half; one that touches
 * general registers only is then called in the fast half, too. */
struct sn_asker {
    uintptr_t function;
    uint32_t age; /* sn_instrumented_age when it was found; 0: not yet. Written last */
    uint32_t is_plain;
};

#define SN_MAX_TYPES 4096
extern struct sn_asker sn_asker_of_mode[SN_MAX_MODES], sn_asker_of_type[SN_MAX_TYPES];

/* False: it must be done in the slow half. */
static inline bool sn_ask_plain(const struct sn_asker *a, uintptr_t addr, int64_t second,
                                uintptr_t *out)
{
    if (__atomic_load_n(&a->age, __ATOMIC_ACQUIRE) != sn_instrumented_age || !a->is_plain)
        return false;
    *out = ((uintptr_t(*)(uintptr_t, int64_t))a->function)(addr, second);
    return true;
}
bool sn_test_holds(uint8_t how, uint64_t have, int64_t value); /* enum sn_contract_test */

#endif
