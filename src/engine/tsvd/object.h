/* object.h: what object.c and object_slow.c share. */
#ifndef SN_TSVD_OBJECT_H
#define SN_TSVD_OBJECT_H

#include "tsvd.h"

#define SN_MAX_MODES 1024
enum { SN_MODE_UNKNOWN, SN_MODE_ON, SN_MODE_OFF, SN_MODE_PER_OBJECT };

extern uint8_t sn_mode_known[SN_MAX_MODES];

bool sn_effect_holds(const struct sn_call *c, const struct sn_contract_effect *e);
uint64_t sn_object_key(uint32_t type, uintptr_t addr);
uint32_t sn_object_root(uint32_t type,
                        uintptr_t *addr); /* its type; the address becomes the root's */
bool sn_test_holds(uint8_t how, uint64_t have, int64_t value); /* enum sn_contract_test */

#endif
