/* field_memory.h: the memory of fields. `kind` has the bits SN_FIELDS_WIDE and SN_FIELDS_PAIR as
 * the name of the fields (fields.h). */
#ifndef SN_RACE_FIELD_MEMORY_H
#define SN_RACE_FIELD_MEMORY_H

#include <stdint.h>

void *sn_field_memory_take(uint64_t kind); /* null: there is none */
void sn_field_memory_give(void *p, uint64_t kind);

#endif
