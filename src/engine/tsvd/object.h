/* object.h: what object.c and object_slow.c share. */
#ifndef SN_TSVD_OBJECT_H
#define SN_TSVD_OBJECT_H

#include "tsvd.h"

#define SN_MAX_MODES 1024
enum { SN_MODE_UNKNOWN, SN_MODE_ON, SN_MODE_OFF, SN_MODE_PER_OBJECT };

extern uint8_t sn_mode_known[SN_MAX_MODES];

#define SN_FACT_BITS 12
#define SN_FACTS (1 << SN_FACT_BITS)
#define SN_FACT_TRIES 64

/* What is known of an object beyond its history. Written under the lock in object_slow.c; a key
 * stays where it is, so that key and marks may be read without. */
struct sn_fact {
    uint64_t key;
    uint64_t marks; /* bits of modes (index mod 64) */
    uint32_t frozen;
    uint32_t open;                /* a span is open, begun by `span` */
    struct sn_broken owner, span; /* thread: 1 + number; 0: none */
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

bool sn_effect_holds(const struct sn_call *c, const struct sn_contract_effect *e);
uint64_t sn_object_key(uint32_t type, uintptr_t addr);
uint32_t sn_object_root(uint32_t type,
                        uintptr_t *addr); /* its type; the address becomes the root's */
bool sn_test_holds(uint8_t how, uint64_t have, int64_t value); /* enum sn_contract_test */

#endif
