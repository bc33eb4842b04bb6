/* object.h: what lies at a simulated address. */
#ifndef SN_CHECK_OBJECT_H
#define SN_CHECK_OBJECT_H

#include "check/issue.h"

/* Fills *o; the name is malloc'ed and may be null. */
void sn_object_at(const struct sn_vm *vm, uint64_t addr, struct sn_issue_object *o);
/* "counter", "pool+16", "heap block+8". malloc. */
char *sn_object_name(const struct sn_vm *vm, uint64_t addr);

#endif
